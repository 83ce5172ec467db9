//! The settings of a census. Only counts under equal settings can be merged.

use serde::{Deserialize, Serialize};

use heedful::Filter;
use heedful_base::error::{Error, Result};
use heedful_base::limits::size;

/// The settings under which pages were counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CensusSettings {
    /// The version of heedful.
    pub(super) version: String,
    /// The bots, each with its aliases.
    pub(super) bots: Vec<String>,
    /// The conventions that are obeyed.
    pub(super) obeyed: Vec<String>,
    /// The operator's own rules.
    pub(super) own: String,
    pub(super) denials: Vec<(String, String)>,
    pub(super) mode: Option<String>,
    pub(super) profile: String,
    /// The most sites of the sample.
    pub(super) sites: usize,
}

impl CensusSettings {
    pub(super) fn from_filter(filter: &Filter) -> Self {
        let terms = &filter.terms;
        let mut denials: Vec<_> = terms
            .denials()
            .map(|denial| (denial.denies.to_string(), denial.text.clone()))
            .collect();
        denials.sort_unstable();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            bots: terms.bots.list().iter().map(bot_argument).collect(),
            obeyed: terms.conventions.names().map(str::to_owned).collect(),
            own: terms.conventions.about_content(),
            denials,
            mode: terms.mode.map(|mode| mode.name().to_owned()),
            profile: terms.profile.uri.clone(),
            sites: size(terms.limits.census_sites),
        }
    }

    /// # Errors
    /// Fails if these are not the same. The error names the difference.
    pub(super) fn agree(&self, other: &Self) -> Result<()> {
        let pairs = [
            ("the version of heedful", self.version != other.version),
            ("the bots", self.bots != other.bots),
            ("the conventions", self.obeyed != other.obeyed),
            ("conventions of your own", self.own != other.own),
            ("denials by URL", self.denials != other.denials),
            ("how robots.txt is read", self.mode != other.mode),
            ("the profile", self.profile != other.profile),
            ("the limit `census_sites`", self.sites != other.sites),
        ];
        match pairs.iter().find(|(_, differs)| *differs) {
            Some((what, _)) => Err(Error::setting(format!(
                "the censuses cannot be merged: they differ in {what}"
            ))),
            None => Ok(()),
        }
    }
}

/// A bot as an argument: `NAME` or `NAME=ALIAS,...`.
fn bot_argument(bot: &heedful_base::bot::Bot) -> String {
    let aliases: Vec<_> = bot.names().skip(1).collect();
    if aliases.is_empty() {
        bot.name().to_owned()
    } else {
        format!("{}={}", bot.name(), aliases.join(","))
    }
}
