//! Memory budget of a run for pages and results. The thread that reads the inputs and the filter
//! threads share it.
//!
//! The reading thread blocks until there is room for the next page, or until no other page is in
//! memory. So a page that exceeds the whole budget is filtered alone. Pages are admitted in input
//! order, so the earliest page is never blocked for long.
//!
//! The result of a page may take a hundred times the bytes of the page, since each link is a
//! struct. So the size of each result is reserved in the budget for results until the caller has
//! received the result. While the results exceed their budget, a thread begins only the page whose
//! result the caller receives next.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use heedful_base::limits::Limits;
use heedful_input::Input;

/// Maximum number of filter threads of a run. More threads do not make it faster.
pub(super) const MOST_JOBS: usize = 256;
/// Budget for the results of pages, as a multiple of the budget for pages.
const RESULTS: u64 = 2;
/// Assumed size of a page's result, as a multiple of the size of the page. It is used only for a
/// page that is larger than [`SMALL`]. For a smaller page, a result of 0 bytes is assumed.
const BECOMES: u64 = 32;
const SMALL: u64 = 1 << 20;

/// Returns the limit on the total size of the pages in memory, in bytes. If the inputs have
/// different limits, the lowest one is returned.
pub(super) fn bytes_under_way(inputs: &[Input]) -> u64 {
    let limits = inputs.iter().map(Input::limits);
    let lowest = limits.map(|limits| limits.bytes_under_way).min();
    lowest.unwrap_or(Limits::default().bytes_under_way)
}

/// Handle to the memory budget of a run, for pages and results.
#[derive(Debug)]
pub(super) struct PageMemory(Arc<ByteBudget>);

#[derive(Debug)]
struct ByteBudget {
    most: u64,
    state: Mutex<BudgetState>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct BudgetState {
    /// Bytes of the pages that are in memory.
    page_bytes: u64,
    /// Bytes of the results that are in memory. A page that is being filtered adds the assumed size
    /// of its result.
    result_bytes: u64,
    /// Number of the page whose result the caller receives next.
    next: u64,
    /// True after [`PageMemory::close`] was called. Then no thread waits any more.
    is_over: bool,
    /// Number of threads that wait for room.
    waiting: usize,
}

/// Part of the run's memory budget that is reserved for one page and its result. It is released
/// when this value is dropped.
#[derive(Debug)]
pub(super) struct Share {
    room: Arc<ByteBudget>,
    /// Size of the filtered page in bytes.
    bytes: u64,
    /// Size of the page's result in bytes. While the page is filtered, it is the assumed size.
    result: u64,
}

impl PageMemory {
    pub(super) fn new(most: u64) -> Self {
        Self(Arc::new(ByteBudget {
            most,
            state: Mutex::default(),
            left: Condvar::new(),
        }))
    }

    /// Blocks until the budget has room for a page of this size, and reserves the room.
    pub(super) fn enter(&self, bytes: u64) -> Share {
        let most = self.0.most;
        let mut state = self.0.wait_while(|state| {
            let is_full =
                state.page_bytes > 0 && bytes > 0 && state.page_bytes.saturating_add(bytes) > most;
            is_full && !state.is_over
        });
        state.page_bytes = state.page_bytes.saturating_add(bytes);
        Share {
            room: Arc::clone(&self.0),
            bytes,
            result: 0,
        }
    }

    /// Sets the number of the page whose result the caller receives next.
    pub(super) fn set_next_page(&self, number: u64) {
        self.0.change(|state| state.next = number);
    }

    /// Unblocks all waiting threads, because the caller receives no further results.
    pub(super) fn close(&self) {
        self.0.change(|state| state.is_over = true);
    }
}

impl Share {
    /// Blocks until the budget has room for the result of the page with this number. Reserves the
    /// assumed size of the result.
    pub(super) fn begin(&mut self, number: u64) {
        let most = self.room.most.saturating_mul(RESULTS);
        let bytes = assumed_result(self.bytes);
        let mut state = self.room.wait_while(|state| {
            let is_full = state.result_bytes > 0 && state.result_bytes.saturating_add(bytes) > most;
            is_full && number > state.next && !state.is_over
        });
        state.result_bytes = state.result_bytes.saturating_add(bytes);
        self.result = bytes;
    }

    /// Replaces the assumed size of the page's result in the budget with its true size in bytes.
    pub(super) fn end(&mut self, bytes: u64) {
        self.room.change(|state| {
            let others = state.result_bytes.saturating_sub(self.result);
            state.result_bytes = others.saturating_add(bytes);
        });
        self.result = bytes;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.room.change(|state| {
            state.page_bytes = state.page_bytes.saturating_sub(self.bytes);
            state.result_bytes = state.result_bytes.saturating_sub(self.result);
        });
    }
}

impl ByteBudget {
    fn wait_while(&self, is_full: impl Fn(&BudgetState) -> bool) -> MutexGuard<'_, BudgetState> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while is_full(&state) {
            state.waiting += 1;
            state = self
                .left
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state
    }

    /// Changes the state, then wakes all threads that wait for room. If no thread waits, no system
    /// call is made.
    fn change(&self, change: impl FnOnce(&mut BudgetState)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.left.notify_all();
        }
    }
}

/// Returns the assumed size of the result of a page, in bytes. `bytes` is the size of the page.
fn assumed_result(bytes: u64) -> u64 {
    if bytes > SMALL {
        bytes.saturating_mul(BECOMES)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Eight threads filter pages with large results, and the caller receives the results in order.
    /// The memory stays within the budget, and each page is filtered.
    #[test]
    fn what_pages_become_is_bounded_and_no_page_waits_for_ever() {
        const EACH: u64 = 300;
        let (bytes, now, most) = (PageMemory::new(100), AtomicU64::new(0), AtomicU64::new(0));
        let (numbers_in, numbers) = crossbeam_channel::unbounded();
        let (done_in, done) = crossbeam_channel::unbounded();
        for number in 0..500_u64 {
            numbers_in.send(number).unwrap();
        }
        drop(numbers_in);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                let (numbers, done, bytes, now, most) =
                    (numbers.clone(), done_in.clone(), &bytes, &now, &most);
                scope.spawn(move || {
                    for number in numbers {
                        let mut share = bytes.enter(0);
                        share.begin(number);
                        most.fetch_max(
                            now.fetch_add(EACH, Ordering::SeqCst) + EACH,
                            Ordering::SeqCst,
                        );
                        share.end(EACH);
                        done.send((number, share)).unwrap();
                    }
                });
            }
            drop(done_in);
            let (mut waiting, mut next) = (std::collections::HashMap::new(), 0);
            for (number, share) in done {
                waiting.insert(number, share);
                while let Some(share) = waiting.remove(&next) {
                    next += 1;
                    bytes.set_next_page(next);
                    std::thread::yield_now();
                    now.fetch_sub(EACH, Ordering::SeqCst);
                    drop(share);
                }
            }
            assert_eq!(next, 500);
        });
        // The budget, the eight pages that began meanwhile, and the page whose result is next.
        assert!(most.into_inner() <= 100 * RESULTS + 9 * EACH);
    }
}
