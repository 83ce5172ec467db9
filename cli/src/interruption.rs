//! Ctrl-C and SIGTERM: the first asks the program to end, a later one ends it at once.
//!
//! Who stops a program often signals it and then its group, as `timeout` and service managers do.
//! So a signal that comes at once after the first is the same one.

use std::io;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use heedful::{ErrorKind, Result};

/// The time in which another signal is the same one.
const SAME: Duration = Duration::from_secs(1);

/// Calls `end` at the first signal.
pub(crate) fn on_first(end: impl Fn() + Send + 'static) -> Result<()> {
    let first = OnceLock::new();
    let handler = move || match first.get() {
        None => {
            let _ = first.set(Instant::now());
            end();
        }
        Some(first) if first.elapsed() < SAME => {}
        Some(_) => std::process::exit(130),
    };
    let set = ctrlc::set_handler(handler);
    set.map_err(|error| {
        ErrorKind::Io {
            what: "signals".to_owned(),
            source: io::Error::other(error),
        }
        .into()
    })
}
