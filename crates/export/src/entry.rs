//! The entry of one URL in an export: a document to add, or a deletion.

use std::borrow::Cow;
use std::time::SystemTime;

use super::engine::Engine;
use super::id::DocumentId;
use super::solr;

/// Entry of one URL in an export, which tells an engine to add a document or to delete it.
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful::{Bot, Filter};
/// use heedful_export::{Capture, Engine, Exporter};
///
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], b"<p>Rye")?;
/// let exporter = Exporter::new(Engine::Elasticsearch, SystemTime::UNIX_EPOCH);
/// let entry = exporter.page(&page, &Capture::default())?.unwrap();
///
/// // The bulk API wants an action on one line and the document on the next.
/// assert!(!entry.is_deletion());
/// assert_eq!(entry.message().split(|byte| *byte == b'\n').count(), 3);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExportEntry {
    pub(super) engine: Engine,
    pub(super) id: DocumentId,
    pub(super) is_deletion: bool,
    pub(super) captured: Option<SystemTime>,
    /// Bytes of the entry in a part file. Empty for a deletion if the engine gets its deletions in
    /// a separate file.
    pub(super) body: Vec<u8>,
}

impl ExportEntry {
    pub(super) fn document(
        engine: Engine,
        id: DocumentId,
        body: Vec<u8>,
        captured: Option<SystemTime>,
    ) -> Self {
        Self {
            engine,
            id,
            is_deletion: false,
            captured,
            body,
        }
    }

    pub(super) fn deletion(
        engine: Engine,
        id: DocumentId,
        body: Vec<u8>,
        captured: Option<SystemTime>,
    ) -> Self {
        Self {
            engine,
            id,
            is_deletion: true,
            captured,
            body,
        }
    }

    /// True if this entry tells the engine to delete the document of its URL.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, Exporter};
    ///
    /// let exporter = Exporter::new(Engine::Solr, SystemTime::UNIX_EPOCH);
    /// assert!(exporter.removed_url("https://example.com/rye", None).unwrap().is_deletion());
    /// ```
    pub fn is_deletion(&self) -> bool {
        self.is_deletion
    }

    /// Returns this entry as bytes, to be sent to the engine in a stream of entries. The bytes are
    /// empty for a deletion if the engine accepts no deletions among documents (Quickwit, WET).
    /// They are always empty for an engine without streams (see [`Engine::has_stream`]).
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, Exporter};
    ///
    /// let deletion = |engine| {
    ///     let exporter = Exporter::new(engine, SystemTime::UNIX_EPOCH);
    ///     let entry = exporter.removed_url("https://example.com/rye", None).unwrap();
    ///     entry.message().into_owned()
    /// };
    /// assert!(deletion(Engine::Manticore).starts_with(b"DELETE FROM heedful"));
    /// assert!(deletion(Engine::Quickwit).is_empty());
    /// ```
    pub fn message(&self) -> Cow<'_, [u8]> {
        match self.engine {
            Engine::Solr if self.is_deletion => Cow::Owned(solr::deletion(self.id)),
            Engine::Solr => Cow::Owned(solr::addition(&self.body)),
            engine if !engine.has_stream() => Cow::Borrowed(&[]),
            _ => Cow::Borrowed(&self.body),
        }
    }
}
