//! What other programs read: bulk files for search engines, texts and snapshots as WARC records.
//!
//! An [`Exporter`] makes of each page the entry that an engine takes, and of each URL that is no page any more the deletion
//! that takes it out again. [`Folder`] writes entries to files, each URL once. Everything comes from the accessors of [`Page`],
//! which hold only what may be had; what may be indexed and not shown goes where the engine's schema stores nothing, and
//! what may be shown has fields of its own. A page of which it is not sure that it may be there is a deletion.
//! What this module never does: judge, load anything into an engine, print.
//!
//! What an engine may have, and how it is loaded, says docs/export.md.

mod capture;
mod document;
mod elastic;
mod engine;
mod entry;
mod exporter;
mod folder;
mod id;
mod quickwit;
mod solr;
pub mod warc;
mod wet;

pub use capture::Capture;
pub use engine::Engine;
pub use entry::Entry;
pub use exporter::Exporter;
pub use folder::{Exported, Folder};
