//! Writes pages to an index, and removes them.
//!
//! Everything that a URL ever brought in is removed first: its page or tombstone, the names it gave
//! to others, its snapshot. So a page that is added twice is there once. A page that now links to
//! fewer pages takes back its names.

use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, SystemTime};

use tantivy::directory::error::LockError;
use tantivy::indexer::{IndexWriterOptions, UserOperation};
use tantivy::query::{BooleanQuery, TermQuery};
use tantivy::schema::{IndexRecordOption, Term, Value};
use tantivy::{IndexWriter, TantivyDocument, TantivyError};

use crate::decision::{Basis, Decision, EntryKind};
use crate::gone::Gone;
use crate::heard::UrlStatement;
use crate::journal::Journal;
use crate::open::{Index, WriteContext};
use crate::payload::Payload;
use crate::schema::DocumentKind;
use crate::store::{StoreFile, StoreOffset, StoreWriter};
use crate::time::seconds;
use crate::{packed, pending};
use heedful::{Dressing, Page};
use heedful_base::address::{Key, LONGEST};
use heedful_base::error::{Error, ErrorKind, IndexTrouble, Result};
use heedful_base::memory::Memory;

use super::before::{PastState, UrlHistory};
use super::document::Documents;
use super::segments::BoundedMergePolicy;

/// Memory for each indexing thread. With less, throughput falls steeply.
const THREAD_BYTES: usize = 100 << 20;
/// The minimum that tantivy takes for one.
const LEAST_THREAD_BYTES: usize = 15_000_000;
const MOST_THREADS: usize = 8;
/// How often a lock is tried, and the pause between two tries. A process that just started holds
/// its parent's for a moment.
const TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

impl Index {
    /// Opens a writer with this number of indexing threads. There is only one at a time.
    ///
    /// # Errors
    /// Fails if another writer is at work.
    pub fn writer(&self, threads: usize) -> Result<Writer> {
        Writer::new(self, threads, None)
    }

    /// Opens a writer within this memory. The index's half of it bounds what is held before it is
    /// written. With little memory there are fewer threads.
    ///
    /// # Errors
    /// Fails if another writer is at work.
    pub fn writer_within(&self, threads: usize, memory: Memory) -> Result<Writer> {
        Writer::new(self, threads, Some(memory))
    }
}

/// Adds and removes pages. Nothing is visible before [`Writer::commit`]. A writer dropped without
/// it changes nothing.
///
/// ```
/// use heedful_index::{Gone, Index, Query};
/// use heedful::{Bot, Filter};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// writer.add(&filter.page("https://example.com/a", &[], b"<p>one")?)?;
/// writer.add(&filter.page("https://example.com/b", &[], b"<p>one")?)?;
/// writer.commit()?;
///
/// writer.remove("https://example.com/b", Gone::Noindex, "asked by mail")?;
/// writer.commit()?;
/// assert_eq!(index.search()?.find(&Query::new("one"))?.total(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer {
    pub(super) index: Index,
    pub(super) tantivy: WriterThreads,
    pub(super) payload: Payload,
    store: Option<StoreWriter>,
    dressing: Dressing,
    with_anchors: bool,
    pub(super) before: UrlHistory,
    pub(super) journal: Option<Box<dyn Journal>>,
    /// What the statement rests on that is about to be applied.
    pub(super) basis: Basis,
    /// True after an error: nobody knows what tantivy still holds.
    is_broken: bool,
}

