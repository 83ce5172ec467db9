//! What is said about elements with all they contain, and what follows from it for a place.
//!
//! Within one dialect the nearest element that says anything about a facet decides on it; on one element what names a
//! bot goes before what names all, and of two equals the denial counts. Across dialects the strictest wins
//! (docs/semantics.md, sections 2 and 4.3). Which elements are round a place is not known here.

mod fold;
pub(crate) mod licence;
mod marks;
mod names;
mod operator;
mod script;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use url::Url;

use crate::bot::Bots;
use crate::dialect::{self, Dialects, Ear, Element, PAGEFIND_BODY, PAGEFIND_SITE, Use};
use crate::error::Result;
use crate::html::{Sieve, Tag};
use crate::lex::Tile;
use crate::limits::{Limits, size};
use crate::policy::Facets;
use crate::robots_txt::{Mode, RobotsTxt, Usage};

pub(crate) use fold::{Follow, Trace};
pub use licence::Licence;
pub(crate) use licence::Licences;
pub(crate) use marks::{Marks, Statement};
pub use names::Names;
pub(crate) use names::{Profile, ProfileTerms, Resolver};
pub(crate) use script::Script;

use operator::Denial;

/// What a pass needs to know before it begins.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) bots: Bots,
    pub(crate) dialects: Dialects,
    pub(crate) limits: Limits,
    pub(crate) profile: ProfileTerms,
    pub(crate) licences: Licences,
    /// What the operator denies besides what comes with the dialects.
    denials: Vec<Denial>,
    /// What comes with them.
    filed: Vec<Denial>,
    /// Sites of which a page is known to mark what Pagefind may find.
    pub(crate) pagefind_sites: Arc<HashSet<String>>,
    /// Nothing is left out that is known to change nothing: every tile is heard, every verdict made twice. It shows that nothing
    /// comes of it.
    pub(crate) is_thorough: bool,
    /// How each robots.txt is read, if not as it says itself.
    pub(crate) mode: Option<Mode>,
}

impl Terms {
    pub(crate) fn new(bots: Bots) -> Self {
        let (dialects, limits, profile) = (Dialects::default(), Limits::default(), ProfileTerms::default());
        let (denials, filed, licences) = (Vec::new(), Vec::new(), Licences::default());
        Self {
            bots,
            dialects,
            limits,
            profile,
            licences,
            denials,
            filed,
            pagefind_sites: Arc::default(),
            is_thorough: false,
            mode: None,
        }
    }

    /// Other dialects, with what comes with them.
    pub(crate) fn obey(&mut self, dialects: Dialects) {
        self.filed = dialects.pages().map(|(denies, pattern)| Denial::checked(denies, pattern)).collect();
        self.dialects = dialects;
    }

    pub(crate) fn deny(&mut self, denies: Facets, pattern: &str) -> Result<()> {
        self.denials.push(Denial::new(denies, pattern)?);
        Ok(())
    }

    /// All that the operator denies.
    pub(crate) fn denials(&self) -> impl Iterator<Item = &Denial> {
        self.filed.iter().chain(&self.denials)
    }

    /// What the operator denies of this page.
    pub(crate) fn denied<'a>(&'a self, url: &'a Url) -> impl Iterator<Item = &'a Denial> {
        self.denials().filter(move |denial| denial.is_about(url))
    }

    /// Whether Pagefind would leave out this page if it does not mark what may be found.
    pub(crate) fn is_of_pagefind(&self, url: &Url) -> bool {
        let is_known = || self.pagefind_sites.contains(&url.origin().ascii_serialization());
        self.dialects.has(PAGEFIND_BODY) && (self.dialects.has(PAGEFIND_SITE) || is_known())
    }

    pub(crate) fn ear(&self) -> Ear<'_> {
        Ear::new(&self.bots, &self.dialects, &self.profile.uri, size(self.limits.statements))
    }

    /// A robots.txt, to be read as these terms say.
    pub(crate) fn read<'r>(&self, robots: &'r RobotsTxt) -> Cow<'r, RobotsTxt> {
        let robots = if self.dialects.repairs() { Cow::Borrowed(robots) } else { Cow::Owned(robots.exactly()) };
        match self.mode.filter(|mode| *mode != robots.read_by()) {
            Some(mode) => Cow::Owned(robots.into_owned().mode(mode)),
            None => robots,
        }
    }

    /// Those who have heard what each record of a robots.txt says of the use of a page.
    pub(crate) fn uses(&self, usages: &[Usage<'_>]) -> Vec<Ear<'_>> {
        let uses = usages.iter().map(|usage| Use { key: usage.key(), said: usage.said(), length: usage.length() });
        dialect::uses(&uses.collect::<Vec<_>>(), || self.ear())
    }
}

/// Here, where both are known: dialects see no tiles.
impl Element for Tile<'_> {
    fn name(&self) -> &str {
        self.name()
    }

    fn tag(&self) -> Tag {
        self.tag()
    }

    fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        self.attribute(name)
    }

    fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.attribute_names()
    }

    fn may_have(&self, names: Sieve) -> bool {
        self.may_have(names)
    }
}
