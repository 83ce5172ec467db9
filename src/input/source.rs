//! An input as a stream of unpacked bytes that can be picked up again behind damage.
//!
//! gzip is read member by member and zstd frame by frame (both are called members here), and the buffer never mixes two of
//! them, so the member that a byte came from is always known. Plain bytes count as one member. A dictionary in the first
//! frame, as web archives in zstd have it (iipc.github.io/warc-specifications, zstd), serves all frames.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::Position;
use super::raw::{BUFFER, Raw};
use super::zstd::{self, Zstd};

const GZIP: [u8; 3] = [0x1F, 0x8B, 0x08];

pub(super) struct Source {
    state: State,
    packing: Packing,
    buffer: Vec<u8>,
    at: usize,
    /// Where the current member begins in the file.
    member: u64,
    /// Unpacked bytes of the current member that were consumed.
    inner: u64,
    /// Bytes of the file, where that is known.
    size: Option<u64>,
    /// A decoder that is not at work: it keeps its memory, and the dictionary.
    zstd: Option<zstd::Decoder>,
    /// What went wrong behind the bytes that are in the buffer.
    failure: Option<io::Error>,
    /// Bytes that the current member gave.
    unpacked: u64,
}

/// How an input is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    fn of(raw: &mut Raw) -> io::Result<Self> {
        let start = raw.peek(4)?;
        if start.starts_with(&GZIP[..2]) {
            return Ok(Self::Gzip);
        }
        if zstd::is_frame(start) {
            return Ok(Self::Zstd);
        }
        // Lines of JSON are not waited for; of anything else so much was looked at before.
        let is_text =
            |bytes: &[u8]| bytes.iter().all(|b| *b >= 0x80 || b.is_ascii_graphic() || b.is_ascii_whitespace());
        if start.starts_with(b"{") || is_text(raw.peek(512)?) {
            return Ok(Self::None);
        }
        // Junk, or a first member that is damaged; or an archive that is not packed, with a body that is.
        let look = raw.peek(BUFFER)?;
        let begins = |magic: &[u8]| look.iter().zip(magic).filter(|(a, b)| a == b).count() + 1 == magic.len();
        let at = |what: &[u8]| memchr::memmem::find(look, what).unwrap_or(usize::MAX);
        let plain = at(b"WARC/1.").min(at(b"HTTP/1.")).min(at(b"\n{\""));
        let place = |magic: &[u8]| if begins(magic) { 0 } else { at(magic) };
        let (gzip, zstd) = (place(&GZIP), place(&zstd::MAGIC));
        Ok(match gzip.min(zstd) {
            usize::MAX => Self::None,
            first if first > plain => Self::None,
            first if first == gzip => Self::Gzip,
            _ => Self::Zstd,
        })
    }
}

enum State {
    Plain(Raw),
    Between(Raw),
    Gzip(Box<GzDecoder<Raw>>),
    Zstd(Box<Zstd>),
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
    /// The offset in the file, as near as packed bytes let it be known.
    pub(super) fn offset(self) -> u64 {
        if self.is_plain { self.inner } else { self.member }
    }
}

impl Source {
    pub(super) fn new(mut raw: Raw) -> io::Result<Self> {
        let size = raw.size();
        let packing = Packing::of(&mut raw)?;
        let zstd = match packing {
            Packing::Zstd => Some(zstd::Decoder::with_dictionary_of(&mut raw)?),
            _ => None,
        };
        let state = if packing == Packing::None { State::Plain(raw) } else { State::Between(raw) };
        Ok(Self {
            state,
            packing,
            buffer: Vec::new(),
            at: 0,
            member: 0,
            inner: 0,
            size,
            zstd,
            failure: None,
            unpacked: 0,
        })
    }

    /// The same, from a position in it.
    pub(super) fn at(raw: Raw, position: &Position) -> io::Result<Self> {
        let mut source = Self::new(raw)?;
        let (member, inner) = (position.member, position.inner);
        if (member, inner) != (0, 0) {
            source.return_to(Mark { member, inner, is_plain: source.packing == Packing::None }, 0)?;
        }
        Ok(source)
    }

    /// What was consumed so far, for [`Source::at`].
    pub(super) fn position(&self) -> Position {
        Position { member: self.member, inner: self.inner, ..Position::default() }
    }

    /// Where the next byte comes from. Fills the buffer first, so that a member that is over is left behind.
    pub(super) fn mark(&mut self) -> io::Result<Mark> {
        self.fill()?;
        Ok(self.here())
    }

