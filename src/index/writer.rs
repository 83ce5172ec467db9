//! Pages go in.

use tantivy::schema::Term;
use tantivy::{IndexWriter, TantivyDocument, TantivyError};
use url::Url;

use crate::error::{Error, ErrorKind, Result};
use crate::page::Page;
use crate::policy::Facet;

use super::{Index, LAW, Payload, packed};

/// Memory for each indexing thread; with less, throughput falls steeply.
const THREAD_BYTES: usize = 100 << 20;
/// Segments with this share of deleted documents are merged.
const DELETED_SHARE: f32 = 0.3;

/// Adds and removes pages. Nothing is seen before [`Writer::commit`]; dropped without it, nothing has happened.
pub struct Writer {
    index: Index,
    tantivy: IndexWriter,
    terms: String,
}

impl Writer {
    pub(super) fn new(index: &Index, terms: &str, threads: usize) -> Result<Self> {
        let writer = index.tantivy.writer_with_num_threads(threads.clamp(1, 8), THREAD_BYTES * threads.clamp(1, 8));
        let tantivy = writer.map_err(|error| match error {
            TantivyError::LockFailure(..) => {
                Error::from(ErrorKind::Index(format!("another program is writing to {}", index.folder)))
            }
            error => index.trouble(&error),
        })?;
        let mut policy = tantivy::merge_policy::LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(DELETED_SHARE);
        tantivy.set_merge_policy(Box::new(policy));
        Ok(Self { index: index.clone(), tantivy, terms: terms.to_owned() })
    }

    /// Adds a page in place of any with its URL. A page that may not be indexed leaves the index.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn add(&mut self, page: &Page) -> Result<Added> {
        let key = self.remove(page.url());
        if !page.policy().allows(Facet::Index) {
            return Ok(Added::NotIndexed);
        }
        let document = self.document(&key, page);
        self.tantivy.add_document(document).map_err(|error| unwritten(&self.index, &error))?;
        Ok(Added::Indexed)
    }

    /// Removes the page with this URL; returns the URL as the index keeps it.
    pub fn remove(&mut self, url: &str) -> String {
        let key = key(url);
        self.tantivy.delete_term(Term::from_field_text(self.index.fields.url, &key));
        key
    }

    /// Makes all that was added and removed visible, at once.
    ///
    /// # Errors
    /// When the index cannot be written, as on a full disk. The last commit then stands.
    pub fn commit(&mut self) -> Result<()> {
        self.commit_with(None)?;
        let metas = self.index.tantivy.load_metas().map_err(|error| self.index.trouble(&error))?;
        let pages = metas.segments.iter().map(|segment| u64::from(segment.num_docs())).sum();
        self.commit_with(Some(pages))
    }

    fn commit_with(&mut self, pages: Option<u64>) -> Result<()> {
        let (heedful, terms) = (env!("CARGO_PKG_VERSION").to_owned(), self.terms.clone());
        let payload = serde_json::to_string(&Payload { heedful, law: LAW, terms, pages });
        let payload = payload.map_err(|error| self.index.trouble(&error))?;
        let mut prepared = self.tantivy.prepare_commit().map_err(|error| unwritten(&self.index, &error))?;
        prepared.set_payload(&payload);
        prepared.commit().map_err(|error| unwritten(&self.index, &error))?;
        Ok(())
    }

    fn document(&self, key: &str, page: &Page) -> TantivyDocument {
        let fields = &self.index.fields;
        let policy = page.policy();
        let mut document = TantivyDocument::new();
        document.add_text(fields.url, key);
        if let Some(host) = Url::parse(key).ok().as_ref().and_then(Url::host_str) {
            document.add_text(fields.host, host);
        }
        for (field, phrases) in [
            (fields.title, page.title()),
            (fields.headings, page.headings()),
            (fields.description, page.description()),
            (fields.body, page.phrases()),
            (fields.alt, page.alternative()),
        ] {
            if let Some(packed) = packed::pack(phrases) {
                document.add_text(field, packed);
            }
        }
        document.add_text(fields.shown_title, page.shown_title());
        document.add_text(fields.excerpt, page.showable());
        if let Some(time) = policy.unavailable_after() {
            document.add_i64(fields.expires, seconds(time));
        }
        if let Some(characters) = policy.max_snippet() {
            document.add_u64(fields.max_snippet, u64::from(characters));
        }
        document
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("index", &self.index).finish_non_exhaustive()
    }
}

/// A full disk kills a writing thread, and the error says no more than that.
fn unwritten(index: &Index, error: &TantivyError) -> Error {
    let error = error.to_string();
    let cause = if error.contains("thread") { "is the disk full?" } else { error.as_str() };
    index.trouble(&format!("it cannot be written ({cause}); what was committed before still stands"))
}

/// What became of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is in the index.
    Indexed,
    /// Its policy keeps it out.
    NotIndexed,
}

/// A URL as the index keeps it: in normal form, without its fragment.
fn key(url: &str) -> String {
    match Url::parse(url) {
        Ok(mut url) => {
            url.set_fragment(None);
            url.into()
        }
        Err(_) => url.to_owned(),
    }
}

/// Whole seconds since 1970, rounded down.
pub(super) fn seconds(time: std::time::SystemTime) -> i64 {
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds - 1),
    }
}
