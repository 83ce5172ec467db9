//! The memory budget that the bodies of all requests and responses share. A request's body uses the
//! budget until the service has worked on the request. A response's body uses it until the client
//! has received the body.

use std::sync::Arc;

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of bytes at the beginning of each body that do not count towards the memory budget. So
/// clients that send little data cannot use up the budget.
pub(super) const FREE: usize = 64 << 10;

/// The memory budget of the service: the number of bytes that the bodies of all requests and
/// responses may still use.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: Arc<Semaphore>,
}

/// The share of the memory budget that one body has reserved. It is released when this value is
/// dropped.
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

    /// Adds `bytes` further bytes of a body to `held`, its share of the memory budget. Returns
    /// false if the budget is used up.
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

    /// Reserves memory in the budget for the data `bytes`, and returns the data. The memory is
    /// released when the returned value is dropped. Returns `None` if the budget is used up.
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
