//! The answer of a robots.txt, with its reason.

use std::borrow::Cow;
use std::fmt;

use super::agents::agents_of;
use super::line::{LineList, RobotsLine};

/// The reason for a [`Ruling`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A rule matched.
    Rule,
    /// No rule of the bot's groups matched, so it is allowed.
    NoRule,
    /// No group is for this bot, so it is allowed.
    NoGroup,
    /// /robots.txt itself is always allowed.
    RobotsTxt,
    /// The status of the response decided.
    Status,
}

heedful_base::display!(Reason);

impl Reason {
    /// The stable name of the rule.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::NoRule => "no-rule",
            Self::NoGroup => "no-group",
            Self::RobotsTxt => "robots-txt",
            Self::Status => "status",
        }
    }
}

/// The answer of a robots.txt.
#[derive(Clone, Copy, Debug)]
pub struct Ruling<'a> {
    allowed: bool,
    reason: Reason,
    by: RulingCause<'a>,
}

#[derive(Clone, Copy, Debug)]
enum RulingCause<'a> {
    Nothing,
    Rule(Decider<'a>),
    Status(&'a str),
}

/// A rule that matches, with the group that it is from.
#[derive(Clone, Copy)]
pub(super) struct Decider<'a> {
    pub(super) rule: RobotsLine<'a>,
    pub(super) allowed: bool,
    /// The pattern in the form that the reader compares.
    pub(super) pattern: &'a [u8],
    pub(super) group: LineList<'a>,
}

impl fmt::Debug for Decider<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.rule.number(), self.rule.written())
    }
}

impl<'a> Ruling<'a> {
    /// A ruling that lets the bot in.
    pub(super) fn open(reason: Reason) -> Self {
        Self {
            allowed: true,
            reason,
            by: RulingCause::Nothing,
        }
    }

    pub(super) fn by_status(allowed: bool, status: &'a str) -> Self {
        Self {
            allowed,
            reason: Reason::Status,
            by: RulingCause::Status(status),
        }
    }

    pub(super) fn by_rule(decider: Decider<'a>) -> Self {
        Self {
            allowed: decider.allowed,
            reason: Reason::Rule,
            by: RulingCause::Rule(decider),
        }
    }

    fn decider(&self) -> Option<&Decider<'a>> {
        if let RulingCause::Rule(decider) = &self.by {
            Some(decider)
        } else {
            None
        }
    }

    /// True if the bot may fetch.
    pub fn allowed(&self) -> bool {
        self.allowed
    }

    /// The reason for the ruling.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// The line that decided, from 1.
    pub fn line(&self) -> Option<u32> {
        self.decider().map(|decider| decider.rule.number())
    }

    /// The rule that decided, as written. A long line with many paths is cut. For
    /// [`Reason::Status`] it is the status.
    pub fn rule(&self) -> Option<Cow<'a, str>> {
        match self.by {
            RulingCause::Rule(decider) => Some(decider.rule.written()),
            RulingCause::Status(status) => Some(status.into()),
            RulingCause::Nothing => None,
        }
    }

    /// The pattern that the deciding rule compares with paths. It differs from the written line if
    /// that holds several paths, or is misspelt.
    pub fn pattern(&self) -> Option<Cow<'a, str>> {
        self.decider()
            .map(|decider| String::from_utf8_lossy(decider.pattern))
    }

    /// The agents of the deciding rule's group, as written except for their blanks.
    pub fn group(&self) -> Option<String> {
        self.decider().map(|decider| agents_of(decider.group))
    }

    /// A number for the deciding rule, which no other rule of the same file has while it is kept.
    pub(super) fn number(&self) -> usize {
        // Each rule has its own place in the packed lines.
        match self.decider() {
            Some(decider) => decider.rule.text.as_ptr().addr(),
            None => 0,
        }
    }

    pub(super) fn is_same_rule(&self, other: &Self) -> bool {
        self.line() == other.line()
            && self.allowed == other.allowed
            && self.pattern() == other.pattern()
    }
}
