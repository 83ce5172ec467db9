//! Reads the stored (still packed) bytes of an input: a file, a range of a file, or a pipe.
//!
//! The position is exact to the byte. A file can be read from any position. A pipe can only be read
//! forwards, or again from a position within the last 4 MiB.

use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const BUFFER: usize = 64 << 10;
/// Number of bytes of a pipe before the current position that stay in the buffer, for moving back.
const WINDOW: usize = 4 << 20;

/// A pipe from which an input is read.
pub(super) type Pipe = Box<dyn Read + Send>;

pub(super) struct RawInput {
    from: RawOrigin,
    /// Memory for stored (still packed) bytes of the input. Only the range `..end` is filled.
    buffer: Vec<u8>,
    end: usize,
    /// Index in `buffer` of the next byte to read.
    at: usize,
    /// Position in the input of the first byte in `buffer`.
    start: u64,
    /// Counter of all bytes of the input that were read, shared with the caller.
    read: Arc<AtomicU64>,
}

enum RawOrigin {
    File(File, Range<u64>),
    Pipe(Pipe),
}

impl RawInput {
    /// Creates an input from the byte range `part` of a file. `read` is the counter to which read
    /// bytes are added.
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
            end: 0,
            at: 0,
            start: 0,
            read,
        }
    }

    fn is_pipe(&self) -> bool {
        matches!(self.from, RawOrigin::Pipe(_))
    }

    pub(super) fn position(&self) -> u64 {
        self.start + self.at as u64
    }

    /// Returns the length in bytes of the input, which is a file or a range of a file. `None` for a
    /// pipe.
    pub(super) fn size(&self) -> Option<u64> {
        match &self.from {
            RawOrigin::File(_, part) => Some(part.end - part.start),
            RawOrigin::Pipe(_) => None,
        }
    }

    /// Returns the next `count` bytes without consuming them. At the end of the input, there may be
    /// fewer.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.end - self.at < count && self.more()? > 0 {}
        let end = self.end.min(self.at + count);
        Ok(&self.buffer[self.at..end])
    }

    /// Moves to the byte at `position`, or to the end of a shorter input. Returns the new position.
    /// A pipe may no longer have the byte in its buffer. Then the new position is later: that of
    /// the oldest byte in the buffer.
    pub(super) fn seek(&mut self, position: u64) -> io::Result<u64> {
        let end = self.start + self.end as u64;
        if (self.start..=end).contains(&position) {
            self.at = usize::try_from(position - self.start).unwrap_or(self.at);
        } else if let RawOrigin::File(file, part) = &mut self.from {
            let position = position.min(part.end - part.start);
            file.seek(SeekFrom::Start(part.start + position))?;
            (self.start, self.at, self.end) = (position, 0, 0);
        } else if position < self.start {
            self.at = 0;
        } else {
            self.pass(position)?;
        }
        Ok(self.position())
    }

    /// Returns `count` bytes that begin at `position` of a file, without changing the current
    /// position. `None` for a pipe.
    pub(super) fn look_at(&mut self, position: u64, count: usize) -> io::Result<Option<Vec<u8>>> {
        let RawOrigin::File(file, part) = &mut self.from else {
            return Ok(None);
        };
        let kept = position
            .checked_sub(self.start)
            .and_then(|from| self.buffer[..self.end].get(usize::try_from(from).ok()?..));
        if let Some(bytes) = kept.and_then(|kept| kept.get(..count)) {
            return Ok(Some(bytes.to_vec()));
        }
        let left = (part.end - part.start).saturating_sub(position);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(part.start + position))?;
        file.take(left.min(count as u64)).read_to_end(&mut bytes)?;
        file.seek(SeekFrom::Start(part.start + self.start + self.end as u64))?;
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

    /// Moves to the next occurrence of the bytes `magic`. Returns false if there is none.
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

    /// Reads more bytes of the input into the end of the buffer. Returns their number, 0 at the end
    /// of the input.
    fn more(&mut self) -> io::Result<usize> {
        self.forget();
        let end = self.end + BUFFER;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = self.read_stored(&mut buffer[self.end..end]);
        self.buffer = buffer;
        self.end += read.as_ref().map_or(0, |read| *read);
        read
    }

    /// Reads the bytes of the input that follow those in the buffer. Returns the number of bytes
    /// that were read into `target`. 0 at the end of the input.
    fn read_stored(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let mut wanted = target.len();
        if let RawOrigin::File(_, part) = &self.from {
            let left = (part.end - part.start).saturating_sub(self.start + self.end as u64);
            wanted = wanted.min(usize::try_from(left).unwrap_or(wanted));
        }
        loop {
            let read = match &mut self.from {
                RawOrigin::File(file, _) => file.read(&mut target[..wanted]),
                RawOrigin::Pipe(pipe) => pipe.read(&mut target[..wanted]),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    let read = read?;
                    self.read.fetch_add(read as u64, Ordering::Relaxed);
                    return Ok(read);
                }
            }
        }
    }

    /// Removes consumed bytes from the front of the buffer. For a pipe, the last `WINDOW` consumed
    /// bytes stay there.
    fn forget(&mut self) {
        let (kept, most) = if self.is_pipe() {
            (WINDOW, 2 * WINDOW)
        } else {
            (0, 0)
        };
        if self.at > most {
            let gone = self.at - kept;
            self.buffer.copy_within(gone..self.end, 0);
            (self.start, self.at) = (self.start + gone as u64, kept);
            self.end -= gone;
        }
    }
}

impl Read for RawInput {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.at == self.end && target.len() >= BUFFER && !self.is_pipe() {
            let read = self.read_stored(target)?;
            self.start += self.end as u64 + read as u64;
            (self.at, self.end) = (0, 0);
            return Ok(read);
        }
        let bytes = self.fill_buf()?;
        let count = bytes.len().min(target.len());
        target[..count].copy_from_slice(&bytes[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for RawInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.end {
            self.more()?;
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}

/// Number of bytes at the end of a too long text that [`keep`] retains. The URL of a too long JSON
/// line may be in them.
const TAIL: usize = 4 << 10;

/// Appends `bytes`, the next part of a text, to `kept`. If the text is longer than `most` bytes,
/// its middle is dropped. Then `kept` has the first `most + 1` bytes of the text, and at least the
/// last `TAIL` bytes. If `kept` is longer than `most`, the caller knows that the text is too long.
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
