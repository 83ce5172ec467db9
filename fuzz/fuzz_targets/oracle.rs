//! Fuzz target `oracle`: `cargo +nightly fuzz run oracle`. See `faces/oracle.rs` for what it
//! checks.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("oracle", data));
