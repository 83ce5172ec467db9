//! Fuzz target `sitemap`: `cargo +nightly fuzz run sitemap`. See `faces/mod.rs` for what it checks.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| faces::run("sitemap", data));
