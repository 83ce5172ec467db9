//! Compares the streaming filter with the other readers of pages: a finished tree and browsers.
//! All these tests are one program, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

#[path = "../../../../tests/support/browsers.rs"]
mod browsers;
#[path = "../../../../tests/support/formed.rs"]
mod formed;
#[path = "../../../../tests/support/soup.rs"]
mod soup;
#[path = "../../../../tests/support/mod.rs"]
mod support;

mod blocks;
mod lines;
mod oracle;
mod readers;
