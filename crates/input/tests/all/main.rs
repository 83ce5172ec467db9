//! All tests of the inputs that need no run. They are one test program, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod fetch;
mod walls;
