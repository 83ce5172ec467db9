//! Makes the log forget URLs: the salts of their entries are erased, and the entries stay.
//!
//! Without its salt, an entry is a hash of something. Nobody can find it by its URL, show which page it is about, or
//! tell the digest of that page. The tree stays as it is, so all other proofs hold. A proof that was handed on before
//! holds too: it has its own salt.

use std::path::Path;
use std::sync::Arc;

use crate::address::Key;
use crate::error::{Error, ErrorKind, Result};

use super::files::Folder;
use super::log::{Log, read_head};
use super::segment::{self, keys_file};

impl Log {
    /// Erases what leads from these URLs to their entries. Returns the number of entries that nobody can find any more.
    ///
    /// # Errors
    /// Fails if the log cannot be read or written, or another program writes to it. What was erased stays so.
    pub fn forget(folder: impl AsRef<Path>, urls: &[String]) -> Result<u64> {
        let folder = folder.as_ref();
        let is_there = read_head(&Folder::open(folder))?;
        let head = is_there.ok_or_else(|| Error::evidence(format!("{} holds no evidence", folder.display())))?;
        let log = Self::at(Arc::new(Folder::lock(folder)?), head)?;
        let secret = log.secret()?;
        let mut found = Vec::new();
        for url in urls {
            found.extend(log.about(Key::of(url).as_str(), &secret)?.into_iter().map(|found| found.number));
        }
        found.sort_unstable();
        found.dedup();
        log.erase(&found)?;
        Ok(found.len() as u64)
    }

    /// Erases the keys of these entries.
    fn erase(&self, numbers: &[u64]) -> Result<()> {
        for opened in &self.segments {
            let (first, last) = (opened.head.first, opened.head.first + opened.head.entries as u64);
            let own: Vec<_> = numbers.iter().filter(|number| (first..last).contains(number)).collect();
            if own.is_empty() {
                continue;
            }
            let name = opened.file.keys_name();
            let failed = |source| Error::from(ErrorKind::Io { what: format!("{}/{name}", self.files.place()), source });
            let file = self.files.read(&name, None).map_err(failed)?;
            let keys = segment::keys(&file).ok_or_else(|| Error::evidence(format!("{name} is damaged")))?;
            let is_kept = |row: &segment::KeyRow| !own.contains(&&(first + u64::from(row.entry)));
            let kept = keys.into_iter().filter(is_kept).collect();
            self.files.replace(&name, &keys_file(kept)).map_err(failed)?;
        }
        Ok(())
    }
}
