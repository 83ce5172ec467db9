//! The memory that bodies of requests take, all together.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes of a body that do not count: what a client that has sent little can hold.
const FREE: usize = 64 << 10;

/// The memory that all bodies may take together.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: Arc<Semaphore>,
}

/// The part of it that one body has.
#[derive(Debug, Default)]
pub(super) struct Held {
    permit: Option<OwnedSemaphorePermit>,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Self { bytes: Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))) }
    }

    /// Takes room for more bytes of a body. Returns false if there is none.
    pub(super) fn take(&self, held: &mut Held, bytes: usize) -> bool {
        let before = held.bytes.saturating_sub(FREE);
        held.bytes += bytes;
        let more = u32::try_from(held.bytes.saturating_sub(FREE) - before).unwrap_or(u32::MAX);
        let Ok(permit) = Arc::clone(&self.bytes).try_acquire_many_owned(more) else { return false };
        match &mut held.permit {
            Some(all) => all.merge(permit),
            none => *none = Some(permit),
        }
        true
    }
}
