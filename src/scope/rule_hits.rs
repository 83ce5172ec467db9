//! The rules of the user's own that matched what they are about. A rule with a slip in it matches
//! nothing.
//!
//! A filter, its clones and all their passes share one record, on any thread. It is for a warning
//! at the end of a run, and decides nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag for each rule of a list.
#[derive(Clone, Debug)]
pub(crate) struct RuleHits(Arc<[AtomicBool]>);

impl RuleHits {
    /// The record of a list of so many rules, of which none matched anything yet.
    pub(super) fn new(rules: usize) -> Self {
        Self((0..rules).map(|_| AtomicBool::new(false)).collect())
    }

    pub(crate) fn set(&self, rule: usize) {
        // All threads would write to the same place.
        if !self.is_set(rule) {
            self.0[rule].store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn is_set(&self, rule: usize) -> bool {
        self.0[rule].load(Ordering::Relaxed)
    }
}
