//! All tests of an index that do not need `heedful-run`. They are one test program, so that it is
//! linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../../tests/life/common.rs"]
#[allow(
    dead_code,
    reason = "a part of what the tests of an index's life share"
)]
mod common;
#[path = "../../../../tests/life/crawled.rs"]
mod crawled;
#[path = "../../../../tests/support/web/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "a part of what tests and benchmarks share"
)]
mod web;

mod best;
mod blocks;
mod excerpts;
mod filters;
mod forms;
mod index;
mod life;
mod totals;
