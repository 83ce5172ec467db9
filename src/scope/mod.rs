//! Decides the effect of directives about elements with their content.
//!
//! Within one convention the nearest element with a statement about a use decides on this use. On
//! one element, a statement for one bot takes precedence over one for all bots, and at equal
//! precedence a denial wins over an allowance. Across conventions the strictest statement wins
//! (docs/semantics.md, sections 2 and 4.3). This folder does not know which elements are around a
//! place.

mod fold;
pub(crate) mod licence;
mod marks;
mod names;
mod operator;
mod rule_hits;
mod script;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use url::Url;

use crate::convention::{
    self, Conventions, Element, PAGEFIND_BODY, PAGEFIND_SITE, RecordUse, StatementCollector,
};
use crate::html::Landmarks;
use crate::html::{Sieve, Tag};
use crate::lex::Token;
use crate::policy::Uses;
use heedful_base::address::authority;
use heedful_base::bot::Bots;
use heedful_base::error::Result;
use heedful_base::limits::{Limits, size};
use heedful_robots::{Mode, PageUrl, RobotsTxt, Usage};

pub use fold::{Follow, Trace};
pub use licence::{Licence, LicenceText, Licences};
pub use marks::{MarkStatement, Marks};
pub(crate) use names::NamesResolver;
pub use names::{Profile, ProfileNames, ProfileTerms};
use rule_hits::RuleHits;
pub use script::Script;

pub use operator::{Denial, normal_pattern};

/// Settings of a pass. They are fixed before the pass begins.
#[derive(Clone, Debug)]
pub struct PassTerms {
    #[doc(hidden)]
    pub bots: Bots,
    #[doc(hidden)]
    pub conventions: Conventions,
    #[doc(hidden)]
    pub limits: Limits,
    /// Landmarks whose text is read.
    #[doc(hidden)]
    pub landmarks: Landmarks,
    #[doc(hidden)]
    pub profile: ProfileTerms,
    #[doc(hidden)]
    pub licences: Licences,
    /// Denials for pages whose URL matches a pattern, set with [`Filter::deny`].
    ///
    /// [`Filter::deny`]: crate::Filter::deny
    own_denials: Vec<Denial>,
    /// Denials for pages whose URL matches a pattern, from the user's convention file. The other
    /// rules of that file are in `conventions`.
    convention_denials: Vec<Denial>,
    /// For each of the user's own rules in `conventions` (regions and elements), a flag that is set
    /// once the rule has matched.
    pub(crate) own_rule_hits: RuleHits,
    /// Sites on which some page is known to have Pagefind's attribute `data-pagefind-body`.
    pub(crate) pagefind_sites: Arc<HashSet<String>>,
    /// True if the pass takes no shortcuts: it reads every token, and makes every verdict twice.
    /// Tests compare its results with those of a normal pass. This shows that shortcuts change
    /// nothing.
    pub(crate) is_thorough: bool,
    /// Mode in which each robots.txt is parsed. `None` for the file's own mode.
    #[doc(hidden)]
    pub mode: Option<Mode>,
}

impl PassTerms {
    pub(crate) fn new(bots: Bots) -> Self {
        Self {
            bots,
            conventions: Conventions::default(),
            limits: Limits::default(),
            landmarks: Landmarks::ALL,
            profile: ProfileTerms::default(),
            licences: Licences::default(),
            own_denials: Vec::new(),
            convention_denials: Vec::new(),
            own_rule_hits: RuleHits::new(0),
            pagefind_sites: Arc::default(),
            is_thorough: false,
            mode: None,
        }
    }

    /// Sets the conventions, with the denials for URL patterns that the conventions contain.
    pub(crate) fn set_conventions(&mut self, conventions: Conventions) {
        self.convention_denials.clear();
        for (denies, pattern) in conventions.pages() {
            let denial = Denial::from_valid(denies, pattern);
            self.convention_denials.push(denial);
        }
        self.own_rule_hits = RuleHits::new(conventions.custom_rules().count());
        self.conventions = conventions;
    }

