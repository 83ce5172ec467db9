//! Cosignatures of a log's checkpoint: that of the operator, and those of witnesses.
//!
//! A cosigner says that this is the largest tree that it has seen, and that it is consistent with
//! those before. So the operator's key signs only after the roots of this tree and of the tree that
//! it signed last were computed again from the entries.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use signed_note::{Note, Signature};
use tlog_tiles::{Hash as TreeHash, record_hash};

use heedful_base::error::{Error, Result};

use super::bundles::Sequence;
use super::files::{LogFiles, LogFolder};
use super::keys::{self, PublicKey, SigningKey, parse_signatures, signatures};
use super::log::{CHECKPOINT, COSIGNED, KEYS, Log};
use super::state::LogState;
use super::tiles::FreshHashes;

impl Log {
    /// Adds a cosignature by the operator to the last checkpoint of the log in `folder`. `key` is
    /// the operator's key, and `now` is the time of the cosignature. Returns the number of entries
    /// that the checkpoint covers.
    ///
    /// # Errors
    /// An evidence error if the entries contradict the root hash of the last checkpoint or of the
    /// last cosigned checkpoint. Also an evidence error if another program writes to the log. An
    /// I/O error if a file of the log cannot be read or written.
    pub fn cosign(folder: impl AsRef<Path>, key: &SigningKey, now: SystemTime) -> Result<u64> {
        let log = Self::lock(folder.as_ref())?;
        let (note, _) = log.checkpoint()?;
        let signature = key.cosign(note.text(), now)?;
        log.add_signatures(&[signature], &key.public_cosigner())
    }

    /// Adds cosignatures by a witness to the last checkpoint of the log in `folder`. `lines` has
    /// the cosignatures as the witness returned them. `key` is the public key of the witness.
    /// Returns the number of entries that the checkpoint covers.
    ///
    /// # Errors
    /// An evidence error if a cosignature is not by `key`, or not for the last checkpoint. Also an
    /// evidence error if the entries contradict the root hash of the last checkpoint or of the last
    /// cosigned checkpoint. An I/O error if a file of the log cannot be read or written.
    pub fn add_cosignatures(
        folder: impl AsRef<Path>,
        lines: &[u8],
        key: &PublicKey,
    ) -> Result<u64> {
        Self::lock(folder.as_ref())?.add_signatures(&parse_signatures(lines)?, key)
    }

    /// Opens the log in `folder`, and locks it against other writers.
    fn lock(folder: &Path) -> Result<Self> {
        // The lock creates a file, so the check for a log comes first.
        Self::open(folder)?;
        let files: Arc<dyn LogFiles> = Arc::new(LogFolder::lock(folder)?);
        match LogState::read(&*files)? {
            Some(state) => Ok(Self::from_state(files, state)),
            None => Err(Error::evidence(format!("{} is gone", folder.display()))),
        }
    }

    fn add_signatures(&self, new: &[Signature], key: &PublicKey) -> Result<u64> {
        let (note, checkpoint) = self.checkpoint()?;
        if new.is_empty() || new.iter().any(|new| key.verify(note.text(), new).is_none()) {
            let message = "the cosignature is not that of the key for the last checkpoint";
            return Err(Error::evidence(message));
        }
        let mut sizes = vec![checkpoint.size()];
        let mut roots = vec![*checkpoint.hash()];
        if let Some((_, before)) = self.cosigned()? {
            sizes.push(before.size());
            roots.push(*before.hash());
        }
        if self.recomputed_roots(&sizes)? != roots {
            return Err(Error::evidence(format!(
                "{}: its entries do not lead to the roots of its checkpoint and of the one that was cosigned before, \
                 so nothing was signed",
                self.files.place()
            )));
        }
        let mut all = signatures(&note);
        for new in new {
            all.retain(|old| (old.name(), old.id()) != (new.name(), new.id()));
            all.push(new.clone());
        }
        let note = Note::new(note.text(), &all).map_err(|_| self.damaged(CHECKPOINT))?;
        let bytes = note.to_bytes();
        let mut keys = self.keys()?;
        if !keys.contains(key) {
            keys.push(key.clone());
            self.files
                .replace_file(KEYS, keys::file(&keys).as_bytes())?;
        }
        self.files.replace_file(COSIGNED, &bytes)?;
        self.files.replace_file(CHECKPOINT, &bytes)?;
        Ok(checkpoint.size())
    }

    /// For each number n in `sizes`, returns the root of the tree over the first n entries. The
    /// roots are computed from the entries themselves, and not from tiles. If the log has fewer
    /// than n entries, the root is that of an empty tree.
    pub(super) fn recomputed_roots(&self, sizes: &[u64]) -> Result<Vec<TreeHash>> {
        let mut roots = vec![tlog_tiles::EMPTY_HASH; sizes.len()];
        let mut fresh = FreshHashes::default();
        let mut number = 0;
        for bundle in Sequence::Entries.bundles(self.head()) {
            for entry in self.entries(bundle)? {
                fresh.add(&*self.files, 0, number, record_hash(&entry))?;
                number += 1;
                for (root, size) in roots.iter_mut().zip(sizes) {
                    if *size == number {
                        *root = fresh.tree(&*self.files, 0).root(number)?;
                    }
                }
            }
            if number.is_multiple_of(256) {
                fresh.forget_tile(bundle);
            }
        }
        Ok(roots)
    }
}
