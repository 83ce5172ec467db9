//! The evidence of an index: a log beside it, as the journal of its decisions (docs/evidence.md).
//!
//! A commit writes the log first, and names its head in the payload. So log and index are one step:
//! what the log holds beyond that head is swept away by the next writer.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use heedful_base::error::{Error, Result};
use heedful_index::decision::{Basis, DecisionRecord};
use heedful_index::{Index, Journal, JournalMark, Journals, Terms};

#[cfg(test)]
use super::files::LogFiles;
use super::head::Head;
use super::keep::Evidence;

/// Evidence beside an index.
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
    /// Keeps evidence of each decision in this folder from the next writer on. An index whose last
    /// commit names a log goes on with it, and asks for this only if the folder has moved.
    #[must_use]
    fn evidence(self, folder: impl AsRef<Path>) -> Self;

    /// Begins new evidence in this folder, in place of a log that is lost or given up.
    #[must_use]
    fn new_evidence(self, folder: impl AsRef<Path>) -> Self;

    /// Goes on with the log that the last commit names, in the folder in which it was then, unless
    /// something else was asked for. An index that keeps no evidence begins none.
    #[must_use]
    fn with_evidence(self) -> Self;

    /// The log that the last commit names: its head, and the folder in which it was then.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    fn kept_evidence(&self) -> Result<Option<(Head, PathBuf)>>;

    /// Erases what leads from these URLs to their entries in the log, and returns the number of
    /// entries. The index itself keeps what it has of them. The log is first brought to what the
    /// last commit names, as by each writer, so a run that broke off leaves no other way to the
    /// entries.
    ///
    /// # Errors
    /// Fails if the index keeps no evidence, or another program writes to it, or the log cannot be
    /// read or written. What was erased stays so.
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

/// The evidence that is asked for.
#[derive(Clone, Debug)]
struct EvidenceSettings {
    place: LogPlace,
    /// The log begins anew, whatever the last commit names.
    is_new: bool,
}

#[derive(Clone, Debug)]
enum LogPlace {
    /// Where the last commit had it.
    Kept,
    Folder(PathBuf),
    #[cfg(test)]
    Files(Arc<dyn LogFiles>),
}

/// An index with evidence in these files.
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
            (LogPlace::Files(files), _) => Evidence::in_files(files, head, terms)?,
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
        self.log.committed()
    }

    fn forget(self: Box<Self>, urls: &[String]) -> Result<u64> {
        self.log.forget(urls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::head::LogOwner;

    /// The payload of a commit has it, so its form may not change.
    #[test]
    fn a_mark_has_the_form_that_it_always_had() {
        let head = Head::new([1; 16], LogOwner::Index);
        let mark = JournalMark::new(&head, "e".to_owned()).unwrap();
        let (log, root) = (head.log(), crate::hex(&head.root()));
        let expected = format!(
            r#"{{"head":{{"log":"{log}","of":"index","size":0,"root":"{root}","time":0,"segments":[],"next":1}},"folder":"e"}}"#
        );
        assert_eq!(serde_json::to_string(&mark).unwrap(), expected);
        let read: JournalMark = serde_json::from_str(&expected).unwrap();
        assert_eq!((read.head::<Head>().unwrap(), read), (head, mark));
        let other: JournalMark = serde_json::from_str(r#"{"head":[],"folder":"e"}"#).unwrap();
        assert!(
            other
                .head::<Head>()
                .unwrap_err()
                .to_string()
                .contains("cannot be read")
        );
    }
}
