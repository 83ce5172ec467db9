//! Fuzz target `settings`: `cargo +nightly fuzz run settings`. See `faces/settings.rs` for what it
//! checks.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("settings", data));
