//! The listener: the statements of one tag, header line or record, the bots that each is for, and
//! complaints.
//!
//! It records nothing twice, and no more than a maximum. It complains if one tag or line has both a
//! denial and an allowance. It decides nothing.

use std::ops::Range;

use crate::note::NoteKind;
use crate::policy::{Extent, Says, Use};
use heedful_base::bot::{BotSet, Bots};

use super::set::Conventions;

/// The most complaints about one tag or line.
const MOST_COMPLAINTS: usize = 1000;

/// One statement.
#[derive(Debug, PartialEq, Eq)]
pub struct Statement {
    #[doc(hidden)]
    pub says: Says,
    #[doc(hidden)]
    pub recipients: Recipients,
    #[doc(hidden)]
    pub extent: Extent,
    #[doc(hidden)]
    pub convention: &'static str,
}

/// The bots that a statement is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Recipients {
    Bots(BotSet),
    /// As `Bots`, but the profile's `robots-follow` takes precedence over it.
    Unless(BotSet),
    /// A class of the profile: for all bots, or for those to which the page gives this number.
    Profile(Option<u32>),
}

impl Recipients {
    /// True if a statement for these is also for some of those, with the same weight.
    fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Profile(one), Self::Profile(other)) => one == other,
            _ => self
                .bots()
                .zip(other.bots())
                .is_some_and(|(one, other)| !one.and(other).is_empty()),
        }
    }

    /// These without those that have heard the statement already.
    fn except(self, heard: Self) -> Self {
        match (self, heard) {
            (Self::Bots(bots), Self::Bots(heard)) => Self::Bots(bots.without(heard)),
            _ if self == heard => Self::Bots(BotSet::NONE),
            _ => self,
        }
    }

    pub(super) fn bots(self) -> Option<BotSet> {
        match self {
            Self::Bots(bots) | Self::Unless(bots) => Some(bots),
            Self::Profile(_) => None,
        }
    }

    /// Returns `bots`, for `Unless` without `follow`: the bots that the profile allows to follow.
    #[doc(hidden)]
    pub fn remaining(self, bots: BotSet, follow: BotSet) -> BotSet {
        if matches!(self, Self::Unless(_)) {
            bots.without(follow)
        } else {
            bots
        }
    }
}

/// A page's statement about the profile itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// It follows the profile.
    Profile,
    /// It means to follow the profile, but is miswritten: only denials count.
    MeantProfile,
    /// The bot of this number has this name.
    Name(u32, String),
    /// The page at this address has the names.
    NamesPage(String),
}

/// The listener, with its settings and what it heard.
#[derive(Debug)]
#[doc(hidden)]
pub struct StatementCollector<'a> {
    pub(super) bots: &'a Bots,
    pub(super) conventions: &'a Conventions,
    /// The profile's URI.
    pub(super) profile: &'a str,
    /// The maximum of statements; one more is kept, to show that there were too many.
    pub(super) limit: usize,
    pub statements: Vec<Statement>,
    pub declarations: Vec<Declaration>,
    /// The addresses of licences.
    pub pointers: Vec<String>,
    pub(crate) complaints: Vec<Complaint>,
    /// The numbers of the user\'s own rules that it was.
    pub(crate) matched_rules: Vec<usize>,
}

impl<'a> StatementCollector<'a> {
    pub(crate) fn new(
        bots: &'a Bots,
        conventions: &'a Conventions,
        profile: &'a str,
        most: usize,
    ) -> Self {
        Self {
            bots,
            conventions,
            profile,
            limit: most,
            statements: Vec::new(),
            declarations: Vec::new(),
            pointers: Vec::new(),
            complaints: Vec::new(),
            matched_rules: Vec::new(),
        }
    }

    pub(crate) fn has_too_many(&self) -> bool {
        self.statements.len() > self.limit
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.statements.is_empty()
            && self.declarations.is_empty()
            && self.pointers.is_empty()
            && self.complaints.is_empty()
    }

