//! Finds browsers on this machine.

use std::path::PathBuf;

use heedful_verify::Engine;

/// Returns the path of an engine's browser. If there is none, prints that the test is skipped, and
/// returns None. If there is none and `HEEDFUL_BROWSER=1` is set, panics.
pub(crate) fn program(engine: Engine) -> Option<PathBuf> {
    let found = engine.find();
    if found.is_none() {
        let package = match engine {
            Engine::Firefox => "firefox-esr",
            Engine::WebKit => "webkit2gtk-driver",
            _ => "chromium",
        };
        let missing = format!("no {engine} (apt-get install {package})");
        assert!(
            std::env::var("HEEDFUL_BROWSER").as_deref() != Ok("1"),
            "{missing}"
        );
        eprintln!("SKIPPED: {missing}");
    }
    found
}
