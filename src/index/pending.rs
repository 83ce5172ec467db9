//! How much text waits for tantivy's threads.
//!
//! tantivy counts documents in its queue, ten thousand of them, and pages may be large. So the bytes of packed text are counted
//! here as a document is handed over, and taken off as its text is tokenized, which is the first thing done with it.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// So many bytes of text may wait.
const MOST: usize = 16 << 20;
/// A thread that has tokenized nothing for so long is gone, or the disk is very slow: then nobody waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes that wait.
#[derive(Debug, Default)]
pub(super) struct Pending {
    bytes: Mutex<usize>,
    fewer: Condvar,
}

impl Pending {
    /// Hands over so many bytes, when there is room for them.
    pub(super) fn add(&self, bytes: usize) {
        let waiting = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |waiting: &mut usize| *waiting > 0 && *waiting + bytes > MOST;
        let waited = self.fewer.wait_timeout_while(waiting, PATIENCE, is_full);
        let (mut waiting, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            *waiting = 0;
        }
        *waiting += bytes;
    }

    /// So many were tokenized.
    pub(super) fn remove(&self, bytes: usize) {
        let mut waiting = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(bytes);
        drop(waiting);
        self.fewer.notify_one();
    }
}
