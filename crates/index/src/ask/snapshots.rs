//! Reads the snapshots of pages from an index.

use std::collections::HashMap;
use std::time::SystemTime;

use crate::schema::{DocumentKind, column};
use crate::store::StoreOffset;
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::search::Search;

impl Search {
    /// Returns the number of pages in the index that have a snapshot.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?).snapshots();
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// writer.commit()?;
    /// let search = index.search()?;
    /// assert_eq!(search.count_snapshots()?, 1);
    /// assert!(search.has_snapshot("https://example.com/")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn count_snapshots(&self) -> Result<u64> {
        catch_panics(&self.index.folder, || self.count(DocumentKind::Copy))
    }

    /// Returns the snapshot of a page as HTML. Returns None if the page has no snapshot, is not
    /// indexed, or has expired at `now`. If `now` is None, no page has expired.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?).snapshots();
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let html = b"<p>Rye</p><p class=robots-noarchive>Rue</p>";
    /// writer.add(&filter.page("https://example.com/", &[], html)?)?;
    /// writer.commit()?;
    ///
    /// let copy = index.search()?.snapshot("https://example.com/", None)?.unwrap();
    /// assert_eq!(copy, "<p>Rye</p><p>[...]</p>");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// True if the page at `url` has a snapshot. The result does not depend on whether the page has
    /// expired.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    pub fn has_snapshot(&self, url: &str) -> Result<bool> {
        catch_panics(&self.index.folder, || {
            Ok(self.spot(&Key::parse(url))?.is_some())
        })
    }

    /// Returns the location of a page's snapshot in the snapshot files. Returns None if the page
    /// has no snapshot.
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

    /// Returns the number of bytes of snapshots in each snapshot file. The key is the number of the
    /// file. Only snapshots that still belong to a page are counted. Files without a counted
    /// snapshot are left out.
    pub(crate) fn snapshot_bytes_by_file(&self) -> HashMap<u64, u64> {
        let mut files = HashMap::new();
        for segment in self.searcher.segment_readers() {
            let columns = segment.fast_fields();
            let (Ok(file), Ok(length)) = (columns.u64(column::FILE), columns.u64(column::LENGTH))
            else {
                continue;
            };
            for document in segment.doc_ids_alive() {
                if let (Some(file), Some(length)) = (file.first(document), length.first(document)) {
                    let bytes: &mut u64 = files.entry(file).or_default();
                    *bytes = bytes.saturating_add(length);
                }
            }
        }
        files
    }
}
