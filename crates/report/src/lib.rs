//! Shows explanations of pages to people, in words and as self-contained HTML.
//!
//! The HTML loads nothing and has no script; its content security policy forbids both. All content
//! of a page is escaped, and a copy of the page is displayed in a sandbox. Explanations are for
//! publishers and operators. They show the source of a page with all withheld parts, so never show
//! them to people who search an index. The pages of [`search`] are for these people.

mod census;
mod explanation_words;
mod links;
mod matrix;
mod others;
mod overview;
mod page;
mod page_settings;
mod render;
mod sandbox;
pub mod search;
mod source;
pub mod wording;

pub use census::{CensusReport, in_percent};
pub use explanation_words::{
    BotWording, DifferenceWording, DirectiveWording, NoteWording, OutcomeWording,
    PermissionWording, RulingWording, UseWording, Wording,
};
pub use matrix::{Matrix, MatrixColumn, Permission};
pub use overview::{Overview, PageId};
pub use page_settings::Report;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