    /// The same without filling it.
    pub(super) fn here(&self) -> Mark {
        self.mark_at(self.inner)
    }

    fn mark_at(&self, inner: u64) -> Mark {
        Mark { member: self.member, inner, is_plain: self.packing == Packing::None }
    }

    /// What the packing is called, for messages.
    pub(super) fn packing(&self) -> &'static str {
        match self.packing {
            Packing::None => "plain",
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }

    /// How many bytes a plain file has left; unknown for a packed one, and for a pipe.
    pub(super) fn left(&self) -> Option<u64> {
        let size = self.size.filter(|_| self.packing == Packing::None)?;
        Some(size.saturating_sub(self.inner))
    }

    /// Whether nothing tells how long it is.
    pub(super) fn is_endless(&self) -> bool {
        self.size.is_none()
    }

    /// Bytes that returning to a mark costs to read again.
    pub(super) fn since(&self, mark: Mark) -> u64 {
        if mark.is_plain { self.inner.saturating_sub(mark.inner) } else { self.inner.max(mark.inner) + BUFFER as u64 }
    }

    /// The beginning of the current member.
    pub(super) fn member_mark(&self) -> Mark {
        self.mark_at(0)
    }

    /// What goes wrong behind the bytes that were looked at.
    pub(super) fn failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// The bytes at hand; none at the end.
    pub(super) fn fill(&mut self) -> io::Result<&[u8]> {
        while self.at >= self.buffer.len() {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            self.at = 0;
            self.buffer.clear();
            if self.more()? == Some(0) {
                break;
            }
        }
        Ok(&self.buffer[self.at..])
    }