impl Writer {
    pub(super) fn new(index: &Index, threads: usize, memory: Option<Memory>) -> Result<Self> {
        let (threads, bytes) = shares(threads.clamp(1, MOST_THREADS), memory);
        let options = IndexWriterOptions::builder().num_worker_threads(threads);
        let options = options
            .memory_budget_per_thread(bytes)
            .num_merge_threads(1)
            .build();
        let mut tries = 0;
        let writer = loop {
            tries += 1;
            match index.tantivy.writer_with_options(options.clone()) {
                Err(TantivyError::LockFailure(LockError::LockBusy, _)) if tries < TRIES => {
                    std::thread::sleep(PAUSE);
                }
                other => break other,
            }
        };
        let tantivy = match writer {
            Ok(writer) => writer,
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) => {
                return Err(Error::index(
                    IndexTrouble::InUse,
                    format!("another program is writing to {}", index.folder),
                ));
            }
            Err(TantivyError::LockFailure(LockError::IoError(error), _)) => {
                return Err(index.locked(&error));
            }
            Err(error) => return Err(index.trouble(&error)),
        };
        // The first operation of a writer bears the stamp of the last commit. A merge that begins
        // then takes it for committed. So the first operation deletes nothing.
        tantivy.delete_term(Term::from_field_text(index.fields.kind, ""));
        tantivy.set_merge_policy(Box::new(BoundedMergePolicy::new(&index.tantivy)));
        // A commit that failed may have left files whose names the next one wants.
        tantivy.garbage_collect_files().wait().written_to(index)?;
        let payload = index.payload()?;
        index.store.sweep(&payload.snapshots);
        let journal = index.open_journal(&payload)?;
        Ok(Self {
            index: index.clone(),
            tantivy: WriterThreads(Some(tantivy)),
            payload,
            store: None,
            dressing: Dressing::default(),
            with_anchors: true,
            before: UrlHistory::default(),
            journal,
            basis: Basis::default(),
            is_broken: false,
        })
    }

    /// Sets how the marks in snapshots look. Pages that were read with
    /// [`Filter::snapshots`](heedful::Filter::snapshots) have their own.
    pub fn dressing(mut self, dressing: Dressing) -> Self {
        self.dressing = dressing;
        self
    }

    /// Keeps no names that pages give to each other.
    pub fn without_anchors(mut self) -> Self {
        self.with_anchors = false;
        self
    }

    /// Adds a page in place of all that its URL brought in before. If a page may not be indexed,
    /// the index keeps its URL and the reason.
    ///
    /// # Errors
    /// Fails if the page is another bot's, or if the index cannot be written. After a failed write,
    /// here and below, the writer can do nothing more, and the last commit stands.
    pub fn add(&mut self, page: &Page) -> Result<Added> {
        self.add_captured(page, None)
    }

    /// Adds a page with the time at which it was fetched, unless something is known of its URL that
    /// was fetched later.
    ///
    /// # Errors
    /// As for [`Writer::add`].
    pub fn add_captured(&mut self, page: &Page, captured: Option<SystemTime>) -> Result<Added> {
        self.check_bot(page)?;
        self.all_or_nothing(|writer| writer.add_page(page, captured.map(seconds)))
    }

    /// An index for one bot never takes what another bot may have.
    pub(super) fn check_bot(&self, page: &Page) -> Result<()> {
        let bot = page.bot();
        if self.payload.terms.is_for(bot) {
            return Ok(());
        }
        Err(self.index.trouble(&format!(
            "{} is as {} may have it, and the index is for another bot",
            page.url(),
            bot.name()
        )))
    }

    fn add_page(&mut self, page: &Page, captured: Option<i64>) -> Result<Added> {
        if is_too_long(page.url()) {
            return Ok(Added::NotIndexed);
        }
        let key = page.key();
        let Some(captured) = self.retract(&key, captured)? else {
            return Ok(Added::Older);
        };
        let documents = self.documents();
        if let Some((reason, why)) = Gone::from_page(page) {
            let mut gone = documents.gone(&key, reason, &why, captured);
            documents.add_second_url(&mut gone, page);
            self.put(gone)?;
            self.note(EntryKind::Gone, &key, captured, |bot| {
                Decision::refused(bot, page.policy(), reason.to_string(), &why)
            })?;
            return Ok(Added::NotIndexed);
        }
        let mut made = vec![documents.page(&key, page, captured)];
        if self.with_anchors {
            made.extend(documents.anchors(&key, page));
        }
        if let Some(html) = page.snapshot(&self.dressing) {
            made.push(documents.copy(&key, self.store()?.add(key.as_str(), &html)?));
        }
        self.put_all(made)?;
        self.note(EntryKind::Page, &key, captured, |bot| {
            Decision::judged(bot, page.policy())
        })?;
        Ok(Added::Indexed)
    }

    /// Removes the page with this URL, with the names it gave to others and its snapshot. The index
    /// keeps the URL and the reason. `why` is the statement that caused it, if there was one.
    ///
    /// # Errors
    /// Fails if the index cannot be written.
    pub fn remove(&mut self, url: &str, reason: Gone, why: &str) -> Result<()> {
        self.remove_captured(url, reason, why, None)?;
        Ok(())
    }

    /// Removes a page with the time at which that was found. Returns false if something is known of
    /// the URL that was fetched later.
    ///
    /// # Errors
    /// Fails if the index cannot be written.
    pub fn remove_captured(
        &mut self,
        url: &str,
        reason: Gone,
        why: &str,
        captured: Option<SystemTime>,
    ) -> Result<bool> {
        if is_too_long(url) {
            Ok(false)
        } else {
            self.remove_key(&Key::parse(url), reason, why, captured)
        }
    }

    pub(super) fn remove_key(
        &mut self,
        key: &Key<'_>,
        reason: Gone,
        why: &str,
        captured: Option<SystemTime>,
    ) -> Result<bool> {
        let captured = captured.map(seconds);
        self.all_or_nothing(|writer| match writer.retract(key, captured)? {
            Some(captured) => {
                writer.put(writer.documents().gone(key, reason, why, captured))?;
                writer.note_gone(key, captured, reason, why)?;
                Ok(true)
            }
            None => Ok(false),
        })
    }

    /// Removes a URL that is known as a page or as gone. For an unknown URL it is only kept that
    /// this was heard, so that nothing counts that was fetched earlier.
    ///
    /// # Errors
    /// Fails if the index cannot be written, or is damaged.
    pub fn retire(
        &mut self,
        url: &str,
        reason: Gone,
        why: &str,
        captured: Option<SystemTime>,
    ) -> Result<bool> {
        self.retire_key(&Key::parse(url), reason, why, captured)
    }

    pub(super) fn retire_key(
        &mut self,
        key: &Key<'_>,
        reason: Gone,
        why: &str,
        captured: Option<SystemTime>,
    ) -> Result<bool> {
        let past = self.past(key)?;
        if key.is_too_long() {
            return Ok(false);
        }
        if past.is_kept() {
            return self.remove_key(key, reason, why, captured);
        }
        let captured = captured.map(seconds);
        if !past.is_later(captured) {
            self.put_statement(key, captured, UrlStatement::Gone(reason, why.to_owned()))?;
            self.note_gone(key, captured, reason, why)?;
        }
        Ok(false)
    }

    /// Removes the snapshot of the page with this URL; the page stays.
    ///
    /// # Errors
    /// Fails if the index cannot be written.
    pub fn remove_snapshot(&mut self, url: &str) -> Result<()> {
        let key = Key::parse(url);
        self.delete_of(&key, DocumentKind::Copy)?;
        self.note(EntryKind::Copy, &key, None, Decision::without_copy)
    }

    pub(super) fn delete_of(&mut self, key: &Key<'_>, kind: DocumentKind) -> Result<()> {
        let fields = &self.index.fields;
        let owned = TermQuery::new(fields.owned_by(key), IndexRecordOption::Basic);
        let query =
            BooleanQuery::intersection(vec![Box::new(owned), Box::new(fields.all_of(kind))]);
        self.all_or_nothing(|writer| {
            writer
                .tantivy
                .delete_query(Box::new(query))
                .written_to(&writer.index)?;
            Ok(())
        })
    }

    /// Stores a text with all commits from the next one on. A run keeps there how far it has come.
    pub fn remember(&mut self, cursor: Option<String>) {
        self.payload.cursor = cursor;
    }

    /// Makes all that was added and removed visible at once: pages, names and snapshots.
    ///
    /// # Errors
    /// Fails if the index cannot be written, as on a full disk. The last commit then stands. If the
    /// system only failed to confirm that this commit is on disk for good, this one stands.
    pub fn commit(&mut self) -> Result<()> {
        let files = self.payload.snapshots.clone();
        self.commit_keeping(files)
    }

    /// Commits, with these snapshot files and the one that was begun since the last commit.
    pub(super) fn commit_keeping(&mut self, files: Vec<StoreFile>) -> Result<()> {
        self.all_or_nothing(|writer| writer.commit_all(files))
    }

    pub(super) fn commit_all(&mut self, mut files: Vec<StoreFile>) -> Result<()> {
        let mut payload = self.payload.clone();
        if let Some(store) = self.store.take() {
            files.push(self.index.store.finish(store)?);
            payload.next_file += 1;
        }
        let dropped: Vec<_> = payload
            .snapshots
            .iter()
            .filter(|file| !files.contains(file))
            .copied()
            .collect();
        payload.snapshots = files;
        if let Some(journal) = &mut self.journal {
            payload.mark = Some(journal.prepare(seconds(SystemTime::now()))?);
        }
        self.index.commit(&mut self.tantivy, &payload)?;
        self.payload = payload;
        self.before.forget();
        if let Some(journal) = &mut self.journal {
            journal.committed()?;
        }
        for file in dropped {
            self.index.store.delete(file);
        }
        Ok(())
    }

    /// Deletes the snapshot files that hold no page's snapshot any more.
    ///
    /// # Errors
    /// Fails if the index is damaged or cannot be written.
    pub fn drop_empty_snapshot_files(&mut self) -> Result<()> {
        let used = self.index.search()?.snapshot_files()?;
        let (used, empty): (Vec<_>, Vec<_>) = self
            .payload
            .snapshots
            .iter()
            .copied()
            .partition(|file| used.contains(&file.number));
        if empty.is_empty() {
            Ok(())
        } else {
            self.commit_keeping(used)
        }
    }

    /// Does work that must succeed as a whole. After a failure the writer is broken: half-done work
    /// must not be committed.
    pub fn all_or_nothing<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.is_broken {
            return Err(self
                .index
                .trouble(&"an error came before; what was committed before it stands"));
        }
        // A bug is no reason to lose what was committed, or to stay silent.
        let done = match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(done) => done,
            Err(_) => Err(ErrorKind::Internal("a page broke the index's writer".to_owned()).into()),
        };
        self.is_broken = done.is_err();
        done
    }

    /// True if this URL was added or removed since the last commit, and not only confirmed.
    pub fn has_pending(&self, url: &str) -> bool {
        self.before.has_pending(&Key::of_normal(url))
    }

    /// Looks up what is known of a URL.
    pub(super) fn past(&mut self, key: &Key<'_>) -> Result<PastState> {
        self.before.lookup(&self.index, key)
    }

    /// The last commit, if there was no statement on a URL since.
    pub(super) fn commit_if_untouched(
        &mut self,
        key: &Key<'_>,
    ) -> Result<Option<tantivy::Searcher>> {
        self.before.commit_if_untouched(&self.index, key)
    }

    /// Deletes all that this URL brought in. Returns the last time at which it was fetched; a
    /// statement without a date does not erase that. Returns None, and does nothing, if something
    /// was said of it that was fetched later.
    fn retract(&mut self, key: &Key<'_>, captured: Option<i64>) -> Result<Option<Option<i64>>> {
        let past = self.past(key)?;
        if past.is_later(captured) {
            return Ok(None);
        }
        if past != PastState::Unknown {
            self.tantivy.delete_term(self.index.fields.owned_by(key));
        }
        let captured = captured.or(past.captured());
        // That the page was found unchanged later than this is still true.
        if let Some(seen) = past.seen()
            && Some(seen) > captured
        {
            self.put(self.documents().seen(key, seen))?;
        }
        self.before.note(key, captured);
        Ok(Some(captured))
    }

    pub(super) fn put(&mut self, document: TantivyDocument) -> Result<()> {
        self.put_all(vec![document])
    }

    /// Adds documents at once. Threads that are woken for each document do little else.
    pub(super) fn put_all(&mut self, documents: Vec<TantivyDocument>) -> Result<()> {
        // The text that is stored for display is packed too, and nobody tokenizes it.
        let called = self.index.fields.called;
        let tokenized = documents
            .iter()
            .flat_map(TantivyDocument::field_values)
            .filter(|(field, _)| *field != called);
        let texts = tokenized.filter_map(|(_, value)| value.as_str());
        self.index
            .pending
            .add(texts.filter(|text| packed::is_packed(text)));
        self.tantivy
            .run(documents.into_iter().map(UserOperation::Add))
            .written_to(&self.index)?;
        Ok(())
    }

    /// Copies a snapshot to the file of this commit.
    pub(super) fn move_snapshot(&mut self, member: &[u8]) -> Result<StoreOffset> {
        self.store()?.copy(member)
    }

    pub(super) fn documents(&self) -> Documents {
        Documents {
            fields: self.index.fields,
            generation: self.payload.generation,
        }
    }

    fn store(&mut self) -> Result<&mut StoreWriter> {
        if self.store.is_none() {
            self.store = Some(self.index.store.begin(self.payload.next_file)?);
        }
        self.store.as_mut().ok_or_else(|| {
            ErrorKind::Internal("a file was begun and is not there".to_owned()).into()
        })
    }
}

