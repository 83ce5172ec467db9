//! Adds pages to an index and removes them.
//!
//! Adding a page first deletes all documents of its URL: its page or tombstone, its anchor texts,
//! its snapshot. So a page that is added twice is in the index once. If the page has lost links,
//! their anchor texts are gone too. If both capture times are known, the later capture remains,
//! whatever the order of the calls. After any error a writer refuses all work, because it does not
//! know which operations are pending in tantivy.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, SystemTime};

use tantivy::directory::error::LockError;
use tantivy::indexer::IndexWriterOptions;
use tantivy::schema::Term;
use tantivy::{IndexWriter, TantivyDocument, TantivyError};

use crate::decision::{Basis, Decision, EntryKind};
use crate::folded::FoldedCommit;
use crate::gone::Gone;
use crate::journal::Journal;
use crate::open::{Index, WriteContext};
use crate::payload::Payload;
use crate::pending;
use crate::schema::DocumentKind;
use crate::statement::UrlStatement;
use crate::store::StoreOffset;
use crate::time::seconds;
use heedful::{Dressing, Page};
use heedful_base::address::{Key, LONGEST};
use heedful_base::error::{Error, ErrorKind, IndexTrouble, Result};
use heedful_base::memory::Memory;

use super::before::{PastState, UrlHistory};
use super::copies::Copies;
use super::document::Documents;
use super::operations::Operations;
use super::segments::TieredMergePolicy;

/// Bytes of memory for each indexing thread. With less memory, throughput is much lower.
const THREAD_BYTES: usize = 100 << 20;
/// Minimum bytes of memory that tantivy accepts for an indexing thread.
const LEAST_THREAD_BYTES: usize = 15_000_000;
/// Maximum number of indexing threads, as in tantivy.
const MOST_THREADS: usize = 8;
/// Maximum attempts to take the index's writer lock. After the lock is released, it may still be
/// busy for a moment, because a newly forked process holds its parent's lock.
const TRIES: usize = 20;
/// Pause between two attempts to take the index's writer lock.
const PAUSE: Duration = Duration::from_millis(10);

impl Index {
    /// Opens a writer with this number of indexing threads, reduced to 8 or raised to 1 if
    /// necessary. An index has at most one open writer.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if another writer is open, or the folder cannot be written.
    /// [`ErrorKind::Evidence`] if the index has a journal that cannot be opened.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// let writer = index.writer(2)?;
    /// assert!(index.writer(1).is_err());
    /// drop(writer);
    /// assert!(index.writer(1).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn writer(&self, threads: usize) -> Result<Writer> {
        Writer::new(self, threads, None)
    }

    /// Opens a writer with a bound on memory. The writer's buffers use at most half of `memory`.
    /// The other half is for reading and filtering pages. With little memory, there are fewer
    /// threads than `threads`.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if another writer is open, or the folder cannot be written.
    /// [`ErrorKind::Evidence`] if the index has a journal that cannot be opened.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Index, Memory};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer_within(2, Memory::new(256 << 20)?)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// writer.commit()?;
    /// assert_eq!(index.stats()?.pages(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn writer_within(&self, threads: usize, memory: Memory) -> Result<Writer> {
        Writer::new(self, threads, Some(memory))
    }
}

/// Adds pages to an index and removes them. Searches see no change before [`Writer::commit`].
/// Dropping a writer discards its uncommitted changes.
///
/// # Examples
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
    pub(super) tantivy: Operations,
    pub(super) payload: Payload,
    pub(super) copies: Copies,
    dressing: Dressing,
    with_anchors: bool,
    pub(super) before: UrlHistory,
    pub(super) journal: Option<Box<dyn Journal>>,
    /// Basis that the journal records with each decision that this writer makes now. Set by
    /// [`Writer::with_basis`], otherwise empty.
    pub(super) basis: Basis,
    /// The last commit's folded anchor texts, if a compaction has replaced them. Their files are
    /// deleted after the next commit. None if the next commit keeps them.
    pub(super) refolded: Option<FoldedCommit>,
    /// True after an error in this writer. It is then not known which operations are pending in
    /// tantivy.
    is_broken: bool,
}