    pub(crate) fn deny(&mut self, denies: Uses, pattern: &str) -> Result<()> {
        self.own_denials.push(Denial::new(denies, pattern)?);
        Ok(())
    }

    /// Returns the operator's own denials whose URL patterns have matched no page yet. Each denial
    /// has the form `USES=PATTERN`.
    pub(crate) fn unmatched_denials(&self) -> impl Iterator<Item = String> {
        unmet(&self.own_denials)
    }

    /// Returns the user's own rules that have matched nothing yet. Own rules are for regions,
    /// elements or URLs, and belong to the conventions. Each rule is spelt as the user writes it.
    pub(crate) fn unmatched_rules(&self) -> impl Iterator<Item = String> {
        let own = self.conventions.custom_rules().enumerate();
        let unmet_rules =
            own.filter_map(|(number, rule)| (!self.own_rule_hits.is_set(number)).then_some(rule));
        unmet_rules.chain(unmet(&self.convention_denials))
    }

    /// Returns all denials for pages whose URL matches a pattern. The denials of the conventions
    /// come first, then the operator's own denials.
    #[doc(hidden)]
    pub fn denials(&self) -> impl Iterator<Item = &Denial> {
        self.convention_denials.iter().chain(&self.own_denials)
    }

    /// Returns the denials whose URL pattern matches `page`.
    #[doc(hidden)]
    pub fn denied<'a>(&'a self, page: &'a PageUrl<'_>) -> impl Iterator<Item = &'a Denial> {
        self.denials().filter(|denial| denial.is_about(page))
    }

    /// True if Pagefind would leave out a page at `url` that lacks the attribute
    /// `data-pagefind-body`.
    #[doc(hidden)]
    pub fn is_of_pagefind(&self, url: &Url) -> bool {
        self.conventions.has(PAGEFIND_BODY)
            && (self.conventions.has(PAGEFIND_SITE)
                || self.pagefind_sites.contains(&authority(url)))
    }

    #[doc(hidden)]
    pub fn collector(&self) -> StatementCollector<'_> {
        StatementCollector::new(
            &self.bots,
            &self.conventions,
            &self.profile.uri,
            size(self.limits.statements),
        )
    }

    /// Returns the robots.txt as parsed in the mode of this pass. If the pass sets no mode, the
    /// file's own mode is kept. If the switch `as-written` is on, lines with mistakes are not
    /// repaired.
    #[doc(hidden)]
    pub fn apply_mode<'r>(&self, robots: &'r RobotsTxt) -> Cow<'r, RobotsTxt> {
        let robots = if self.conventions.repairs() {
            Cow::Borrowed(robots)
        } else {
            Cow::Owned(robots.without_repairs())
        };
        match self.mode {
            Some(mode) if mode != robots.get_mode() => Cow::Owned(robots.into_owned().mode(mode)),
            _ => robots,
        }
    }

    /// Reads the statements in `usages`, which are the lines of a robots.txt about the use of a
    /// page. Returns a collector for each line, with the statements of this line.
    #[doc(hidden)]
    pub fn collect_uses(&self, usages: &[Usage<'_>]) -> Vec<StatementCollector<'_>> {
        let uses = usages.iter().map(|usage| RecordUse {
            key: usage.key(),
            value: usage.value(),
            length: usage.length(),
        });
        convention::read_records(&uses.collect::<Vec<_>>(), || self.collector())
    }
}

fn unmet(denials: &[Denial]) -> impl Iterator<Item = String> {
    denials
        .iter()
        .filter(|denial| !denial.is_met())
        .map(|denial| format!("{}={}", denial.denies, denial.text))
}

/// Lets conventions read a token as an element. This implementation is in this folder, since the
/// folder `convention` does not depend on tokens.
impl Element for Token<'_> {
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
