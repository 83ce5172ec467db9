//! `cargo +nightly fuzz run index`: see `faces/index.rs`.

#![no_main]

#[path = "../faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("index", data));
