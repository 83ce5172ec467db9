//! The entry of one URL in an export: its document, or that there is none any more.

use std::borrow::Cow;
use std::time::SystemTime;

use super::engine::Engine;
use super::id::DocumentId;
use super::solr;

/// The entry of one URL in an export.
#[derive(Clone, Debug)]
pub struct ExportEntry {
    pub(super) engine: Engine,
    pub(super) id: DocumentId,
    pub(super) is_deletion: bool,
    pub(super) captured: Option<SystemTime>,
    /// The bytes of the entry in a file, among others; empty if it is elsewhere.
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

    /// True if the entry deletes a page.
    pub fn is_deletion(&self) -> bool {
        self.is_deletion
    }

    /// The message to the engine, in a stream. It is empty for a deletion that cannot be among
    /// documents (Quickwit, WET), and for engines that have no stream ([`Engine::has_stream`]).
    pub fn message(&self) -> Cow<'_, [u8]> {
        match self.engine {
            Engine::Solr if self.is_deletion => Cow::Owned(solr::deletion(self.id)),
            Engine::Solr => Cow::Owned(solr::addition(&self.body)),
            engine if !engine.has_stream() => Cow::Borrowed(&[]),
            _ => Cow::Borrowed(&self.body),
        }
    }
}
