//! Why pages are read as they are, for people: words, and HTML that stands alone.
//!
//! The HTML loads nothing and has no script; a policy in it forbids both. What it shows of a page is escaped, and a copy is
//! drawn in a sandbox. It shows what is withheld, for it is made for those who withhold it: never give it to readers of an
//! index.

mod links;
mod matrix;
mod others;
mod overview;
mod page;
mod render;
mod source;
mod tamed;
pub mod wording;

pub use matrix::{Answer, Column, Matrix};
pub use overview::{Overview, PageId};
pub use page::page;
