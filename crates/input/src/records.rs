//! Splits a web archive into records, and recovers after damage.
//!
//! The modules `warc` and `arc` parse the record headers. This module handles packed members,
//! offsets and the search for the next record, so that it can tell a truncated archive from a whole
//! one. The declared length of a record is trusted only if another record begins after it, or if
//! the archive or the member ends there. After a false length, or junk after a record, only that
//! record is lost. In a pipe the search can go back only as far as the window in the buffer. No
//! record is ever lost silently: each loss is reported as damage. If reading cannot continue, the
//! rest of the archive is reported as damage, too.

use std::io;
use std::sync::Arc;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, exceeded, size};

use super::head::{RecordHead, bad};
use super::kind::InputFormat;
use super::source::{ByteMark, ByteSource};
use super::terms::{Allowance, InputTerms, Spent, UnpackBudget};
use super::{arc, digest, warc};

/// Number of bytes of an archive that are read to recognize the beginning of a record.
const LOOK: usize = 8 << 10;
/// Number of bytes at the beginning of each record in a packed archive that stay in memory. They
/// serve to verify the declared length of the record, even if its content is not wanted.
const KEPT: u64 = 64 << 10;
/// Maximum number of bytes of memory that are reserved before a record's content is read. More is
/// not reserved, because the declared length may be false.
const RESERVED: usize = 4 << 20;

/// An archive record: its header, and its content if the caller wanted the content.
pub(super) struct Record {
    pub(super) mark: ByteMark,
    pub(super) head: RecordHead,
    pub(super) content: Vec<u8>,
    /// True if the record is larger than the limit `record_bytes`. Then `content` is only the
    /// beginning of the record's content.
    pub(super) is_part: bool,
}

/// An archive record that could not be read: the error, the header, and where to continue.
struct BrokenRecord {
    error: Error,
    head: RecordHead,
    resume_point: ResumePoint,
}

/// Place where the search for the next record begins after a broken record.
#[derive(Clone, Copy, Debug)]
enum ResumePoint {
    /// The search begins at the current position in the archive.
    Here,
    /// The search for the next record begins at the second line of the broken record, because the
    /// content of the broken record may contain later records. The number is how many bytes of this
    /// content were already read.
    Reread(u64),
    /// The search begins at the next packed member (gzip member or zstd frame), because the current
    /// member cannot be unpacked.
    Member,
}

pub(super) enum FoundRecord {
    Record(Record),
    Damage(Lost),
}

/// Report of a broken record to the caller: where the record is, why it cannot be read, and what is
/// lost.
pub(super) struct Lost {
    /// Place of the broken record's first byte.
    pub(super) mark: ByteMark,
    pub(super) error: Error,
    /// Header of the broken record. It has only the fields that could be read.
    pub(super) head: RecordHead,
    /// Number of bytes of the archive after the damage that are not read. 0 if reading continued.
    pub(super) unread: u64,
}

/// Costs of reading an archive up to some record, which count against the limits for the whole
/// archive.
#[derive(Clone, Debug)]
pub(super) struct ReadingCosts {
    allowance: Allowance,
    spent: Spent,
}

/// Function that parses a record's header. If a header line is broken, the function still fills in
/// the fields from the lines before it.
type ReadHead = fn(&mut ByteSource, &Limits, &mut RecordHead) -> io::Result<Result<(), Error>>;

/// Reader of the records of an archive, in order.
pub(super) struct Records {
    pub(super) source: ByteSource,
    pub(super) allowance: Allowance,
    terms: Arc<InputTerms>,
    read_head: ReadHead,
    is_start: fn(&[u8]) -> bool,
    /// True if nothing more of the archive can be read because of damage.
    over: bool,
}

impl Records {
    pub(super) fn new(source: ByteSource, kind: InputFormat, terms: &Arc<InputTerms>) -> Self {
        let (read_head, is_start): (ReadHead, fn(&[u8]) -> bool) = if kind == InputFormat::Arc {
            (arc::head, arc::is_start)
        } else {
            (warc::head, warc::is_start)
        };
        Self {
            source,
            allowance: Allowance::new(terms),
            terms: Arc::clone(terms),
            read_head,
            is_start,
            over: false,
        }
    }

