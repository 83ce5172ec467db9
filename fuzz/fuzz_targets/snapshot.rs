//! Fuzz target `snapshot`: `cargo +nightly fuzz run snapshot`. See `faces/snapshot.rs` for what it
//! checks.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("snapshot", data));
