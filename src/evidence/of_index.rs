//! The evidence of an index: a log beside it, which its commits name (docs/evidence.md).
//!
//! A commit writes the log first, and names its head in the payload. So log and index are one step: what the log holds
//! beyond that head is swept away by the next writer. An index that has a log is not written without it.

use std::path::{Path, PathBuf};
#[cfg(test)]
use std::sync::Arc;

use crate::error::{Error, Result};
#[cfg(test)]
use crate::evidence::Files;
use crate::evidence::{Evidence, Head};

use super::asked::{AskedEvidence, Place};
use super::open::Index;
use super::payload::{KeptEvidence, Payload};

impl Index {
    /// Keeps evidence of each decision in this folder from the next writer on. An index whose last commit names a log
    /// goes on with it, and asks for this only if the folder has moved.
    pub fn evidence(mut self, folder: impl AsRef<Path>) -> Self {
        self.asked = AskedEvidence { place: Some(Place::Folder(folder.as_ref().to_owned())), is_new: false };
        self
    }

    /// Begins new evidence in this folder, in place of a log that is lost or given up.
    pub fn new_evidence(mut self, folder: impl AsRef<Path>) -> Self {
        self.asked = AskedEvidence { place: Some(Place::Folder(folder.as_ref().to_owned())), is_new: true };
        self
    }

    #[cfg(test)]
    pub(super) fn evidence_in(mut self, files: Arc<dyn Files>) -> Self {
        self.asked = AskedEvidence { place: Some(Place::Files(files)), is_new: false };
        self
    }

    /// The log that the last commit names: its head, and the folder in which it was then.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn kept_evidence(&self) -> Result<Option<(Head, PathBuf)>> {
        let kept = self.payload()?.evidence;
        Ok(kept.map(|KeptEvidence { head, folder }| (head, PathBuf::from(folder))))
    }

    /// Erases what leads from these URLs to their entries in the log, and returns the number of entries. The index itself
    /// keeps what it has of them. The log is first brought to what the last commit names, as by each writer, so a run that
    /// broke off leaves no other way to the entries.
    ///
    /// # Errors
    /// Fails if the index keeps no evidence, or another program writes to it, or the log cannot be read or written. What
    /// was erased stays so.
    pub fn forget_evidence(&self, urls: &[String]) -> Result<u64> {
        let none = || Error::evidence("the index keeps no evidence");
        // A writer would begin evidence where none is.
        self.kept_evidence()?.ok_or_else(none)?;
        // The index stays locked, so that no commit names another head.
        let mut writer = self.writer(1)?;
        writer.evidence.take().ok_or_else(none)?.forget(urls)
    }

    /// Opens the log for a writer, if the index has one or should have one.
    pub(super) fn open_evidence(&self, payload: &Payload) -> Result<Option<Evidence>> {
        let kept = payload.evidence.as_ref().filter(|_| !self.asked.is_new);
        let (head, terms) = (kept.map(|kept| &kept.head), std::slice::from_ref(&payload.terms));
        match (&self.asked.place, kept) {
            (Some(Place::Folder(folder)), _) => Evidence::of(folder, head, terms).map(Some),
            #[cfg(test)]
            (Some(Place::Files(files)), _) => Evidence::in_files(files, head, terms).map(Some),
            (None, Some(kept)) => Evidence::of(Path::new(&kept.folder), head, terms).map(Some),
            (None, None) => Ok(None),
        }
    }
}
