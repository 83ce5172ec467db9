//! Looks up the uses that an indexed page denies.

use std::time::SystemTime;

use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocId, DocSet, SegmentReader};

use crate::open::IndexContext;
use crate::statement::{Restrictions, is_statement};
use crate::time::time;
use crate::trouble::catch_panics;
use crate::uses::{KEPT, PageUses, uses_from_bits};
use heedful::{Use, Uses};
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::search::Search;

impl Search {
    /// Returns the uses that are denied for a page, by the page itself or by later statements about
    /// its URL. Returns None if the URL is not an indexed page, or the page has expired at `now`.
    ///
    /// For an example see [`PageUses`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    pub fn uses(&self, url: &str, now: Option<SystemTime>) -> Result<Option<PageUses>> {
        catch_panics(&self.index.folder, || self.read_uses(url, now))
    }

    fn read_uses(&self, url: &str, now: Option<SystemTime>) -> Result<Option<PageUses>> {
        let key = Key::parse(url);
        let Some((page, _)) = self.page_at(&key, now)? else {
            return Ok(None);
        };
        let asked = Restrictions::read(self.searcher.segment_reader(page.segment_ord), page.doc_id);
        let denied = uses_from_bits(asked.denied | self.denied_later(&key)?);
        let in_part = self.withheld(page)?.without(denied);
        let expires = asked.expires.and_then(time);
        Ok(Some(PageUses {
            denied,
            in_part,
            max_snippet: asked.max_snippet,
            expires,
        }))
    }

    /// Returns the uses that later responses for a URL deny, as a bitmask. These responses came
    /// without the page, for example with the HTTP status 304.
    fn denied_later(&self, key: &Key<'_>) -> Result<u64> {
        let owned = self.index.fields.owned_by(key);
        let mut denied = 0;
        for segment in self.searcher.segment_readers() {
            for document in self.documents(segment, &owned)? {
                if is_statement(segment, document) {
                    denied |= Restrictions::read(segment, document).denied;
                }
            }
        }
        Ok(denied)
    }

    /// Returns the uses that are denied for the page, as a whole or in part. A query that needs
    /// such a use ([`Query::need`](super::Query::need)) does not find the page. For `snippet` and
    /// `input`, a denial in part does not count.
    fn withheld(&self, page: DocAddress) -> Result<Uses> {
        let segment = self.searcher.segment_reader(page.segment_ord);
        let mut withheld = Uses::NONE;
        for usage in KEPT {
            let has = self.has_withheld(segment, page.doc_id, usage);
            if has.in_index(&self.index)? {
                withheld = withheld.union(Uses::new(&[usage]));
            }
        }
        Ok(withheld)
    }

    fn has_withheld(
        &self,
        segment: &SegmentReader,
        page: DocId,
        usage: Use,
    ) -> tantivy::Result<bool> {
        let term = self.index.fields.withheld_from(usage);
        let postings = segment
            .inverted_index(term.field())?
            .read_postings(&term, IndexRecordOption::Basic)?;
        Ok(match postings {
            Some(mut postings) => postings.doc() <= page && postings.seek(page) == page,
            None => false,
        })
    }
}
