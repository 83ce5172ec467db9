//! The journal of an index. It records each decision about a page, and each commit of the index
//! stores the state of the journal as a mark.
//!
//! An index does not know where its journal is; the caller that opens the index passes a factory
//! ([`Journals`]). Before a commit the writer calls [`Journal::prepare`], and stores the returned
//! mark in the commit's payload. So index and journal are committed in one step. Journal entries
//! that follow the last commit's mark are not valid. An index that has a journal cannot be written
//! without its journal.

use std::fmt::Debug;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::decision::{Basis, DecisionRecord};
use heedful_base::error::{Error, ErrorKind, Result};

use super::terms::Terms;

/// Journal of one writer of an index. It records the decisions about the pages that the writer
/// adds. Each commit of the index stores the state of the journal as a [`JournalMark`].
///
/// If a writer is dropped, or its commit fails, its decisions since the last commit are invalid.
/// The next writer opens the journal at the mark of the last commit. The journal must then no
/// longer contain the invalid decisions.
///
/// # Examples
/// For an implementation see [`Journals`].
pub trait Journal: Debug + Send + Sync {
    /// Records a decision about a page. `basis` is the data on which the decision rests.
    ///
    /// # Errors
    /// Any error, if the decision cannot be recorded. The implementation chooses the kind. The
    /// writer then refuses to commit.
    fn note(&mut self, decided: &DecisionRecord, basis: &Basis) -> Result<()>;

    /// Writes all recorded decisions durably to disk, just before a commit of the index. Returns
    /// the mark that the index stores with this commit. `time` is the time of the commit, in
    /// seconds since 1970.
    ///
    /// # Errors
    /// Any error, if writing fails. The implementation chooses the kind. The writer then makes no
    /// commit, and the last commit remains valid.
    fn prepare(&mut self, time: i64) -> Result<JournalMark>;

    /// Notifies the journal that the index was committed. The commit contains the mark that
    /// [`Journal::prepare`] returned last.
    ///
    /// # Errors
    /// Any error, if writing to the journal fails. The implementation chooses the kind. The commit
    /// of the index remains valid. The next writer opens the journal at the mark of this commit.
    fn committed(&mut self) -> Result<()>;

    /// Erases these URLs from all entries of the journal. Entries that earlier writers never
    /// committed are included. The entries themselves remain, but no longer identify the URLs.
    /// Returns the number of affected decisions. The index calls this method on a newly opened
    /// journal, before any [`Journal::note`].
    ///
    /// # Errors
    /// Any error, if reading or writing the journal fails. The implementation chooses the kind.
    /// URLs that were erased before the error stay erased.
    fn forget(self: Box<Self>, urls: &[String]) -> Result<u64>;
}

/// Factory that opens a journal for each writer of an index.
///
/// # Examples
/// A journal that counts decisions:
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use heedful::{Bot, Filter, Result};
/// use heedful_index::decision::{Basis, DecisionRecord};
/// use heedful_index::{Index, Journal, JournalMark, Journals, Terms};
///
/// #[derive(Clone, Debug, Default)]
/// struct Count(Arc<AtomicU64>);
///
/// impl Journals for Count {
///     fn open(&self, _: Option<&JournalMark>, _: &Terms) -> Result<Option<Box<dyn Journal>>> {
///         Ok(Some(Box::new(self.clone())))
///     }
/// }
///
/// impl Journal for Count {
///     fn note(&mut self, _: &DecisionRecord, _: &Basis) -> Result<()> {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         Ok(())
///     }
///     fn prepare(&mut self, _: i64) -> Result<JournalMark> {
///         JournalMark::new(&self.0.load(Ordering::Relaxed), "decisions".to_owned())
///     }
///     fn committed(&mut self) -> Result<()> {
///         Ok(())
///     }
///     fn forget(self: Box<Self>, _: &[String]) -> Result<u64> {
///         Ok(0)
///     }
/// }
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?.journal(Arc::new(Count::default()));
/// let mut writer = index.writer(1)?;
/// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
/// writer.commit()?;
/// assert_eq!(index.mark()?.unwrap().head::<u64>()?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Journals: Debug + Send + Sync {
    /// Opens the journal of an index for a new writer. `mark` is the state of the journal at the
    /// index's last commit. The journal is opened in this state. `mark` is None if no commit of the
    /// index has a mark yet. Returns None if the index has no journal and should get none.
    ///
    /// # Errors
    /// Fails if the journal is missing, or if it does not contain the state of the last commit. The
    /// implementation chooses the kind of error.
    fn open(&self, mark: Option<&JournalMark>, terms: &Terms) -> Result<Option<Box<dyn Journal>>>;
}

/// The state of a journal at a commit of its index. It is stored in that commit's payload.
///
/// # Examples
/// ```
/// use heedful_index::JournalMark;
///
/// let mark = JournalMark::new(&("entries", 12), "/var/evidence".to_owned())?;
/// assert_eq!(mark.head::<(String, u64)>()?, ("entries".to_owned(), 12));
/// assert!(mark.head::<u64>().is_err()); // written as another type
/// assert_eq!(mark.folder().to_str(), Some("/var/evidence"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JournalMark {
    /// State of the journal, as JSON. Only the implementation of the journal can interpret it.
    head: Box<RawValue>,
    /// Folder of the journal at the time of the commit.
    folder: String,
}

impl JournalMark {
    /// Creates a mark from the state and the folder of a journal.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if `head` cannot be serialized as JSON.
    pub fn new(head: &impl Serialize, folder: String) -> Result<Self> {
        match serde_json::value::to_raw_value(head) {
            Ok(head) => Ok(Self { head, folder }),
            Err(error) => Err(ErrorKind::Internal(format!("a head is no JSON ({error})")).into()),
        }
    }

    /// Deserializes the state of the journal. Only the implementation of the journal can interpret
    /// this state.
    ///
    /// # Errors
    /// [`ErrorKind::Evidence`] if the stored state is not a `T`, for example because another
    /// version wrote it.
    pub fn head<T: DeserializeOwned>(&self) -> Result<T> {
        match serde_json::from_str(self.head.get()) {
            Ok(head) => Ok(head),
            Err(error) => Err(Error::evidence(format!(
                "what the last commit says of its log cannot be read ({error})"
            ))),
        }
    }

    /// Returns the folder of the journal at the time of the commit.
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
