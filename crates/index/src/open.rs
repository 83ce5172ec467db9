//! Opens and creates an index in a folder, and writes commits with their payloads.
//!
//! The payload of the last commit decides if an index may be opened. An index of another format, of
//! another version of the judging rules ([`heedful::LAW`]) or of the forms of words, or with a
//! wrong checksum is refused. This module never repairs an index.

use std::path::Path;
use std::sync::Arc;

use tantivy::TantivyError;
use tantivy::directory::error::LockError;
use tantivy::index::SegmentId;

use heedful::Filter;
use heedful_base::error::{Error, ErrorKind, IndexTrouble, Result};

use super::analysis::Analysis;
use super::directory::{Fault, Folder, META};
use super::folded::{self, ANCHORS, FoldedFiles};
use super::journal::{Journal, JournalMark, Journals};
use super::packed;
use super::payload::{self, Payload};
use super::pending::Pending;
use super::schema::Fields;
use super::statistics::read_totals;
use super::store::{self, SNAPSHOTS, Store};
use super::tables::KeptTables;
use super::terms::Terms;
use super::trouble::{ErrorContext, catch_panics, other_version, trouble};

/// A search index in a folder. Pages are added by a [`Writer`](crate::Writer) and found by a
/// [`Search`](crate::Search).
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
/// let html = b"<title>Rye</title><p>Dark rye <!--noindex-->and<!--/noindex--> bread";
/// writer.add(&filter.page("https://example.com/rye", &[], html)?)?;
/// writer.commit()?;
///
/// let search = index.search()?;
/// assert_eq!(search.find(&Query::new("\"dark rye\""))?.hits()[0].url(), "https://example.com/rye");
/// // No phrase crosses the gap.
/// assert_eq!(search.find(&Query::new("\"rye bread\"~9"))?.total(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Index {
    pub(super) tantivy: tantivy::Index,
    pub(super) fields: Fields,
    pub(super) store: Store,
    pub(super) folded: FoldedFiles,
    pub(super) pending: Arc<Pending>,
    /// Tables of pages and anchor texts that searches of later commits reuse.
    pub(super) tables: Arc<KeptTables>,
    /// The last write error in the folder of this index, for error messages.
    pub(super) fault: Fault,
    pub(super) folder: String,
    /// Factory of journals for the writers of this index. Without a factory, writers keep no
    /// journal.
    journals: Option<Arc<dyn Journals>>,
}

/// The identity of a commit. It has the commit's opstamp (tantivy's number of an operation), and
/// the ids of its segments. With each id comes the opstamp of the segment's deletions. A segment
/// without deletions has None.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commit {
    stamp: u64,
    segments: Vec<(SegmentId, Option<u64>)>,
}

/// The three open folders of an index: for pages, for snapshots, and for anchor texts that a
/// compaction collected by link target.
struct Folders {
    pages: Folder,
    store: Store,
    folded: FoldedFiles,
}

impl Folders {
    /// Opens the index's folder `folder` and its two subfolders. All of them must exist. `name` is
    /// the name of the index in error messages.
    fn open(folder: &Path, name: &str) -> Result<Self> {
        let [snapshots, anchors] = [SNAPSHOTS, ANCHORS].map(|inside| folder.join(inside));
        Ok(Self {
            pages: Folder::open(folder, name)?,
            store: Store::new(Folder::open(&snapshots, name)?, Some(snapshots)),
            folded: FoldedFiles::new(Folder::open(&anchors, name)?, Some(anchors)),
        })
    }
}

