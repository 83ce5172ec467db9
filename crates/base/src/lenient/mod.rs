//! Text as people type it where a grammar wants something else: signs that look like others or are
//! not seen, quotes that no grammar knows, words that are one letter off.
//!
//! The one table of signs is `sign`. Quotes around values and words are found in `quotes`, nearness
//! is measured in `near`. The lenient form of a text is made in `shape`, one function a shape, and
//! that of a robots.txt's lines in `line`. This room knows texts alone: what a word or a line
//! means, and that a repair denies and never allows, is for its callers (docs/semantics.md,
//! sections 3.1 and 6).

pub mod line;
pub mod near;
pub mod quotes;
pub mod shape;
mod sign;

pub use shape::{Shape, Unseen, Vocabulary};
