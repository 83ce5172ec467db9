//! Rewrites snapshot files: copies their records that belong to a page to the file of the next
//! commit, and drops the old files. Which files a commit rewrites is decided elsewhere (`copies`).
//!
//! The documents with the locations in a file are found and deleted by one term, the number of the
//! file. The URL of a record stands in the record itself. A damaged file is never rewritten,
//! because its records would get a new checksum. It stays as it is, and stops no commit.
//! [`Index::check`](crate::Index::check) reports it.

use tantivy::Searcher;
use tantivy::schema::Term;

use crate::open::{Index, IndexContext};
use crate::statistics::each;
use crate::store::{Snapshots, StoreFile, StoreOffset};
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;
use heedful_base::warc;

use super::writer::Writer;

impl Writer {
    /// Rewrites the snapshot files that `Copies::chosen` returns. These files have many records
    /// that belong to no page, or are small and numerous.
    pub(super) fn rewrite_sparse_files(&mut self) -> Result<()> {
        let chosen = self.copies.chosen();
        self.rewrite(chosen)
    }

    /// Rewrites all snapshot files of the last commit.
    pub(super) fn rewrite_all_files(&mut self) -> Result<()> {
        let all = self.copies.of_last_commit();
        self.rewrite(all)
    }

    fn rewrite(&mut self, files: Vec<StoreFile>) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        let searcher = self.before.searcher(&self.index)?.clone();
        for file in files {
            let Ok(snapshots) = self.index.store.open(&[file]) else {
                continue;
            };
            let index = self.index.clone();
            let spots = catch_panics(&index.folder, || spots_in(file, &searcher, &index))?;
            if is_readable(&snapshots, file, &spots) {
                self.rewrite_file(file, &snapshots, &spots)?;
            }
        }
        Ok(())
    }

    /// Copies the records at `spots` from a snapshot file to the commit's new file, in the order of
    /// `spots`. A record is left out if its page has lost or replaced the snapshot since the last
    /// commit. The next commit drops the old file.
    fn rewrite_file(
        &mut self,
        file: StoreFile,
        snapshots: &Snapshots,
        spots: &[StoreOffset],
    ) -> Result<()> {
        self.delete_term(in_file(file, &self.index))?;
        for spot in spots {
            let member = snapshots.member(*spot)?;
            let Some(url) = warc::read_url(&member) else {
                continue;
            };
            let key = Key::from_stored(&url);
            if self.copies.has_changed(&key) {
                continue;
            }
            let moved = self.copies.copy(&member)?;
            self.put(self.documents().copy(&key, moved))?;
        }
        self.copies.drop_file(file);
        Ok(())
    }
}

/// Returns the locations of all snapshots in `file` that belong to a page at the searcher's commit,
/// in ascending order.
fn spots_in(file: StoreFile, searcher: &Searcher, index: &Index) -> Result<Vec<StoreOffset>> {
    let term = in_file(file, index);
    let mut spots = Vec::new();
    for segment in searcher.segment_readers() {
        each(segment, &term, |document| {
            spots.extend(StoreOffset::read(segment, document));
        })
        .in_index(index)?;
    }
    spots.sort_unstable();
    Ok(spots)
}

/// Returns the tantivy term that finds all documents whose snapshot is in `file`.
fn in_file(file: StoreFile, index: &Index) -> Term {
    Term::from_field_u64(index.fields.file, file.number)
}

/// True if a snapshot file is not damaged, and the URL of each of its records at `spots` can be
/// read.
fn is_readable(snapshots: &Snapshots, file: StoreFile, spots: &[StoreOffset]) -> bool {
    let has_url = |spot: &StoreOffset| {
        let member = snapshots.member(*spot);
        member.is_ok_and(|member| warc::read_url(&member).is_some())
    };
    snapshots.is_intact(&file) && spots.iter().all(has_url)
}
