//! The mask of a corpus: for each record of an input one answer, in the input's order. It tells
//! what the record may be used for, which directive decided, and of which bytes that was read.
//!
//! The answers are those of [`Filter`](heedful::Filter) for the page as a whole. A mask is
//! line-parallel: it has one answer for each record of an archive, line, row or file, however
//! damaged. A record that cannot be read is `unknown`, and one that is no page is `none`. To both
//! everything is denied: what is not known is not allowed. This room holds no text of a page.

mod answer;
mod asking;
mod beside;
mod compact;
mod diff;
mod file;
mod form;
mod lines;
mod list;
#[cfg_attr(not(feature = "parquet"), path = "no_table.rs")]
mod table;
mod tsv;

pub use answer::{AnswerKind, MaskAnswer};
pub use asking::MaskQuestions;
pub use beside::CaptureAnswers;
pub use compact::CompactReader;
pub use diff::MaskDifference;
pub use file::MaskFile;
pub use form::MaskFormat;
pub use heedful_index::decision::{AllowedUses, BotAnswer, Why, Whys};
pub use lines::{lines, open};
pub use list::MaskUrlList;
