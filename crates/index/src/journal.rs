//! The journal of an index: it records each decision, and each commit names how far it has come.
//!
//! An index knows no journal itself; the caller that opens the index names it. A commit
//! prepares the journal first, and keeps the mark that comes back in its payload. So journal and
//! index are one step: what the journal holds beyond the mark of the last commit never was. An
//! index that has a journal is not written without it.

use std::fmt::Debug;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::decision::{Basis, DecisionRecord};
use heedful_base::error::{Error, ErrorKind, Result};

use super::terms::Terms;

/// Records each decision of an index. There is one for each writer.
///
/// A writer may be dropped at any moment, or its commit may fail. What was noted since the last
/// commit must then be gone when the journal is opened at the mark of that commit.
pub trait Journal: Debug + Send + Sync {
    /// Notes a decision, with what it rests on.
    ///
    /// # Errors
    /// Fails if it cannot be kept. Then nothing of it is committed.
    fn note(&mut self, decided: &DecisionRecord, basis: &Basis) -> Result<()>;

    /// Writes what was noted, on disk for good, and returns the mark that the commit must name.
    /// `time` is in seconds since 1970.
    ///
    /// # Errors
    /// Fails if it cannot be written. Then there is no commit, and what was committed before still
    /// stands.
    fn prepare(&mut self, time: i64) -> Result<JournalMark>;

    /// Takes note that the commit is there that names the last mark.
    ///
    /// # Errors
    /// Fails if the journal cannot be written. It is opened at that mark all the same.
    fn committed(&mut self) -> Result<()>;

    /// Makes it forget these URLs: they lead no longer to what was noted, at whatever point earlier
    /// writers broke off. Returns the number of decisions. Nothing was noted before.
    ///
    /// # Errors
    /// Fails if the journal cannot be read or written. What was forgotten stays so.
    fn forget(self: Box<Self>, urls: &[String]) -> Result<u64>;
}

/// Opens the journal of an index for its writers.
pub trait Journals: Debug + Send + Sync {
    /// Opens the journal at the mark of the last commit. It is None if no commit named a mark so
    /// far. Returns None if the index has no journal, and should have none.
    ///
    /// # Errors
    /// Fails if there is no such journal, or if it is not as the last commit left it.
    fn open(&self, mark: Option<&JournalMark>, terms: &Terms) -> Result<Option<Box<dyn Journal>>>;
}

/// How far a journal has come at a commit. The commit keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JournalMark {
    /// The journal's own words.
    head: Box<RawValue>,
    /// The folder in which it was then.
    folder: String,
}

impl JournalMark {
    /// A mark with the head of the journal, and the folder in which the journal is.
    ///
    /// # Errors
    /// Fails if `head` cannot be written as JSON.
    pub fn new(head: &impl Serialize, folder: String) -> Result<Self> {
        match serde_json::value::to_raw_value(head) {
            Ok(head) => Ok(Self { head, folder }),
            Err(error) => Err(ErrorKind::Internal(format!("a head is no JSON ({error})")).into()),
        }
    }

    /// The head of the journal.
    ///
    /// # Errors
    /// Fails if it is something else, as if another version wrote it.
    pub fn head<T: DeserializeOwned>(&self) -> Result<T> {
        match serde_json::from_str(self.head.get()) {
            Ok(head) => Ok(head),
            Err(error) => Err(Error::evidence(format!(
                "what the last commit says of its log cannot be read ({error})"
            ))),
        }
    }

    /// The folder in which it was then.
    pub fn folder(&self) -> &Path {
        Path::new(&self.folder)
    }
}

impl PartialEq for JournalMark {
    fn eq(&self, other: &Self) -> bool {
        (self.head.get(), &self.folder) == (other.head.get(), &other.folder)
    }
}

impl Eq for JournalMark {}
