//! A file as a stream of unpacked bytes that can be picked up again behind damage.
//!
//! gzip files are read member by member, and the buffer never mixes two members, so the member that a byte came from
//! is always known. A plain file counts as one member.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::GzDecoder;

use super::Watched;

const BUFFER: usize = 64 << 10;
const MAGIC: [u8; 3] = [0x1F, 0x8B, 0x08];

pub(super) struct Source {
    state: State,
    buffer: Vec<u8>,
    at: usize,
    /// Where the current member begins in the file.
    member: u64,
    /// Unpacked bytes of the current member that were consumed.
    inner: u64,
    /// Bytes of the file.
    size: u64,
}

enum State {
    Plain(Raw),
    Between(Raw),
    Inside(Box<GzDecoder<Raw>>),
    Over,
}

/// Where a record begins: its member, and unpacked bytes into it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) member: u64,
    pub(super) inner: u64,
    is_plain: bool,
}

impl Mark {
    /// The offset in the file, as near as gzip lets it be known.
    pub(super) fn offset(self) -> u64 {
        if self.is_plain { self.inner } else { self.member }
    }
}

impl Source {
    pub(super) fn new(file: Watched) -> io::Result<Self> {
        let size = file.size()?;
        let mut raw = Raw { reader: BufReader::with_capacity(BUFFER, file), position: 0 };
        let gzip = raw.reader.fill_buf()?.starts_with(&MAGIC[..2]);
        let state = if gzip { State::Between(raw) } else { State::Plain(raw) };
        Ok(Self { state, buffer: Vec::new(), at: 0, member: 0, inner: 0, size })
    }

    /// Where the next byte comes from. Fills the buffer first, so that a member that is over is left behind.
    pub(super) fn mark(&mut self) -> io::Result<Mark> {
        self.fill()?;
        Ok(Mark { member: self.member, inner: self.inner, is_plain: matches!(self.state, State::Plain(_)) })
    }

    /// How many bytes a plain file has left; unknown for a packed one.
    pub(super) fn left(&self) -> Option<u64> {
        matches!(self.state, State::Plain(_)).then(|| self.size.saturating_sub(self.inner))
    }

    /// Bytes that returning to a mark costs to read again.
    pub(super) fn since(&self, mark: Mark) -> u64 {
        if mark.is_plain { self.inner.saturating_sub(mark.inner) } else { self.inner.max(mark.inner) + BUFFER as u64 }
    }

    /// The beginning of the current member.
    pub(super) fn member_mark(&self) -> Mark {
        Mark { member: self.member, inner: 0, is_plain: matches!(self.state, State::Plain(_)) }
    }

    /// The bytes at hand; none at the end.
    pub(super) fn fill(&mut self) -> io::Result<&[u8]> {
        while self.at >= self.buffer.len() {
            self.at = 0;
            self.buffer.resize(BUFFER, 0);
            let read = match std::mem::replace(&mut self.state, State::Over) {
                State::Plain(mut raw) => {
                    let read = raw.read(&mut self.buffer);
                    self.state = State::Plain(raw);
                    read
                }
                State::Between(raw) => {
                    if !self.enter(raw)? {
                        self.buffer.clear();
                        return Ok(&[]);
                    }
                    self.buffer.clear();
                    continue;
                }
                State::Inside(mut decoder) => {
                    let read = decoder.read(&mut self.buffer);
                    let over = matches!(read, Ok(0));
                    self.state = if over { State::Between(decoder.into_inner()) } else { State::Inside(decoder) };
                    if over {
                        self.buffer.clear();
                        continue;
                    }
                    read
                }
                State::Over => Ok(0),
            };
            let read = read.inspect_err(|_| self.buffer.clear())?;
            self.buffer.truncate(read);
            if read == 0 {
                break;
            }
        }
        Ok(&self.buffer[self.at..])
    }

