//! Makes an index in a folder, opens it, and commits to it.

use std::path::Path;
use std::sync::Arc;

use tantivy::TantivyError;
use tantivy::directory::error::LockError;
use tantivy::index::SegmentId;

use heedful::{Filter, LAW};
use heedful_base::error::{Error, ErrorKind, IndexTrouble, Result};

use super::directory::{Fault, Folder, META};
use super::journal::{Journal, JournalMark, Journals};
use super::packed;
use super::payload::{self, FORMAT, Payload};
use super::pending::Pending;
use super::schema::Fields;
use super::store::{self, SNAPSHOTS, Store};
use super::terms::Terms;
use super::trouble::{ErrorContext, catch_panics, other_version, trouble};

/// An index in a folder.
///
/// ```
/// use heedful_index::{Index, Query};
/// use heedful::{Bot, Filter};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path().join("index"), &filter)?;
///
/// let mut writer = index.writer(1)?;
/// writer.add(&filter.page("https://example.com/rye", &[], b"<title>Rye</title><p>Dark rye <!--noindex-->and<!--/noindex--> bread")?)?;
/// writer.commit()?;
///
/// let search = index.search()?;
/// assert_eq!(search.find(&Query::new("\"dark rye\""))?.hits()[0].url(), "https://example.com/rye");
/// assert_eq!(search.find(&Query::new("\"rye bread\"~9"))?.total(), 0); // no phrase runs across the gap
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Index {
    pub(super) tantivy: tantivy::Index,
    pub(super) fields: Fields,
    pub(super) store: Store,
    pub(super) pending: Arc<Pending>,
    /// The reason why the folder could not be written.
    pub(super) fault: Fault,
    pub(super) folder: String,
    /// What opens the journal for writers, if it is known.
    journals: Option<Arc<dyn Journals>>,
}

/// A commit: its number, and its segments with their deletions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commit {
    stamp: u64,
    segments: Vec<(SegmentId, Option<u64>)>,
}

impl Index {
    /// Opens the index for the pages of `filter` in `folder`, or makes an empty one there. An index
    /// holds pages of one judgement only.
    ///
    /// # Errors
    /// Fails if the folder holds something else, or an index of another law or of a filter with
    /// other terms. It fails too if it cannot be written, or if the filter is for several bots.
    pub fn create(folder: impl AsRef<Path>, filter: &Filter) -> Result<Self> {
        Self::create_for(folder.as_ref(), &Terms::from_filter(filter)?)
    }

    pub(super) fn create_for(folder: &Path, terms: &Terms) -> Result<Self> {
        let name = folder.display().to_string();
        if !folder.join(META).exists() && !is_free(folder) {
            let message = format!("{name} is not empty and holds no index: choose another folder");
            return Err(Error::index(IndexTrouble::Occupied, message));
        }
        if folder.is_file() {
            let message = format!("{name} is a file: name a folder for the index");
            return Err(Error::index(IndexTrouble::Occupied, message));
        }
        let snapshots = folder.join(SNAPSHOTS);
        let is_new = !folder.exists();
        std::fs::create_dir_all(&snapshots).map_err(|source| ErrorKind::Io {
            what: name.clone(),
            source,
        })?;
        if is_new {
            sync_parent(folder);
        }
        let store = Store::new(Folder::open(&snapshots, &name)?, Some(snapshots));
        Self::create_in(Folder::open(folder, &name)?, store, &name, terms)
    }

    /// Makes or opens an index in folders that tests simulate: its own, and that of its snapshots.
    #[doc(hidden)]
    pub fn simulated(
        [main, snapshots]: [Box<dyn tantivy::Directory>; 2],
        terms: &Terms,
    ) -> Result<Self> {
        Self::create_in(
            Folder::new(main),
            Store::new(Folder::new(snapshots), None),
            "simulated",
            terms,
        )
    }

    fn create_in(directory: Folder, store: Store, name: &str, terms: &Terms) -> Result<Self> {
        let settings = tantivy::IndexSettings::default();
        let fault = directory.fault();
        let is_there = tantivy::Index::exists(&directory).in_folder(name)?;
        let tantivy = if is_there {
            tantivy::Index::open(directory)
        } else {
            tantivy::Index::create(directory, Fields::schema(), settings)
        };
        let index = Self::from_parts(tantivy.in_folder(name)?, store, fault, name)?;
        if index.is_unfinished()? {
            index.finish(terms)?;
        }
        index.check_terms(terms)?;
        Ok(index)
    }

    /// True if `folder` looks like the folder of an index. Nothing is opened.
    pub fn is_in(folder: impl AsRef<Path>) -> bool {
        let folder = folder.as_ref();
        folder.join(META).is_file() && folder.join(SNAPSHOTS).is_dir()
    }

