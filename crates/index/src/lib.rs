//! A tantivy index of the text of pages that the filter allows to be indexed. It records how the
//! pages change over time.
//!
//! Every document is keyed by a URL in normal form, without its fragment. A page adds its text
//! (`document`), the anchor texts of its links to other pages, and its snapshot (`store`). Adding
//! the page again first deletes all of its documents. Anchor texts are joined to their target pages
//! at query time (`anchors`). `compact` collects them by target in a folder of their own
//! (`folded`). Words are split on the calling thread and packed (`packed`), with a position gap of
//! 1000 at every phrase boundary. So no phrase query matches across an excluded part of a page,
//! whatever its slop. Words are found in other forms too (`forms`), which stand at the positions of
//! their words. The body is indexed, not stored. An excerpt is cut from a stored text that contains
//! only what may be shown.
//!
//! The other modules of this crate support two folders. The modules of `keep` change an index, and
//! those of `ask` answer queries. `keep` calls `ask` for lookups; `ask` never calls `keep`.
//!
//! One commit covers pages, anchor texts and snapshots together. After any crash the index has the
//! state of its last complete commit. A commit's payload records the version of the judging rules
//! ([`heedful::LAW`]), the terms and the snapshot files. Decisions are written to a journal, if the
//! index has one (`journal`). This crate never judges a page, and never opens an input.

mod analysis;
mod ask;
mod bounds;
pub mod decision;
mod directory;
mod folded;
mod forms;
mod gone;
mod id;
mod journal;
mod keep;
mod lengths;
mod open;
mod packed;
mod payload;
mod pending;
mod rules;
mod schema;
mod statement;
mod statistics;
mod store;
mod stored;
mod tables;
mod terms;
mod time;
mod tokens;
mod totals;
mod trouble;
mod uses;

pub use analysis::Analysis;
pub use ask::{Anchor, Found, Hit, Query, Search, Stats, UrlState, Urls, WordScore};
pub use forms::Forms;
pub use gone::Gone;
pub use journal::{Journal, JournalMark, Journals};
pub use keep::{Added, CompactReport, Compaction, MergeReport, Writer};
pub use open::Index;
pub use terms::Terms;
#[doc(hidden)]
pub use time::whole_seconds;
pub use tokens::pre_tokenized;
pub use uses::PageUses;

pub use heedful_base::memory::Memory;

/// Runs the example in this crate's README as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