/// tantivy's writer and its threads. They end before the lock is given back. A merge that went on
/// would write an older state over what the next writer commits.
pub(super) struct WriterThreads(Option<IndexWriter>);

impl Deref for WriterThreads {
    type Target = IndexWriter;

    fn deref(&self) -> &IndexWriter {
        let Some(writer) = &self.0 else {
            unreachable!("it is taken when this is dropped")
        };
        writer
    }
}

impl DerefMut for WriterThreads {
    fn deref_mut(&mut self) -> &mut IndexWriter {
        let Some(writer) = &mut self.0 else {
            unreachable!("it is taken when this is dropped")
        };
        writer
    }
}

impl Drop for WriterThreads {
    fn drop(&mut self) {
        let _ = self.0.take().map(IndexWriter::wait_merging_threads);
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

/// The number of threads that share the memory of an index, and the bytes for each. Fewer threads
/// are better than threads with little memory.
fn shares(threads: usize, memory: Option<Memory>) -> (usize, usize) {
    let Some(memory) = memory else {
        return (threads, THREAD_BYTES);
    };
    let bytes = usize::try_from(memory.of_index())
        .unwrap_or(usize::MAX)
        .saturating_sub(pending::MOST);
    let threads = threads.min(bytes / THREAD_BYTES).max(1);
    (
        threads,
        (bytes / threads).clamp(LEAST_THREAD_BYTES, THREAD_BYTES),
    )
}

/// True if a URL is much longer than tantivy's terms can be: it could not be taken back.
pub(super) fn is_too_long(url: &str) -> bool {
    url.len() > LONGEST
}

/// The result of adding a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The page is in the index.
    Indexed,
    /// The page's policy keeps it out, or its URL is longer than 8,192 bytes.
    NotIndexed,
    /// Something is known of the URL that was fetched later.
    Older,
}
