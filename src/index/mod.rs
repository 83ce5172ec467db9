//! A tantivy index that holds what heedful let through.
//!
//! One document a page, keyed by its URL without the fragment; adding is always delete, then add. Words are split on
//! the adding thread and packed (see `packed`), with a position gap of 1000 at every phrase boundary, so that no
//! phrase query crosses an excluded part, whatever its slop. The body is not stored: what a search may show is an
//! excerpt text of its own, which never held what may not be shown. Each commit says which law made it; an index of
//! another law must be made again. What this module never does: judge.

mod packed;
mod schema;
mod search;
mod writer;

use std::path::Path;

use tantivy::directory::MmapDirectory;

use crate::error::{Error, ErrorKind, Result};

pub use search::{Hit, Search};
pub use writer::{Added, Writer};

use schema::Fields;

/// Positions between two phrases of one field.
pub(crate) const GAP: u32 = 1000;
/// The most slop of a phrase query: below the gap, and tantivy sums slop in a byte.
pub(crate) const MOST_SLOP: u32 = 255;
/// The version of docs/semantics.md, and of what the index stores, that this code follows.
const LAW: u32 = 1;

/// An index in a folder.
#[derive(Clone)]
pub struct Index {
    tantivy: tantivy::Index,
    fields: Fields,
    folder: String,
}

/// What an index holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    pages: u64,
    hosts: u64,
    anchors: u64,
    tombstones: u64,
}

impl Stats {
    /// Pages that a search can find.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Hosts they are from.
    pub fn hosts(&self) -> u64 {
        self.hosts
    }
}

/// What a commit says of itself.
#[derive(serde::Serialize, serde::Deserialize)]
struct Payload {
    heedful: String,
    law: u32,
    terms: String,
    /// Unknown in the moment between a commit and the one that counts it.
    pages: Option<u64>,
}

impl Index {
    /// Opens the index in `folder`, or makes an empty one there. `terms` is under which terms pages are judged (bot
    /// and dialects, in any words): an index holds pages of one judgement only.
    ///
    /// # Errors
    /// When the folder holds something else, an index of another law or other terms, or cannot be written.
    pub fn create(folder: &Path, terms: &str) -> Result<Self> {
        let name = folder.display().to_string();
        if folder.join("meta.json").exists() {
            let index = Self::open(folder)?;
            index.check_terms(terms)?;
            return Ok(index);
        }
        let is_empty = std::fs::read_dir(folder).map(|mut entries| entries.next().is_none());
        if matches!(is_empty, Ok(false)) {
            return Err(
                ErrorKind::Index(format!("{name} is not empty and holds no index: choose another folder")).into()
            );
        }
        std::fs::create_dir_all(folder).map_err(|source| ErrorKind::Io { what: name.clone(), source })?;
        let schema = Fields::schema();
        let trouble = |error: &dyn std::fmt::Display| trouble(&name, error);
        let directory = MmapDirectory::open(folder).map_err(|e| trouble(&e))?;
        let settings = tantivy::IndexSettings::default();
        let tantivy = tantivy::Index::create(directory, schema, settings).map_err(|e| trouble(&e))?;
        let index = Self::with(tantivy, name)?;
        index.writer(terms, 1)?.commit()?;
        Ok(index)
    }

    /// Opens the index in `folder`.
    ///
    /// # Errors
    /// When there is none, or one that another law made.
    pub fn open(folder: &Path) -> Result<Self> {
        let name = folder.display().to_string();
        if !folder.join("meta.json").exists() {
            return Err(
                ErrorKind::Index(format!("{name} holds no index: make one with `heedful index -o {name}`")).into()
            );
        }
        let tantivy = tantivy::Index::open_in_dir(folder).map_err(|error| trouble(&name, &error))?;
        let index = Self::with(tantivy, name)?;
        index.payload()?;
        Ok(index)
    }

    fn with(tantivy: tantivy::Index, folder: String) -> Result<Self> {
        tantivy.tokenizers().register(packed::NAME, packed::Packed);
        let fields = Fields::of(&tantivy.schema()).ok_or_else(|| other_version(&folder))?;
        Ok(Self { tantivy, fields, folder })
    }

    /// A writer with so many indexing threads. Only one at a time.
    ///
    /// # Errors
    /// When another one is at work.
    pub fn writer(&self, terms: &str, threads: usize) -> Result<Writer> {
        Writer::new(self, terms, threads)
    }

    /// Makes what was committed last searchable.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn search(&self) -> Result<Search> {
        Search::new(self)
    }

    /// What the last commit holds.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn stats(&self) -> Result<Stats> {
        self.search()?.stats()
    }

    fn payload(&self) -> Result<Payload> {
        let metas = self.tantivy.load_metas().map_err(|error| self.trouble(&error))?;
        let payload: Option<Payload> = metas.payload.and_then(|payload| serde_json::from_str(&payload).ok());
        payload.filter(|payload| payload.law == LAW).ok_or_else(|| other_version(&self.folder))
    }

    fn check_terms(&self, terms: &str) -> Result<()> {
        let made = self.payload()?.terms;
        if made == terms {
            return Ok(());
        }
        let message =
            format!("{} was made for {made}, not for {terms}: index into a new folder, or use the same", self.folder);
        Err(ErrorKind::Index(message).into())
    }

    fn trouble(&self, error: &dyn std::fmt::Display) -> Error {
        trouble(&self.folder, error)
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("folder", &self.folder).finish_non_exhaustive()
    }
}

fn other_version(folder: &str) -> Error {
    ErrorKind::Index(format!("{folder} was made by another version of heedful: index again into a new folder")).into()
}

fn trouble(folder: &str, error: &dyn std::fmt::Display) -> Error {
    ErrorKind::Index(format!("the index in {folder}: {error}")).into()
}
