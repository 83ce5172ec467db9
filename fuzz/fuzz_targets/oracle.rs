//! `cargo +nightly fuzz run oracle`: see `faces/oracle.rs`.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("oracle", data));
