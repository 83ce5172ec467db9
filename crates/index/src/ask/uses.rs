//! Tells what may be done with a page of the index.

use std::time::SystemTime;

use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocId, DocSet, SegmentReader};

use crate::heard::{CaptureQuery, is_heard};
use crate::time::time;
use crate::trouble::guarded;
use crate::uses::{KEPT, UseFilter, of_bits};
use heedful::{Use, Uses};
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::search::Search;

impl Search {
    /// Tells what may be done with a page, by itself and by what was heard of it later. Returns
    /// None if the URL is no page, or has expired at `now`.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn uses(&self, url: &str, now: Option<SystemTime>) -> Result<Option<UseFilter>> {
        guarded(&self.index.folder, || self.read_uses(url, now))
    }

    fn read_uses(&self, url: &str, now: Option<SystemTime>) -> Result<Option<UseFilter>> {
        let key = Key::of(url);
        let Some((page, _)) = self.page_at(&key, now)? else {
            return Ok(None);
        };
        let asked = CaptureQuery::read(self.searcher.segment_reader(page.segment_ord), page.doc_id);
        let denied = of_bits(asked.denied | self.denied_later(&key)?);
        let in_part = self.withheld(page)?.without(denied);
        let expires = asked.expires.and_then(time);
        Ok(Some(UseFilter {
            denied,
            in_part,
            max_snippet: asked.max_snippet,
            expires,
        }))
    }

    /// The denials that were heard of a URL without its page.
    fn denied_later(&self, key: &Key<'_>) -> Result<u64> {
        let (owned, mut denied) = (self.index.fields.owned_by(key), 0);
        for segment in self.searcher.segment_readers() {
            let documents = self.documents(segment, &owned)?;
            let heard = documents
                .into_iter()
                .filter(|document| is_heard(segment, *document));
            denied = heard.fold(denied, |denied, document| {
                denied | CaptureQuery::read(segment, document).denied
            });
        }
        Ok(denied)
    }

    /// The uses that a page may not be asked for.
    fn withheld(&self, page: DocAddress) -> Result<Uses> {
        let segment = self.searcher.segment_reader(page.segment_ord);
        let mut withheld = Uses::NONE;
        for usage in KEPT {
            let has = self.has_withheld(segment, page.doc_id, usage);
            if has.map_err(|error| self.index.trouble(&error))? {
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
        Ok(postings
            .is_some_and(|mut postings| postings.doc() <= page && postings.seek(page) == page))
    }
}
