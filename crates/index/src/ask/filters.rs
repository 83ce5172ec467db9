//! The filters of a query: the language of a page, the time of its fetch, and its site. A filter
//! leaves out pages, and has no effect on the scores of the other pages.

use std::ops::Bound;
use std::time::SystemTime;

use tantivy::query::{ConstScoreQuery, Occur, Query as TantivyQuery, RangeQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Term};
use url::Url;

use crate::forms::primary_subtag;
use crate::schema::Fields;
use crate::time::clock;
use heedful_base::error::Result;

use super::syntax::query_error;

/// The filters of one query. None stands for a filter that is not set.
#[derive(Clone, Debug, Default)]
pub(super) struct QueryFilters {
    /// Language that the page must declare. This is a language tag as the caller wrote it.
    pub(super) language: Option<String>,
    /// Earliest time at which the page may have been fetched.
    pub(super) since: Option<SystemTime>,
    /// Time before which the page must have been fetched.
    pub(super) until: Option<SystemTime>,
    /// Host of the page or a domain above this host, as the caller wrote it.
    pub(super) site: Option<String>,
}

impl QueryFilters {
    /// Returns one clause for each filter that is set. A page must match all of them. Fails if the
    /// language tag or the host is malformed.
    pub(super) fn clauses(&self, fields: &Fields) -> Result<Vec<(Occur, Box<dyn TantivyQuery>)>> {
        let mut clauses = Vec::new();
        if let Some(tag) = &self.language {
            clauses.push((Occur::Must, in_language(fields, tag)?));
        }
        if self.since.is_some() || self.until.is_some() {
            clauses.push((Occur::Must, self.fetched(fields)));
        }
        if let Some(host) = &self.site {
            clauses.push((Occur::Must, on_site(fields, host)?));
        }
        Ok(clauses)
    }

    /// Returns a query for the documents that were fetched at `since` or later, and before `until`.
    /// A bound that is None does not apply. Documents without a known fetch time do not match.
    fn fetched(&self, fields: &Fields) -> Box<dyn TantivyQuery> {
        // Stored times are whole seconds. Both bounds are rounded alike, so that two periods, of
        // which one ends where the other begins, have no page in common and leave none out.
        let term = |time| Term::from_field_i64(fields.captured, clock(time));
        let since = match self.since {
            Some(since) => Bound::Included(term(since)),
            None => Bound::Unbounded,
        };
        let until = match self.until {
            Some(until) => Bound::Excluded(term(until)),
            None => Bound::Unbounded,
        };
        without_score(RangeQuery::new(since, until))
    }
}

fn in_language(fields: &Fields, tag: &str) -> Result<Box<dyn TantivyQuery>> {
    match primary_subtag(tag) {
        Some(primary) => Ok(has_term(fields.primary_language, &primary)),
        None => Err(query_error(&format!(
            "`{tag}` is no language tag, as de or pt-BR is"
        ))),
    }
}

/// Returns a query for the pages of a host and its subdomains. Fails if `host` is not a valid host.
pub(super) fn on_site(fields: &Fields, host: &str) -> Result<Box<dyn TantivyQuery>> {
    if let Ok(url) = Url::parse(&format!("http://{host}/"))
        && url.path() == "/"
        && let Some(host) = url.host()
    {
        return Ok(has_term(fields.site, &host.to_string()));
    }
    Err(query_error(&format!(
        "`site:{host}` is no host, as site:example.com is"
    )))
}

/// Returns a query for the documents whose `field` contains `text` as a term. The query adds
/// nothing to the score.
pub(super) fn has_term(field: Field, text: &str) -> Box<dyn TantivyQuery> {
    let term = Term::from_field_text(field, text);
    without_score(TermQuery::new(term, IndexRecordOption::Basic))
}

/// Wraps a query so that its matches add nothing to the score.
pub(super) fn without_score(query: impl TantivyQuery) -> Box<dyn TantivyQuery> {
    Box::new(ConstScoreQuery::new(Box::new(query), 0.0))
}
