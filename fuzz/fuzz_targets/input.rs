//! Fuzz target `input`: `cargo +nightly fuzz run input`. See `faces/input.rs` for what it checks.

#![no_main]

#[path = "../../tests/faces/mod.rs"]
mod faces;

// The hook of libFuzzer ends the process at each panic, but a panic that the library catches is no
// failure. So the hook is replaced; uncaught panics still end the process.
libfuzzer_sys::fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |data: &[u8]| faces::run("input", data));
