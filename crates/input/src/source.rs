//! Unpacks an input into a stream of bytes, and continues after damage.
//!
//! gzip is unpacked member by member, and zstd frame by frame. In this module, a zstd frame is
//! called a member, too. The buffer never contains bytes of two members, so the member of each byte
//! is known. Plain bytes count as one member. A dictionary in the first frame, as web archives in
//! zstd have it (iipc.github.io/warc-specifications, zstd), serves all frames.
//!
//! After damage, unpacking continues at the next bytes that look like a member. Bytes after the
//! damage are never returned as a continuation of the bytes before it.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use flate2::bufread::GzDecoder;

use heedful_base::error::{Error, ErrorKind};

use super::gzip::before_damage;
use super::item::Position;
use super::packing::{GZIP, Packing};
use super::raw::{BUFFER, RawInput, keep};
use super::terms::{self, InputTerms, Spent};
use super::zstd::{self, Zstd};

/// Maximum number of bytes that [`ByteSource::take_in`] passes to its callback `is_other`. In these
/// bytes, the callback looks for the beginning of a record.
const LOOK: usize = 8 << 10;
/// Maximum number of bytes that are unpacked at once into the caller's memory.
const DIRECT: usize = 256 << 10;

pub(super) struct ByteSource {
    state: SourceState,
    packing: Packing,
    /// Memory for unpacked bytes. The range `at..end` has the bytes that are not consumed yet.
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// Offset in the stored file at which the current packed member (gzip member or zstd frame)
    /// begins. 0 for a plain file.
    member: u64,
    /// Number of unpacked bytes of the current packed member (gzip or zstd), or of a plain file,
    /// that the caller has consumed.
    inner: u64,
    /// Length of the stored file in bytes; `None` for a pipe.
    size: Option<u64>,
    /// Decoder for the next zstd frame, with the memory and the dictionary of the previous frame.
    /// `None` while a frame is unpacked, and for inputs that are not compressed with zstd.
    zstd: Option<zstd::Decoder>,
    /// Error that occurred while the input was read. It is returned once the bytes in the buffer
    /// are consumed.
    failure: Option<io::Error>,
    /// Number of bytes that were unpacked from the current packed member (gzip or zstd) so far,
    /// consumed or not.
    unpacked: u64,
    pub(super) spent: Spent,
    /// Greatest position in the stored file that was recorded while reading. The budget for
    /// rereading grows with this position: see [`ByteSource::affords`]. Once nothing more can be
    /// read, [`ByteSource::stored`] returns this position.
    stored: u64,
}

enum SourceState {
    Plain(RawInput),
    Between(RawInput),
    Gzip(Box<GzDecoder<RawInput>>),
    Zstd(Box<Zstd>),
    Over,
}

/// Place of a byte in an input, usually of the first byte of a record. `member` is the file offset
/// of the packed member (gzip member or zstd frame) that contains the byte. `inner` is the offset
/// of the byte in the unpacked member. A plain file counts as one member.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteMark {
    pub(super) member: u64,
    pub(super) inner: u64,
    is_plain: bool,
}

impl ByteMark {
    /// Returns the byte's offset in the stored file. For a packed file, returns the offset at which
    /// the byte's packed member (gzip or zstd) begins.
    pub(super) fn offset(self) -> u64 {
        if self.is_plain {
            self.inner
        } else {
            self.member
        }
    }
}

impl ByteSource {
    /// Creates a source of the unpacked bytes of `raw`. If the beginning of `raw` cannot be read,
    /// the first read from the source returns the error.
    pub(super) fn new(mut raw: RawInput, terms: &Arc<InputTerms>) -> Self {
        let size = raw.size();
        let (packing, begun) = match Packing::detect(&mut raw) {
            Ok(Packing::Zstd) => (
                Packing::Zstd,
                zstd::Decoder::with_dictionary_of(&mut raw, terms.limits.window_bytes).map(Some),
            ),
            Ok(packing) => (packing, Ok(None)),
            Err(error) => (Packing::None, Err(error)),
        };
        let (state, zstd, failure) = match begun {
            Ok(zstd) if packing == Packing::None => (SourceState::Plain(raw), zstd, None),
            Ok(zstd) => (SourceState::Between(raw), zstd, None),
            Err(error) => (SourceState::Over, None, Some(error)),
        };
        Self {
            state,
            packing,
            buffer: Vec::new(),
            at: 0,
            end: 0,
            member: 0,
            inner: 0,
            size,
            zstd,
            failure,
            unpacked: 0,
            spent: Spent::new(terms),
            stored: 0,
        }
    }

