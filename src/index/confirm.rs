//! A page is as it was, and only its headers are here (HTTP 304, a `revisit` record).
//!
//! What they allow brings nothing back: the bytes are not here. What they deny holds: `index` takes the page out, `archive`
//! its snapshot. Of anything else that they deny and did not deny when the page was read, the index cannot say what it would
//! have kept: the page goes too, until it is fetched again.

use std::time::SystemTime;

use tantivy::schema::Term;

use crate::error::Result;
use crate::export::address::key;
use crate::page::Page;
use crate::policy::Facet;

use super::document::{Gone, bit, denied, seconds};
use super::schema::column;
use super::statistics::each;
use super::{Writer, guarded};

/// What headers may ask for.
struct Terms {
    denied: u64,
    max_snippet: Option<u64>,
    expires: Option<i64>,
}

impl Terms {
    fn of(page: &Page) -> Self {
        let policy = page.policy();
        Self {
            denied: denied(page),
            max_snippet: policy.max_snippet().map(u64::from),
            expires: policy.unavailable_after().map(seconds),
        }
    }

    /// Whether these ask for nothing that others did not ask for before.
    fn are_met_by(&self, before: &Self) -> bool {
        let within = |now: Option<i64>, before: Option<i64>| now.is_none_or(|now| before.is_some_and(|b| b <= now));
        let characters = |limit: Option<u64>| limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
        self.denied & !before.denied == 0
            && within(characters(self.max_snippet), characters(before.max_snippet))
            && within(self.expires, before.expires)
    }

    fn are_nothing(&self) -> bool {
        self.denied == 0 && self.max_snippet.is_none() && self.expires.is_none()
    }
}

impl Writer {
    /// Lets what the headers of an unchanged page deny hold. `page` is what those headers make of a page without bytes.
    /// Returns whether the page, if there was one, is gone.
    ///
    /// # Errors
    /// When the index cannot be written, or is damaged.
    pub fn confirm(&mut self, page: &Page, captured: Option<SystemTime>) -> Result<bool> {
        let (url, past) = (page.url(), self.past(page.url())?);
        // Of a URL that is not known, a capture may still come that is older than this.
        if past.is_later(captured.map(seconds)) || !past.is_said() && captured.is_none() {
            return Ok(false);
        }
        if let Some((reason, why)) = Gone::of(page) {
            return self.remove_captured(url, reason, &why, captured);
        }
        let mut terms = Terms::of(page);
        if terms.are_nothing() {
            return Ok(false);
        }
        if !page.policy().allows(Facet::Archive) {
            self.remove_snapshot(url)?;
            terms.denied &= !bit(Facet::Archive);
        }
        let before = self.committed_terms(url)?;
        let is_met = before.map_or(!past.is_said() || terms.are_nothing(), |before| terms.are_met_by(&before));
        match captured.map(seconds) {
            _ if !is_met => self.remove_captured(url, Gone::Changed, "", captured),
            Some(captured) => self.put_confirmed(url, captured).map(|()| false),
            None => Ok(false),
        }
    }

    /// What a page asked for when it was read, if it is in the last commit and was not touched since.
    fn committed_terms(&mut self, url: &str) -> Result<Option<Terms>> {
        let key = key(url);
        let Some(searcher) = self.untouched(&key)? else { return Ok(None) };
        let owned = Term::from_field_text(self.index.fields.url, &key);
        guarded(&self.index.folder, || {
            let mut found = None;
            for segment in searcher.segment_readers() {
                let columns = segment.fast_fields();
                let take = |document| {
                    found = Some(Terms {
                        denied: columns.u64(column::DENIED).ok().and_then(|c| c.first(document)).unwrap_or(0),
                        max_snippet: columns.u64(column::MAX_SNIPPET).ok().and_then(|c| c.first(document)),
                        expires: columns.i64(column::EXPIRES).ok().and_then(|c| c.first(document)),
                    });
                };
                each(segment, &owned, take).map_err(|error| self.index.trouble(&error))?;
            }
            Ok(found)
        })
    }
}
