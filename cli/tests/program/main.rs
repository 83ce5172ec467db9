//! All tests that run the program as a user does. They are built as one test program, which is
//! faster to link than many.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "a test that skips says so")]

#[path = "../../../tests/support/browsers.rs"]
mod browsers;
mod command;
#[path = "../../../tests/life/common.rs"]
#[allow(
    dead_code,
    reason = "a part of what the tests of an index's life share"
)]
mod common;
mod copies;
mod devtools;
mod dressed;
#[path = "../../../tests/life/site.rs"]
#[allow(
    dead_code,
    reason = "a part of what the tests of an index's life share"
)]
mod site;
#[path = "../../../tests/support/soup.rs"]
#[allow(dead_code, reason = "a part of what the tests of soup share")]
mod soup;
mod stage;
#[path = "../../../tests/support/mod.rs"]
mod support;
mod withheld;

mod browser;
mod census;
mod check;
mod config;
mod corpora;
#[cfg(unix)]
mod crawlers;
mod edges;
#[cfg(unix)]
mod evidence;
#[cfg(unix)]
#[cfg(unix)]
mod evidence_forgets;
#[cfg(unix)]
mod evidence_slips;
mod explained;
mod export;
#[cfg(target_os = "linux")]
mod faults;
mod filter;
mod formats;
mod gate;
mod guide;
#[cfg(unix)]
mod guides;
mod help;
mod inputs;
mod isolation;
#[cfg(unix)]
mod kill;
mod life;
mod lint;
#[cfg(unix)]
mod mask;
mod odd;
mod older;
#[cfg(unix)]
mod outputs;
mod pages;
#[cfg(unix)]
mod pipe;
mod queries;
mod reservations;
#[cfg(unix)]
mod resume;
mod search_page;
mod serve;
mod serve_bounds;
mod serve_guide;
mod serve_lines;
mod serve_openapi;
#[allow(dead_code, reason = "some systems have no signals")]
mod served;
mod sites;
#[cfg(unix)]
mod slips;
mod terminal;
mod told;
mod verbs;
mod whole;
mod zstd_tables;
