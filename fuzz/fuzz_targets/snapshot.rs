//! `cargo +nightly fuzz run snapshot`: see `faces/snapshot.rs`.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("snapshot", data));
