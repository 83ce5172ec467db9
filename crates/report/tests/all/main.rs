//! All tests of the HTML reports and search pages. They are one test program, so that it is linked
//! once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod search_page;
