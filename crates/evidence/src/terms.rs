//! The terms of judgement (bots, conventions, denials and so on), as a record stores them.

use serde::{Deserialize, Serialize};

use heedful::{Conventions, Filter};
use heedful_base::error::Result;
use heedful_index::Terms;
use heedful_index::decision::hex::digest_name_of_bytes;

/// Settings by which pages were judged for one bot, in the JSON form of a record. Optional settings
/// that have their default value are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BotTerms {
    pub(super) bot: Vec<String>,
    pub(super) conventions: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) profile: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) deny: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) mode: Option<String>,
    /// Digest of the user-defined conventions. The log does not contain the conventions themselves.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) custom: Option<String>,
}

impl BotTerms {
    /// Converts the settings of an index to the form of a record. User-defined conventions are
    /// replaced by their digest.
    pub(super) fn from_terms(terms: &Terms) -> Self {
        let (denials, mode) = terms.as_written();
        Self {
            bot: terms.bot_names().to_vec(),
            conventions: terms.conventions(),
            profile: terms.profile().map(str::to_owned),
            deny: denials.to_vec(),
            mode: mode.map(str::to_owned),
            custom: terms
                .custom()
                .map(|shown| digest_name_of_bytes(shown.as_bytes())),
        }
    }

    /// Creates a filter with these settings. User-defined conventions are missing in the filter,
    /// because a record has only their digest.
    pub(super) fn filter(&self) -> Result<Filter> {
        let Self {
            bot,
            conventions,
            profile,
            deny,
            mode,
            ..
        } = self.clone();
        let named = conventions
            .split(',')
            .filter(|name| *name != "custom")
            .collect::<Vec<_>>()
            .join(",");
        let conventions = Conventions::parse(&named)?
            .names()
            .map(str::to_owned)
            .collect();
        let terms = Terms::of_parts(bot, conventions, profile, deny, mode);
        let filter = terms.filter()?;
        Ok(match terms.profile() {
            Some(uri) => filter.profile(uri),
            None => filter,
        })
    }
}
