//! Forgets URLs: erases the salts of their entries in the log. The entries themselves stay.
//!
//! An entry without its salt is an opaque hash. It cannot be found by its URL, linked to its page,
//! or used to recover the page's digest. The Merkle tree does not change, so all proofs stay valid.
//! This includes earlier proofs of the forgotten entry, because they contain its salt.
//!
//! Forgetting needs a writer, because a commit may have merged segments, and then new files contain
//! the salts, too. The writer first restores the log to the last commit, and deletes all files that
//! the commit does not name. Otherwise, after a crash, an overlooked file could still link a
//! forgotten URL to its entry.

use std::path::Path;
use std::sync::Arc;

use heedful_base::address::Key;
use heedful_base::error::{Error, Result};

use super::log::Log;
use super::segment::{self, keys_file};
use super::writer::LogWriter;

impl Log {
    /// Erases the salts that link these URLs to their entries in the log in `folder`. Returns the
    /// number of entries that can no longer be found by their URL. After a crash, this function can
    /// fail for the log of an index. Then
    /// [`IndexEvidence::forget_evidence`](super::IndexEvidence::forget_evidence) still works.
    ///
    /// # Errors
    /// An evidence error if the log is damaged, or another program writes to the log. Also an
    /// evidence error if files of an interrupted run remain, and only the index knows whether its
    /// last commit includes them. An I/O error if a file of the log cannot be read or written.
    /// Salts that were erased before the error stay erased.
    pub fn forget(folder: impl AsRef<Path>, urls: &[String]) -> Result<u64> {
        LogWriter::open_alone(folder.as_ref())?.forget(urls)
    }

    /// Returns the numbers of all entries about these URLs, in ascending order.
    fn entries_about(&self, urls: &[String]) -> Result<Vec<u64>> {
        let secret = self.secret()?;
        let mut found = Vec::new();
        for url in urls {
            for entry in self.entries_of_url(Key::parse(url).as_str(), &secret)? {
                found.push(entry.number);
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Erases the salts of the entries with these numbers, by removing their rows from the keys
    /// files. `numbers` must be sorted.
    fn erase(&self, numbers: &[u64]) -> Result<()> {
        for opened in &self.segments {
            let first = opened.head.first;
            let last = first + opened.head.entries as u64;
            let begin = numbers.partition_point(|number| *number < first);
            let end = numbers.partition_point(|number| *number < last);
            let own = &numbers[begin..end];
            if own.is_empty() {
                continue;
            }
            let name = opened.file.keys_name();
            let file = self.files.read_file(&name)?;
            let Some(mut keys) = segment::keys(&file) else {
                return Err(Error::evidence(format!("{name} is damaged")));
            };
            keys.retain(|row| own.binary_search(&(first + u64::from(row.entry))).is_err());
            if let Err(source) = self.files.replace(&name, &keys_file(keys)) {
                return Err(self.files.file_error(&name, source));
            }
        }
        Ok(())
    }
}

impl LogWriter {
    /// Erases the salts of the entries about `urls`, and returns the number of these entries. The
    /// writer must be at the last commit and have added nothing.
    pub(super) fn forget(self, urls: &[String]) -> Result<u64> {
        // A leftover file could contain the salts.
        self.files.in_folder(self.sweep())?;
        self.files.in_folder(self.files.sync())?;
        let log = Log::open_files(Arc::clone(&self.files), self.head.clone())?;
        let found = log.entries_about(urls)?;
        log.erase(&found)?;
        Ok(found.len() as u64)
    }
}