    /// Begins the next member; false at the end of the file.
    fn enter(&mut self, mut raw: Raw) -> io::Result<bool> {
        let more = !raw.fill_buf()?.is_empty();
        (self.member, self.inner) = (raw.position, 0);
        self.state = if more { State::Inside(Box::new(GzDecoder::new(raw))) } else { State::Between(raw) };
        Ok(more)
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.at += count;
        self.inner += count as u64;
    }

    /// A line with its end, up to `most` bytes; none at the end of the file.
    pub(super) fn line(&mut self, most: usize) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            let bytes = self.fill()?;
            if bytes.is_empty() {
                return Ok(if line.is_empty() { None } else { Some(line) });
            }
            let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |n| n + 1);
            let taken = end.min(most - line.len());
            line.extend_from_slice(&bytes[..taken]);
            self.consume(taken);
            if line.ends_with(b"\n") || line.len() >= most {
                return Ok(Some(line));
            }
        }
    }

    /// Moves `count` bytes into `keep`, or past them; returns how many there were.
    pub(super) fn take(&mut self, count: u64, mut keep: Option<&mut Vec<u8>>) -> io::Result<u64> {
        let mut left = count;
        while left > 0 {
            let bytes = self.fill()?;
            if bytes.is_empty() {
                break;
            }
            let taken = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            if let Some(keep) = keep.as_mut() {
                keep.extend_from_slice(&bytes[..taken]);
            }
            self.consume(taken);
            left -= taken as u64;
        }
        Ok(count - left)
    }

    /// Goes back to a mark, and past `skip` bytes of it.
    pub(super) fn return_to(&mut self, mark: Mark, skip: u64) -> io::Result<()> {
        let inner = mark.inner + skip;
        match self.raw() {
            Some(mut raw) if mark.is_plain => {
                raw.seek(inner)?;
                self.state = State::Plain(raw);
                (self.member, self.inner) = (0, inner);
            }
            Some(mut raw) => {
                raw.seek(mark.member)?;
                self.state = State::Between(raw);
                self.take(inner, None)?;
            }
            None => {}
        }
        Ok(())
    }

    /// After a member that cannot be unpacked: goes to what looks like the beginning of another one.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        let from = self.member + 1;
        let Some(mut raw) = self.raw() else { return Ok(false) };
        raw.seek(from)?;
        let found = raw.find_magic()?;
        if found {
            self.state = State::Between(raw);
        }
        Ok(found)
    }

    fn raw(&mut self) -> Option<Raw> {
        self.buffer.clear();
        self.at = 0;
        match std::mem::replace(&mut self.state, State::Over) {
            State::Plain(raw) | State::Between(raw) => Some(raw),
            State::Inside(decoder) => Some(decoder.into_inner()),
            State::Over => None,
        }
    }
}

/// The file, with its position known to the byte.
struct Raw {
    reader: BufReader<Watched>,
    position: u64,
}

impl Raw {
    /// Keeps the buffer where the position lies in it.
    fn seek(&mut self, position: u64) -> io::Result<()> {
        match i64::try_from(position).ok().zip(i64::try_from(self.position).ok()) {
            Some((to, from)) => self.reader.seek_relative(to - from)?,
            None => self.reader.seek(SeekFrom::Start(position)).map(|_| ())?,
        }
        self.position = position;
        Ok(())
    }

    /// Moves to the next bytes that look like a gzip member.
    fn find_magic(&mut self) -> io::Result<bool> {
        let mut matched = 0;
        loop {
            let bytes = self.reader.fill_buf()?;
            let Some(byte) = bytes.first().copied() else { return Ok(false) };
            if matched == 0
                && let Some(skip) = memchr::memchr(MAGIC[0], bytes).map_or(Some(bytes.len()), |n| (n > 0).then_some(n))
            {
                self.consume(skip);
                continue;
            }
            self.consume(1);
            matched = if byte == MAGIC[matched] { matched + 1 } else { usize::from(byte == MAGIC[0]) };
            if matched == MAGIC.len() {
                self.seek(self.position - MAGIC.len() as u64)?;
                return Ok(true);
            }
        }
    }
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl BufRead for Raw {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.position += count as u64;
        self.reader.consume(count);
    }
}
