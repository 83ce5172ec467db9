//! Output for other programs: bulk files for search engines, texts and snapshots as WARC records.
//!
//! An [`Exporter`] turns each page into the entry that an engine takes. A URL that is no page any
//! more becomes a deletion. [`ExportFolder`] writes entries to files, each URL once. Everything comes
//! from the accessors of [`Page`](heedful::Page), which hold only what is allowed. Text that may be
//! indexed and not shown goes where the engine's schema stores nothing. Text that may be shown has
//! fields of its own. A page becomes a deletion if it is not certain that it may be there. This
//! crate never judges, never loads anything into an engine, and never prints.
//!
//! Files that are made of all entries at once (CIFF, Parquet) are made when the run ends.
//!
//! docs/export.md has what an engine may have, and how it is loaded.

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
#[cfg(feature = "parquet")]
mod shred;
mod solr;
mod sphinx;
#[cfg_attr(not(feature = "parquet"), path = "no_table.rs")]
mod table;
pub mod warc;
mod wet;

pub use capture::Capture;
pub use engine::Engine;
pub use entry::ExportEntry;
pub use exporter::Exporter;
pub use folder::{ExportFolder, ExportReport};
#[cfg(feature = "parquet")]
#[doc(hidden)]
pub use shred::ShreddedRows;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
