//! The memory budget that all bodies share. The body of a request uses it until the request has
//! been worked on, the body of an answer until its client has received it.

use std::sync::Arc;

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of bytes of each body that do not use the budget. So clients that send little cannot use
/// it up.
pub(super) const FREE: usize = 64 << 10;

/// The number of bytes that the bodies of all requests and answers may occupy at the same time,
/// less those in use.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: Arc<Semaphore>,
}

/// The share of the budget that one body has reserved. Dropping it releases the memory.
#[derive(Debug, Default)]
pub(super) struct Held {
    permit: Option<OwnedSemaphorePermit>,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            bytes: Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Adds `bytes` more bytes of a body to its share `held`. Returns false if the budget is used
    /// up.
    pub(super) fn take(&self, held: &mut Held, bytes: usize) -> bool {
        let before = held.bytes.saturating_sub(FREE);
        held.bytes += bytes;
        let more = u32::try_from(held.bytes.saturating_sub(FREE) - before).unwrap_or(u32::MAX);
        let Ok(permit) = Arc::clone(&self.bytes).try_acquire_many_owned(more) else {
            return false;
        };
        match &mut held.permit {
            Some(all) => all.merge(permit),
            none => *none = Some(permit),
        }
        true
    }

    /// Reserves memory for `bytes`, and returns them. The memory is released when the returned
    /// bytes are dropped. Returns None if the budget is used up.
    pub(super) fn hold(&self, bytes: impl AsRef<[u8]> + Send + 'static) -> Option<Bytes> {
        let mut held = Held::default();
        self.take(&mut held, bytes.as_ref().len())
            .then(|| Bytes::from_owner(BudgetShare { bytes, _held: held }))
    }
}

struct BudgetShare<B> {
    bytes: B,
    _held: Held,
}

impl<B: AsRef<[u8]>> AsRef<[u8]> for BudgetShare<B> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}
