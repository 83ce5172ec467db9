//! What is said about elements with all they contain, and what follows from it for a place.
//!
//! Within one dialect the nearest element that says anything about a facet decides on it; on one element what names a
//! bot goes before what names all, and of two equals the denial counts. Across dialects the strictest wins
//! (docs/semantics.md, sections 2 and 4.3). Which elements are round a place is not known here.

pub(crate) mod licence;
mod lifts;
mod names;
mod operator;
mod script;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use url::Url;

use crate::bot::{BotSet, Bots};
use crate::dialect::{self, Dialects, Ear, Element, PAGEFIND_BODY, PAGEFIND_SITE, Said, Use, Whom};
use crate::error::Result;
use crate::html::{Sieve, Tag};
use crate::lex::Tile;
use crate::limits::{Limits, size};
use crate::policy::{DirectiveId, Facet, Facets, Says, Verdict};
use crate::robots_txt::{Mode, RobotsTxt, Usage};
pub(crate) use crate::tree::Mark;

pub use licence::Licence;
pub(crate) use licence::{LicenceText, Licences};
pub(crate) use lifts::{Allowances, Lift};
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
    /// How each robots.txt is read, if not as it says itself.
    pub(crate) mode: Option<Mode>,
}

impl Terms {
    pub(crate) fn new(bots: Bots) -> Self {
        let (dialects, limits, profile) = (Dialects::default(), Limits::default(), ProfileTerms::default());
        let (denials, filed, licences) = (Vec::new(), Vec::new(), Licences::default());
        Self { bots, dialects, limits, profile, licences, denials, filed, pagefind_sites: Arc::default(), mode: None }
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

/// One thing that is said about an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statement {
    pub(crate) directive: DirectiveId,
    pub(crate) says: Says,
    pub(crate) whom: Whom,
    pub(crate) dialect: &'static str,
}

impl Statement {
    pub(crate) fn new(directive: DirectiveId, said: &Said) -> Self {
        Self { directive, says: said.says, whom: said.whom, dialect: said.dialect }
    }

    pub(crate) fn is_denial(&self) -> bool {
        matches!(self.says, Says::Deny(_))
    }

    /// Whether it lets in by a dialect other than the profile: what no such element holds is then out.
    pub(crate) fn lets_in(&self) -> bool {
        !self.is_denial() && matches!(self.whom, Whom::Bots(_))
    }

    fn is_of_one_bot(&self) -> bool {
        matches!(self.whom, Whom::Profile(Some(_)))
    }

    fn facets(&self) -> Facets {
        match self.says {
            Says::Deny(facets) | Says::Allow(facets) => facets,
            _ => Facets::NONE,
        }
    }
}

/// What one dialect says about an element.
#[derive(Debug)]
struct Voice {
    dialect: &'static str,
    facets: Facets,
    statements: Vec<Statement>,
}

/// All elements that say something, by their marks.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    voices: Vec<Vec<Voice>>,
    /// Marks some of whose content was moved out: their allowances are void.
    void: HashSet<Mark>,
}

/// The bots for which a dialect has not decided yet on each facet.
struct Undecided {
    dialect: &'static str,
    bots: [BotSet; Facet::COUNT],
}

impl Marks {
    pub(crate) fn add(&mut self, statements: Vec<Statement>) -> Mark {
        let mut voices: Vec<Voice> = Vec::new();
        for statement in statements {
            let at = voices.iter().position(|voice| voice.dialect == statement.dialect).unwrap_or_else(|| {
                voices.push(Voice { dialect: statement.dialect, facets: Facets::NONE, statements: Vec::new() });
                voices.len() - 1
            });
            voices[at].facets = voices[at].facets.with(statement.facets());
            voices[at].statements.push(statement);
        }
        self.voices.push(voices);
        Mark::try_from(self.voices.len()).unwrap_or(Mark::MAX)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.voices.is_empty()
    }

    pub(crate) fn of(&self, mark: Mark) -> impl Iterator<Item = &Statement> {
        self.voices[mark as usize - 1].iter().flat_map(|voice| &voice.statements)
    }

    pub(crate) fn lets_in(&self, mark: Mark) -> bool {
        self.of(mark).any(Statement::lets_in)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Statement> {
        self.voices.iter().flatten().flat_map(|voice| &voice.statements)
    }

    /// Content of this mark was moved out: from now on it allows nothing. Says whether it did, the first time.
    pub(crate) fn content_moved(&mut self, mark: Mark) -> Option<bool> {
        self.void.insert(mark).then(|| self.of(mark).any(|statement| !statement.is_denial()))
    }

    /// Adds to a verdict what the elements round a place, innermost first, deny. Returns the bots that they let follow.
    pub(crate) fn fold(&self, marks: &[Mark], profile: &Profile, all: BotSet, verdict: &mut Verdict) -> BotSet {
        let mut undecided: Vec<Undecided> = Vec::new();
        let mut follow = BotSet::NONE;
        for mark in marks {
            for voice in &self.voices[*mark as usize - 1] {
                let at = undecided.iter().position(|one| one.dialect == voice.dialect).unwrap_or_else(|| {
                    undecided.push(Undecided { dialect: voice.dialect, bots: [all; Facet::COUNT] });
                    undecided.len() - 1
                });
                for facet in voice.facets.iter() {
                    let open = &mut undecided[at].bots[facet as usize];
                    if !open.is_empty() {
                        let allowed = self.decide(*mark, voice, facet, profile, open, verdict);
                        follow = if facet == Facet::Follow { follow.or(allowed) } else { follow };
                    }
                }
            }
        }
        follow
    }

    /// Lets one element decide on one facet, for the bots for which it is open; returns those it allows.
    fn decide(
        &self,
        mark: Mark,
        voice: &Voice,
        facet: Facet,
        profile: &Profile,
        open: &mut BotSet,
        verdict: &mut Verdict,
    ) -> BotSet {
        let mut allowed = BotSet::NONE;
        for of_one_bot in [true, false] {
            let on_facet = |statement: &&Statement| statement.facets().contains(facet);
            let ranked = voice.statements.iter().filter(on_facet).filter(|s| s.is_of_one_bot() == of_one_bot);
            let (denials, allowances): (Vec<&Statement>, Vec<&Statement>) =
                ranked.partition(|statement| statement.is_denial());
            for statement in denials {
                let denied = profile.bots(statement.whom, true).and(*open);
                verdict.deny(statement.directive, facet, denied);
                *open = open.without(denied);
            }
            for statement in allowances.iter().filter(|_| !self.void.contains(&mark)) {
                let more = profile.bots(statement.whom, false).and(*open);
                allowed = allowed.or(more);
                *open = open.without(more);
            }
        }
        allowed
    }

    /// The bots for which a phrase ends where this element begins or ends.
    pub(crate) fn breaks(&self, mark: Mark, profile: &Profile, all: BotSet) -> BotSet {
        let mut verdict = Verdict::default();
        self.fold(&[mark], profile, all, &mut verdict);
        verdict.denied(Facet::Index)
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
