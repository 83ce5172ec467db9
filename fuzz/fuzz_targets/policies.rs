//! Fuzz target `policies`: `cargo +nightly fuzz run policies`. See `faces/policies.rs` for what it
//! checks.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("policies", data));
