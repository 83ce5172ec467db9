//! All tests of whole runs, and all tests that need a run. They are one test program, so that it is
//! linked once: `cargo test -p heedful-run --test all mask::` runs those of one file.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../../../../tests/life/common.rs"]
#[allow(
    dead_code,
    reason = "a part of what the tests of an index's life share"
)]
mod common;
#[path = "../../../../tests/support/damaged.rs"]
mod damaged;
#[path = "../../../../tests/faces/mod.rs"]
mod faces;
#[path = "../../../../tests/life/site.rs"]
#[allow(
    dead_code,
    reason = "a part of what the tests of an index's life share"
)]
mod site;
#[path = "../../../../tests/support/mod.rs"]
mod support;

mod ahead;
mod answers;
mod damage;
mod evidence;
mod evidence_forgeries;
mod examples;
mod explain;
mod fuzz;
mod hostile;
mod life;
mod live;
mod mask;
mod unread;
mod warc;
