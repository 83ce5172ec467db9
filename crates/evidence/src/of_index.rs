//! The evidence of an index: a log in a folder of its own, which records every decision of the
//! index (docs/evidence.md).
//!
//! A commit of the index first writes the log. The payload of the commit then contains the log's
//! head. So log and index change in one step: the next writer deletes everything in the log after
//! the committed head.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use heedful_base::error::{Error, Result};
use heedful_index::decision::{Basis, DecisionRecord};
use heedful_index::{Index, Journal, JournalMark, Journals, Terms};

#[cfg(test)]
use super::files::LogFiles;
use super::state::Head;
use super::writer::Evidence;

/// Methods that make an index record its decisions in a log of evidence.
///
/// ```
/// use heedful_evidence::{IndexEvidence, Log};
/// use heedful_index::Index;
/// use heedful::{Bot, Filter};
///
/// let folder = tempfile::tempdir()?;
/// let place = folder.path().join("index");
/// let log = folder.path().join("evidence");
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(&place, &filter)?.evidence(&log);
///
/// let mut writer = index.writer(1)?;
/// writer.add(&filter.page("https://example.com/rye", &[], b"<p>Dark rye")?)?;
/// writer.commit()?;
/// assert_eq!(Log::open(&log)?.history("https://example.com/rye")?.len(), 1);
///
/// drop(writer);
/// let again = Index::open(&place)?;
/// assert!(again.writer(1).is_err());             // never without its evidence
/// assert!(again.with_evidence().writer(1).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait IndexEvidence: Sized {
    /// Makes the index record each decision in the log in `folder`, from the next writer on. If the
    /// last commit of the index names a log, `folder` must contain this log, and the index
    /// continues it. If this log is still in its old folder, [`with_evidence`](Self::with_evidence)
    /// does the same without a path.
    #[must_use]
    fn evidence(self, folder: impl AsRef<Path>) -> Self;

    /// Makes the index start a new log in `folder`. If the last commit of the index names an older
    /// log, the index abandons the older log. Use this method if the older log is lost.
    #[must_use]
    fn new_evidence(self, folder: impl AsRef<Path>) -> Self;

    /// Makes the index continue the log that its last commit names. The log is opened in the folder
    /// that the commit names. If another method has already set a folder, this method changes
    /// nothing. An index without evidence stays without evidence.
    #[must_use]
    fn with_evidence(self) -> Self;

    /// Returns the log that the last commit of the index names. The result is the head of the log
    /// and the path of the log's folder. Returns `None` if the index has no evidence.
    ///
    /// # Errors
    /// An index error if the payload of the last commit is damaged.
    fn kept_evidence(&self) -> Result<Option<(Head, PathBuf)>>;

    /// Erases the records of all entries about `urls` from the log of the index. Returns the number
    /// of these entries. The index itself is not changed.
    ///
    /// Like every writer, this method first restores the log to the last commit of the index. Files
    /// that an interrupted run left are deleted, since these files may contain the records too.
    ///
    /// # Errors
    /// An evidence error if the index keeps no evidence, if another program writes to the log, or
    /// if the log is damaged. An I/O error if the log cannot be read or written. If an error
    /// interrupts the erasing, the next writer finishes the erasing.
    fn forget_evidence(&self, urls: &[String]) -> Result<u64>;
}

impl IndexEvidence for Index {
    fn evidence(self, folder: impl AsRef<Path>) -> Self {
        self.journal(Arc::new(EvidenceSettings {
            place: LogPlace::Folder(folder.as_ref().to_owned()),
            is_new: false,
        }))
    }

    fn new_evidence(self, folder: impl AsRef<Path>) -> Self {
        self.journal(Arc::new(EvidenceSettings {
            place: LogPlace::Folder(folder.as_ref().to_owned()),
            is_new: true,
        }))
    }

    fn with_evidence(self) -> Self {
        if self.has_journal() {
            self
        } else {
            self.journal(Arc::new(EvidenceSettings {
                place: LogPlace::Kept,
                is_new: false,
            }))
        }
    }

    fn kept_evidence(&self) -> Result<Option<(Head, PathBuf)>> {
        match self.mark()? {
            Some(mark) => Ok(Some((mark.head()?, mark.folder().to_owned()))),
            None => Ok(None),
        }
    }

    fn forget_evidence(&self, urls: &[String]) -> Result<u64> {
        let forgotten = self.clone().with_evidence().forget_decisions(urls)?;
        forgotten.ok_or_else(|| Error::evidence("the index keeps no evidence"))
    }
}

/// Settings of the log in which an index records its decisions.
#[derive(Clone, Debug)]
struct EvidenceSettings {
    place: LogPlace,
    /// True if a new log is started, although the last commit of the index may name another log.
    is_new: bool,
}

#[derive(Clone, Debug)]
enum LogPlace {
    /// The log is in the folder that the last commit of the index names.
    Kept,
    Folder(PathBuf),
    #[cfg(test)]
    Files(Arc<dyn LogFiles>),
}

/// Returns `index` with its evidence in the given files.
#[cfg(test)]
pub(super) fn in_files(index: Index, files: Arc<dyn LogFiles>) -> Index {
    index.journal(Arc::new(EvidenceSettings {
        place: LogPlace::Files(files),
        is_new: false,
    }))
}

impl Journals for EvidenceSettings {
    fn open(&self, mark: Option<&JournalMark>, terms: &Terms) -> Result<Option<Box<dyn Journal>>> {
        let mark = mark.filter(|_| !self.is_new);
        let head: Option<Head> = mark.map(JournalMark::head).transpose()?;
        let head = head.as_ref();
        let terms = slice::from_ref(terms);
        let evidence = match (&self.place, mark) {
            (LogPlace::Folder(folder), _) => Evidence::open(folder, head, terms)?,
            #[cfg(test)]
            (LogPlace::Files(files), _) => {
                let start = head.map_or(super::writer::LogStart::New, super::writer::LogStart::At);
                Evidence::open_files(Arc::clone(files), start, terms)?
            }
            (LogPlace::Kept, Some(mark)) => Evidence::open(mark.folder(), head, terms)?,
            (LogPlace::Kept, None) => return Ok(None),
        };
        Ok(Some(Box::new(evidence)))
    }
}

impl Journal for Evidence {
    fn note(&mut self, decided: &DecisionRecord, basis: &Basis) -> Result<()> {
        self.add(decided, basis)?;
        Ok(())
    }

    fn prepare(&mut self, time: i64) -> Result<JournalMark> {
        JournalMark::new(&self.finish(time)?, self.folder())
    }

    fn committed(&mut self) -> Result<()> {
        Evidence::committed(self)
    }

    fn forget(self: Box<Self>, urls: &[String]) -> Result<u64> {
        Evidence::forget(*self, urls)
    }
}
