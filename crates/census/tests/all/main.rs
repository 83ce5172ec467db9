//! All tests of the census crate, as one test program, so that it is linked only once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../../tests/support/pieces.rs"]
mod pieces;
#[path = "../../../../tests/support/mod.rs"]
mod support;

mod census;