    /// Opens the index in `folder`.
    ///
    /// # Errors
    /// Fails if there is none, or if another law made it.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        let name = folder.display().to_string();
        if !folder.join(META).exists() {
            let message = if folder.is_file() {
                format!(
                    "{name} is a file and no index: make one of it with `heedful index {name} -o DIR`"
                )
            } else {
                format!("{name} holds no index: make one with `heedful index INPUT -o {name}`")
            };
            return Err(Error::index(IndexTrouble::NotThere, message));
        }
        let snapshots = folder.join(SNAPSHOTS);
        // A copy of an index may have lost an empty folder.
        let _ = std::fs::create_dir(&snapshots);
        let store = Store::new(Folder::open(&snapshots, &name)?, Some(snapshots));
        Self::open_in(Folder::open(folder, &name)?, store, &name)
    }

    pub(super) fn open_in(directory: Folder, store: Store, name: &str) -> Result<Self> {
        let fault = directory.fault();
        let tantivy = catch_panics(name, || tantivy::Index::open(directory).in_folder(name))?;
        let index = Self::from_parts(tantivy, store, fault, name)?;
        if index.is_unfinished()? {
            let message = format!(
                "{name} was begun and never held anything: run `heedful index INPUT -o {name}` again"
            );
            return Err(Error::index(IndexTrouble::NotThere, message));
        }
        index.payload()?;
        Ok(index)
    }

    fn from_parts(tantivy: tantivy::Index, store: Store, fault: Fault, name: &str) -> Result<Self> {
        let packed = packed::PackedWords::default();
        let pending = Arc::clone(&packed.pending);
        tantivy.tokenizers().register(packed::NAME, packed);
        let fields = Fields::from_schema(&tantivy.schema()).ok_or_else(|| other_version(name))?;
        Ok(Self {
            tantivy,
            fields,
            store,
            pending,
            fault,
            folder: name.to_owned(),
            journals: None,
        })
    }

    /// The terms under which its pages were judged.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn terms(&self) -> Result<Terms> {
        Ok(self.payload()?.terms)
    }

    /// The text that [`Writer::remember`](super::Writer::remember) left with the last commit.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn cursor(&self) -> Result<Option<String>> {
        Ok(self.payload()?.cursor)
    }

    /// Names what opens the journal of its decisions, for the writers from now on.
    #[must_use]
    pub fn journal(mut self, journals: Arc<dyn Journals>) -> Self {
        self.journals = Some(journals);
        self
    }

    /// True if it is known what opens the journal.
    pub fn has_journal(&self) -> bool {
        self.journals.is_some()
    }

    /// The mark of its journal that the last commit names. Returns None if it has none.
    ///
    /// # Errors
    /// Fails if the index is damaged.
    pub fn mark(&self) -> Result<Option<JournalMark>> {
        Ok(self.payload()?.mark)
    }

    /// Opens the journal for a writer, if the index has one or should have one. An index that has
    /// one is not written without it.
    pub(super) fn open_journal(&self, payload: &Payload) -> Result<Option<Box<dyn Journal>>> {
        let mark = payload.mark.as_ref();
        let journal = match &self.journals {
            Some(journals) => journals.open(mark, &payload.terms)?,
            None => None,
        };
        if let Some(mark) = mark
            && journal.is_none()
        {
            let name = &self.folder;
            let folder = mark.folder().display();
            return Err(Error::evidence(format!(
                "{name} keeps evidence in {folder}, and is not written without it: open it with that \
                 (`IndexEvidence::with_evidence`)"
            )));
        }
        Ok(journal)
    }

    /// Makes the first commit: it holds nothing except the terms.
    fn finish(&self, terms: &Terms) -> Result<()> {
        self.begin(&Payload::new(terms.clone()))
    }

    fn begin(&self, payload: &Payload) -> Result<()> {
        let writer: tantivy::Result<tantivy::IndexWriter> =
            self.tantivy.writer_with_num_threads(1, 16 << 20);
        match writer {
            Ok(mut writer) => self.commit(&mut writer, payload),
            Err(TantivyError::LockFailure(LockError::IoError(error), _)) => {
                Err(self.locked(&error))
            }
            Err(error) => Err(self.trouble(&error)),
        }
    }

    /// Gives a folder that tantivy wrote on its own a payload, as after a commit.
    pub(super) fn take_over(folder: &Path, payload: &Payload) -> Result<Self> {
        let name = folder.display().to_string();
        let directory = Folder::open(folder, &name)?;
        let fault = directory.fault();
        let tantivy = tantivy::Index::open(directory).in_folder(&name)?;
        let snapshots = folder.join(SNAPSHOTS);
        let store = Store::new(Folder::open(&snapshots, &name)?, Some(snapshots));
        let index = Self::from_parts(tantivy, store, fault, &name)?;
        index.begin(payload)?;
        Ok(index)
    }

    /// Commits what a writer holds. A full disk kills a writing thread, and tantivy's error does
    /// not name the cause.
    pub(super) fn commit(
        &self,
        writer: &mut tantivy::IndexWriter,
        payload: &Payload,
    ) -> Result<()> {
        let payload = payload.to_json().in_index(self)?;
        let mut prepared = writer.prepare_commit().written_to(self)?;
        prepared.set_payload(&payload);
        let stamp = prepared.commit().written_to(self)?;
        // After a failure of one of its threads tantivy commits nothing, and reports success.
        let metas = self.tantivy.load_metas().written_to(self)?;
        if metas.opstamp != stamp {
            return Err(self.trouble(&"it was not written; what was committed before still stands"));
        }
        Ok(())
    }

    /// True if a crash came between the making of the index and its first commit.
    fn is_unfinished(&self) -> Result<bool> {
        let metas = self.tantivy.load_metas().in_index(self)?;
        Ok(metas.payload.is_none() && metas.segments.is_empty())
    }

    /// The last commit.
    pub(super) fn current_commit(&self) -> Result<Commit> {
        let metas = self.tantivy.load_metas().in_index(self)?;
        let mut segments = Vec::with_capacity(metas.segments.len());
        for segment in &metas.segments {
            segments.push((segment.id(), segment.delete_opstamp()));
        }
        Ok(Commit {
            stamp: metas.opstamp,
            segments,
        })
    }

    pub(super) fn payload(&self) -> Result<Payload> {
        let metas = self.tantivy.load_metas().in_index(self)?;
        let Some(text) = metas.payload else {
            return Err(other_version(&self.folder));
        };
        let payload: Option<Payload> = serde_json::from_str(&text).ok();
        if let Some(payload) = &payload
            && (payload.law != LAW || payload.format != FORMAT)
        {
            return Err(other_version(&self.folder));
        }
        // The payload's bot and denials decide what may be in the index. In doubt it is not opened.
        if !payload::is_whole(&text) {
            return Err(self.trouble(&format!(
                "{META} is damaged: what it says of the index has another checksum"
            )));
        }
        payload.ok_or_else(|| other_version(&self.folder))
    }

    fn check_terms(&self, terms: &Terms) -> Result<()> {
        let made = self.payload()?.terms;
        if made == *terms {
            return Ok(());
        }
        let difference = made.describe_difference(terms);
        let message = format!(
            "{} was made {difference}: index into a new folder, or use the same",
            self.folder
        );
        Err(Error::index(IndexTrouble::OtherTerms, message))
    }

    pub(super) fn unwritten(&self, error: &TantivyError) -> Error {
        // tantivy does not report the cause when a thread fails.
        let cause = self.fault.take().unwrap_or_else(|| error.to_string());
        self.trouble(&format!(
            "it cannot be written ({cause}); what was committed before still stands"
        ))
    }

    /// The reason why there is no lock, and so no writer.
    pub(super) fn locked(&self, error: &std::io::Error) -> Error {
        let cause = match error.kind() {
            std::io::ErrorKind::ReadOnlyFilesystem => {
                "it is on a disk that can only be read".to_owned()
            }
            std::io::ErrorKind::PermissionDenied => "this user may not write there".to_owned(),
            std::io::ErrorKind::NotFound => "its folder is gone".to_owned(),
            _ => error.to_string(),
        };
        self.trouble(&format!(
            "it cannot be written ({cause}); what was committed before still stands"
        ))
    }

    pub(super) fn trouble(&self, error: &dyn std::fmt::Display) -> Error {
        trouble(&self.folder, error)
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// True if an index can be made in a folder. It is missing or empty, except for what a crash left
/// of an unfinished one.
fn is_free(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return true;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_of_tantivy = [".managed.json", ".tantivy-", ".tmp"]
            .iter()
            .any(|start| name.starts_with(start));
        let is_snapshots = name == SNAPSHOTS && store::is_ours(&entry.path());
        if !is_of_tantivy && !is_snapshots {
            return false;
        }
    }
    true
}

/// Syncs the parent of a new folder, if the system allows it, so that the folder is there after a
/// crash too.
pub(super) fn sync_parent(folder: &Path) {
    if let Ok(folder) = folder.canonicalize()
        && let Some(parent) = folder.parent()
        && let Ok(parent) = std::fs::File::open(parent)
    {
        let _ = parent.sync_all();
    }
}

/// Adds the index to an error of tantivy or of the system.
pub(super) trait IndexContext<T> {
    /// Names the index in the error.
    fn in_index(self, index: &Index) -> Result<T>;
}

impl<T, R: ErrorContext<T>> IndexContext<T> for R {
    fn in_index(self, index: &Index) -> Result<T> {
        self.in_folder(&index.folder)
    }
}

/// Adds the index to an error of a write.
pub(super) trait WriteContext<T> {
    /// Names the index in the error, and the cause as far as it is known.
    fn written_to(self, index: &Index) -> Result<T>;
}

impl<T> WriteContext<T> for tantivy::Result<T> {
    fn written_to(self, index: &Index) -> Result<T> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(index.unwritten(&error)),
        }
    }
}