    /// Keeps only denials of the page as a whole, with a note. It is used in places where a page
    /// makes no statements about itself.
    #[doc(hidden)]
    pub fn keep_page_denials(&mut self) {
        self.declarations.clear();
        self.statements
            .retain(|said| said.extent.is_ceiling() && !matches!(said.says, Says::Allow(_)));
        if let Some(convention) = self.statements.first().map(|said| said.convention) {
            let message = "most robots do not hear what a page says of itself in a template, a noscript, a shadow root or \
                           beside frames: here it is heard as it denies";
            self.complain(
                NoteKind::Lookalike,
                self.bots_of(0..self.statements.len()),
                convention,
                message.to_owned(),
            );
        }
    }

    /// The bots to whom what was heard from this index on denies anything.
    pub(super) fn bots_denied_since(&self, from: usize) -> BotSet {
        let denials = self.statements[from..]
            .iter()
            .filter(|said| !matches!(said.says, Says::Allow(_)));
        denials.fold(BotSet::NONE, |bots, said| {
            bots.or(said.recipients.bots().unwrap_or(self.bots.all()))
        })
    }

    /// Makes all statements and complaints be for these bots.
    #[doc(hidden)]
    pub fn restrict_to(&mut self, bots: BotSet) {
        for said in &mut self.statements {
            said.recipients = Recipients::Bots(bots);
        }
        for complaint in &mut self.complaints {
            complaint.bots = bots;
        }
    }

    /// Records a statement for the bots that have not heard it yet. It may come for some first,
    /// then for all.
    pub(super) fn add(
        &mut self,
        says: Says,
        whom: Recipients,
        extent: Extent,
        convention: &'static str,
    ) {
        let same = self
            .statements
            .iter()
            .filter(|said| (said.says, said.extent, said.convention) == (says, extent, convention));
        let whom = same.fold(whom, |whom, said| whom.except(said.recipients));
        if whom != Recipients::Bots(BotSet::NONE) && !self.has_too_many() {
            self.statements.push(Statement {
                says,
                recipients: whom,
                extent,
                convention,
            });
        }
    }

    /// The bots that these statements are for.
    pub(super) fn bots_of(&self, said: Range<usize>) -> BotSet {
        let all = self.bots.all();
        self.statements[said]
            .iter()
            .fold(BotSet::NONE, |bots, said| {
                bots.or(said.recipients.bots().unwrap_or(all))
            })
    }

    /// Records a complaint, up to a maximum for one tag or line: a page's notes are bounded too.
    pub(super) fn complain(
        &mut self,
        kind: NoteKind,
        bots: BotSet,
        convention: &'static str,
        message: String,
    ) {
        if self.complaints.len() < MOST_COMPLAINTS {
            self.complaints.push(Complaint {
                kind,
                bots,
                convention,
                message,
            });
        }
    }

    /// Complains if one tag or line both denies and allows something to the same bots.
    pub(super) fn report_contradictions(&mut self) {
        if self
            .complaints
            .iter()
            .any(|complaint| complaint.kind == NoteKind::Contradiction)
        {
            return;
        }
        for (at, said) in self.statements.iter().enumerate() {
            let Says::Allow(allowed) = said.says else {
                continue;
            };
            let others = self
                .statements
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, other)| other);
            let of_same_rank = others.filter(|other| {
                other.convention == said.convention && other.recipients.overlaps(said.recipients)
            });
            let contradicts = |usage: &Use| {
                let denies = |other: &Statement| matches!(other.says, Says::Deny(denied) if denied.contains(*usage));
                of_same_rank.clone().any(denies)
            };
            if let Some(usage) = allowed.iter().find(contradicts) {
                let message = format!(
                    "`{}` is both denied and allowed here: it is denied",
                    usage.name()
                );
                let bots = said.recipients.bots().unwrap_or(self.bots.all());
                self.complaints.push(Complaint {
                    kind: NoteKind::Contradiction,
                    bots,
                    convention: said.convention,
                    message,
                });
                return;
            }
        }
    }
}

/// Something that looks wrong.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) kind: NoteKind,
    pub(crate) bots: BotSet,
    pub(crate) convention: &'static str,
    pub(crate) message: String,
}
