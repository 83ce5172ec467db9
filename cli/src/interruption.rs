//! Handles Ctrl-C and SIGTERM. The first signal asks the program to end, a later signal ends it at
//! once.
//!
//! A signal within a second of the first counts as the same signal. Tools that stop a program, such
//! as `timeout` and service managers, often signal it and then its process group.

use std::io;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use heedful::{ErrorKind, Result};

/// Time after the first signal (Ctrl-C or SIGTERM) during which further signals are ignored.
const SAME: Duration = Duration::from_secs(1);

/// Calls `end` at the first signal (Ctrl-C or SIGTERM). A later signal exits the process with
/// status 130.
///
/// # Errors
/// Fails if the operating system refuses the signal handler.
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
            subject: "signals".to_owned(),
            source: io::Error::other(error),
        }
        .into()
    })
}
