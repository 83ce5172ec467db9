//! Starts Chromium. Its command line has the URL that it opens.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use super::running::{Process, Running};

pub(super) fn open(program: &Path, folder: &Path, url: &str) -> io::Result<Box<dyn Running>> {
    let profile = folder.join("profile");
    let child = Command::new(program)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            // Lets scripts read the accessibility roles of elements.
            "--enable-blink-features=ComputedAccessibilityInfo",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(url)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(Box::new(Process(child)))
}
