//! Forgets URLs: erases the salts of their entries. The entries themselves stay.
//!
//! Without its salt, an entry is an opaque hash. It cannot be found by its URL, linked to its page,
//! or used to recover the page's digest. The Merkle tree does not change, so all proofs stay valid.
//! This includes earlier proofs of the forgotten entry, because they contain its salt.
//!
//! A commit may merge segments, and then new files contain the salts, too. Therefore forgetting
//! needs a writer: it first restores the log to the last commit, and deletes all other files.
//! Otherwise a run after a crash could still find a forgotten page in an overlooked file.

use std::path::Path;
use std::sync::Arc;

use heedful_base::address::Key;
use heedful_base::error::{Error, Result};

use super::log::Log;
use super::segment::{self, keys_file};
use super::writer::LogWriter;

impl Log {
    /// Erases the salts that link these URLs to their entries. Returns the number of entries that
    /// can no longer be found. For the log of an index,
    /// [`IndexEvidence::forget_evidence`](super::IndexEvidence::forget_evidence) also works after a
    /// crash.
    ///
    /// # Errors
    /// An evidence error if the log is damaged, another program writes to it, or a run was
    /// interrupted and only the index knows its last commit. An I/O error if a file of the log
    /// cannot be read or written. Salts that were erased before the error stay erased.
    pub fn forget(folder: impl AsRef<Path>, urls: &[String]) -> Result<u64> {
        LogWriter::open_alone(folder.as_ref())?.forget(urls)
    }

    /// Returns the numbers of all entries about these URLs, in order.
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

    /// Erases the rows of the keys files, and so the salts, of the entries with these sorted
    /// numbers.
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
    /// Forgets URLs. The writer must be at the last commit and have added nothing.
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