    /// The next bytes without passing them: so many, or fewer where the member is over or broken.
    pub(super) fn look(&mut self, count: usize) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(self.rest(count))
    }

    /// The same of the member that was read last, even if nothing is left of it.
    pub(super) fn rest(&mut self, count: usize) -> &[u8] {
        if self.buffer.len() - self.at < count {
            self.buffer.drain(..self.at);
            self.at = 0;
            while self.buffer.len() < count && !matches!(self.state, State::Between(_)) && self.failure.is_none() {
                match self.more() {
                    Ok(Some(1..)) => {}
                    Ok(_) => break,
                    Err(error) => self.failure = Some(error),
                }
            }
        }
        let end = self.buffer.len().min(self.at + count);
        &self.buffer[self.at..end]
    }

    /// Reads more behind what is in the buffer. None where a member begins or is over; 0 at the end of the file.
    fn more(&mut self) -> io::Result<Option<usize>> {
        let length = self.buffer.len();
        if !matches!(self.state, State::Plain(_)) {
            self.buffer.resize(length + BUFFER, 0);
        }
        let read = self.read(length);
        self.buffer.truncate(length + read.as_ref().map_or(0, |read| read.unwrap_or(0)));
        read
    }

    fn read(&mut self, from: usize) -> io::Result<Option<usize>> {
        let (state, read) = match std::mem::replace(&mut self.state, State::Over) {
            State::Over => return Ok(Some(0)),
            State::Between(raw) => return Ok(if self.enter(raw)? { None } else { Some(0) }),
            State::Plain(mut raw) => {
                // What is stored as it is needs no room to be unpacked to.
                let bytes = raw.fill_buf().map(|bytes| &bytes[..bytes.len().min(BUFFER)]);
                let read = bytes.map(|bytes| {
                    self.buffer.extend_from_slice(bytes);
                    bytes.len()
                });
                raw.consume(read.as_ref().map_or(0, |read| *read));
                self.state = State::Plain(raw);
                return Ok(Some(read?));
            }
            State::Gzip(mut decoder) => match decoder.read(&mut self.buffer[from..]) {
                Ok(0) => (State::Between(decoder.into_inner()), Ok(0)),
                Ok(read) => {
                    self.unpacked += read as u64;
                    (State::Gzip(decoder), Ok(read))
                }
                Err(error) => {
                    let target = &mut self.buffer[from..];
                    let (raw, read) = before_damage(decoder.into_inner(), self.member, self.unpacked, target);
                    let (failure, read) = if read > 0 { (Some(error), Ok(read)) } else { (None, Err(error)) };
                    self.failure = failure;
                    (State::Between(raw), read)
                }
            },
            State::Zstd(mut decoder) => {
                let read = decoder.read(&mut self.buffer[from..]);
                let over = matches!(read, Ok(0));
                (if over { State::Between(self.recycle(*decoder)) } else { State::Zstd(decoder) }, read)
            }
        };
        self.state = state;
        Ok(Some(read?).filter(|read| *read > 0))
    }

    fn recycle(&mut self, zstd: Zstd) -> Raw {
        let (raw, decoder) = zstd.into_parts();
        self.zstd = Some(decoder);
        raw
    }

    /// Begins the next member; false at the end of the file.
    fn enter(&mut self, mut raw: Raw) -> io::Result<bool> {
        if self.packing == Packing::Zstd {
            zstd::skip(&mut raw)?;
        }
        let more = !raw.fill_buf()?.is_empty();
        (self.member, self.inner, self.unpacked) = (raw.position(), 0, 0);
        self.state = if !more {
            State::Between(raw)
        } else if let Some(decoder) = self.zstd.take() {
            State::Zstd(Box::new(Zstd::new(raw, decoder)))
        } else {
            State::Gzip(Box::new(GzDecoder::new(raw)))
        };
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

    /// Passes the rest of a line.
    pub(super) fn skip_line(&mut self) -> io::Result<()> {
        while !self.skip_in_line()? {}
        Ok(())
    }

    /// Passes the rest of a line, or of a member.
    pub(super) fn skip_line_or_member(&mut self) -> io::Result<()> {
        let mut is_over = self.skip_in_line()?;
        while !is_over {
            self.fill()?;
            is_over = self.inner == 0 || self.skip_in_line()?;
        }
        Ok(())
    }

    /// Passes what is at hand of a line; whether that was its end, or that of the file.
    fn skip_in_line(&mut self) -> io::Result<bool> {
        let bytes = self.fill()?;
        let end = memchr::memchr(b'\n', bytes);
        let (passed, over) = (end.map_or(bytes.len(), |n| n + 1), end.is_some() || bytes.is_empty());
        self.consume(passed);
        Ok(over)
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

    /// Goes back to a mark, and past `skip` bytes of it; in a pipe as far as it can go back.
    pub(super) fn return_to(&mut self, mark: Mark, skip: u64) -> io::Result<()> {
        let inner = mark.inner + skip;
        let Some(mut raw) = self.raw() else { return Ok(()) };
        if mark.is_plain {
            let inner = raw.seek(inner)?;
            self.state = State::Plain(raw);
            (self.member, self.inner) = (0, inner);
            return Ok(());
        }
        let reached = raw.seek(mark.member)?;
        self.state = State::Between(raw);
        if reached == mark.member {
            self.take(inner, None)?;
        } else {
            self.next_member()?;
        }
        Ok(())
    }

    /// After a member that cannot be unpacked: goes to what looks like the beginning of another one.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        let from = self.member + 1;
        let Some(mut raw) = self.raw() else { return Ok(false) };
        raw.seek(from)?;
        let found = raw.find(if self.packing == Packing::Zstd { &zstd::MAGIC } else { &GZIP })?;
        if found {
            self.state = State::Between(raw);
        }
        Ok(found)
    }

    fn raw(&mut self) -> Option<Raw> {
        self.buffer.clear();
        self.at = 0;
        self.failure = None;
        match std::mem::replace(&mut self.state, State::Over) {
            State::Plain(raw) | State::Between(raw) => Some(raw),
            State::Gzip(decoder) => Some(decoder.into_inner()),
            State::Zstd(decoder) => Some(self.recycle(*decoder)),
            State::Over => None,
        }
    }
}

/// What a broken member gives up to the damage, behind what it gave already: a decoder keeps to itself what it unpacked in
/// the call that fails.
fn before_damage(mut raw: Raw, member: u64, given: u64, target: &mut [u8]) -> (Raw, usize) {
    if !raw.seek(member).is_ok_and(|reached| reached == member) {
        return (raw, 0);
    }
    let mut decoder = GzDecoder::new(raw);
    let (mut passed, mut read) = (0, 0);
    while passed < given {
        let most = target.len().min(usize::try_from(given - passed).unwrap_or(usize::MAX));
        match decoder.read(&mut target[..most]) {
            Ok(count @ 1..) => passed += count as u64,
            _ => return (decoder.into_inner(), 0),
        }
    }
    while read < target.len() && matches!(decoder.read(&mut target[read..=read]), Ok(1)) {
        read += 1;
    }
    (decoder.into_inner(), read)
}
