//! Parses robots.txt, and decides which bot may fetch which URL and by which line.
//!
//! The specification is RFC 9309. Groups that name one bot are merged, the longest pattern wins,
//! Allow wins a tie, and `*` and `$` are special. Percent-encoding is compared in a normal form,
//! and /robots.txt itself is allowed. The file is read as bytes, not as UTF-8, and one parse serves
//! all bots.
//!
//! A sloppy robots.txt is parsed twice, without and with repairs, and the stricter result decides.
//! Misspelt keys and missing colons are repaired. A pattern without a leading slash gets one if it
//! denies, and has no effect if it allows. [`Mode`] selects the rules of other programs and times.
//!
//! The crate never fetches anything, and no file makes it fail.

mod agents;
mod file;
mod google;
mod key;
mod line;
mod lines;
mod match_key;
mod matching;
mod mode;
mod note;
mod pace;
mod page_url;
mod parse;
mod parsed;
mod path;
mod purpose;
mod query;
mod readings;
mod records;
mod repair;
mod response;
mod ruling;
mod selection;
mod site_file;
mod sorted;
mod source;
mod state;
mod stored;
mod tdmrep;
mod usage;

pub use heedful_base::bot::Bot;
pub use heedful_base::error::{Error, ErrorKind, Result};

#[doc(hidden)]
pub use match_key::{MatchKey, PageMatcher};
#[doc(hidden)]
pub use matching::MatchSubject;
#[doc(hidden)]
pub use matching::Pattern;
pub use mode::Mode;
pub use note::{RobotsNote, RobotsNoteKind};
#[doc(hidden)]
pub use page_url::PageUrl;
pub use parsed::RobotsTxt;
pub use records::{Rate, Window};
pub use ruling::{Reason, Ruling};
pub use site_file::SiteFile;
#[doc(hidden)]
pub use site_file::{READ, StatusMeaning};
#[doc(hidden)]
pub use source::ResponseDigest;
pub use source::{Source, SourceKind};
pub use state::RobotsState;
pub use usage::Usage;
#[doc(hidden)]
pub use usage::decide_the_same;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
