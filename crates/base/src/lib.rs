//! Foundations shared by heedful's crates.
//!
//! The modules define bots, limits of a run, the error type, the normal form of URLs, and lenient
//! forms of mistyped text. They also parse `Content-Type` headers, format dates and write WARC
//! records, since several crates need that. No module knows a page, a robots.txt or an index.
//!
//! The crate is public for heedful's own crates, which re-export the types that their users need. A
//! program of your own depends on `heedful` or `heedful-robots`.

pub mod address;
pub mod bot;
pub mod content_type;
pub mod date;
pub mod error;
pub mod lenient;
pub mod limits;
pub mod memory;
mod named;
#[cfg(feature = "scratch")]
pub mod new_file;
#[cfg(feature = "scratch")]
pub mod scratch;
pub mod unreadable;
#[cfg(feature = "warc")]
pub mod warc;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
