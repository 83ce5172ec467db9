//! All tests of the filter except those of the corpus, which have a harness of their own. They are
//! one test program, so that it is linked once. `cargo test -p heedful --test all laws::` runs the
//! tests of one file.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../support/alike.rs"]
mod alike;
#[path = "../corpus/answer.rs"]
#[allow(dead_code, reason = "two programs share this file")]
mod answer;
#[path = "../support/blocks.rs"]
mod blocks;
#[path = "../corpus/case.rs"]
#[allow(dead_code, reason = "two programs share this file")]
mod case;
#[path = "../support/pieces.rs"]
mod pieces;
#[path = "../support/soup.rs"]
#[allow(dead_code, reason = "several programs share this file")]
mod soup;
#[path = "../support/mod.rs"]
mod support;

mod api;
mod bots;
mod contracts;
mod conventions;
mod crates;
mod cuts;
mod explain_laws;
mod floors;
mod laws;
mod lenient;
mod limits;
mod own_sink;
mod pictures;
mod policies;
mod robots;
mod robots_forms;
mod rulings;
mod send;
mod sites;
mod snapshot;
mod style;
mod visible;
mod withheld;
