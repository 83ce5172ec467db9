//! Settings of a census. Only censuses with equal settings can be merged.

use serde::{Deserialize, Serialize};

use heedful::Filter;
use heedful_base::error::{Error, Result};
use heedful_base::limits::size;

/// Settings with which the pages of a census were counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CensusSettings {
    /// Version of heedful that counted the pages.
    pub(super) version: String,
    /// Bots of the census, each with its aliases as `NAME` or `NAME=ALIAS,...`.
    pub(super) bots: Vec<String>,
    /// Names of the conventions that the census's filter obeys.
    pub(super) obeyed: Vec<String>,
    /// Description of the user-defined conventions of the filter. Two censuses with different
    /// descriptions cannot be merged.
    pub(super) own: String,
    pub(super) denials: Vec<(String, String)>,
    pub(super) mode: Option<String>,
    pub(super) profile: String,
    /// Maximum number of sites in the sample of the census.
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

    /// Checks that two censuses have the same settings.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if a setting differs. The
    /// message names the first setting that differs.
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

/// Formats a bot as it is typed on the command line: `NAME` or `NAME=ALIAS,...`.
fn bot_argument(bot: &heedful_base::bot::Bot) -> String {
    let aliases: Vec<_> = bot.names().skip(1).collect();
    if aliases.is_empty() {
        bot.name().to_owned()
    } else {
        format!("{}={}", bot.name(), aliases.join(","))
    }
}