    /// Creates a source of the unpacked bytes of `raw` that begins at `position`.
    pub(super) fn from_position(
        raw: RawInput,
        position: &Position,
        terms: &Arc<InputTerms>,
    ) -> Self {
        let mut source = Self::new(raw, terms);
        let member = position.member;
        let inner = position.inner;
        if (member, inner) != (0, 0) && source.failure.is_none() {
            let mark = ByteMark {
                member,
                inner,
                is_plain: source.packing == Packing::None,
            };
            // An error after the bytes at the mark is kept in `failure`, for the next read.
            if let Err(error) = source.return_to(mark, 0) {
                source.failure = Some(error);
            }
        }
        source
    }

    /// Returns the position after the bytes consumed so far, for [`ByteSource::from_position`].
    pub(super) fn position(&self) -> Position {
        Position {
            member: self.member,
            inner: self.inner,
            ..Position::default()
        }
    }

    /// Returns the place of the next byte. Fills the buffer first. So at the end of a packed member
    /// (gzip or zstd), the place is in the next member.
    pub(super) fn mark(&mut self) -> io::Result<ByteMark> {
        self.fill()?;
        Ok(self.current_mark())
    }

    /// Returns the place of the next byte without filling the buffer first. If all bytes of a
    /// packed member (gzip or zstd) were consumed, the place is the end of that member.
    pub(super) fn current_mark(&self) -> ByteMark {
        self.mark_at(self.inner)
    }

    fn mark_at(&self, inner: u64) -> ByteMark {
        ByteMark {
            member: self.member,
            inner,
            is_plain: self.packing == Packing::None,
        }
    }

    /// Returns the number of unread bytes of a plain file; `None` for a packed file or a pipe.
    pub(super) fn left(&self) -> Option<u64> {
        let size = self.size.filter(|_| self.packing == Packing::None)?;
        Some(size.saturating_sub(self.inner))
    }

    /// True if the input is compressed with gzip or zstd.
    pub(super) fn is_packed(&self) -> bool {
        self.packing != Packing::None
    }

    /// True if the length of the input is unknown, as for a pipe.
    pub(super) fn has_unknown_length(&self) -> bool {
        self.size.is_none()
    }

    /// Returns the reading position in the stored file, in packed bytes.
    pub(super) fn stored(&self) -> u64 {
        match &self.state {
            SourceState::Plain(raw) | SourceState::Between(raw) => raw.position(),
            SourceState::Gzip(decoder) => decoder.get_ref().position(),
            SourceState::Zstd(zstd) => zstd.position(),
            SourceState::Over => self.stored,
        }
    }

    /// True if the budget for rereading allows `bytes` bytes to be read a second time. If so,
    /// counts these bytes.
    pub(super) fn affords(&mut self, bytes: u64) -> bool {
        self.stored = self.stored.max(self.stored());
        self.spent.affords(bytes, self.stored)
    }

    /// Converts an I/O error that occurred while the input was read. If a limit caused it, the
    /// result is the error of this limit. Otherwise the result is an input error.
    pub(super) fn unpack_error(&self, error: &io::Error) -> Error {
        terms::limit_in(error, self.spent.limits()).unwrap_or_else(|| {
            ErrorKind::Input(format!(
                "{} data that cannot be read ({error})",
                self.packing.name()
            ))
            .into()
        })
    }

    /// Returns the `count` bytes that begin `ahead` bytes after the next byte, without consuming
    /// any. Near the end of the file there may be fewer. `None` unless the input is a plain file.
    pub(super) fn peek_ahead(&mut self, ahead: u64, count: usize) -> io::Result<Option<Vec<u8>>> {
        let at = self.inner.saturating_add(ahead);
        match &mut self.state {
            SourceState::Plain(raw) => raw.look_at(at, count),
            _ => Ok(None),
        }
    }

    /// Returns the number of unpacked bytes that must be read again to return to `mark`.
    pub(super) fn since(&self, mark: ByteMark) -> u64 {
        if mark.is_plain {
            self.inner.saturating_sub(mark.inner)
        } else {
            self.inner.max(mark.inner) + BUFFER as u64
        }
    }