/// Result of adding a page.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::{Added, Index};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut writer = Index::create(folder.path(), &filter)?.writer(1)?;
/// let page = filter.page("https://example.com/", &[("X-Robots-Tag", "noindex")], b"<p>Rye")?;
/// let outcome = match writer.add(&page)? {
///     Added::Indexed => "indexed",
///     Added::NotIndexed => "not indexed",
///     Added::Older => "older than what is known",
/// };
/// assert_eq!(outcome, "not indexed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The page was added to the index, and queries can find it after the next commit.
    Indexed,
    /// The page was not indexed. Its policy denies indexing, or its URL is longer than 8,192 bytes.
    NotIndexed,
    /// The page was ignored, because the index knows a later capture of the URL.
    Older,
}

impl Writer {
    pub(super) fn new(index: &Index, threads: usize, memory: Option<Memory>) -> Result<Self> {
        let tantivy = lock(index, threads, memory)?;
        // tantivy gives the writer's first operation the opstamp of the last commit. A merge that
        // begins then treats it as committed. So the first operation here deletes nothing.
        tantivy.delete_term(Term::from_field_text(index.fields.kind, ""));
        tantivy.set_merge_policy(Box::new(TieredMergePolicy::new(&index.tantivy, memory)));
        // A failed commit may have left files whose names the next commit needs.
        tantivy.garbage_collect_files().wait().written_to(index)?;
        let payload = index.payload()?;
        index.store.sweep(&payload.snapshots);
        index.folded.sweep(&payload.folded);
        let journal = index.open_journal(&payload)?;
        Ok(Self {
            index: index.clone(),
            tantivy: Operations::new(tantivy, index),
            copies: Copies::new(&index.store, &payload),
            payload,
            dressing: Dressing::default(),
            with_anchors: true,
            before: UrlHistory::default(),
            journal,
            basis: Basis::default(),
            refolded: None,
            is_broken: false,
        })
    }

