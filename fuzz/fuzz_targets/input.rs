//! `cargo +nightly fuzz run input`: see `faces/input.rs`.

#![no_main]

#[path = "../faces/mod.rs"]
mod faces;

// The engine's own hook ends the process at each panic; one that the library catches is no find. What it does not catch still ends it.
libfuzzer_sys::fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |data: &[u8]| faces::run("input", data));
