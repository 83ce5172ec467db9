//! Exports filtered pages for other programs: bulk files for search engines, and texts and
//! snapshots as WARC records.
//!
//! An [`Exporter`] converts each page into the entry that an engine accepts. A page that may not be
//! in an index, or whose permission is uncertain, becomes a deletion. A URL that is no longer a
//! page becomes a deletion, too. [`ExportFolder`] writes entries to files, one for each URL. All
//! content comes from the accessors of [`Page`](heedful::Page), which return only what is allowed.
//! Text that may be indexed but not shown is put in fields that the engine's schema does not store.
//! Text that may be shown has fields of its own. This crate never judges a page, never sends
//! anything to an engine, and never prints.
//!
//! A CIFF or Parquet file is built from all entries, so these files are written when the run ends.
//!
//! The documentation docs/export.md describes what each engine receives, and how to load it.

mod capture;
mod ciff;
mod document;
mod elastic;
mod engine;
mod entry;
mod exporter;
mod folder;
mod id;
mod parts;
mod postings;
mod protobuf;
mod quickwit;
mod shred;
mod solr;
mod sphinx;
mod table;
pub mod warc;
mod wet;

pub use capture::Capture;
pub use engine::Engine;
pub use entry::ExportEntry;
pub use exporter::Exporter;
pub use folder::{ExportFolder, ExportReport};
#[doc(hidden)]
pub use shred::ShreddedRows;

/// Runs the example of `README.md` as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
