//! `cargo +nightly fuzz run settings`: see `faces/settings.rs`.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("settings", data));
