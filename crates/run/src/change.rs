//! A change of the uses that a page allows: what became forbidden, and what was given back. Feeds
//! of changes are JSON Lines (docs/mask.md), for indexes and for others who have copies of a
//! corpus.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use heedful::{Use, Uses};
use heedful_base::error::{Error, Result};

/// The most characters of a reason that an index keeps.
const WHY: usize = 400;

/// A change of the uses that a page allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The URL of the page.
    pub url: String,
    /// When the page with this change was fetched, by RFC 3339.
    pub date: Option<String>,
    /// The bot.
    pub bot: String,
    /// The uses that are forbidden now and were not before.
    pub forbidden: Vec<String>,
    /// The uses that were forbidden before and are not now.
    pub allowed: Vec<String>,
    /// The directives that forbid, by use; or the reason why nothing is known.
    pub why: BTreeMap<String, String>,
}

impl Change {
    /// Reads a line of a feed.
    ///
    /// # Errors
    /// Fails if it is none, or names an unknown use.
    pub fn parse(line: &str) -> Result<Self> {
        let change: Self = serde_json::from_str(line)
            .map_err(|error| Error::setting(format!("no line of a feed ({error})")))?;
        uses(&change.forbidden)?;
        uses(&change.allowed)?;
        Ok(change)
    }

    /// The change from the uses that were allowed to those that are. None if they are the same.
    /// `why` returns why a use is forbidden now.
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

    /// The change as a line of JSON, without a line end.
    pub fn line(&self) -> String {
        heedful_json::line(self)
    }

    /// The uses that are forbidden now.
    pub fn forbids(&self) -> Uses {
        uses(&self.forbidden).unwrap_or_default()
    }
}

/// What a purge needs of a change. Feeds may be long, so it is kept in few bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KeptChange {
    pub(super) url: Box<str>,
    /// When the page with this change was fetched.
    pub(super) fetched: Option<SystemTime>,
    pub(super) bot: Arc<str>,
    pub(super) forbids: Uses,
    /// True if something is given back.
    pub(super) allows: bool,
    /// Why it may not be indexed.
    pub(super) why: Box<str>,
}

impl KeptChange {
    /// `last` is the change before it, which is often for the same bot.
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
            why: why.chars().take(WHY).collect(),
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
