//! Collects the statements of one tag, header line or robots.txt record, and complaints about it.
//! Each statement has the bots that it is for.
//!
//! A collector records no statement twice, and limits the number of statements. It complains if one
//! tag or line both denies and allows a use. It does not decide which statements are obeyed.

use std::ops::Range;

use crate::note::NoteKind;
use crate::policy::{Extent, StatementContent, Use};
use heedful_base::bot::{BotSet, Bots};

use super::set::Conventions;

/// Maximum number of complaints about one tag or line.
const MOST_COMPLAINTS: usize = 1000;

/// One statement of a publisher, with the bots that it is for.
#[derive(Debug, PartialEq, Eq)]
pub struct Statement {
    #[doc(hidden)]
    pub says: StatementContent,
    #[doc(hidden)]
    pub recipients: Recipients,
    #[doc(hidden)]
    pub extent: Extent,
    #[doc(hidden)]
    pub convention: &'static str,
}

/// Bots that a statement is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Recipients {
    Bots(BotSet),
    /// These bots, except those that may follow links by the class `robots-follow` of the Robot
    /// Exclusion Profile.
    Unless(BotSet),
    /// Bots that a class name of the Robot Exclusion Profile addresses: all bots for `None`, or
    /// those to which the page gives this number.
    Profile(Option<u32>),
}

impl Recipients {
    /// True if a statement for these recipients and one for `other` have a bot in common.
    /// Recipients of the kind `Profile` overlap only if they are equal.
    fn overlaps(self, other: Self) -> bool {
        if let (Self::Profile(one), Self::Profile(other)) = (self, other) {
            return one == other;
        }
        match (self.bots(), other.bots()) {
            (Some(one), Some(other)) => !one.and(other).is_empty(),
            _ => false,
        }
    }

    /// Returns these recipients without those in `known`, which have the statement already.
    fn except(self, known: Self) -> Self {
        match (self, known) {
            (Self::Bots(bots), Self::Bots(known)) => Self::Bots(bots.without(known)),
            _ if self == known => Self::Bots(BotSet::NONE),
            _ => self,
        }
    }

    pub(super) fn bots(self) -> Option<BotSet> {
        match self {
            Self::Bots(bots) | Self::Unless(bots) => Some(bots),
            Self::Profile(_) => None,
        }
    }

    /// Returns `bots`. If these recipients are `Unless`, the bots in `follow` are removed, since
    /// the Robot Exclusion Profile lets them follow links.
    #[doc(hidden)]
    pub fn remaining(self, bots: BotSet, follow: BotSet) -> BotSet {
        if matches!(self, Self::Unless(_)) {
            bots.without(follow)
        } else {
            bots
        }
    }
}

/// What a page declares about its use of the Robot Exclusion Profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// The page follows the Robot Exclusion Profile.
    Profile,
    /// The page means to follow the Robot Exclusion Profile, but the declaration is miswritten.
    /// Only the profile's denials have an effect then.
    MeantProfile,
    /// The bot with this number has this name.
    Name(u32, String),
    /// The Names page at this URL gives names of bots, each with its number.
    NamesPage(String),
}

