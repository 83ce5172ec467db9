//! `cargo +nightly fuzz run sitemap`: see `faces/mod.rs`.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("sitemap", data));
