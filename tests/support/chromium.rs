//! The browser of this machine.

use std::path::PathBuf;

use heedful_verify::Browser;

/// The path of the browser. Without one the test says so and passes; with `HEEDFUL_BROWSER=1` there
/// must be one.
pub(crate) fn program() -> Option<PathBuf> {
    let found = Browser::find();
    if found.is_none() {
        assert!(
            std::env::var("HEEDFUL_BROWSER").as_deref() != Ok("1"),
            "no Chromium (apt-get install chromium)"
        );
        eprintln!("SKIPPED: no Chromium (apt-get install chromium)");
    }
    found
}
