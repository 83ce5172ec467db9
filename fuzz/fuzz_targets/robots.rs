//! `cargo +nightly fuzz run robots`: see `faces/robots.rs`.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("robots", data));