impl Index {
    /// Opens the index in `folder`, or creates an empty index if there is none. The pages of the
    /// index are judged under the terms of `filter`: bot, conventions and denials. An existing
    /// index is opened only if it was created with the same terms.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if `folder` contains other files. [`ErrorKind::Index`] if the index
    /// there has another format, or other judging rules ([`LAW`](heedful::LAW)).
    /// [`ErrorKind::Index`] if the terms of the index differ from the terms of `filter`.
    /// [`ErrorKind::Setting`] if the filter has several bots, or a bot without a name.
    /// [`ErrorKind::Io`] if the folder cannot be created.
    ///
    /// # Examples
    /// An index keeps the terms (bot, conventions and denials) of the filter that created it:
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    ///
    /// let error = Index::create(folder.path(), &Filter::new(Bot::new("BarBot")?)).unwrap_err();
    /// assert!(error.to_string().contains("for the bot foobot, not for barbot"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(folder: impl AsRef<Path>, filter: &Filter) -> Result<Self> {
        Self::create_with(folder, filter, Analysis::default())
    }

    /// Opens or creates an index like [`Index::create`]. `analysis` says how a new index analyses
    /// text. An existing index keeps the analysis with which it was created. [`Index::analysis`]
    /// returns this analysis.
    ///
    /// # Errors
    /// The errors of [`Index::create`].
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Forms, Index};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// Index::create_with(folder.path(), &filter, Forms::Folded)?;
    /// let again = Index::create_with(folder.path(), &filter, Forms::Exact)?;
    /// assert_eq!(again.analysis()?.forms(), Forms::Folded);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_with(
        folder: impl AsRef<Path>,
        filter: &Filter,
        analysis: impl Into<Analysis>,
    ) -> Result<Self> {
        let terms = Terms::from_filter(filter)?;
        Self::create_for(folder.as_ref(), &terms, analysis.into())
    }

    pub(super) fn create_for(folder: &Path, terms: &Terms, analysis: Analysis) -> Result<Self> {
        let name = folder.display().to_string();
        if !folder.join(META).exists() && !is_free(folder) {
            let message = format!("{name} is not empty and holds no index: choose another folder");
            return Err(Error::index(IndexTrouble::Occupied, message));
        }
        if folder.is_file() {
            let message = format!("{name} is a file: name a folder for the index");
            return Err(Error::index(IndexTrouble::Occupied, message));
        }
        let is_new = !folder.exists();
        for inside in [SNAPSHOTS, ANCHORS] {
            std::fs::create_dir_all(folder.join(inside)).map_err(|source| ErrorKind::Io {
                subject: name.clone(),
                source,
            })?;
        }
        if is_new {
            sync_parent(folder);
        }
        let made = Payload::new(terms.clone(), analysis);
        Self::create_in(Folders::open(folder, &name)?, &name, &made)
    }

    /// Creates or opens an index in three simulated folders: for pages, for snapshots, and for
    /// anchor texts that a compaction collected. Only tests use this function.
    #[doc(hidden)]
    pub fn simulated(
        [pages, snapshots, anchors]: [Box<dyn tantivy::Directory>; 3],
        terms: &Terms,
    ) -> Result<Self> {
        let folders = Folders {
            pages: Folder::new(pages),
            store: Store::new(Folder::new(snapshots), None),
            folded: FoldedFiles::new(Folder::new(anchors), None),
        };
        let made = Payload::new(terms.clone(), Analysis::default());
        Self::create_in(folders, "simulated", &made)
    }

    /// Opens the index in `folders`, or creates one there. `made` is the payload of the first
    /// commit of a new index. `name` is the name of the index in error messages.
    fn create_in(folders: Folders, name: &str, made: &Payload) -> Result<Self> {
        let settings = tantivy::IndexSettings::default();
        let directory = folders.pages.clone();
        let is_there = tantivy::Index::exists(&directory).in_folder(name)?;
        let tantivy = if is_there {
            tantivy::Index::open(directory)
        } else {
            tantivy::Index::create(directory, Fields::schema(), settings)
        };
        let index = Self::from_parts(tantivy.in_folder(name)?, folders, name)?;
        if index.is_unfinished()? {
            index.begin(made)?;
        }
        index.check_terms(&made.terms)?;
        Ok(index)
    }

    /// True if `folder` contains the file `meta.json` and the subfolder `snapshots` of an index.
    /// The index is not opened, so it may still be damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// assert!(!Index::is_in(folder.path()));
    /// Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// assert!(Index::is_in(folder.path()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_in(folder: impl AsRef<Path>) -> bool {
        let folder = folder.as_ref();
        folder.join(META).is_file() && folder.join(SNAPSHOTS).is_dir()
    }

    /// Opens the existing index in `folder`. The index has the terms (bot, conventions and denials)
    /// with which it was created.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if `folder` contains no index, or a damaged index. [`ErrorKind::Index`]
    /// if another version of heedful made the index.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// assert!(Index::open(folder.path()).is_err());
    /// Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// assert_eq!(Index::open(folder.path())?.stats()?.pages(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        // Tools that copy an index may drop its empty folders.
        for inside in [SNAPSHOTS, ANCHORS] {
            let _ = std::fs::create_dir(folder.join(inside));
        }
        Self::open_in(Folders::open(folder, &name)?, &name)
    }

    fn open_in(folders: Folders, name: &str) -> Result<Self> {
        let directory = folders.pages.clone();
        let tantivy = catch_panics(name, || tantivy::Index::open(directory).in_folder(name))?;
        let index = Self::from_parts(tantivy, folders, name)?;
        if index.is_unfinished()? {
            let message = format!(
                "{name} was begun and never held anything: run `heedful index INPUT -o {name}` again"
            );
            return Err(Error::index(IndexTrouble::NotThere, message));
        }
        index.payload()?;
        Ok(index)
    }

    fn from_parts(tantivy: tantivy::Index, folders: Folders, name: &str) -> Result<Self> {
        let packed = packed::PackedWords::default();
        let pending = Arc::clone(&packed.pending);
        let forms = packed::PackedForms::new(Arc::clone(&pending));
        tantivy.tokenizers().register(packed::NAME, packed);
        tantivy.tokenizers().register(packed::NAME_OF_FORMS, forms);
        let fields = Fields::from_schema(&tantivy.schema()).ok_or_else(|| other_version(name))?;
        Ok(Self {
            tantivy,
            fields,
            store: folders.store,
            folded: folders.folded,
            pending,
            tables: Arc::default(),
            fault: folders.pages.fault(),
            folder: name.to_owned(),
            journals: None,
        })
    }

    /// Returns the terms under which the index's pages were judged. The terms are the bot, the
    /// conventions and the operator's denials.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if the index is damaged, or another version of heedful made it.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// assert_eq!(index.terms()?.bot()?.name(), "foobot");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn terms(&self) -> Result<Terms> {
        Ok(self.payload()?.terms)
    }

    /// Returns the settings by which the index analyses text. They are set when the index is
    /// created, and never change.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if the index is damaged, or another version of heedful made it.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Forms, Index};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// let analysis = index.analysis()?;
    /// assert_eq!((analysis.forms(), analysis.parts_blocks()), (Forms::Stemmed, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn analysis(&self) -> Result<Analysis> {
        Ok(self.payload()?.analysis)
    }

    /// Returns the cursor of the last commit: a position in the caller's input, at which an indexer
    /// can resume. [`Writer::remember`](super::Writer::remember) sets the cursor. Returns None if
    /// no cursor was stored.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if the index is damaged, or another version of heedful made it.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// let mut writer = index.writer(1)?;
    /// writer.remember(Some("part-3.warc.gz".to_owned()));
    /// assert_eq!(index.cursor()?, None); // not committed yet
    /// writer.commit()?;
    /// assert_eq!(index.cursor()?.as_deref(), Some("part-3.warc.gz"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cursor(&self) -> Result<Option<String>> {
        Ok(self.payload()?.cursor)
    }

    /// Sets the factory of journals that writers of this `Index` use from now on.
    ///
    /// For an example see [`Journals`].
    #[must_use]
    pub fn journal(mut self, journals: Arc<dyn Journals>) -> Self {
        self.journals = Some(journals);
        self
    }

    /// True if [`Index::journal`] set a factory of journals.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// assert!(!index.has_journal());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_journal(&self) -> bool {
        self.journals.is_some()
    }

    /// Returns the journal mark of the last commit: the state of the journal of decisions. Returns
    /// None if the last commit was made without a journal.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if the index is damaged, or another version of heedful made it.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// index.writer(1)?.commit()?;
    /// assert!(index.mark()?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mark(&self) -> Result<Option<JournalMark>> {
        Ok(self.payload()?.mark)
    }

    /// Opens the journal of this index for a writer, with the factory that [`Index::journal`] set.
    /// Returns None if no factory is set, or if the factory returns no journal. If the last commit
    /// was made with a journal, a missing journal is an error. Also fails if the factory cannot
    /// open the journal.
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

    /// Writes the first commit of a new index, with `payload`. The commit adds no documents.
    pub(super) fn begin(&self, payload: &Payload) -> Result<()> {
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

    /// Opens the index that a tantivy merge wrote into `folder`. This index has no payload yet, so
    /// the function commits `payload` there. In this payload, [`Payload::totals`] is replaced by
    /// the sums over the pages of the index.
    pub(super) fn take_over(folder: &Path, payload: &Payload) -> Result<Self> {
        let name = folder.display().to_string();
        std::fs::create_dir_all(folder.join(ANCHORS)).in_folder(&name)?;
        let folders = Folders::open(folder, &name)?;
        let tantivy = tantivy::Index::open(folders.pages.clone()).in_folder(&name)?;
        let index = Self::from_parts(tantivy, folders, &name)?;
        let totals = read_totals(&index.searcher()?, &index.fields).in_index(&index)?;
        index.begin(&Payload {
            totals,
            ..payload.clone()
        })?;
        Ok(index)
    }

    /// Commits a writer's documents and deletions, with `payload` as heedful's own data. If the
    /// commit fails, the returned error names the last write error in the folder. tantivy's own
    /// error does not name the cause. For example, a full disk may have ended an indexing thread.
    pub(super) fn commit(
        &self,
        writer: &mut tantivy::IndexWriter,
        payload: &Payload,
    ) -> Result<()> {
        let payload = payload.to_json().in_index(self)?;
        let mut prepared = writer.prepare_commit().written_to(self)?;
        prepared.set_payload(&payload);
        let stamp = prepared.commit().written_to(self)?;
        // tantivy commits nothing after one of its threads failed, and reports success.
        let metas = self.tantivy.load_metas().written_to(self)?;
        if metas.opstamp != stamp {
            return Err(self.trouble(&"it was not written; what was committed before still stands"));
        }
        Ok(())
    }

    /// Returns a tantivy searcher for the last commit.
    pub(super) fn searcher(&self) -> Result<tantivy::Searcher> {
        let reader = self
            .tantivy
            .reader_builder()
            .reload_policy(tantivy::ReloadPolicy::Manual)
            .try_into();
        let reader: tantivy::IndexReader = reader.in_index(self)?;
        Ok(reader.searcher())
    }

    /// True if the index has no commit yet. It is then new, or a crash interrupted its creation.
    fn is_unfinished(&self) -> Result<bool> {
        let metas = self.tantivy.load_metas().in_index(self)?;
        Ok(metas.payload.is_none() && metas.segments.is_empty())
    }

    /// Reads the identity of the last commit from `meta.json`.
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
            && !payload.is_of_this_version()
        {
            return Err(other_version(&self.folder));
        }
        // The payload's bot and denials decide which pages the index may hold. A damaged one is
        // refused.
        if !payload::is_intact(&text) {
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
        // An error from one of tantivy's threads does not name the cause.
        let cause = self.fault.take().unwrap_or_else(|| error.to_string());
        self.trouble(&format!(
            "it cannot be written ({cause}); what was committed before still stands"
        ))
    }

    /// Converts `error` into heedful's error for a folder in which the writer lock cannot be
    /// created. The message says why the folder is not writable.
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

/// True if an index can be created in `folder`, because the folder is missing or empty. Files that
/// an interrupted creation of an index left there are ignored.
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
        let is_anchors = name == ANCHORS && folded::is_ours(&entry.path());
        if !is_of_tantivy && !is_snapshots && !is_anchors {
            return false;
        }
    }
    true
}

/// Syncs the parent of a newly created folder, so that the folder survives a crash. Errors are
/// ignored, because not every system can sync a folder.
pub(super) fn sync_parent(folder: &Path) {
    if let Ok(folder) = folder.canonicalize()
        && let Some(parent) = folder.parent()
        && let Ok(parent) = std::fs::File::open(parent)
    {
        let _ = parent.sync_all();
    }
}

/// Converts an error of tantivy or of the operating system into an error that names the index's
/// folder.
pub(super) trait IndexContext<T> {
    /// Returns this result. If it is an error, the error names the index's folder.
    fn in_index(self, index: &Index) -> Result<T>;
}

impl<T, R: ErrorContext<T>> IndexContext<T> for R {
    fn in_index(self, index: &Index) -> Result<T> {
        self.in_folder(&index.folder)
    }
}

/// Adds the name of an index's folder to an error. The error occurred while the index was written.
pub(super) trait WriteContext<T> {
    /// Returns a success as it is. Replaces an error by one that names the index's folder, and the
    /// last write error in that folder as the cause.
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
