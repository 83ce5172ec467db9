//! The file of a Parquet table, for Parquet's library.
//!
//! Each data page is checked against the limits before the library reserves memory for it. Sizes
//! that a table claims are never trusted for an allocation. A file that refers to bytes behind its
//! end is an error, after a bounded number of reads.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::file::reader::{ChunkReader, Length};

use heedful_base::limits::exceeded;

use super::terms::InputTerms;

/// Maximum number of reads at the end of a table's file. Such a read returns no bytes. A list in a
/// crafted table may claim to continue after the end of the file. Without this bound, such a table
/// could be read for hours.
const READS_AT_END: u32 = 16;
/// Length in bytes of the footer of a Parquet file: the metadata's length in four bytes, and
/// `PAR1`.
const FOOTER: u64 = 8;

/// Limits for reading a table, and how much of them is used up.
#[derive(Default)]
pub(super) struct RowBounds {
    pub(super) terms: Arc<InputTerms>,
    /// Total unpacked size, in bytes, of the data pages whose compression ratio exceeds the limit
    /// `member_ratio`. The ratio of gzip never exceeds the default of this limit. So pages packed
    /// with gzip count only if the limit was lowered.
    over_ratio_bytes: AtomicU64,
    /// Name of the limit that was exceeded last. It is stored here because Parquet's error type
    /// cannot carry it. `None` if no limit was exceeded since the last [`RowBounds::take_passed`].
    passed: Mutex<Option<&'static str>>,
}

impl RowBounds {
    pub(super) fn new(terms: &Arc<InputTerms>) -> Self {
        Self {
            terms: Arc::clone(terms),
            ..Self::default()
        }
    }

    /// Removes and returns the name of the limit that was exceeded last. `None` if no limit was
    /// exceeded since the previous call.
    pub(super) fn take_passed(&self) -> Option<&'static str> {
        self.passed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Returns an error if a limit forbids unpacking a data page of `packed` bytes to `unpacked`
    /// bytes.
    fn check(&self, unpacked: u64, packed: u64) -> parquet::errors::Result<()> {
        let limits = &self.terms.limits;
        let is_loose = unpacked > packed.saturating_mul(limits.member_ratio);
        let loose = if is_loose {
            self.over_ratio_bytes.fetch_add(unpacked, Ordering::Relaxed) + unpacked
        } else {
            0
        };
        let name = if unpacked > limits.table_page_bytes {
            "table_page_bytes"
        } else if loose > self.terms.free_bytes() {
            "member_ratio"
        } else {
            return Ok(());
        };
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
        Err(io::Error::other(exceeded(name, limits)).into())
    }
}

/// Parses the header of a data page. Returns the unpacked and the packed size of the page in bytes.
/// `None` if the header ends before the two sizes. The header is a struct in Thrift's compact
/// protocol (parquet.apache.org, `PageHeader`). The sizes are fields 2 and 3 of this struct. If a
/// field before the sizes is not a 32-bit integer, the returned unpacked size is `u64::MAX`. Then
/// the page is refused. No known writer puts such a field there.
fn sizes(head: &[u8]) -> Option<(u64, u64)> {
    const NUMBER: u8 = 5;
    let mut rest = head;
    let mut id = 0;
    let mut unpacked = None;
    loop {
        let (first, after) = rest.split_first()?;
        rest = after;
        let step = first >> 4;
        let kind = first & 15;
        id = if step == 0 && kind != 0 {
            zigzag(&mut rest)?
        } else {
            id + i64::from(step)
        };
        match (kind, id) {
            (0, _) => return None,
            (NUMBER, _) => {}
            _ => return Some((u64::MAX, 0)),
        }
        let value = u64::try_from(zigzag(&mut rest)?).unwrap_or(0);
        match (id, unpacked) {
            (2, _) => unpacked = Some(value),
            (3, Some(unpacked)) => return Some((unpacked, value)),
            _ => {}
        }
    }
}

fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0_u64;
    let mut shift = 0;
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7F).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
        }
        shift += 7;
    }
}

/// The file of a Parquet table, as the Parquet library reads it. At the end of the file, a read
/// returns no bytes. More than [`READS_AT_END`] such reads are an error, so that a crafted table
/// cannot be read endlessly. Each data page is checked against the limits.
pub(super) struct TableFile {
    file: File,
    bounds: Arc<RowBounds>,
    /// Unpacked size in bytes of a data page, as claimed by the page header that was read last.
    claimed: AtomicU64,
}

impl TableFile {
    pub(super) fn new(file: File, bounds: &Arc<RowBounds>) -> Self {
        Self {
            file,
            bounds: Arc::clone(bounds),
            claimed: AtomicU64::new(0),
        }
    }

    /// Returns a second handle to the same file, for reading one column.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self::new(self.file.try_clone()?, &self.bounds))
    }

    /// Returns the unpacked size in bytes of a data page, as claimed by the page header that was
    /// read last. This size is within the limits.
    pub(super) fn claimed(&self) -> u64 {
        self.claimed.load(Ordering::Relaxed)
    }

    /// Returns the upper bound for the window of a zstd frame, in bytes. The window is the distance
    /// over which a frame may refer back.
    pub(super) fn window(&self) -> u64 {
        self.bounds.terms.limits.window_bytes
    }
}

impl Length for TableFile {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for TableFile {
    type T = BufReader<FileEnding>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::new(FileEnding {
            file,
            left: READS_AT_END,
        });
        // The check must come before Parquet reserves memory. The last bytes of the file are not a
        // page but the position of the list of pages.
        if start.saturating_add(FOOTER) < self.len()
            && let Some((unpacked, packed)) = sizes(reader.fill_buf()?)
        {
            self.bounds.check(unpacked, packed)?;
            self.claimed.store(unpacked, Ordering::Relaxed);
        }
        Ok(reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        // The check must come before Parquet reserves memory.
        match start.checked_add(length as u64) {
            Some(end) if end <= self.len() => self.file.get_bytes(start, length),
            _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }
}

pub(super) struct FileEnding {
    file: File,
    left: u32,
}

impl Read for FileEnding {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        if read == 0 {
            self.left = self
                .left
                .checked_sub(1)
                .ok_or(io::ErrorKind::UnexpectedEof)?;
        }
        Ok(read)
    }
}
