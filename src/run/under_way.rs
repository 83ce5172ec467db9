//! The bytes of pages that a run has in memory at once, shared by the reader and all who filter.
//!
//! A page enters when there is room for it, or when nothing else is under way: one that is larger than all the room goes
//! alone. Pages enter in the order in which they are taken, so that the first of them is never waited for in vain.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How much room there is.
#[derive(Debug)]
pub(super) struct UnderWay(Arc<Room>);

#[derive(Debug)]
struct Room {
    most: u64,
    /// Bytes that are under way; none where nobody takes them any more.
    taken: Mutex<Option<u64>>,
    left: Condvar,
}

/// The room of one page, until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    room: Arc<Room>,
    bytes: u64,
}

impl UnderWay {
    pub(super) fn new(most: u64) -> Self {
        Self(Arc::new(Room { most, taken: Mutex::new(Some(0)), left: Condvar::new() }))
    }

    /// Waits for room.
    pub(super) fn enter(&self, bytes: u64) -> Share {
        let room = &self.0;
        let taken = room.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full =
            |taken: &mut Option<u64>| taken.is_some_and(|n| n > 0 && bytes > 0 && n.saturating_add(bytes) > room.most);
        let mut taken = room.left.wait_while(taken, is_full).unwrap_or_else(PoisonError::into_inner);
        *taken = taken.map(|taken| taken.saturating_add(bytes));
        Share { room: Arc::clone(room), bytes }
    }

    /// Nobody takes pages any more, so nobody waits.
    pub(super) fn close(&self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.left.notify_all();
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.room.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.map(|taken| taken.saturating_sub(self.bytes));
        self.room.left.notify_all();
    }
}