    /// Returns the place of the first byte of the current packed member (gzip or zstd).
    pub(super) fn member_mark(&self) -> ByteMark {
        self.mark_at(0)
    }

    /// Removes and returns the error that would be reported after the bytes in the buffer.
    pub(super) fn failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Returns the unpacked bytes in the buffer, and fills an empty buffer first. The result is
    /// empty only at the end of the input.
    pub(super) fn fill(&mut self) -> io::Result<&[u8]> {
        while self.at >= self.end {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            (self.at, self.end) = (0, 0);
            if self.more()? == Some(0) {
                break;
            }
        }
        Ok(&self.buffer[self.at..self.end])
    }

    /// Returns the next `count` unpacked bytes without consuming them. There are fewer bytes if the
    /// packed member (gzip or zstd) ends earlier or is damaged.
    pub(super) fn look(&mut self, count: usize) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(self.peek_member(count))
    }

    /// Returns up to `count` unpacked bytes of the current packed member (gzip or zstd) without
    /// consuming them. The result is empty once this member is consumed, whereas
    /// [`ByteSource::look`] would enter the next member.
    pub(super) fn peek_member(&mut self, count: usize) -> &[u8] {
        if self.end - self.at < count {
            self.buffer.copy_within(self.at..self.end, 0);
            (self.at, self.end) = (0, self.end - self.at);
            while self.end < count
                && !matches!(self.state, SourceState::Between(_))
                && self.failure.is_none()
            {
                match self.more() {
                    Ok(Some(1..)) => {}
                    Ok(_) => break,
                    Err(error) => self.failure = Some(error),
                }
            }
        }
        let end = self.end.min(self.at + count);
        &self.buffer[self.at..end]
    }

    /// Appends unpacked bytes to the buffer and returns their number. `None` at the border between
    /// two packed members (gzip or zstd), and 0 at the end of the input.
    fn more(&mut self) -> io::Result<Option<usize>> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let end = self.end + BUFFER;
        if buffer.len() < end {
            buffer.resize(end, 0);
        }
        let read = self.read(&mut buffer[self.end..end]);
        self.buffer = buffer;
        if let Ok(Some(count)) = read {
            self.end += count;
        }
        read
    }

    /// Unpacks bytes of the current packed member (gzip or zstd) into `target`, and returns their
    /// number. `None` at the border between two members, and 0 at the end of the input.
    fn read(&mut self, target: &mut [u8]) -> io::Result<Option<usize>> {
        let (state, read) = match std::mem::replace(&mut self.state, SourceState::Over) {
            SourceState::Over => return Ok(Some(0)),
            SourceState::Between(raw) => return Ok(if self.enter(raw)? { None } else { Some(0) }),
            SourceState::Plain(mut raw) => {
                let read = raw.read(target);
                self.state = SourceState::Plain(raw);
                return Ok(Some(read?));
            }
            SourceState::Gzip(mut decoder) => match decoder.read(target) {
                Ok(0) => (SourceState::Between(decoder.into_inner()), Ok(0)),
                Ok(read) => {
                    self.unpacked += read as u64;
                    (SourceState::Gzip(decoder), Ok(read))
                }
                Err(error) => {
                    // The decoder lost the bytes before the damage, so they are unpacked again.
                    let is_affordable = self.affords(self.unpacked);
                    let (raw, read) = if is_affordable {
                        before_damage(decoder.into_inner(), self.member, self.unpacked, target)
                    } else {
                        (decoder.into_inner(), 0)
                    };
                    let (failure, read) = if read > 0 {
                        (Some(error), Ok(read))
                    } else {
                        (None, Err(error))
                    };
                    self.failure = failure;
                    (SourceState::Between(raw), read)
                }
            },
            SourceState::Zstd(mut decoder) => {
                let read = decoder.read(target);
                self.unpacked += read.as_ref().map_or(0, |read| *read as u64);
                let packed = decoder.position().saturating_sub(self.member);
                let read = read.and_then(|read| self.spent.unpacked(read, self.unpacked, packed));
                let over = matches!(read, Ok(0));
                (
                    if over {
                        SourceState::Between(self.recycle(*decoder))
                    } else {
                        SourceState::Zstd(decoder)
                    },
                    read,
                )
            }
        };
        self.state = state;
        Ok(Some(read?).filter(|read| *read > 0))
    }

    fn recycle(&mut self, zstd: Zstd) -> RawInput {
        let (raw, decoder) = zstd.into_parts();
        self.zstd = Some(decoder);
        raw
    }

    /// Begins to unpack the next packed member (gzip or zstd) of `raw`. Returns false at the end of
    /// the file.
    fn enter(&mut self, mut raw: RawInput) -> io::Result<bool> {
        if self.packing == Packing::Zstd {
            zstd::skip(&mut raw)?;
        }
        let more = !raw.fill_buf()?.is_empty();
        (self.member, self.inner, self.unpacked) = (raw.position(), 0, 0);
        self.state = if !more {
            SourceState::Between(raw)
        } else if let Some(decoder) = self.zstd.take() {
            SourceState::Zstd(Box::new(Zstd::new(raw, decoder)))
        } else {
            SourceState::Gzip(Box::new(GzDecoder::new(raw)))
        };
        Ok(more)
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.at += count;
        self.inner += count as u64;
    }

    /// Consumes and returns a line with its line ending, or its first `most` bytes. `None` at the
    /// end of the file.
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

    /// Consumes and returns a line with its line ending. A line of more than `most` bytes is
    /// consumed completely, and returned shortened (see [`keep`]). `None` at the end of the file.
    pub(super) fn whole_line(&mut self, most: usize) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            let bytes = self.fill()?;
            if bytes.is_empty() {
                return Ok(if line.is_empty() { None } else { Some(line) });
            }
            let end = memchr::memchr(b'\n', bytes).map(|end| end + 1);
            let taken = end.unwrap_or(bytes.len());
            keep(&mut line, &bytes[..taken], most);
            self.consume(taken);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }

    /// Consumes the rest of the current line, or of the current packed member (gzip or zstd) if the
    /// member ends first.
    pub(super) fn skip_line_or_member(&mut self) -> io::Result<()> {
        let mut is_over = self.skip_in_line()?;
        while !is_over {
            self.fill()?;
            is_over = self.inner == 0 || self.skip_in_line()?;
        }
        Ok(())
    }

    /// Consumes the bytes of the current line that are in the buffer. Returns true if the end of
    /// the line or of the file was reached.
    fn skip_in_line(&mut self) -> io::Result<bool> {
        let bytes = self.fill()?;
        let (length, is_over) = match memchr::memchr(b'\n', bytes) {
            Some(end) => (end + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        self.consume(length);
        Ok(is_over)
    }

    /// Consumes `count` bytes and appends them to `keep`, if it is given. Returns the number of
    /// consumed bytes, which is less than `count` only at the end of the input.
    pub(super) fn take(&mut self, count: u64, keep: Option<&mut Vec<u8>>) -> io::Result<u64> {
        self.take_in(count, keep, |_| false)
    }

    /// Consumes up to `count` bytes like [`ByteSource::take`]. Stops before a packed member (gzip
    /// or zstd) that begins another record. `is_other` recognizes such a member by its first bytes.
    pub(super) fn take_in(
        &mut self,
        count: u64,
        mut keep: Option<&mut Vec<u8>>,
        is_other: fn(&[u8]) -> bool,
    ) -> io::Result<u64> {
        let mut left = count;
        while left > 0 {
            if self.at == self.end {
                let passed = match keep.as_mut() {
                    Some(keep) => self.unpack_to(keep, left)?,
                    None => self.skip(left)?,
                };
                if passed > 0 {
                    left -= passed;
                    continue;
                }
            }
            let is_empty = self.fill()?.is_empty();
            if is_empty || self.inner == 0 && self.is_packed() && is_other(self.peek_member(LOOK)) {
                break;
            }
            let bytes = &self.buffer[self.at..self.end];
            let taken = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            if let Some(keep) = keep.as_mut() {
                keep.extend_from_slice(&bytes[..taken]);
            }
            self.consume(taken);
            left -= taken as u64;
        }
        Ok(count - left)
    }

    /// Appends unpacked bytes of the current gzip member, or bytes of a plain file, directly to
    /// `keep`. The bytes do not pass through the source's own `buffer`, which must be empty.
    /// Returns the number of appended bytes, which is at most `left`. Returns 0 if the caller must
    /// read through the buffer. This is so, for example, in a zstd frame, at the beginning of a
    /// gzip member, and if `left` is small.
    fn unpack_to(&mut self, keep: &mut Vec<u8>, left: u64) -> io::Result<u64> {
        let wanted = usize::try_from(left).unwrap_or(DIRECT).min(DIRECT);
        let is_inside = matches!(self.state, SourceState::Plain(_) | SourceState::Gzip(_));
        if wanted < BUFFER || !is_inside || self.failure.is_some() {
            return Ok(0);
        }
        let length = keep.len();
        keep.resize(length + wanted, 0);
        let read = self.read(&mut keep[length..]);
        let count = match read {
            Ok(Some(count)) => count,
            _ => 0,
        };
        keep.truncate(length + count);
        self.inner += count as u64;
        read.map(|_| count as u64)
    }

    /// Seeks past the next `left` bytes of a plain file. Returns the number of passed bytes. Returns
    /// 0 for other inputs, and at the end of the file.
    fn skip(&mut self, left: u64) -> io::Result<u64> {
        let SourceState::Plain(raw) = &mut self.state else {
            return Ok(0);
        };
        let from = raw.position();
        let passed = raw.seek(from.saturating_add(left))?.saturating_sub(from);
        self.inner += passed;
        Ok(passed.min(left))
    }

    /// Moves back to the byte that is `skip` bytes after `mark`. A pipe can move back only to bytes
    /// that are still in the buffer; otherwise the reached position is later.
    pub(super) fn return_to(&mut self, mark: ByteMark, skip: u64) -> io::Result<()> {
        let inner = mark.inner + skip;
        let Some(mut raw) = self.raw() else {
            return Ok(());
        };
        if mark.is_plain {
            let inner = raw.seek(inner)?;
            self.state = SourceState::Plain(raw);
            (self.member, self.inner) = (0, inner);
            return Ok(());
        }
        let reached = raw.seek(mark.member)?;
        self.state = SourceState::Between(raw);
        if reached == mark.member {
            self.take(inner, None)?;
        } else {
            self.next_member()?;
        }
        Ok(())
    }

    /// Leaves a packed member (gzip or zstd) that cannot be unpacked. Moves to the next bytes that
    /// look like the beginning of a member. Returns false if there are no such bytes. If the budget
    /// for rereading allows it, the search begins inside the broken member. Otherwise the search
    /// begins where reading stopped.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        let stopped = self.stored();
        let again = stopped
            .saturating_sub(self.member)
            .saturating_add(self.unpacked);
        let from = if self.affords(again) {
            self.member + 1
        } else {
            stopped.max(self.member + 1)
        };
        let Some(mut raw) = self.raw() else {
            return Ok(false);
        };
        raw.seek(from)?;
        let found = raw.find(if self.packing == Packing::Zstd {
            &zstd::MAGIC
        } else {
            &GZIP
        })?;
        if found {
            (self.member, self.inner, self.unpacked) = (raw.position(), 0, 0);
            self.state = SourceState::Between(raw);
        } else {
            self.stored = self.stored.max(raw.position());
        }
        Ok(found)
    }

    /// Leaves a packed member (gzip or zstd) that cannot be unpacked, and moves to the next member.
    /// Returns `None` if there is a next member. Otherwise returns the number of unread bytes from
    /// the damage to the end of the file. This number is `u64::MAX` if it is unknown, as for a
    /// pipe. If other members come before the broken member, the number is 0. The unread bytes then
    /// count as part of the broken member.
    pub(super) fn leave_member(&mut self) -> Option<u64> {
        let stopped = self.stored();
        let is_only = self.member == 0;
        let behind = match self.size {
            Some(size) => size.saturating_sub(stopped),
            None => u64::MAX,
        };
        if self.packing == Packing::None || matches!(self.state, SourceState::Over) {
            return Some(behind);
        }
        match self.next_member() {
            Ok(true) => None,
            Ok(false) => Some(if is_only {
                self.stored.saturating_sub(stopped)
            } else {
                0
            }),
            Err(_) => Some(behind),
        }
    }

    fn raw(&mut self) -> Option<RawInput> {
        (self.at, self.end) = (0, 0);
        self.failure = None;
        match std::mem::replace(&mut self.state, SourceState::Over) {
            SourceState::Plain(raw) | SourceState::Between(raw) => Some(raw),
            SourceState::Gzip(decoder) => Some(decoder.into_inner()),
            SourceState::Zstd(decoder) => Some(self.recycle(*decoder)),
            SourceState::Over => None,
        }
    }
}
