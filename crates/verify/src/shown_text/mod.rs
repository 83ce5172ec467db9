//! Compares the lines of a page's text, and the landmarks that they are in, with those that a
//! browser shows.
//!
//! The browser's lines are `innerText`, by its own style sheet alone: no style and no script of the
//! page counts. Ours are [`heedful::Page::text`], read without any convention. White space is
//! collapsed and empty lines are dropped. The agreement is `2 * common / (ours + browser)`, where
//! `common` is the length of the longest common subsequence of lines. What differs by the law
//! (`reasons`, and `shown_places`) is counted apart: a second agreement is that of the lines without it.
//!
//! The browser gives a landmark by its accessibility tree, for each text node that it shows.

mod agreement;
mod alignment;
mod check;
mod common;
mod letters;
mod page_texts;
mod reasons;
mod totals;

pub use agreement::{Agreement, Subject, TextDifference};
pub use check::TextCheck;
pub use totals::{KindCount, TextTotals};
