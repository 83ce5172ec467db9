//! Runs work for many sites in parallel. A fetch is nearly all waiting, so many more threads than
//! cores are useful.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Maximum number of threads that fetch in parallel. A thousand sites that do not respond then take
/// four times as long as one such site.
pub const AT_ONCE: usize = 256;

/// Calls `work` once for each element of `all`, on several threads and in no particular order.
pub fn at_once<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..all.len().min(AT_ONCE) {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(one);
                }
            });
        }
    });
}
