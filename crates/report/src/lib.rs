//! Explanations for people: wording, and self-contained HTML.
//!
//! The HTML loads nothing and has no script; a policy in it forbids both. Everything that it shows
//! of a page is escaped, and a copy is drawn in a sandbox. Explanations are made for those who
//! withhold content, and show what is withheld: never give them to readers of an index. The pages
//! of [`search`] are for those readers.

mod census;
mod in_words;
mod links;
mod matrix;
mod of_page;
mod others;
mod overview;
mod page;
mod render;
pub mod search;
mod source;
mod tamed;
pub mod wording;

pub use census::{CensusReport, in_percent};
pub use in_words::{
    BotWording, DifferenceWording, DirectiveWording, NoteWording, OutcomeWording,
    PermissionWording, RulingWording, UseWording, Wording,
};
pub use matrix::{Matrix, MatrixColumn, Permission};
pub use of_page::Report;
pub use overview::{Overview, PageId};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
