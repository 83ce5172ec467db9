//! Makes the log forget URLs: the salts of their entries are erased, and the entries stay.
//!
//! Without its salt, an entry is a hash of something. Nobody can find it by its URL, show which
//! page it is about, or tell the digest of that page. The tree stays as it is, so all other proofs
//! hold. A proof that was handed on before holds too: it has its own salt.
//!
//! A commit may join segments, and then the salts stand in new files too. So it is a writer that
//! forgets: it brings the log to the last commit first, and deletes what that does not name.
//! Otherwise a run after a crash could find a page by a file that was overlooked.

use std::path::Path;
use std::sync::Arc;

use heedful_base::address::Key;
use heedful_base::error::{Error, Result};

use super::log::Log;
use super::segment::{self, keys_file};
use super::writer::LogWriter;

impl Log {
    /// Erases what leads from these URLs to their entries. Returns the number of entries that
    /// nobody can find any more. For the log of an index,
    /// [`IndexEvidence::forget_evidence`](super::IndexEvidence::forget_evidence) does so after a
    /// crash too.
    ///
    /// # Errors
    /// Fails if the log cannot be read or written, or another program writes to it. What was erased
    /// stays so. Fails too if a run broke off and only the index knows what its last commit named.
    pub fn forget(folder: impl AsRef<Path>, urls: &[String]) -> Result<u64> {
        LogWriter::open_alone(folder.as_ref())?.forget(urls)
    }

    /// The numbers of all entries about these URLs, in order.
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

    /// Erases the keys of these entries, which are in order.
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
    /// Forgets URLs. The writer is at the last commit and has added nothing.
    pub(super) fn forget(self, urls: &[String]) -> Result<u64> {
        // A file that stays would have the salts.
        self.files.in_folder(self.sweep())?;
        self.files.in_folder(self.files.sync())?;
        let log = Log::open_files(Arc::clone(&self.files), self.head.clone())?;
        let found = log.entries_about(urls)?;
        log.erase(&found)?;
        Ok(found.len() as u64)
    }
}
