//! All tests of the pages for people. They are one test program, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod search_page;
