//! The filters of a search in the query string of a request: language, time of the fetch, and site.
//!
//! The form of the search page sends a filter that is not chosen with an empty value. So an empty
//! value sets no filter.

use std::time::SystemTime;

use heedful_index::Query as Question;
use heedful_report::search::SearchFilters;

use crate::full::serve::asked::QueryString;
use crate::full::serve::refuse::Refusal;
use crate::terms_args::time;

/// The filters of a search request. A field is `None` if its filter is not set.
#[derive(Debug, Default)]
pub(in crate::full::serve) struct FilterSettings {
    language: Option<String>,
    since: Option<SystemTime>,
    until: Option<SystemTime>,
    site: Option<String>,
}

impl FilterSettings {
    /// Names of the query parameters that set filters.
    pub(in crate::full::serve) const NAMES: [&'static str; 4] =
        ["language", "since", "until", "site"];

    pub(super) fn from_query(query: &QueryString) -> Result<Self, Refusal> {
        let text = |name| {
            let value = query.one(name)?.unwrap_or_default().trim();
            Ok::<_, Refusal>((!value.is_empty()).then(|| value.to_owned()))
        };
        let optional_time = |value: &str| match value.trim() {
            "" => Ok(None),
            value => time(value).map(Some),
        };
        Ok(Self {
            language: text("language")?,
            since: query.parsed("since", optional_time)?.flatten(),
            until: query.parsed("until", optional_time)?.flatten(),
            site: text("site")?,
        })
    }

    /// Returns `question` restricted by these filters.
    pub(super) fn restrict(&self, mut question: Question) -> Question {
        if let Some(tag) = &self.language {
            question = question.language(tag);
        }
        if let Some(host) = &self.site {
            question = question.site(host);
        }
        question.fetched(self.since, self.until)
    }

    /// Converts the filters to the type that the renderer of search pages uses.
    pub(super) fn shown(&self) -> SearchFilters<'_> {
        SearchFilters {
            language: self.language.as_deref(),
            since: self.since,
            until: self.until,
            site: self.site.as_deref(),
        }
    }
}
