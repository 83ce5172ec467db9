//! How much memory a run may take, and who gets what of it.
//!
//! One half is the index's: what its threads hold before they write it, and what waits for them. The other half is for pages
//! under way. It is asked of the system beforehand, so that a run ends with a word, and not in the middle without one. What
//! the program itself takes, and what a map of files takes of the address space, comes on top.

use crate::error::{Error, Result};

const MIB: u64 = 1 << 20;
/// With less, tantivy does not begin.
const LEAST: u64 = 64 * MIB;
/// What a run takes that nobody bounds: what is used of it grows with the number of threads.
const PLAIN: u64 = 512 * MIB;
const OF_JOB: u64 = 128 * MIB;

/// The memory of a run, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(u64);

impl Memory {
    /// So many bytes.
    ///
    /// # Errors
    /// When that is less than 64 MiB, or more than the system gives.
    pub fn new(bytes: u64) -> Result<Self> {
        if bytes < LEAST {
            return Err(Error::setting(format!("a run needs {} MiB of memory at the least", LEAST / MIB)));
        }
        if is_given(bytes) { Ok(Self(bytes)) } else { Err(refused(bytes)) }
    }

    /// What a run with so many jobs takes: 512 MiB, with more than four jobs 128 MiB for each; or less, where the system
    /// gives less.
    ///
    /// # Errors
    /// When the system does not give 64 MiB.
    pub fn of_jobs(jobs: usize) -> Result<Self> {
        let mut bytes = PLAIN.max(OF_JOB.saturating_mul(jobs as u64));
        while !is_given(bytes) {
            bytes /= 2;
            if bytes < LEAST {
                return Err(refused(LEAST));
            }
        }
        Ok(Self(bytes))
    }

    /// All of it.
    pub fn bytes(self) -> u64 {
        self.0
    }

    /// The half of an index.
    pub fn of_index(self) -> u64 {
        self.0 / 2
    }
}

/// Whether the system gives so much, and half as much again for the stacks of threads and what is held twice.
fn is_given(bytes: u64) -> bool {
    let wanted = usize::try_from(bytes.saturating_add(bytes / 2)).unwrap_or(usize::MAX);
    Vec::<u8>::new().try_reserve_exact(wanted).is_ok()
}

fn refused(bytes: u64) -> Error {
    Error::setting(format!("the system does not give {} MiB of memory", bytes / MIB))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_half_and_too_much_is_refused() {
        for bytes in [LEAST, 100 * MIB + 1] {
            let memory = Memory::new(bytes).unwrap();
            assert_eq!((memory.bytes(), memory.of_index()), (bytes, bytes / 2));
        }
        assert!(Memory::new(LEAST - 1).unwrap_err().to_string().contains("64 MiB"));
        assert!(Memory::new(u64::MAX).unwrap_err().to_string().contains("does not give"));
        assert!(Memory::of_jobs(1).unwrap().bytes() <= PLAIN);
    }
}
