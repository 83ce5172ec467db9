//! The ground that heedful's crates share.
//!
//! Bots and the limits of a run are here, the one error type, the form of URLs, and what people
//! mistype. Types of responses, dates and the writer of WARC records are here too, since several
//! crates need them. Nothing here knows a page, a robots.txt or an index. It is public for
//! heedful's own crates, which hand on what their users need: a program of your own begins with
//! `heedful` or `heedful-robots`.

pub mod address;
pub mod bot;
pub mod built;
pub mod content_type;
pub mod date;
pub mod error;
pub mod lenient;
pub mod limits;
pub mod memory;
mod named;
#[cfg(feature = "scratch")]
pub mod scratch;
pub mod unreadable;
#[cfg(feature = "warc")]
pub mod warc;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
