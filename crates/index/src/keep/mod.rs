//! How pages go in and out of an index, and how it lasts.
//!
//! Pages become documents (`document`) and are written (`writer`), against what was said of their
//! URLs before (`before`). Statements on a URL that come without its page are stored, or held
//! against the page (`confirm`). Names are folded (`fold`, `sorting`), and several indexes become
//! one (`merge`, `replay`). Segments stay bounded (`segments`), and everything is checked
//! (`check`). Decisions go to the journal (`noted`). What sites' files say is kept for older
//! captures (`rules`).

mod before;
mod check;
mod confirm;
mod document;
mod fold;
mod merge;
mod noted;
mod replay;
mod rules;
mod segments;
mod sorting;
mod writer;

pub use fold::CompactReport;
pub use merge::MergeReport;
pub use writer::{Added, Writer};
