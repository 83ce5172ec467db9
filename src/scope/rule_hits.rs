//! Records which of the user's own rules have matched something. A rule with a typing mistake
//! matches nothing, and the user is warned.
//!
//! A filter, its clones and all their passes share one record of the rules that have matched, on
//! any thread. It is used only for a warning at the end of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag for each rule of a list, which is set once the rule has matched.
#[derive(Clone, Debug)]
pub(crate) struct RuleHits(Arc<[AtomicBool]>);

impl RuleHits {
    /// Returns a flag for each rule of a list of `rules` rules. No flag is set.
    pub(super) fn new(rules: usize) -> Self {
        Self((0..rules).map(|_| AtomicBool::new(false)).collect())
    }

    pub(crate) fn set(&self, rule: usize) {
        // The test first avoids that all threads write to the same cache line.
        if !self.is_set(rule) {
            self.0[rule].store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn is_set(&self, rule: usize) -> bool {
        self.0[rule].load(Ordering::Relaxed)
    }
}
