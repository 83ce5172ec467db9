//! How much text waits for tantivy's threads.
//!
//! tantivy counts in its queue what is handed over at once, ten thousand times, and pages may be large. So packed text is
//! counted here as a document is handed over, and taken off as it is tokenized, which is the first thing done with it.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// So many bytes of text may wait.
pub(super) const MOST: usize = 16 << 20;
/// What is in a document besides a packed text.
const BESIDES: usize = 512;
/// A thread that has tokenized nothing for so long is gone, or the disk is very slow: then nobody waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes that wait.
#[derive(Debug, Default)]
pub(super) struct Pending {
    bytes: Mutex<usize>,
    fewer: Condvar,
}

impl Pending {
    /// Hands over packed texts, when there is room for them.
    pub(super) fn add<'a>(&self, packed: impl Iterator<Item = &'a str>) {
        let bytes: usize = packed.map(weight).sum();
        let waiting = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |waiting: &mut usize| *waiting > 0 && *waiting + bytes > MOST;
        let waited = self.fewer.wait_timeout_while(waiting, PATIENCE, is_full);
        let (mut waiting, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            *waiting = 0;
        }
        *waiting += bytes;
    }

    /// A packed text is tokenized.
    pub(super) fn remove(&self, packed: &str) {
        let mut waiting = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(weight(packed));
        drop(waiting);
        self.fewer.notify_one();
    }
}

fn weight(packed: &str) -> usize {
    packed.len() + BESIDES
}
