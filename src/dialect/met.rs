//! A mark on a rule of the user's own that a page had. A rule with a slip in it is met by none.

use std::sync::atomic::{AtomicBool, Ordering};

/// True once a rule has met what it is about. Rules are equal whatever they have met.
#[derive(Debug, Default)]
pub(crate) struct Met(AtomicBool);

impl Met {
    pub(crate) fn set(&self) {
        // All threads would write to the same place.
        if !self.is_set() {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clone for Met {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Met {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Met {}
