//! Compares the lines of a page's text, and the landmarks that contain them, with the lines and
//! landmarks that a browser shows.
//!
//! The browser's lines are `innerText`. Only the browser's own style sheet applies; styles and
//! scripts of the page do not. Our lines are [`heedful::Page::text`], read without any convention.
//! White space is collapsed and empty lines are dropped. The agreement is twice `common` divided by
//! the number of our lines plus the number of the browser's lines. `common` is the length of the
//! longest common subsequence of lines. The specification (docs/semantics.md), which the code calls
//! the law, demands some differences. The modules `reasons` and `shown_places` list them. A second
//! agreement ignores these differences.
//!
//! For each text node that the browser shows, the browser's accessibility tree gives the landmark.

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
