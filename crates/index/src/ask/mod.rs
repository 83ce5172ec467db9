//! Answers questions about an index: queries, anchor texts, lists of contents, and lookups of one
//! URL.
//!
//! A query is parsed (`syntax`) and becomes a plan (`query`). The plan searches words in pages, and
//! in anchor texts of links to them (`anchors`, `columns`, `join`, `sought`, `near`). Several terms
//! may stand for one word (`slot`). A word is one union over all fields (`word`, `window`). Filters
//! leave out pages without effect on scores (`filters`). The best pages are collected (`best`). If
//! a query has only words that must all match, the best pages are found without a score for each
//! page (`required`). They are returned as hits (`search`), whose excerpts mark the words of the
//! query (`marks`). `contents` counts an index's contents, and `listing` lists its URLs. `rules`
//! reads the stored rules of sites, `snapshots` the snapshots of pages, and `uses` the uses that
//! pages deny. No module of this folder writes.

mod anchors;
mod best;
mod columns;
mod contents;
mod filters;
mod join;
mod listing;
mod marks;
mod near;
mod pages;
mod query;
mod required;
mod rules;
mod search;
mod slot;
mod snapshots;
mod sought;
mod syntax;
mod uses;
mod window;
mod word;

pub(super) use columns::{AnchorChoice, AnchorEntry};
pub use contents::{Anchor, Stats, UrlState};
pub use listing::Urls;
pub use query::Query;
pub use search::{Found, Hit, Search, WordScore};
