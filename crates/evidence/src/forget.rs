//! Forgets URLs: erases the records and salts of their entries. The entries themselves stay.
//!
//! An entry without its record is an opaque hash. It cannot be found by its URL, linked to its page,
//! or proved. The Merkle tree does not change, so all proofs stay valid. This includes earlier
//! proofs of the forgotten entry, because they contain its record.
//!
//! Forgetting goes through the writer, which first restores the log to the last commit. Otherwise a
//! file of an interrupted run could still have a record. The state of the log names the entries
//! first, and they count as forgotten from then on. So after a crash the next writer finishes what
//! was begun.

use std::path::Path;
use std::sync::Arc;

use heedful_base::error::Result;

use super::erase::finish_erasing;
use super::log::Log;
use super::writer::Evidence;

impl Log {
    /// Erases the records of all entries about `urls` from the log in `folder`. Returns the number
    /// of these entries. After a crash, this function may fail for the log of an index. In this
    /// case use [`IndexEvidence::forget_evidence`](super::IndexEvidence::forget_evidence).
    ///
    /// # Errors
    /// An evidence error if the log is damaged, or if another program writes to the log. Also an
    /// evidence error if an interrupted run left files in the log of an index. Only the index knows
    /// if these files are part of the log. An I/O error if a file of the log cannot be read or
    /// written.
    pub fn forget(folder: impl AsRef<Path>, urls: &[String]) -> Result<u64> {
        Evidence::open_alone(folder.as_ref())?.forget(urls)
    }
}

impl Evidence {
    /// Erases the records of all entries about `urls`, and returns the number of these entries. The
    /// writer must have added no entry since the last commit.
    pub(super) fn forget(mut self, urls: &[String]) -> Result<u64> {
        // A file that is left over could contain the records.
        self.files.in_folder(self.sweep())?;
        self.files.in_folder(self.files.sync())?;
        let log = Log::from_state(Arc::clone(&self.files), self.state.clone());
        let mut numbers = Vec::new();
        for url in urls {
            numbers.extend(log.entries_of_url(url)?.iter().map(|found| found.number));
        }
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.is_empty() {
            return Ok(0);
        }
        let forgotten = numbers.len() as u64;
        self.state.erasing = numbers;
        self.state.write(&*self.files)?;
        finish_erasing(&self.files, &mut self.state)?;
        Ok(forgotten)
    }
}
