//! Fuzz target `header`: `cargo +nightly fuzz run header`. See `faces/header.rs` for what it
//! checks.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("header", data));
