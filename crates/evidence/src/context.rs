//! The context of decisions, as a blob of a log: the terms of judgement and the site files that
//! many pages share, as JSON in a canonical form.

use serde::{Deserialize, Serialize};

use heedful::LAW;
use heedful_base::error::{Error, Result};
use heedful_index::decision::SiteFileRef;

use super::terms::BotTerms;

/// The context of decisions: for each bot the terms of judgement, and the site files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EntryContext {
    /// Version of the program that judged the pages.
    pub(super) heedful: String,
    /// Version of docs/semantics.md (the law) by which the pages were judged.
    pub(super) law: u32,
    /// Terms of judgement (names, conventions, denials and so on), one element for each bot.
    pub(super) terms: Vec<BotTerms>,
    pub(super) files: Vec<SiteFileRef>,
}

impl EntryContext {
    pub(super) fn text(&self) -> String {
        heedful_json::line(self)
    }

    pub(super) fn read(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .map_err(|error| Error::evidence(format!("the context cannot be read ({error})")))
    }

    pub(super) fn new(terms: Vec<BotTerms>, files: Vec<SiteFileRef>) -> Self {
        Self {
            heedful: env!("CARGO_PKG_VERSION").to_owned(),
            law: LAW,
            terms,
            files,
        }
    }
}
