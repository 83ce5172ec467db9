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

/// Maximum number of complaints that are recorded about one tag, header line or robots.txt record.
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
    /// These bots, except those that may follow links because of the class `robots-follow`. This
    /// class belongs to the Robot Exclusion Profile.
    Unless(BotSet),
    /// Bots that a class name of the Robot Exclusion Profile addresses. `None` means all bots
    /// (`robots-noindex`). A number means the bots to which the page gives this number
    /// (`robot1-noindex`).
    Profile(Option<u32>),
}

impl Recipients {
    /// True if a bot is certainly among both `self` and `other`. Two values of the kind `Profile`
    /// overlap only if they are equal.
    fn overlaps(self, other: Self) -> bool {
        if let (Self::Profile(one), Self::Profile(other)) = (self, other) {
            return one == other;
        }
        match (self.bots(), other.bots()) {
            (Some(one), Some(other)) => !one.and(other).is_empty(),
            _ => false,
        }
    }

    /// Returns these recipients without the bots in `known`, for which the same statement is
    /// recorded already.
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

    /// Returns the bots to which a statement with these recipients applies. `bots` are the bots
    /// that the recipients stand for. `follow` has the bots that may follow links because of the
    /// class `robots-follow`. For [`Recipients::Unless`], returns `bots` without the bots in
    /// `follow`. For all other recipients, returns `bots` unchanged.
    #[doc(hidden)]
    pub fn remaining(self, bots: BotSet, follow: BotSet) -> BotSet {
        if matches!(self, Self::Unless(_)) {
            bots.without(follow)
        } else {
            bots
        }
    }
}

/// Declaration of a page about its use of the Robot Exclusion Profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// The page follows the Robot Exclusion Profile.
    Profile,
    /// The page means to follow the Robot Exclusion Profile, but the declaration is miswritten.
    /// Only the profile's denials have an effect then.
    MeantProfile,
    /// A bot's number and name, as the page declares them. Class names such as `robot1-noindex`
    /// contain the number.
    Name(u32, String),
    /// URL of a Names page: another page that declares the numbers and names of bots.
    NamesPage(String),
}

/// The statements and complaints so far about one tag, header line or robots.txt record, with the
/// settings by which conventions are read.
#[derive(Debug)]
#[doc(hidden)]
pub struct StatementCollector<'a> {
    pub(super) bots: &'a Bots,
    pub(super) conventions: &'a Conventions,
    /// URI of the Robot Exclusion Profile. By this URI a page declares that it follows the profile.
    pub(super) profile: &'a str,
    /// Maximum number of statements. If the limit is exceeded, one more statement is stored, by
    /// which callers detect this. Further statements are dropped.
    pub(super) limit: usize,
    pub statements: Vec<Statement>,
    pub declarations: Vec<Declaration>,
    /// URLs of licences to which the tag, header line or robots.txt record refers.
    pub pointers: Vec<String>,
    pub(crate) complaints: Vec<Complaint>,
    /// The user's own rules that match the tag. Each number is the index of a rule in the list of
    /// `Custom::rules`.
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

    /// Keeps only denials and limits for the whole page. Drops all other statements, and all
    /// declarations. Callers use this method for markup in which most robots ignore statements
    /// about the page. An example is the content of a `template`. If a statement is left, a
    /// complaint reports that heedful, unlike most robots, obeys the statement.
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

    /// Returns the bots for which a statement at index `from` or later denies a use or sets a
    /// limit.
    pub(super) fn bots_denied_since(&self, from: usize) -> BotSet {
        let mut bots = BotSet::NONE;
        for statement in &self.statements[from..] {
            if !matches!(statement.says, StatementContent::Allow(_)) {
                bots = bots.or(statement.recipients.bots().unwrap_or(self.bots.all()));
            }
        }
        bots
    }

    /// Makes `bots` the recipients of all statements so far, and the bots of all complaints so far.
    #[doc(hidden)]
    pub fn restrict_to(&mut self, bots: BotSet) {
        for statement in &mut self.statements {
            statement.recipients = Recipients::Bots(bots);
        }
        for complaint in &mut self.complaints {
            complaint.bots = bots;
        }
    }

    /// Records a statement for the bots in `recipients`. If the same statement is already recorded
    /// for a bot, the bot is left out.
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

    /// Returns the bots that the statements in an index range are for.
    pub(super) fn bots_of(&self, statements: Range<usize>) -> BotSet {
        let mut bots = BotSet::NONE;
        for statement in &self.statements[statements] {
            bots = bots.or(statement.recipients.bots().unwrap_or(self.bots.all()));
        }
        bots
    }

    /// Records a complaint: a report of something that looks wrong. If [`MOST_COMPLAINTS`] are
    /// recorded already, the complaint is dropped.
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

    /// Records a complaint if a use is both denied and allowed to the same bot. At most one
    /// complaint is recorded for the tag or line.
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

    /// True if a statement of the same convention contradicts the allowance at the index
    /// `allowance`. The contradicting statement denies `usage` to a bot to which the allowance
    /// allows it.
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