/// The statements and complaints so far about one tag, header line or robots.txt record, with the
/// settings by which conventions are read.
#[derive(Debug)]
#[doc(hidden)]
pub struct StatementCollector<'a> {
    pub(super) bots: &'a Bots,
    pub(super) conventions: &'a Conventions,
    /// URI by which a page declares that it follows the Robot Exclusion Profile.
    pub(super) profile: &'a str,
    /// Maximum number of statements. One more is stored, as a sign that there were too many.
    pub(super) limit: usize,
    pub statements: Vec<Statement>,
    pub declarations: Vec<Declaration>,
    /// URLs of licences to which the tag, header line or robots.txt record refers.
    pub pointers: Vec<String>,
    pub(crate) complaints: Vec<Complaint>,
    /// Those of the user's own rules that matched, each as its position in the list that
    /// `Custom::rules` returns.
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

    /// Drops all declarations, and all statements except denials and limits of the page as a whole.
    /// Adds a note that these are obeyed. Callers use it for markup in which a page makes no
    /// statements about itself, such as the content of a `template`.
    #[doc(hidden)]
    pub fn keep_page_denials(&mut self) {
        self.declarations.clear();
        self.statements.retain(|statement| {
            statement.extent.is_page_wide() && !matches!(statement.says, StatementContent::Allow(_))
        });
        let Some(first) = self.statements.first() else {
            return;
        };
        let message = "most robots do not hear what a page says of itself in a template, a noscript, a shadow root or \
                       beside frames: here it is heard as it denies";
        self.complain(
            NoteKind::Lookalike,
            self.bots_of(0..self.statements.len()),
            first.convention,
            message.to_owned(),
        );
    }

    /// Returns the bots for which a statement denies a use or sets a limit. Only statements at
    /// position `from` or later in the list count.
    pub(super) fn bots_denied_since(&self, from: usize) -> BotSet {
        let mut bots = BotSet::NONE;
        for statement in &self.statements[from..] {
            if !matches!(statement.says, StatementContent::Allow(_)) {
                bots = bots.or(statement.recipients.bots().unwrap_or(self.bots.all()));
            }
        }
        bots
    }

    /// Makes these bots the recipients of all statements so far, and the bots of all complaints so
    /// far.
    #[doc(hidden)]
    pub fn restrict_to(&mut self, bots: BotSet) {
        for statement in &mut self.statements {
            statement.recipients = Recipients::Bots(bots);
        }
        for complaint in &mut self.complaints {
            complaint.bots = bots;
        }
    }

    /// Records a statement for those recipients that do not have the same statement yet. A text may
    /// make a statement for some bots first, and for all bots later.
    pub(super) fn add(
        &mut self,
        says: StatementContent,
        mut recipients: Recipients,
        extent: Extent,
        convention: &'static str,
    ) {
        for known in &self.statements {
            if (known.says, known.extent, known.convention) == (says, extent, convention) {
                recipients = recipients.except(known.recipients);
            }
        }
        if recipients != Recipients::Bots(BotSet::NONE) && !self.has_too_many() {
            self.statements.push(Statement {
                says,
                recipients,
                extent,
                convention,
            });
        }
    }

    /// Returns the bots that the statements in this range of the list are for.
    pub(super) fn bots_of(&self, statements: Range<usize>) -> BotSet {
        let mut bots = BotSet::NONE;
        for statement in &self.statements[statements] {
            bots = bots.or(statement.recipients.bots().unwrap_or(self.bots.all()));
        }
        bots
    }

    /// Records a complaint. No more than [`MOST_COMPLAINTS`] are recorded for one tag or line.
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

    /// Complains once if the tag or line both denies and allows a use to a bot.
    pub(super) fn report_contradictions(&mut self) {
        if self
            .complaints
            .iter()
            .any(|complaint| complaint.kind == NoteKind::Contradiction)
        {
            return;
        }
        for (at, statement) in self.statements.iter().enumerate() {
            let StatementContent::Allow(allowed) = statement.says else {
                continue;
            };
            let Some(usage) = allowed
                .iter()
                .find(|usage| self.is_contradicted(at, *usage))
            else {
                continue;
            };
            let message = format!(
                "`{}` is both denied and allowed here: it is denied",
                usage.name()
            );
            self.complaints.push(Complaint {
                kind: NoteKind::Contradiction,
                bots: statement.recipients.bots().unwrap_or(self.bots.all()),
                convention: statement.convention,
                message,
            });
            return;
        }
    }

    /// `allowance` is the position of an allowing statement in the list. True if another statement
    /// of the same convention denies `usage` to a bot that the allowing statement is for.
    fn is_contradicted(&self, allowance: usize, usage: Use) -> bool {
        let allowing = &self.statements[allowance];
        self.statements.iter().enumerate().any(|(at, other)| {
            at != allowance
                && other.convention == allowing.convention
                && other.recipients.overlaps(allowing.recipients)
                && matches!(other.says, StatementContent::Deny(denied) if denied.contains(usage))
        })
    }
}

/// Report of something that looks wrong in a tag, header line or robots.txt record.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) kind: NoteKind,
    pub(crate) bots: BotSet,
    pub(crate) convention: &'static str,
    pub(crate) message: String,
}
