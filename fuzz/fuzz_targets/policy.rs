//! Fuzz target `policy`: `cargo +nightly fuzz run policy`. See `faces/policy.rs` for what it
//! checks.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("policy", data));
