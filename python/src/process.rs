//! Values that belong to the process that made them.
//!
//! A process that was forked has a copy of all memory, but none of the other threads. There, a value
//! that asks a thread of its own would wait for ever. One that tidies up when it is dropped would
//! take files away that the first process still needs. So it is neither used nor dropped there.

use std::process;

use heedful::{ErrorKind, Result};

/// A value that only the process that made it can use.
pub struct OfProcess<T> {
    /// What errors call the value.
    name: &'static str,
    process: u32,
    /// The value. It is `None` only while it is dropped.
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

    /// Returns the value. Fails in a process that was forked from the one that made it.
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
