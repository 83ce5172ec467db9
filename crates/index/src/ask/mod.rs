//! Questions to an index, and their answers: queries, what others call a page, lists of the
//! contents.
//!
//! A question is parsed (`syntax`) and becomes a plan (`query`). The plan looks for words in pages
//! and in what others call them (`anchors`, `sought`, `near`). The best pages are kept (`best`),
//! and shown as hits (`search`). `contents` lists and counts what an index holds, `rules` has what
//! sites said last, `snapshots` has the copies of pages, and `uses` has the uses of a
//! page. Nothing here writes.

mod anchors;
mod best;
mod contents;
mod near;
mod query;
mod rules;
mod search;
mod snapshots;
mod sought;
mod syntax;
mod uses;

pub(super) use anchors::AnchorName;
pub use contents::{Anchor, Stats, UrlState};
pub use query::Query;
pub use search::{Found, Hit, Search, WordScore};
