//! Other forms of a word under which it is found, beside the exact word: folded and stemmed.
//!
//! A form of a word depends only on the word, the declared language of its page, and the setting
//! [`Forms`]. So documents, queries and excerpts cannot disagree about it. A form equal to its word
//! is not stored. Whoever looks for a form looks for the equal exact word too ([`Sought`]). A stem
//! belongs to its language: its term begins with the language's code and a blank, which no word
//! contains.

mod fold;
mod language;
mod maker;
mod setting;
mod sought;

pub(crate) use language::{Language, Languages, primary_subtag};
pub(crate) use maker::{FORMS_VERSION, FormMaker, WordForms};
pub use setting::Forms;
pub(crate) use sought::{Sought, sought};
