//! All integration tests of this crate, in one test binary, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod fetch;
mod walls;
