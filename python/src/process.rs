//! Values that belong to the process that made them.
//!
//! A forked process has a copy of all memory, but none of the other threads. In it, a value that
//! waits for a thread of its own would wait forever. A value that deletes files when it is dropped
//! would delete files that the first process still needs. So the forked process neither uses nor
//! drops such a value.

use std::process;

use heedful::{ErrorKind, Result};

/// A value that can be used only in the process that made it. A forked process cannot use it.
pub struct OfProcess<T> {
    /// Name of the value in error messages.
    name: &'static str,
    process: u32,
    /// The value itself. It is `None` only while it is being dropped.
    value: Option<T>,
}

impl<T> OfProcess<T> {
    pub fn new(name: &'static str, value: T) -> Self {
        Self {
            name,
            process: process::id(),
            value: Some(value),
        }
    }

    /// Returns the value. Fails in a process that was forked from the process that made the value.
    pub fn get(&self) -> Result<&T> {
        let value = self.value.as_ref();
        value.filter(|_| self.is_ours()).ok_or_else(|| {
            let message = format!("{} belongs to the process that opened it", self.name);
            ErrorKind::Setting(message).into()
        })
    }

    fn is_ours(&self) -> bool {
        process::id() == self.process
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if !self.is_ours() {
            std::mem::forget(self.value.take());
        }
    }
}
