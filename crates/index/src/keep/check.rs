//! Checks that an index is whole: every file by its checksum, every snapshot by its digest, and the
//! documents against each other.

use std::collections::HashSet;
use std::path::Path;

use tantivy::SegmentMeta;
use tantivy::directory::error::OpenReadError;

use crate::id::id;
use crate::open::{Index, IndexContext};
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;

impl Index {
    /// Reads the whole index and reports what is damaged. The list is empty if the index is whole.
    ///
    /// # Errors
    /// Fails if what is damaged is so near the root that nothing can be read.
    pub fn check(&self) -> Result<Vec<String>> {
        let mut found = self.damaged_files()?;
        // The content of a damaged file may be read as anything.
        if found.is_empty() {
            match catch_panics(&self.folder, || self.check_contents()) {
                Ok(contradictions) => found.extend(contradictions),
                Err(error) => found.push(error.to_string()),
            }
        }
        found.sort();
        Ok(found)
    }

    /// The files that have another checksum, or cannot be read.
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
        let urls = search.urls()?;
        let mut copies = 0;
        let mut before = None;
        for url in &urls {
            if before == Some(url) {
                found.push(format!("{url} is there twice"));
            }
            before = Some(url);
            if let Some(spot) = search.spot(&Key::kept(url))? {
                copies += 1;
                if let Err(error) = search.snapshots.read(url, spot) {
                    found.push(error.to_string());
                }
            }
        }
        let stats = search.stats()?;
        let all_gone = search.gone()?;
        // A list has a URL once for each segment.
        for (name, counted, listed) in [
            ("pages", stats.pages(), urls.len()),
            ("URLs that are gone", stats.tombstones(), all_gone.len()),
        ] {
            if counted != listed as u64 {
                found.push(format!("{name}: {counted} counted, {listed} listed"));
            }
        }
        for gone in all_gone {
            if urls.binary_search(&gone).is_ok() {
                found.push(format!("{gone} is there and gone"));
            }
        }
        let snapshots = stats.snapshots();
        if snapshots != copies {
            found.push(format!("snapshots: {snapshots} kept, {copies} with a page"));
        }
        let pages: HashSet<u64> = urls.iter().map(|url| id(&Key::kept(url))).collect();
        let mut strays = 0;
        search.each_anchor(
            |_, _| true,
            |columns, address, sources| {
                let names = columns.targets(address.doc_id).count();
                for source in sources {
                    if !pages.contains(&source) {
                        strays += names;
                    }
                }
                Ok(())
            },
        )?;
        if strays > 0 {
            found.push(format!("{strays} anchors are of no page"));
        }
        Ok(found)
    }
}

/// True if a file belongs to a segment. A list of deletions may also be of a commit that never
/// came.
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
