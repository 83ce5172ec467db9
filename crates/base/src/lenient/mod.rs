//! Lenient forms of mistyped text: the text as its author probably meant it. People type characters
//! that look like others or are invisible, quotes that no grammar knows, or words with a wrong
//! letter.
//!
//!  - `sign` has the one table of such characters.
//!  - `quotes` finds quotes around values and words.
//!  - `near` measures how near two words are.
//!  - `shape` makes the lenient form of a text, with one function for each shape of text.
//!  - `line` makes the lenient form of a robots.txt's lines.
//!
//! These modules know texts alone. Their callers know the meaning of a word or a line. Callers also
//! ensure that a repaired text can only deny more than the original, never allow more
//! (docs/semantics.md, sections 3.1 and 6).

pub mod line;
pub mod near;
pub mod quotes;
pub mod shape;
mod sign;

pub use shape::{Shape, Unseen, Vocabulary};
