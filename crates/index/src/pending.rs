//! Limits how much text is in tantivy's queue of documents.
//!
//! tantivy's queue holds up to ten thousand batches of documents, and pages may be large. So the
//! bytes of a packed text are counted when tantivy receives its document. They are subtracted when
//! an indexing thread tokenizes the text, which is that thread's first step.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Maximum bytes of packed text (the words of a field as one string) in tantivy's queue of
/// documents.
pub(super) const MOST: usize = 16 << 20;
/// Estimated bytes of memory of a queued document, without its packed text.
const BESIDES: usize = 512;
/// Maximum time that [`Pending::add`] waits for room in the queue. A longer wait means that the
/// indexing thread has ended, or that the disk is very slow. The counter is then reset to 0.
/// Otherwise every later call would wait too.
const PATIENCE: Duration = Duration::from_secs(20);

/// Counter of the bytes of packed text (the words of a field as one string) in tantivy's queue of
/// documents.
#[derive(Debug, Default)]
pub(super) struct Pending {
    bytes: Mutex<usize>,
    fewer: Condvar,
}

impl Pending {
    /// Waits until tantivy's queue has room for `bytes` of packed text, and then adds them to the
    /// counter. `bytes` is a sum of results of [`weight`]. The wait ends after [`PATIENCE`] at the
    /// latest.
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

    /// Subtracts the bytes of a packed text that an indexing thread has begun to tokenize.
    pub(super) fn remove(&self, packed: &str) {
        let mut waiting = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(weight(packed));
        drop(waiting);
        self.fewer.notify_one();
    }
}

/// Returns the estimated bytes that a packed text takes in tantivy's queue, including the rest of
/// its document.
pub(super) fn weight(packed: &str) -> usize {
    packed.len() + BESIDES
}
