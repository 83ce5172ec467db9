//! Checks that an index is not damaged. Tests the checksums of files, the digests of snapshots, and
//! the consistency of documents.

use std::collections::HashSet;
use std::path::Path;

use tantivy::SegmentMeta;
use tantivy::directory::error::OpenReadError;

use crate::ask::{AnchorChoice, Search};
use crate::id::id;
use crate::open::{Index, IndexContext};
use crate::statistics::read_totals;
use crate::store::{SNAPSHOTS, name};
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;

impl Index {
    /// Checks the whole index for damage. Returns one message for each damage found. The list is
    /// empty if the index has no damage.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index's `meta.json`, or the commit's
    /// data in this file, cannot be read. Nothing can then be checked.
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
    /// assert!(index.check()?.is_empty());
    ///
    /// let file = folder.path().join("snapshots/00000001.warc.gz");
    /// let mut bytes = std::fs::read(&file)?;
    /// bytes[40] ^= 1;
    /// std::fs::write(&file, bytes)?;
    /// assert!(!index.check()?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self) -> Result<Vec<String>> {
        let mut found = self.damaged_files()?;
        found.extend(self.folded.damaged(&self.payload()?.folded));
        // Documents of a damaged file may have any content, so they are not checked.
        if found.is_empty() {
            match catch_panics(&self.folder, || self.check_contents()) {
                Ok(contradictions) => found.extend(contradictions),
                Err(error) => found.push(error.to_string()),
            }
        }
        found.sort();
        Ok(found)
    }

    /// Returns a message for each tantivy file of the index that fails its checksum or cannot be
    /// read.
    fn damaged_files(&self) -> Result<Vec<String>> {
        let directory = self.tantivy.directory();
        let segments = self.tantivy.searchable_segment_metas().in_index(self)?;
        let mut damaged = Vec::new();
        for file in directory.list_managed_files() {
            if !segments.iter().any(|segment| belongs_to(&file, segment)) {
                continue;
            }
            let validated =
                catch_panics(&self.folder, || match directory.validate_checksum(&file) {
                    Ok(is_whole) => Ok(is_whole),
                    Err(OpenReadError::FileDoesNotExist(_)) => Ok(true),
                    Err(error) => Err(self.trouble(&error)),
                });
            if !matches!(validated, Ok(true)) {
                damaged.push(format!("{} is damaged", file.display()));
            }
        }
        Ok(damaged)
    }

    fn check_contents(&self) -> Result<Vec<String>> {
        let search = self.search()?;
        let mut found = search.snapshots.damaged(&search.payload.snapshots);
        let (mut listed, mut copies) = (0, 0);
        let mut pages = HashSet::new();
        let mut before = String::new();
        for url in search.iter_urls("") {
            let url = url?;
            listed += 1;
            if before == url {
                found.push(format!("{url} is there twice"));
            }
            let key = Key::from_stored(&url);
            pages.insert(id(&key));
            if let Some(spot) = search.spot(&key)? {
                copies += 1;
                if let Err(error) = search.snapshots.read(&url, spot) {
                    found.push(error.to_string());
                }
            }
            before = url;
        }
        let read = read_totals(&search.searcher, &self.fields).in_index(self)?;
        if read != search.payload.totals {
            found.push("the sums of the lengths of all pages are wrong".to_owned());
        }
        let mut listed_gone = 0;
        for gone in search.iter_tombstone_urls("") {
            let gone = gone?;
            listed_gone += 1;
            if search
                .one(self.fields.url, &Key::from_stored(&gone))?
                .is_some()
            {
                found.push(format!("{gone} is there and gone"));
            }
        }
        let stats = search.stats()?;
        // A URL in several segments is listed once for each of them.
        for (name, counted, listed) in [
            ("pages", stats.pages(), listed),
            ("URLs that are gone", stats.tombstones(), listed_gone),
        ] {
            if counted != listed {
                found.push(format!("{name}: {counted} counted, {listed} listed"));
            }
        }
        let snapshots = stats.snapshots();
        if snapshots != copies {
            found.push(format!("snapshots: {snapshots} kept, {copies} with a page"));
        }
        found.extend(miscounted_files(&search));
        let mut strays = 0;
        search.each_anchor(AnchorChoice::All, |anchor| {
            let stray = anchor.sources.iter().filter(|id| !pages.contains(id));
            strays += stray.count();
            Ok(())
        })?;
        if strays > 0 {
            found.push(format!("{strays} anchors are of no page"));
        }
        Ok(found)
    }
}

/// Returns a message for each snapshot file whose `StoreFile::living` in the payload is wrong. The
/// right value is the total bytes of all snapshots in the file that still belong to a page.
fn miscounted_files(search: &Search) -> Vec<String> {
    let mut listed = search.snapshot_bytes_by_file();
    let mut found = Vec::new();
    for file in &search.payload.snapshots {
        let listed = listed.remove(&file.number).unwrap_or(0);
        if listed != file.living {
            found.push(format!(
                "{SNAPSHOTS}/{}: {} bytes counted, {listed} with a page",
                name(file.number).display(),
                file.living
            ));
        }
    }
    found
}

/// True if a file belongs to `segment`, a segment of the last commit. A list of deleted documents
/// belongs to the segment only if that commit names the list. Other lists are left over from failed
/// commits.
fn belongs_to(file: &Path, segment: &SegmentMeta) -> bool {
    let name = file.to_string_lossy();
    let Some(rest) = name.strip_prefix(&segment.id().uuid_string()) else {
        return false;
    };
    if !rest.ends_with(".del") {
        return true;
    }
    match segment.delete_opstamp() {
        Some(stamp) => rest == format!(".{stamp}.del"),
        None => false,
    }
}
