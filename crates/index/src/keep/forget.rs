//! Forgets URLs that are gone for long: their tombstones, and statements about them.
//!
//! Only a compaction forgets. A folded anchor document stays as it is when one of its source pages
//! is removed, and the tombstone of that page says that it no longer counts. The compaction folds
//! anew, and then no anchor needs an older tombstone. A URL with a page, and a URL of which no time
//! is known, is never forgotten.

use crate::ask::Search;
use crate::rules;
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::before::PastState;
use super::writer::Writer;

impl Writer {
    /// Deletes all documents of old URLs that have no page. A URL is old if the index received
    /// nothing about it since `time`. `time` is in seconds since 1970. Returns the number of
    /// forgotten URLs.
    pub(super) fn forget_gone(&mut self, search: &Search, time: i64) -> Result<u64> {
        let fields = self.index.fields;
        let mut forgotten = 0;
        let mut before = String::new();
        for owner in search.terms_in(fields.owner, "") {
            let owner = owner?;
            // A URL in several segments is listed once for each of them.
            if owner == before || rules::is_owner(&owner) {
                continue;
            }
            let key = Key::from_stored(&owner);
            let past = self.past(&key)?;
            if is_old(past, time) && search.one(fields.url, &key)?.is_none() {
                self.delete_term(fields.owned_by(&key))?;
                forgotten += 1;
            }
            before = owner;
        }
        Ok(forgotten)
    }
}

/// True if all that the index received about a URL is from before `time`. `past` is the state of
/// the URL. False if no time is known.
fn is_old(past: PastState, time: i64) -> bool {
    let heard = past.captured().max(past.unchanged_at());
    heard.is_some_and(|heard| heard < time)
}
