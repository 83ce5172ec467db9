//! The type [`Ruling`]: the decision of a robots.txt on a URL, with its reason.

use std::borrow::Cow;
use std::fmt;

use super::agents::agents_of;
use super::line::{LineList, RobotsLine};

/// Reason for a [`Ruling`].
///
/// # Examples
///
/// ```
/// use heedful_robots::{Bot, Reason, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a");
/// let ruling = robots.ruling(&Bot::new("FooBot")?, "/a");
/// let why = match ruling.reason() {
///     Reason::Rule => format!("line {}", ruling.line().unwrap()),
///     Reason::Status => "the site's robots.txt is not available".to_owned(),
///     Reason::NoRule | Reason::NoGroup | Reason::RobotsTxt => "nothing denies it".to_owned(),
/// };
/// assert_eq!(why, "line 2");
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A rule of the robots.txt matched the URL and decided.
    Rule,
    /// The robots.txt has groups for the bot, but none of their rules matched. So the URL is
    /// allowed.
    NoRule,
    /// No group of the robots.txt is for the bot, so the URL is allowed.
    NoGroup,
    /// The URL is that of the robots.txt itself, which is always allowed.
    RobotsTxt,
    /// The robots.txt is not available, or the HTTP status of its response decided.
    Status,
}

heedful_base::display!(Reason);

impl Reason {
    /// Stable name of the reason, as in the JSON output.
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

/// Decision of a robots.txt on a URL, with the rule that decided.
///
/// # Examples
///
/// ```
/// use heedful_robots::{Bot, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: Foo\nDisallow: /a /b # not yet");
/// let ruling = robots.ruling(&Bot::new("Foo")?, "/b/c");
/// assert_eq!(ruling.line(), Some(2));
/// assert_eq!(ruling.rule().as_deref(), Some("Disallow: /a /b"));
/// assert_eq!(ruling.pattern().as_deref(), Some("/b"));
/// assert_eq!(ruling.group().as_deref(), Some("Foo"));
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ruling<'a> {
    allowed: bool,
    reason: Reason,
    by: RulingCause<'a>,
}

/// Cause of a ruling: a rule, the status of a file that is not available, or nothing.
#[derive(Clone, Copy, Debug)]
enum RulingCause<'a> {
    Nothing,
    Rule(Decider<'a>),
    Status(&'a str),
}

/// Rule that decided a ruling, with the group that has the rule.
#[derive(Clone, Copy)]
pub(super) struct Decider<'a> {
    pub(super) rule: RobotsLine<'a>,
    /// True if the rule allows the URL in the mode of the query. A mode is one of the ways to
    /// interpret a robots.txt. In some modes, a `Disallow` without a value allows.
    pub(super) allowed: bool,
    /// Pattern of the rule. In the mode of RFC 9309, the pattern is in normal form
    /// (percent-encoding in one spelling). In the other modes, the pattern is the value of the line
    /// as in the file.
    pub(super) pattern: &'a [u8],
    pub(super) group: LineList<'a>,
}

impl fmt::Debug for Decider<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.rule.number(), self.rule.written())
    }
}

impl<'a> Ruling<'a> {
    /// Creates a ruling that allows the URL because of `reason`, without a rule.
    pub(super) fn open(reason: Reason) -> Self {
        Self {
            allowed: true,
            reason,
            by: RulingCause::Nothing,
        }
    }

    /// Creates the ruling of a file that is not available. `allowed` is true if everything is
    /// allowed. `status` is a reason for people, such as `HTTP status 503`.
    pub(super) fn by_status(allowed: bool, status: &'a str) -> Self {
        Self {
            allowed,
            reason: Reason::Status,
            by: RulingCause::Status(status),
        }
    }

    /// Creates a ruling by the rule `decider`.
    pub(super) fn by_rule(decider: Decider<'a>) -> Self {
        Self {
            allowed: decider.allowed,
            reason: Reason::Rule,
            by: RulingCause::Rule(decider),
        }
    }

    /// Returns the rule that decided, or `None` if no rule decided.
    fn decider(&self) -> Option<&Decider<'a>> {
        if let RulingCause::Rule(decider) = &self.by {
            Some(decider)
        } else {
            None
        }
    }

    /// True if the bot may fetch the URL.
    pub fn allowed(&self) -> bool {
        self.allowed
    }

    /// Reason for the ruling, for programs.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// Number of the robots.txt line that decided, from 1. `None` if no rule decided.
    pub fn line(&self) -> Option<u32> {
        self.decider().map(|decider| decider.rule.number())
    }

    /// Text of the rule that decided, as in the file. A long line with many paths is cut. If the
    /// reason is [`Reason::Status`], the text is for people, and states the HTTP status or another
    /// cause. `None` for all other reasons.
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let bot = Bot::new("FooBot")?;
    /// let robots = RobotsTxt::from_response(503, b"");
    /// assert_eq!(robots.ruling(&bot, "/").rule().as_deref(), Some("HTTP status 503"));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn rule(&self) -> Option<Cow<'a, str>> {
        match self.by {
            RulingCause::Rule(decider) => Some(decider.rule.written()),
            RulingCause::Status(status) => Some(status.into()),
            RulingCause::Nothing => None,
        }
    }

    /// Pattern of the deciding rule, as it is compared with paths. It is `None` if no rule decided.
    /// The pattern differs from the text of the line if the line has several paths, or is misspelt.
    pub fn pattern(&self) -> Option<Cow<'a, str>> {
        self.decider()
            .map(|decider| String::from_utf8_lossy(decider.pattern))
    }

    /// Agents of the group that contains the deciding rule. They are separated by commas, and spelt
    /// as in the file, but with single blanks. `None` if no rule decided.
    pub fn group(&self) -> Option<String> {
        self.decider().map(|decider| agents_of(decider.group))
    }

    /// Number that identifies the deciding rule among all rules of its robots.txt. It is valid as
    /// long as this file is in memory. It is 0 if no rule decided.
    pub(super) fn number(&self) -> usize {
        // Each rule has its own address in the packed lines.
        match self.decider() {
            Some(decider) => decider.rule.text.as_ptr().addr(),
            None => 0,
        }
    }
}
