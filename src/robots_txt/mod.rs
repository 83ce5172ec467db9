//! robots.txt: may this bot fetch that URL, and which line says so.
//!
//! By RFC 9309: groups naming one bot are merged, the longest pattern wins, Allow wins a tie, `*` and `$` are special,
//! percent-encoding is compared in a normal form, /robots.txt itself is allowed. Bytes, not UTF-8; one parse serves all
//! bots. Where the file is sloppy the reading is the stricter one: misspelt keys and missing colons count, a pattern
//! without a leading slash is taken as if it had one when it denies and means nothing when it allows.
//! What this module never does: fetch, or fail.

mod matching;
mod parse;

use url::Url;

use crate::bot::Bot;

use parse::{Group, Rule};

/// The bytes of a robots.txt that are read; the rest is ignored, from the start of the line that passes the limit.
pub(crate) const READ: usize = 500 << 10;

/// A parsed robots.txt.
///
/// ```
/// use heedful::{Bot, RobotsTxt};
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private/\nAllow: /private/open");
/// let ruling = robots.ruling(&Bot::new("FooBot")?, "https://example.com/private/a");
/// assert!(!ruling.allowed());
/// assert_eq!((ruling.line(), ruling.rule()), (Some(2), Some("Disallow: /private/")));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RobotsTxt {
    groups: Vec<Group>,
    /// The groups without misspelt agent lines, which must let a bot in too.
    strict: Vec<Group>,
    /// What stands for a file that could not be had.
    blanket: Option<Ruling>,
}

impl RobotsTxt {
    /// Reads a robots.txt. Never fails: what is no rule is skipped.
    pub fn parse(bytes: &[u8]) -> Self {
        Self { groups: parse::groups(bytes, false), strict: parse::groups(bytes, true), blanket: None }
    }

    /// What an answer of the site means: a body with a 2xx status is read; 4xx (but 429) means that all may be
    /// fetched; anything else that nothing may (RFC 9309, section 2.3.1).
    pub fn from_response(status: u16, body: &[u8]) -> Self {
        match status {
            200..=299 => Self::parse(body),
            400..=499 if status != 429 => Self { blanket: Some(Ruling::status(true, status)), ..Self::default() },
            _ => Self { blanket: Some(Ruling::status(false, status)), ..Self::default() },
        }
    }

    /// A robots.txt that lets nobody in, for a site whose own is not to be had.
    pub fn shut() -> Self {
        Self { blanket: Some(Ruling::shut()), ..Self::default() }
    }

    /// Whether `bot` may fetch `url`, a whole URL or a path with its query.
    pub fn ruling(&self, bot: &Bot, url: &str) -> Ruling {
        let path = path_of(url);
        if path.split('?').next() == Some("/robots.txt") {
            return Ruling::plain(Reason::RobotsTxt);
        }
        if let Some(blanket) = &self.blanket {
            return blanket.clone();
        }
        let path = matching::normal_path(&path);
        let ruling = Self::by_groups(&self.groups, bot, &path);
        let strict = Self::by_groups(&self.strict, bot, &path);
        if strict.allowed { ruling } else { strict }
    }

    fn by_groups(all: &[Group], bot: &Bot, path: &[u8]) -> Ruling {
        let mut groups: Vec<&Group> = all.iter().filter(|group| group.names(bot)).collect();
        if groups.is_empty() {
            groups = all.iter().filter(|group| group.is_for_all()).collect();
        }
        if groups.is_empty() {
            return Ruling::plain(Reason::NoGroup);
        }
        let rules = groups.iter().flat_map(|group| group.rules.iter().map(move |rule| (*group, rule)));
        let matching = rules.filter(|(_, rule)| matching::matches(&rule.pattern, path));
        match matching.max_by_key(|(_, rule)| (rule.pattern.len(), rule.allow, std::cmp::Reverse(rule.line))) {
            Some((group, rule)) => Ruling::of(group, rule),
            None => Ruling::plain(Reason::NoRule),
        }
    }
}

/// The path and query that rules are compared with.
fn path_of(url: &str) -> String {
    match Url::parse(url) {
        Ok(url) if url.has_host() => match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        },
        _ => {
            let path = url.split('#').next().unwrap_or("");
            if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
        }
    }
}

/// Why a [`Ruling`] is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A rule matched.
    Rule,
    /// No rule of the bot's groups matched: allowed.
    NoRule,
    /// No group is for this bot: allowed.
    NoGroup,
    /// /robots.txt itself is always allowed.
    RobotsTxt,
    /// The status of the answer decided.
    Status,
}

impl Reason {
    /// Its stable name.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    allowed: bool,
    reason: Reason,
    line: Option<u32>,
    rule: Option<String>,
    group: Option<String>,
}

impl Ruling {
    fn plain(reason: Reason) -> Self {
        Self { allowed: true, reason, line: None, rule: None, group: None }
    }

    fn status(allowed: bool, status: u16) -> Self {
        let rule = Some(format!("HTTP status {status}"));
        Self { allowed, reason: Reason::Status, line: None, rule, group: None }
    }

    fn shut() -> Self {
        let rule = Some("no robots.txt at hand".to_owned());
        Self { allowed: false, reason: Reason::Status, line: None, rule, group: None }
    }

    fn of(group: &Group, rule: &Rule) -> Self {
        Self {
            allowed: rule.allow,
            reason: Reason::Rule,
            line: Some(rule.line),
            rule: Some(rule.written.clone()),
            group: Some(group.written.join(", ")),
        }
    }

    /// Whether the bot may fetch.
    pub fn allowed(&self) -> bool {
        self.allowed
    }

    /// What kind of answer it is.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// The line that decided, from 1.
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// The rule that decided, as written; for [`Reason::Status`] the status.
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }

    /// The agents of the deciding rule's group, as written.
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }
}
