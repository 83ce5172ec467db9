//! Bounds the text that waits for tantivy's threads.
//!
//! tantivy's queue holds ten thousand batches of documents, and pages may be large. So packed text
//! is counted here when a document is added. It is taken off when it is tokenized, which is the
//! first step.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The maximum bytes of text that may wait.
pub(super) const MOST: usize = 16 << 20;
/// The bytes of a document besides a packed text.
const BESIDES: usize = 512;
/// After this time without progress nobody waits: the thread is gone, or the disk is very slow.
const PATIENCE: Duration = Duration::from_secs(20);

/// The bytes that wait.
#[derive(Debug, Default)]
pub(super) struct Pending {
    bytes: Mutex<usize>,
    fewer: Condvar,
}

impl Pending {
    /// Adds packed texts as soon as there is room for them.
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

    /// Takes off a packed text, because it is tokenized.
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
