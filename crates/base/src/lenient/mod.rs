//! Lenient forms of text in which people mistyped a grammar. They used characters that look like
//! others or are invisible, quotes that no grammar knows, or words with a wrong letter.
//!
//!  - `sign` has the one table of such characters.
//!  - `quotes` finds quotes around values and words.
//!  - `near` measures how near two words are.
//!  - `shape` makes the lenient form of a text, with one function for each shape of text.
//!  - `line` makes the lenient form of a robots.txt's lines.
//!
//! The module knows texts alone. Callers know the meaning of a word or a line. They also ensure
//! that a repair denies and never allows (docs/semantics.md, sections 3.1 and 6).

pub mod line;
pub mod near;
pub mod quotes;
pub mod shape;
mod sign;

pub use shape::{Shape, Unseen, Vocabulary};