    /// Sets what is added to the snapshots of pages: a base URL, a banner, and marks where text was
    /// cut. A page has a snapshot only if it was read with
    /// [`Filter::snapshots`](heedful::Filter::snapshots).
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Dressing, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?).snapshots();
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?.dressing(Dressing::default().banner("A copy"));
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// writer.commit()?;
    /// let copy = index.search()?.snapshot("https://example.com/", None)?.unwrap();
    /// assert!(copy.contains("A copy"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dressing(mut self, dressing: Dressing) -> Self {
        self.dressing = dressing;
        self
    }

    /// Makes this writer store no anchor texts of the links in pages that it adds.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?.without_anchors();
    /// let html = b"<a href=/rye>Rye</a>";
    /// writer.add(&filter.page("https://example.com/", &[], html)?)?;
    /// writer.commit()?;
    /// assert_eq!(index.stats()?.anchors(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_anchors(mut self) -> Self {
        self.with_anchors = false;
        self
    }

    /// Adds a page, and deletes all earlier documents of its URL. If the page may not be indexed,
    /// the index stores a tombstone instead: the URL and the reason. Searches see the change only
    /// after [`Writer::commit`]. The call waits while too much text is queued for the indexing
    /// threads.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if the page was read for a bot other than the index's bot.
    /// [`ErrorKind::Index`] if writing fails. After a failed write in any method, the writer
    /// refuses all work. The last commit then remains valid.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Added, Index};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let page = |html: &str| filter.page("https://example.com/", &[], html.as_bytes());
    /// assert_eq!(writer.add(&page("<p>Rye")?)?, Added::Indexed);
    /// assert_eq!(writer.add(&page("<meta name=robots content=noindex>")?)?, Added::NotIndexed);
    /// writer.commit()?;
    /// assert_eq!(index.stats()?.pages(), 0); // the later page replaces the earlier one
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add(&mut self, page: &Page) -> Result<Added> {
        self.add_captured(page, None)
    }

    /// Adds a page with the time of its capture (fetch). Does nothing if the index knows a later
    /// capture of the URL. If `captured` is None, the time is not known. The page then counts as
    /// the latest capture.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if the page was read for a bot other than the index's bot.
    /// [`ErrorKind::Index`] if writing fails.
    ///
    /// # Examples
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Added, Index};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let new = filter.page("https://example.com/", &[], b"<p>New")?;
    /// let old = filter.page("https://example.com/", &[], b"<p>Old")?;
    /// let time = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    /// assert_eq!(writer.add_captured(&new, time(2_000))?, Added::Indexed);
    /// assert_eq!(writer.add_captured(&old, time(1_000))?, Added::Older);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_captured(&mut self, page: &Page, captured: Option<SystemTime>) -> Result<Added> {
        self.check_bot(page)?;
        self.all_or_nothing(|writer| writer.add_page(page, captured.map(seconds)))
    }

    /// Returns an error if a page was read for a bot other than the index's bot.
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
            let mut gone = documents.tombstone(&key, reason, &why, captured);
            documents.add_second_url(&mut gone, page);
            self.put(gone)?;
            self.note(EntryKind::Gone, &key, captured, |bot| {
                Decision::refused(bot, page.policy(), reason.to_string(), &why)
            })?;
            return Ok(Added::NotIndexed);
        }
        let (document, lengths) = documents.page(&key, page, captured);
        let mut made = vec![document];
        if self.with_anchors {
            made.extend(documents.anchors(&key, page));
        }
        if let Some(html) = page.snapshot(&self.dressing) {
            made.push(documents.copy(&key, self.copies.add(&key, &html)?));
        }
        self.put_all(made)?;
        self.before.note_page(&key, lengths);
        self.payload.totals.add(lengths);
        self.note(EntryKind::Page, &key, captured, |bot| {
            Decision::judged(bot, page.policy())
        })?;
        Ok(Added::Indexed)
    }

    /// Removes a page with its anchor texts and snapshot, and stores a tombstone with the reason.
    /// `why` is the text of the statement that caused the removal, or empty.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if writing to the index fails.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Gone, Index, UrlState};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// writer.remove("https://example.com/", Gone::Removed, "asked by mail")?;
    /// writer.commit()?;
    /// let known = index.search()?.known("https://example.com/", None)?;
    /// assert!(matches!(known, Some(UrlState::Gone { why, .. }) if why == "asked by mail"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove(&mut self, url: &str, reason: Gone, why: &str) -> Result<()> {
        self.remove_captured(url, reason, why, None)?;
        Ok(())
    }

    /// Removes a page like [`Writer::remove`]. `captured` is the time of the response that caused
    /// the removal. Returns true if the removal was stored. Does nothing and returns false if the
    /// index knows a later capture of the URL. Also does nothing and returns false if the URL is
    /// longer than 8,192 bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if writing to the index fails.
    ///
    /// # Examples
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Gone, Index};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let time = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    /// let url = "https://example.com/";
    /// writer.add_captured(&filter.page(url, &[], b"<p>Rye")?, time(2_000))?;
    /// assert!(!writer.remove_captured(url, Gone::Status(404), "", time(1_000))?);
    /// assert!(writer.remove_captured(url, Gone::Status(404), "", time(3_000))?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
                writer.put(writer.documents().tombstone(key, reason, why, captured))?;
                writer.note_gone(key, captured, reason, why)?;
                Ok(true)
            }
            None => Ok(false),
        })
    }

    /// Removes a URL from the index, and stores the reason with the time `captured`. Earlier
    /// captures of the URL are then never added. Returns true if the index had a page or a
    /// tombstone of the URL, otherwise false. Does nothing and returns false if the index knows a
    /// later capture. Also does nothing and returns false if the URL is longer than 8,192 bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if writing to the index fails, or the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Added, Gone, Index};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let time = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    /// let url = "https://example.com/";
    /// assert!(!writer.retire(url, Gone::Status(404), "", time(2_000))?); // was not known
    /// let old = filter.page(url, &[], b"<p>Rye")?;
    /// assert_eq!(writer.add_captured(&old, time(1_000))?, Added::Older);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Removes the snapshot of a page. The page itself stays in the index.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if writing to the index fails.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?).snapshots();
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// writer.commit()?;
    /// assert!(index.search()?.has_snapshot("https://example.com/")?);
    ///
    /// writer.remove_snapshot("https://example.com/")?;
    /// writer.commit()?;
    /// assert!(!index.search()?.has_snapshot("https://example.com/")?);
    /// assert_eq!(index.stats()?.pages(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove_snapshot(&mut self, url: &str) -> Result<()> {
        let key = Key::parse(url);
        self.all_or_nothing(|writer| writer.drop_copy(&key))?;
        self.note(EntryKind::Copy, &key, None, Decision::without_copy)
    }

    /// Deletes the snapshot of a page, if it has one. The page itself stays.
    pub(super) fn drop_copy(&mut self, key: &Key<'_>) -> Result<()> {
        let past = self.past(key)?;
        self.copies.release(key, past.copy());
        self.delete_part(key, DocumentKind::Copy)
    }

    /// Deletes the documents of one kind that belong to a URL. The kind must be one that has
    /// [`Fields::part`](crate::schema::Fields).
    pub(super) fn delete_part(&mut self, key: &Key<'_>, kind: DocumentKind) -> Result<()> {
        self.delete_term(self.index.fields.part_of(kind, key))
    }

    /// Sets the cursor: a text that is stored with every later commit. An indexer stores its input
    /// position there, and reads it with [`Index::cursor`]. None removes the stored cursor.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.remember(Some("record 1200".to_owned()));
    /// writer.commit()?;
    /// writer.commit()?; // later commits keep it
    /// assert_eq!(index.cursor()?.as_deref(), Some("record 1200"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remember(&mut self, cursor: Option<String>) {
        self.payload.cursor = cursor;
    }

    /// Makes all changes since the last commit visible to new searches, in one step. The commit
    /// also rewrites snapshot files with many records that belong to no page. The rewriting copies
    /// at most 128 MiB, or the size of the new snapshots if that is larger.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if writing fails, for example on a full disk. The last commit then
    /// remains valid. As an exception, the new commit is valid if only the final sync to disk
    /// fails. [`ErrorKind::Evidence`] if the journal cannot be written.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// assert_eq!(index.stats()?.pages(), 0);
    /// writer.commit()?;
    /// assert_eq!(index.stats()?.pages(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn commit(&mut self) -> Result<()> {
        self.all_or_nothing(|writer| {
            writer.rewrite_sparse_files()?;
            writer.commit_all()
        })
    }

    pub(super) fn commit_all(&mut self) -> Result<()> {
        let mut payload = self.payload.clone();
        self.copies.finish(&mut payload)?;
        if let Some(journal) = &mut self.journal {
            payload.mark = Some(journal.prepare(seconds(SystemTime::now()))?);
        }
        let tantivy = self.tantivy.direct().written_to(&self.index)?;
        self.index.commit(tantivy, &payload)?;
        self.payload = payload;
        self.before.forget();
        if let Some(journal) = &mut self.journal {
            journal.committed()?;
        }
        self.copies.committed();
        if let Some(folded) = self.refolded.take() {
            self.index.folded.delete(&folded);
        }
        Ok(())
    }

    /// Calls `work`, whose changes to the index must be committed together or not at all. Returns
    /// the result of `work`. If `work` fails or panics, the writer refuses all further work. So it
    /// never commits partial changes.
    ///
    /// # Errors
    /// The error that `work` returns. [`ErrorKind::Internal`] if `work` panics.
    /// [`ErrorKind::Index`] if an earlier call of this writer failed.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Error, Filter};
    /// use heedful_index::{Gone, Index};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// let mut writer = index.writer(1)?;
    /// let failed: Result<(), Error> = writer.all_or_nothing(|writer| {
    ///     writer.remove("https://example.com/", Gone::Removed, "")?;
    ///     Err(heedful::ErrorKind::Setting("the second half is missing".to_owned()).into())
    /// });
    /// assert!(failed.is_err());
    /// assert!(writer.commit().is_err()); // not even the first half
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn all_or_nothing<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.is_broken {
            return Err(self
                .index
                .trouble(&"an error came before; what was committed before it stands"));
        }
        // A panic on one page must neither end the run silently, nor lose the last commit.
        let done = match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(done) => done,
            Err(_) => Err(ErrorKind::Internal("a page broke the index's writer".to_owned()).into()),
        };
        self.is_broken = done.is_err();
        done
    }

    /// True if this URL was added or removed since the last commit. A response that says that the
    /// page is unchanged does not count. `url` must be in the normal form in which the index stores
    /// URLs.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// assert!(writer.has_pending("https://example.com/"));
    /// writer.commit()?;
    /// assert!(!writer.has_pending("https://example.com/"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_pending(&self, url: &str) -> bool {
        self.before.has_pending(&Key::of_normal(url))
    }

    /// Returns what the index and this writer's uncommitted changes know about a URL.
    pub(super) fn past(&mut self, key: &Key<'_>) -> Result<PastState> {
        self.before.lookup(&self.index, key)
    }

    /// Returns a searcher of the last commit, if the URL was not changed since. Returns None if the
    /// URL was added or removed since that commit.
    pub(super) fn commit_if_untouched(
        &mut self,
        key: &Key<'_>,
    ) -> Result<Option<tantivy::Searcher>> {
        self.before.commit_if_untouched(&self.index, key)
    }

    /// Deletes all documents of a URL, before new documents are added. Returns the capture time for
    /// the new documents. This is `captured`, or else the known time of the URL. Returns
    /// `Some(None)` if there is no known time either. If the index knows a later capture, deletes
    /// nothing and returns None.
    fn retract(&mut self, key: &Key<'_>, captured: Option<i64>) -> Result<Option<Option<i64>>> {
        let past = self.past(key)?;
        if past.is_later(captured) {
            return Ok(None);
        }
        if past != PastState::Unknown {
            self.copies.release(key, past.copy());
            for page in self.before.lengths(&self.index, key)? {
                self.payload.totals.remove(page);
            }
            self.delete_term(self.index.fields.owned_by(key))?;
        }
        let captured = captured.or(past.captured());
        // The page was found unchanged after this capture, so that time is kept.
        if let Some(seen) = past.unchanged_at()
            && Some(seen) > captured
        {
            self.put(self.documents().unchanged(key, seen))?;
        }
        self.before.note(key, captured);
        Ok(Some(captured))
    }

    pub(super) fn put(&mut self, document: TantivyDocument) -> Result<()> {
        self.put_all(vec![document])
    }

    /// Adds the documents of one URL to the index.
    pub(super) fn put_all(&mut self, documents: Vec<TantivyDocument>) -> Result<()> {
        self.tantivy.add(documents).written_to(&self.index)
    }

    /// Deletes all documents that contain a term. Documents that are added after this call stay.
    pub(super) fn delete_term(&mut self, term: Term) -> Result<()> {
        self.tantivy.delete(term).written_to(&self.index)
    }

    /// Copies a snapshot record to the snapshot file of the next commit. Returns the location of
    /// the copy.
    pub(super) fn move_snapshot(&mut self, member: &[u8]) -> Result<StoreOffset> {
        self.copies.copy(member)
    }

    pub(super) fn documents(&self) -> Documents {
        Documents {
            fields: self.index.fields,
            generation: self.payload.generation,
            analysis: self.payload.analysis,
        }
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

/// Opens tantivy's writer, which takes the index's writer lock. If another writer has the lock,
/// waits briefly before it fails.
fn lock(index: &Index, threads: usize, memory: Option<Memory>) -> Result<IndexWriter> {
    let (threads, bytes) = shares(threads.clamp(1, MOST_THREADS), memory);
    let options = IndexWriterOptions::builder()
        .num_worker_threads(threads)
        .memory_budget_per_thread(bytes)
        .num_merge_threads(1)
        .build();
    let mut tries = 0;
    loop {
        tries += 1;
        match index.tantivy.writer_with_options(options.clone()) {
            Ok(writer) => return Ok(writer),
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) if tries < TRIES => {
                std::thread::sleep(PAUSE);
            }
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
        }
    }
}

/// Divides the memory for the index ([`Memory::of_index`]) among indexing threads. Returns the
/// number of threads, and the bytes for each thread. With little memory, there are fewer threads
/// than `threads`. Few threads with enough memory are faster than many threads with little memory.
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

/// True if a URL is longer than [`LONGEST`] bytes. Such a URL is not indexed, because tantivy drops
/// very long terms. Documents of the URL could then not be deleted again.
pub(super) fn is_too_long(url: &str) -> bool {
    url.len() > LONGEST
}
