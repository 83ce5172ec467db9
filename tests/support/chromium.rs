//! Finds a Chromium browser on this machine.

use std::path::PathBuf;

use heedful_verify::Browser;

/// Returns the path of a Chromium browser. If there is none, prints that the test is skipped, and
/// returns None. If there is none and `HEEDFUL_BROWSER=1` is set, panics.
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
