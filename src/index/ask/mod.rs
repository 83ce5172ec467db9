//! What an index is asked, and how it answers: queries, what others call a page, lists of what there is.
//!
//! A question becomes a plan (`query`), which looks for words in pages and in what others call them (`anchors`, `sought`, `near`); the
//! best are kept (`best`), and shown as hits (`search`). What an index holds is listed and counted by `contents`. Nothing here writes.

mod anchors;
mod best;
mod contents;
mod near;
mod query;
mod search;
mod sought;

pub(super) use anchors::Name;
pub use contents::{Anchor, Known, Stats};
pub use query::Query;
pub use search::{Found, Hit, Search, WordScore};
