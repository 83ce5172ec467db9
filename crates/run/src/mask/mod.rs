//! Masks of a corpus. A mask has one answer for each record of an input, in the order of the input.
//!
//! An answer has the allowed uses of one record, the directives that deny the other uses, and the
//! digest of the judged bytes. It contains the decisions of [`Filter`](heedful::Filter) about the
//! page as a whole.
//!
//! A mask has one answer for each record of an archive and for each line, row or file of other
//! inputs, even for damaged ones. The answer for a record that cannot be read is `unknown`, and
//! that for a record that is not a page is `none`. Both deny all uses, since a use that is not
//! known to be allowed counts as denied. A mask never contains text of a page.

mod answer;
mod beside;
mod compact;
mod diff;
mod file;
mod form;
mod judging;
mod lines;
mod list;
mod list_line;
mod table;
mod tsv;

pub use answer::{AnswerKind, MaskAnswer};
pub use beside::CaptureAnswers;
pub use compact::CompactReader;
pub use diff::MaskDifference;
pub use file::MaskFile;
pub use form::MaskFormat;
pub use heedful_index::decision::{AllowedUses, BotAnswer, Why, Whys};
pub use judging::MaskQuestions;
pub use lines::{lines, open};
pub use list::{MaskUrlList, each_row_with_url};
