//! The processes of a browser: how their programs are found, how to wait for them, and how they are
//! ended.

use std::io;
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

/// Maximum time for starting a browser. It is also the maximum time for reading a page in the
/// browser.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// The processes of a browser, and the connection that told the browser which page to open. The
/// processes end when this value is dropped.
pub(super) trait Running: Send {
    fn has_ended(&mut self) -> io::Result<bool>;
}

/// A child process. It is killed when this value is dropped.
pub(super) struct Process(pub(super) Child);

impl Running for Process {
    fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.0.try_wait()?.is_some())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Calls `ready` until it returns a value, and returns that value.
///
/// # Errors
/// Fails if `process` ends first, or if [`PATIENCE`] passes without a value.
pub(super) fn wait_for<T>(
    process: &mut dyn Running,
    mut ready: impl FnMut() -> Option<T>,
) -> io::Result<T> {
    let started = Instant::now();
    loop {
        let has_ended = process.has_ended()?;
        if let Some(value) = ready() {
            return Ok(value);
        }
        if has_ended {
            return Err(io::Error::other("it has ended without opening a page"));
        }
        if started.elapsed() > PATIENCE {
            return Err(io::ErrorKind::TimedOut.into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the path of the first file with this name in the folders of the `PATH`, or `None`.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
