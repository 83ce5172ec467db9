//! `cargo +nightly fuzz run input`: see `faces/input.rs`.

#![no_main]

#[path = "../faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("input", data));