    /// Returns the costs of reading the archive so far. Among them are the unpacked bytes and the
    /// HTML tags of the pages, and the bytes that were read twice. Limits for the whole archive
    /// bound these costs.
    pub(super) fn costs(&self) -> ReadingCosts {
        ReadingCosts {
            allowance: self.allowance.clone(),
            spent: self.source.spent.clone(),
        }
    }

    /// Sets the costs of reading the archive up to the current position. An earlier reader has read
    /// that part of the archive. Limits for the whole archive bound the costs of both readers.
    pub(super) fn set_costs(&mut self, costs: ReadingCosts) {
        self.allowance = costs.allowance;
        self.source.spent = costs.spent;
    }

    /// Returns the upper bound for the unpacked size of the page in the record that was read last.
    pub(super) fn room(&self) -> UnpackBudget<'_> {
        self.allowance.room(self.source.stored())
    }

    /// Reads the next record of the archive. The record has its content only if `wanted` returns
    /// true for its header. `None` at the end of the archive.
    pub(super) fn next(&mut self, wanted: fn(&RecordHead) -> bool) -> Option<FoundRecord> {
        if self.over {
            return None;
        }
        self.allowance.begin(self.source.stored());
        let mark = match self.start() {
            Ok(Some(mark)) => mark,
            Ok(None) => return None,
            Err(error) => return Some(self.broken_member(&error)),
        };
        match self.record(mark, wanted) {
            Ok(record) => Some(FoundRecord::Record(record)),
            Err(broken) => Some(self.broken_record(mark, *broken)),
        }
    }

    /// Consumes the blank lines before a record. Returns the place of the record's first byte, or
    /// `None` at the end of the archive.
    fn start(&mut self) -> io::Result<Option<ByteMark>> {
        loop {
            let bytes = self.source.fill()?;
            let blank = bytes
                .iter()
                .position(|b| !matches!(b, b'\r' | b'\n'))
                .unwrap_or(bytes.len());
            if bytes.is_empty() {
                return Ok(None);
            }
            let all_blank = blank == bytes.len();
            self.source.consume(blank);
            if !all_blank {
                return self.source.mark().map(Some);
            }
        }
    }

    fn record(
        &mut self,
        mark: ByteMark,
        wanted: fn(&RecordHead) -> bool,
    ) -> Result<Record, Box<BrokenRecord>> {
        let mut head = RecordHead::default();
        // The header of a broken record still counts: it may name a robots.txt, which then forbids
        // all.
        let trouble = match (self.read_head)(&mut self.source, &self.terms.limits, &mut head) {
            Ok(read) => read.err().map(|error| (error, ResumePoint::Here)),
            Err(error) => Some((self.unpack_error(&error), ResumePoint::Member)),
        };
        if let Some((error, resume_point)) = trouble {
            return Err(Box::new(BrokenRecord {
                error,
                head,
                resume_point,
            }));
        }
        let mut content = Vec::new();
        let keep = wanted(&head);
        let is_part = keep && head.length > Some(self.terms.limits.record_bytes);
        // The header also counts if only the content cannot be unpacked.
        let trouble = match self.content(&head, keep, &mut content) {
            Ok(None) => self.digest_mismatch(&head, &content, keep && !is_part),
            Ok(trouble) => trouble,
            Err(error) => Some((self.unpack_error(&error), ResumePoint::Member)),
        };
        match trouble {
            None => Ok(Record {
                mark,
                head,
                content,
                is_part,
            }),
            Some((error, resume_point)) => Err(Box::new(BrokenRecord {
                error,
                head,
                resume_point,
            })),
        }
    }

    fn digest_mismatch(
        &self,
        head: &RecordHead,
        content: &[u8],
        is_whole: bool,
    ) -> Option<(Error, ResumePoint)> {
        if !is_whole || !self.terms.digests {
            return None;
        }
        let message = digest::mismatch(head, content, &self.room())?;
        Some((bad(message), ResumePoint::Here))
    }

    /// Reads the content of the record with the header `head` into `content`, or only skips the
    /// content if `keep` is false. If the record is broken, returns the error and the place where
    /// the search for the next record begins.
    fn content(
        &mut self,
        head: &RecordHead,
        keep: bool,
        content: &mut Vec<u8>,
    ) -> io::Result<Option<(Error, ResumePoint)>> {
        let Some(length) = head.length else {
            let error = bad("a record without a readable length");
            return Ok(Some((error, ResumePoint::Here)));
        };
        if let Some(left) = self.source.left()
            && length > left
        {
            let error = bad(format!(
                "a record that is cut off, or claims too large a length ({length})"
            ));
            return Ok(Some((error, ResumePoint::Here)));
        }
        let is_large = length > self.terms.limits.record_bytes;
        // The file's end cannot refute the length in a pipe, so a length above the limit is not
        // believed.
        if is_large && self.source.has_unknown_length() {
            return Ok(Some((
                exceeded("record_bytes", &self.terms.limits),
                ResumePoint::Here,
            )));
        }
        if !self.is_followed(length)? {
            return Ok(Some((bad(LIES), ResumePoint::Reread(0))));
        }
        let member = self.source.member_mark().member;
        let most = length.saturating_sub(1);
        // Of packed records the beginning is kept even if unwanted: record headers in it show that
        // a length is false that leads into the next member.
        let kept = most.min(match (keep, self.source.is_packed()) {
            (true, _) => self.terms.limits.record_bytes,
            (false, true) => KEPT,
            (false, false) => 0,
        });
        if keep {
            content.reserve_exact(size(length).min(RESERVED));
        }
        let mut read = self.source.take_in(kept, Some(content), self.is_start)?;
        let mut last = Vec::new();
        if read == kept {
            read += self.source.take_in(most - kept, None, self.is_start)?;
        }
        if read == most {
            read += self.source.take(length - most, Some(&mut last))?;
        }
        if read < length {
            let error = bad(format!(
                "a record that is cut off: {read} of {length} bytes"
            ));
            return Ok(Some((error, ResumePoint::Reread(read))));
        }
        content.extend_from_slice(&last);
        let is_line = matches!(last.last(), None | Some(b'\n'));
        let is_crossing = self.source.member_mark().member != member;
        if !self.at_boundary(content, is_line, is_crossing)? {
            return Ok(Some((bad(LIES), ResumePoint::Reread(read))));
        }
        Ok(None)
    }

    /// True if the file ends or another record begins where a record of the declared length
    /// `length` ends. For this check, a plain file is read ahead. For other inputs the result is
    /// always true, and `at_boundary` checks the end of the record later.
    fn is_followed(&mut self, length: u64) -> io::Result<bool> {
        if length == 0 {
            return Ok(true);
        }
        let Some(bytes) = self.source.peek_ahead(length - 1, LOOK)? else {
            return Ok(true);
        };
        let (last, rest) = bytes.split_first().unwrap_or((&b'\n', &[]));
        let blank = blank_bytes(rest);
        let after = &rest[blank..];
        Ok(after.is_empty() || (*last == b'\n' || blank > 0) && (self.is_start)(after))
    }

    /// True if a record's content ends where a record must end. A record must end at the end of the
    /// file, at the end of a packed member (gzip or zstd), or before another record. `is_line` is
    /// true if the content ends with a line ending. `is_crossing` is true if the content spans two
    /// packed members. For content that spans two members, the result is false if another record
    /// begins inside of the content.
    fn at_boundary(
        &mut self,
        content: &[u8],
        is_line: bool,
        is_crossing: bool,
    ) -> io::Result<bool> {
        let bytes = self.source.peek_member(LOOK);
        let blank = blank_bytes(bytes);
        // A wrong checksum of the member is an error after the member's last byte.
        if blank == bytes.len()
            && let Some(failure) = self.source.failure()
        {
            return Err(failure);
        }
        let bytes = self.source.peek_member(LOOK);
        let rest = &bytes[blank..];
        let is_end = rest.is_empty() || (is_line || blank > 0) && (self.is_start)(rest);
        Ok(is_end && !(is_crossing && self.holds_start(content)))
    }

    /// True if another record may begin inside of a record's content. This is so if any line but
    /// the first looks like the beginning of a record.
    fn holds_start(&self, content: &[u8]) -> bool {
        let last = match memchr::memrchr(b'\n', content) {
            Some(end) => &content[end + 1..],
            None => content,
        };
        (self.is_start)(&[last, b"\n"].concat())
            || memchr::memchr_iter(b'\n', content).any(|end| (self.is_start)(&content[end + 1..]))
    }

    fn is_at_start(&mut self) -> io::Result<bool> {
        Ok((self.is_start)(self.source.look(LOOK)?))
    }

    /// Moves from a broken record to the next record of the archive, and returns the damage.
    fn broken_record(&mut self, mark: ByteMark, broken: BrokenRecord) -> FoundRecord {
        let BrokenRecord {
            error,
            head,
            resume_point,
        } = broken;
        let found = match resume_point {
            ResumePoint::Here => self.seek_record().map(|()| 0),
            ResumePoint::Reread(read) => self.reread(mark, read),
            ResumePoint::Member => {
                let mark = self.source.member_mark();
                let unread = self.leave_member();
                return FoundRecord::Damage(Lost {
                    mark,
                    error,
                    head,
                    unread,
                });
            }
        };
        let unread = found.unwrap_or_else(|_| self.leave_member());
        FoundRecord::Damage(Lost {
            mark,
            error,
            head,
            unread,
        })
    }

    /// Moves back to the line after the first line of a broken record, and from there to the next
    /// record. `read` is the number of bytes of the broken record's content that were read. If the
    /// budget for rereading does not allow moving back, these bytes are not searched for records.
    /// Returns the number of bytes that were not searched.
    fn reread(&mut self, mark: ByteMark, read: u64) -> io::Result<u64> {
        let spent = self.source.since(mark).max(read);
        let unread = if self.source.affords(spent) {
            self.source.return_to(mark, 1)?;
            self.source.skip_line_or_member()?;
            0
        } else {
            read
        };
        self.seek_record()?;
        Ok(unread)
    }

    /// Leaves a packed member (gzip or zstd) that cannot be unpacked, moves to the next member, and
    /// returns the damage.
    fn broken_member(&mut self, error: &io::Error) -> FoundRecord {
        let mark = self.source.member_mark();
        let error = self.unpack_error(error);
        let unread = self.leave_member();
        FoundRecord::Damage(Lost {
            mark,
            error,
            head: RecordHead::default(),
            unread,
        })
    }

    fn unpack_error(&self, error: &io::Error) -> Error {
        self.source.unpack_error(error)
    }

    /// Leaves the packed member (gzip or zstd), and moves to the next member. Returns 0 if there is
    /// a next member. Otherwise returns the number of unread bytes up to the end of the file, as
    /// [`ByteSource::leave_member`] counts them.
    fn leave_member(&mut self) -> u64 {
        let unread = self.source.leave_member();
        self.over = unread.is_some();
        unread.unwrap_or(0)
    }

    /// Moves to the first line that looks like the beginning of a record: the current line, or a
    /// later one.
    fn seek_record(&mut self) -> io::Result<()> {
        while !self.source.fill()?.is_empty() && !self.is_at_start()? {
            self.source.skip_line_or_member()?;
        }
        Ok(())
    }
}

/// Counts the line-ending bytes at the beginning of `bytes`.
fn blank_bytes(bytes: &[u8]) -> usize {
    let text = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n'));
    text.unwrap_or(bytes.len())
}

const LIES: &str = "a record with a wrong length, or with other data after it";
