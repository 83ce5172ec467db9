//! A change of what a page may be used for: what became forbidden, and what was given back. Feeds of changes are JSON
//! Lines (docs/mask.md), for indexes and for others who have copies of a corpus.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::policy::{Facet, Facets};

/// A change of what a page may be used for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The URL of the page.
    pub url: String,
    /// When the page was fetched that says so, by RFC 3339.
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
    /// Fails if it is none, or names a use that nobody knows.
    pub fn parse(line: &str) -> Result<Self> {
        let change: Self =
            serde_json::from_str(line).map_err(|error| Error::setting(format!("no line of a feed ({error})")))?;
        facets(&change.forbidden)?;
        facets(&change.allowed)?;
        Ok(change)
    }

    /// The change as a line of JSON, without a line end.
    pub fn line(&self) -> String {
        crate::json::line(self)
    }

    /// The uses that are forbidden now.
    pub fn forbids(&self) -> Facets {
        facets(&self.forbidden).unwrap_or_default()
    }

    /// When the page was fetched that says so.
    pub(super) fn fetched(&self) -> Option<SystemTime> {
        self.date.as_deref()?.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
    }

    /// Why a use is forbidden, in words.
    pub(super) fn reason(&self, facet: Facet) -> &str {
        self.why.get(facet.name()).map_or("", String::as_str)
    }
}

fn facets(names: &[String]) -> Result<Facets> {
    if names.is_empty() { Ok(Facets::NONE) } else { Facets::named(&names.join(",")) }
}
