//! How much memory a run may take, and how it is divided.
//!
//! The index has one half: the data that its threads hold before they write it, and the pages that
//! wait for them. The other half is for pages under way. The system is asked for all of it
//! beforehand. So a run that gets too little fails at the start, with a message, and not in the
//! middle without one. The program itself, and the address space of mapped files, come on top.

use crate::error::{Error, Result};

const MIB: u64 = 1 << 20;
/// The default for a run without a setting: actual use grows with the number of threads.
const PLAIN: u64 = 512 * MIB;
const OF_JOB: u64 = 128 * MIB;

/// The memory of a run, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(u64);

impl Memory {
    /// The minimum, in bytes. With less, tantivy does not begin.
    pub const LEAST: u64 = 64 * MIB;

    /// A memory of so many bytes.
    ///
    /// # Errors
    /// Fails if that is less than [`Memory::LEAST`], or more than the system gives.
    pub fn new(bytes: u64) -> Result<Self> {
        if bytes < Self::LEAST {
            return Err(Error::setting(format!(
                "a run needs {} MiB of memory at the least",
                Self::LEAST / MIB
            )));
        }
        if is_given(bytes) {
            Ok(Self(bytes))
        } else {
            Err(refused(bytes))
        }
    }

    /// The default memory of a run with so many jobs: 512 MiB, and from five jobs on 128 MiB for
    /// each. It is less if the system gives less.
    ///
    /// # Errors
    /// Fails if the system does not give 64 MiB.
    pub fn of_jobs(jobs: usize) -> Result<Self> {
        let mut bytes = PLAIN.max(OF_JOB.saturating_mul(jobs as u64));
        while !is_given(bytes) {
            bytes /= 2;
            if bytes < Self::LEAST {
                return Err(refused(Self::LEAST));
            }
        }
        Ok(Self(bytes))
    }

    /// The whole memory, in bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }

    /// The half that the index has, in bytes.
    pub fn of_index(self) -> u64 {
        self.0 / 2
    }
}

/// True if the system gives so much, and half as much again for thread stacks and data that is held
/// twice.
fn is_given(bytes: u64) -> bool {
    let wanted = usize::try_from(bytes.saturating_add(bytes / 2)).unwrap_or(usize::MAX);
    Vec::<u8>::new().try_reserve_exact(wanted).is_ok()
}

fn refused(bytes: u64) -> Error {
    Error::setting(format!(
        "the system does not give {} MiB of memory",
        bytes / MIB
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_half_and_too_much_is_refused() {
        for bytes in [Memory::LEAST, 100 * MIB + 1] {
            let memory = Memory::new(bytes).unwrap();
            assert_eq!((memory.bytes(), memory.of_index()), (bytes, bytes / 2));
        }
        assert!(
            Memory::new(Memory::LEAST - 1)
                .unwrap_err()
                .to_string()
                .contains("64 MiB")
        );
        assert!(
            Memory::new(u64::MAX)
                .unwrap_err()
                .to_string()
                .contains("does not give")
        );
        assert!(Memory::of_jobs(1).unwrap().bytes() <= PLAIN);
    }
}
