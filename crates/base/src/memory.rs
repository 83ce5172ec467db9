//! Bounds the memory of a run, and divides it between the index and the pages.
//!
//! One half of a run's memory is for the index. It has the data that the index's threads buffer
//! before they write it, and the pages queued for them. The other half is for pages that are read
//! and filtered. [`Memory`] tries to reserve one and a half times the whole from the operating
//! system. So a run that cannot get enough memory fails at its start with a message, and does not
//! fail later without any message. The program's own code and the address space of mapped files are
//! not counted.

use crate::error::{Error, Result};

const MIB: u64 = 1 << 20;
/// Minimum of the default memory of a run, in bytes. A run with at most four jobs (parallel
/// workers) gets this amount.
const PLAIN: u64 = 512 * MIB;
/// Default memory for each job (parallel worker) of a run, in bytes. If the sum over all jobs is
/// less than [`PLAIN`], the run gets [`PLAIN`] instead.
const OF_JOB: u64 = 128 * MIB;

/// Amount of memory that a run may use, in bytes. One half is for the search index. The other half
/// is for pages that are read and filtered.
///
/// # Examples
///
/// ```
/// use heedful_base::memory::Memory;
///
/// let memory = Memory::new(64 << 20)?;
/// assert_eq!(memory.of_index(), 32 << 20);
/// assert!(Memory::new(1 << 20).is_err());
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(u64);

impl Memory {
    /// Minimum memory of a run, in bytes. With less, tantivy does not start its indexing threads.
    pub const LEAST: u64 = 64 * MIB;

    /// Creates the memory of a run from a number of bytes. Checks that the operating system can
    /// reserve one and a half times this number. Nothing stays reserved after the check.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](crate::error::ErrorKind::Setting) if `bytes` is less than
    /// [`Memory::LEAST`], or if the operating system cannot reserve one and a half times `bytes`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::memory::Memory;
    ///
    /// assert_eq!(Memory::new(Memory::LEAST)?.bytes(), 64 << 20);
    /// let error = Memory::new(Memory::LEAST - 1).unwrap_err();
    /// assert!(error.to_string().contains("64 MiB"));
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
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

    /// Returns the default memory of a run with `jobs` parallel workers. For up to four workers,
    /// the default is 512 MiB. For more workers, it is 128 MiB for each. If the operating system
    /// cannot reserve one and a half times this value, the value is halved. This is repeated until
    /// the reservation succeeds.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](crate::error::ErrorKind::Setting) if the operating system cannot
    /// reserve one and a half times [`Memory::LEAST`].
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::memory::Memory;
    ///
    /// let memory = Memory::of_jobs(1)?;
    /// assert!(memory.bytes() >= Memory::LEAST && memory.bytes() <= 512 << 20);
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
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

    /// Memory of the whole run, in bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }

    /// Memory for the search index, in bytes: half of the run's memory.
    pub fn of_index(self) -> u64 {
        self.0 / 2
    }
}

/// True if the operating system can reserve one and a half times `bytes` of memory. The extra half
/// is for thread stacks, and for data that is temporarily in memory twice.
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
