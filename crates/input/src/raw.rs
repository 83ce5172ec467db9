//! Reads the stored (still packed) bytes of an input: a file, a range of a file, or a pipe.
//!
//! The position is exact to the byte. Reading can move to any position of a file. In a pipe it can
//! only move forward, or back within a window of 4 MiB.

use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const BUFFER: usize = 64 << 10;
/// Number of bytes before the position that stay in the buffer for a pipe, for seeking back.
const WINDOW: usize = 4 << 20;

/// Reader of a pipe.
pub(super) type Pipe = Box<dyn Read + Send>;

pub(super) struct RawInput {
    from: RawOrigin,
    buffer: Vec<u8>,
    /// Index in `buffer` of the next byte.
    at: usize,
    /// Position in the input of the buffer's first byte.
    start: u64,
    /// Counter of all bytes that were read, shared with the caller.
    read: Arc<AtomicU64>,
}

enum RawOrigin {
    File(File, Range<u64>),
    Pipe(Pipe),
}

impl RawInput {
    /// Opens the range `part` of a file.
    pub(super) fn part(mut file: File, part: Range<u64>, read: Arc<AtomicU64>) -> io::Result<Self> {
        file.seek(SeekFrom::Start(part.start))?;
        Ok(Self::new(RawOrigin::File(file, part), read))
    }

    pub(super) fn pipe(pipe: Pipe, read: Arc<AtomicU64>) -> Self {
        Self::new(RawOrigin::Pipe(pipe), read)
    }

    fn new(from: RawOrigin, read: Arc<AtomicU64>) -> Self {
        Self {
            from,
            buffer: Vec::new(),
            at: 0,
            start: 0,
            read,
        }
    }

    pub(super) fn position(&self) -> u64 {
        self.start + self.at as u64
    }

    /// Returns the length in bytes of the file or range; `None` for a pipe.
    pub(super) fn size(&self) -> Option<u64> {
        match &self.from {
            RawOrigin::File(_, part) => Some(part.end - part.start),
            RawOrigin::Pipe(_) => None,
        }
    }

    /// Returns the next `count` bytes, or fewer at the end, without consuming them.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.buffer.len() - self.at < count && self.more()? > 0 {}
        let end = self.buffer.len().min(self.at + count);
        Ok(&self.buffer[self.at..end])
    }

    /// Moves to `position` and returns the position that was reached. In a pipe it may be later
    /// than requested: the oldest byte that is still buffered.
    pub(super) fn seek(&mut self, position: u64) -> io::Result<u64> {
        let end = self.start + self.buffer.len() as u64;
        if (self.start..=end).contains(&position) {
            self.at = usize::try_from(position - self.start).unwrap_or(self.at);
        } else if let RawOrigin::File(file, part) = &mut self.from {
            let position = position.min(part.end - part.start);
            file.seek(SeekFrom::Start(part.start + position))?;
            (self.start, self.at) = (position, 0);
            self.buffer.clear();
        } else if position < self.start {
            self.at = 0;
        } else {
            self.pass(position)?;
        }
        Ok(self.position())
    }

    /// Reads `count` bytes at a position of a file, without changing the current position. Returns
    /// `None` for a pipe.
    pub(super) fn look_at(&mut self, position: u64, count: usize) -> io::Result<Option<Vec<u8>>> {
        let RawOrigin::File(file, part) = &mut self.from else {
            return Ok(None);
        };
        let kept = position
            .checked_sub(self.start)
            .and_then(|from| self.buffer.get(usize::try_from(from).ok()?..));
        if let Some(bytes) = kept.and_then(|kept| kept.get(..count)) {
            return Ok(Some(bytes.to_vec()));
        }
        let left = (part.end - part.start).saturating_sub(position);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(part.start + position))?;
        file.take(left.min(count as u64)).read_to_end(&mut bytes)?;
        file.seek(SeekFrom::Start(
            part.start + self.start + self.buffer.len() as u64,
        ))?;
        Ok(Some(bytes))
    }

    fn pass(&mut self, position: u64) -> io::Result<()> {
        while self.position() < position {
            let here = self.position();
            let bytes = self.fill_buf()?.len();
            if bytes == 0 {
                return Ok(());
            }
            self.consume(bytes.min(usize::try_from(position - here).unwrap_or(bytes)));
        }
        Ok(())
    }

    /// Moves to the next occurrence of `magic`. Returns false if there is none.
    pub(super) fn find(&mut self, magic: &[u8]) -> io::Result<bool> {
        loop {
            let bytes = self.peek(BUFFER)?;
            if let Some(at) = memchr::memmem::find(bytes, magic) {
                self.consume(at);
                return Ok(true);
            }
            let passed = (bytes.len() + 1).saturating_sub(magic.len());
            if passed == 0 {
                return Ok(false);
            }
            self.consume(passed);
        }
    }

    /// Reads more bytes into the end of the buffer. Returns their number, 0 at the end of the
    /// input.
    fn more(&mut self) -> io::Result<usize> {
        self.forget();
        let length = self.buffer.len();
        let mut wanted = BUFFER;
        if let RawOrigin::File(_, part) = &self.from {
            let left = (part.end - part.start).saturating_sub(self.start + length as u64);
            wanted = wanted.min(usize::try_from(left).unwrap_or(wanted));
        }
        self.buffer.resize(length + wanted, 0);
        let read = loop {
            let read = match &mut self.from {
                RawOrigin::File(file, _) => file.read(&mut self.buffer[length..]),
                RawOrigin::Pipe(pipe) => pipe.read(&mut self.buffer[length..]),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer
            .truncate(length + read.as_ref().map_or(0, |read| *read));
        let read = read?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }

    /// Drops consumed bytes from the front of the buffer. For a pipe, keeps the last `WINDOW`
    /// consumed bytes.
    fn forget(&mut self) {
        let (kept, most) = if matches!(self.from, RawOrigin::Pipe(_)) {
            (WINDOW, 2 * WINDOW)
        } else {
            (0, 0)
        };
        if self.at > most {
            let gone = self.at - kept;
            self.buffer.drain(..gone);
            (self.start, self.at) = (self.start + gone as u64, kept);
        }
    }
}

impl Read for RawInput {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let count = bytes.len().min(target.len());
        target[..count].copy_from_slice(&bytes[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for RawInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.buffer.len() {
            self.more()?;
        }
        Ok(&self.buffer[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}

/// Number of bytes that [`keep`] retains from the end of a text that is too long. The URL of an
/// overlong JSON line may be in them.
const TAIL: usize = 4 << 10;

/// Appends `bytes` to `kept` up to `most` bytes. Of a longer text it keeps one byte more, so that
/// the caller can detect the excess, and also at least the last `TAIL` bytes.
pub(super) fn keep(kept: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let room = most
        .saturating_add(1)
        .saturating_sub(kept.len())
        .min(bytes.len());
    kept.extend_from_slice(&bytes[..room]);
    let rest = &bytes[room..];
    kept.extend_from_slice(&rest[rest.len().saturating_sub(TAIL)..]);
    if kept.len() > most.saturating_add(2 * TAIL) {
        kept.drain(most + 1..kept.len() - TAIL);
    }
}
