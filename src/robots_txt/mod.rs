//! robots.txt: may this bot fetch that URL, and which line says so.
//!
//! By RFC 9309: groups naming one bot are merged, the longest pattern wins, Allow wins a tie, `*` and `$` are special,
//! percent-encoding is compared in a normal form, /robots.txt itself is allowed. Bytes, not UTF-8; one parse serves all
//! bots. Where the file is sloppy the reading is the stricter one: misspelt keys and missing colons count, a pattern
//! without a leading slash is taken as if it had one when it denies and means nothing when it allows.
//! Other readings, of other times and programs, are a setting. What this module never does: fetch, or fail.

mod agents;
mod alike;
#[cfg(feature = "json")]
mod answered;
mod asking;
mod cut;
mod file;
mod google;
mod key;
mod line;
mod matching;
mod mode;
mod note;
mod pace;
mod parse;
mod parsed;
mod path;
mod purpose;
mod readings;
mod records;
mod repair;
mod ruling;
mod site_file;
mod sorted;
mod source;
#[cfg(feature = "run")]
mod stored;
#[cfg(feature = "json")]
mod tdmrep;
mod usage;
mod walk;

pub(crate) use matching::Pattern;
pub use mode::Mode;
pub use note::{RobotsNote, RobotsNoteKind};
pub use parsed::RobotsTxt;
pub use records::{Rate, Window};
pub use ruling::{Reason, Ruling};
pub(crate) use site_file::Means;
#[cfg(any(feature = "fetch", feature = "run"))]
pub(crate) use site_file::READ;
pub use site_file::SiteFile;
pub use source::{Source, SourceKind};
pub use usage::Usage;
