//! A tantivy index that holds what heedful let through, over its whole life.
//!
//! Everything is keyed by URL, in normal form and without the fragment. A page brings in its text
//! (`document`), the names it gives to others, and its snapshot (`store`). Adding it again takes
//! all that back first. The names that others give a page are joined to it at query time
//! (`anchors`), and folded now and then (`fold`). Words are split on the adding thread and packed
//! (`packed`), with a position gap of 1000 at every phrase boundary. So no phrase query crosses an
//! excluded part, whatever its slop. The body is not stored. A search shows an excerpt from a text
//! of its own, which never held what may not be shown.
//!
//! Two folders stand on the files here: in `keep` pages go in and out, and in `ask` questions are
//! answered. Lookups go from `keep` to `ask`, and never the other way round.
//!
//! All of it is one tantivy index, so one commit is one state. After any crash the last whole
//! commit counts. A commit's payload names which law and which terms made it, and which snapshot
//! files belong to it. Decisions are noted in a journal, if the index has one (`journal`). This
//! crate never judges, and opens no input.

mod ask;
pub mod decision;
mod directory;
mod gone;
mod heard;
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
mod statistics;
mod store;
mod stored;
mod terms;
mod time;
mod tokens;
mod trouble;
mod uses;

pub use ask::{Anchor, Found, Hit, Query, Search, Stats, UrlState, WordScore};
pub use gone::Gone;
pub use journal::{Journal, JournalMark, Journals};
pub use keep::{Added, CompactReport, MergeReport, Writer};
pub use open::Index;
pub use terms::Terms;
#[doc(hidden)]
pub use time::whole_seconds;
pub use tokens::pre_tokenized;
pub use uses::PageUses;

pub use heedful_base::memory::Memory;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
