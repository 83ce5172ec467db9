//! `cargo +nightly fuzz run query`: see `faces/query.rs`.

#![no_main]

#[path = "../faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("query", data));
