//! The snapshots of pages that an index keeps.

use std::collections::HashSet;
use std::time::SystemTime;

use crate::schema::{DocumentKind, column};
use crate::store::StoreOffset;
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::search::Search;

impl Search {
    /// The number of pages with a snapshot.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn count_snapshots(&self) -> Result<u64> {
        catch_panics(&self.index.folder, || self.count(DocumentKind::Copy))
    }

    /// The snapshot of a page. Returns None if it has none, or if it has expired at `now`.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn snapshot(&self, url: &str, now: Option<SystemTime>) -> Result<Option<String>> {
        catch_panics(&self.index.folder, || self.read_snapshot(url, now))
    }

    fn read_snapshot(&self, url: &str, now: Option<SystemTime>) -> Result<Option<String>> {
        let key = Key::parse(url);
        if self.page_at(&key, now)?.is_none() {
            return Ok(None);
        }
        match self.spot(&key)? {
            Some(spot) => self.snapshots.read(key.as_str(), spot).map(Some),
            None => Ok(None),
        }
    }

    /// True if the page has a snapshot.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn has_snapshot(&self, url: &str) -> Result<bool> {
        catch_panics(&self.index.folder, || {
            Ok(self.spot(&Key::parse(url))?.is_some())
        })
    }

    /// The place of a page's snapshot.
    pub(crate) fn spot(&self, key: &Key<'_>) -> Result<Option<StoreOffset>> {
        let owned = self.index.fields.owned_by(key);
        for segment in self.searcher.segment_readers() {
            for document in self.documents(segment, &owned)? {
                if let Some(spot) = StoreOffset::read(segment, document) {
                    return Ok(Some(spot));
                }
            }
        }
        Ok(None)
    }

    /// The files that hold a snapshot of at least one page.
    pub(crate) fn snapshot_files(&self) -> Result<HashSet<u64>> {
        let mut files = HashSet::new();
        for segment in self.searcher.segment_readers() {
            let Ok(file) = segment.fast_fields().u64(column::FILE) else {
                continue;
            };
            for document in segment.doc_ids_alive() {
                files.extend(file.first(document));
            }
        }
        Ok(files)
    }
}
