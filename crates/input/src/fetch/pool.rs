//! Many sites at once. A fetch is nearly all waiting, so there are many more threads than cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The maximum number of threads: with it, a thousand silent sites take four times as long as one.
pub const AT_ONCE: usize = 256;

/// Does the work for each of these, in no order, on its own threads.
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
