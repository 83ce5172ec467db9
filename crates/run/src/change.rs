//! Changes of the uses that a page allows: which uses became denied, and which became allowed.
//!
//! A feed of these changes is in JSON Lines (docs/mask.md). Feeds are for indexes, and for anyone
//! who has a copy of a corpus.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use heedful::{Use, Uses};
use heedful_base::error::{Error, Result};

/// Maximum length, in characters, of the reason that a purge stores for a change. A longer reason
/// is cut.
const MOST_REASON_CHARS: usize = 400;

/// A change of the uses that a page allows to one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// URL of the page whose allowed uses changed.
    pub url: String,
    /// Time at which the page with the new uses was fetched, in RFC 3339. `None` if unknown.
    pub date: Option<String>,
    /// Name of the bot for which the allowed uses changed.
    pub bot: String,
    /// Names of the uses that are denied now and were allowed before.
    pub forbidden: Vec<String>,
    /// Names of the uses that are allowed now and were denied before.
    pub allowed: Vec<String>,
    /// Reasons for the denials. Maps the name of each use in `forbidden` to the directive that
    /// denies this use. If the use is denied because nothing is known about the page, maps the name
    /// to the reason why nothing is known.
    pub why: BTreeMap<String, String>,
}

impl Change {
    /// Parses a change from one line of a feed of changes.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the line is
    /// not a change in JSON, or names an unknown use.
    ///
    /// ```
    /// use heedful::Use;
    /// use heedful_run::Change;
    ///
    /// let line = r#"{"url":"https://site.example/rye","date":null,"bot":"FooBot",
    ///     "forbidden":["train"],"allowed":[],"why":{}}"#;
    /// let change = Change::parse(line)?;
    /// assert!(change.forbids().contains(Use::Train));
    /// assert!(Change::parse(&line.replace("train", "bake")).is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn parse(line: &str) -> Result<Self> {
        let change: Self = serde_json::from_str(line)
            .map_err(|error| Error::setting(format!("no line of a feed ({error})")))?;
        uses(&change.forbidden)?;
        uses(&change.allowed)?;
        Ok(change)
    }

    /// Returns the change of a page whose allowed uses were `before` and are `now`. Returns `None`
    /// if they are the same. `why` returns the reason why a use is denied now.
    pub(crate) fn between(
        before: Uses,
        now: Uses,
        url: &str,
        bot: &str,
        date: Option<String>,
        why: impl Fn(Use) -> String,
    ) -> Option<Self> {
        if before == now {
            return None;
        }
        let forbidden = before.without(now);
        let why = forbidden
            .iter()
            .map(|usage| (usage.name().to_owned(), why(usage)));
        Some(Self {
            url: url.to_owned(),
            date,
            bot: bot.to_owned(),
            forbidden: names(forbidden),
            allowed: names(now.without(before)),
            why: why.collect(),
        })
    }

    /// Formats the change as one line of JSON, without a line end.
    ///
    /// ```
    /// use heedful_run::Change;
    ///
    /// let change = Change::parse(r#"{"url":"https://site.example/rye","date":null,"bot":"FooBot",
    ///     "forbidden":[],"allowed":["index"],"why":{}}"#)?;
    /// assert!(!change.line().contains('\n'));
    /// assert_eq!(Change::parse(&change.line())?, change);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn line(&self) -> String {
        heedful_json::line(self)
    }

    /// Returns the uses whose names are in [`Change::forbidden`]. If any of the names is unknown,
    /// returns no use at all; [`Change::parse`] rejects unknown names.
    pub fn forbids(&self) -> Uses {
        uses(&self.forbidden).unwrap_or_default()
    }
}

/// The parts of a [`Change`] that a purge needs. They take few bytes, so that all changes of a long
/// feed fit in memory.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PurgeChange {
    pub(super) url: Box<str>,
    /// Time at which the changed page was fetched. `None` if unknown.
    pub(super) fetched: Option<SystemTime>,
    pub(super) bot: Arc<str>,
    pub(super) forbids: Uses,
    /// True if the change allows at least one use that was denied before.
    pub(super) allows: bool,
    /// Reason why the page may not be indexed. Empty if the change does not deny indexing.
    pub(super) why: Box<str>,
}

impl PurgeChange {
    /// Copies the parts of `change` that a purge needs. `last` is the copy of the preceding change
    /// in the feed. If both changes are for the same bot, the copies share the bot's name in
    /// memory.
    pub(super) fn new(change: &Change, last: Option<&Self>) -> Self {
        let why = change.why.get(Use::Index.name()).map_or("", String::as_str);
        let bot = match last {
            Some(last) if *last.bot == *change.bot => Arc::clone(&last.bot),
            _ => change.bot.as_str().into(),
        };
        let fetched = match change.date.as_deref().map(str::parse::<Timestamp>) {
            Some(Ok(date)) => Some(date.into()),
            _ => None,
        };
        Self {
            url: change.url.as_str().into(),
            fetched,
            bot,
            forbids: change.forbids(),
            allows: !change.allowed.is_empty(),
            why: why.chars().take(MOST_REASON_CHARS).collect(),
        }
    }
}

fn uses(names: &[String]) -> Result<Uses> {
    if names.is_empty() {
        Ok(Uses::NONE)
    } else {
        Uses::parse_names(&names.join(","))
    }
}

fn names(uses: Uses) -> Vec<String> {
    uses.iter().map(|usage| usage.name().to_owned()).collect()
}
