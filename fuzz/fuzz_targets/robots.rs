//! Fuzz target `robots`: `cargo +nightly fuzz run robots`. See `faces/robots.rs` for what it
//! checks.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("robots", data));
