//! `cargo +nightly fuzz run index`: see `faces/index.rs`.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

// The engine's own hook ends the process at each panic, but a panic that the library catches is no
// failure. Uncaught panics still end it.
libfuzzer_sys::fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |data: &[u8]| faces::run("index", data));
