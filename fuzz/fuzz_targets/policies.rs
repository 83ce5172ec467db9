//! `cargo +nightly fuzz run policies`: see `faces/policies.rs`.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("policies", data));
