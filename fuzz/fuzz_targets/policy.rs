//! `cargo +nightly fuzz run policy`: see `faces/policy.rs`.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("policy", data));
