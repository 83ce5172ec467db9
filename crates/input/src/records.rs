//! The records of a web archive, one after the other, and recovery after damage.
//!
//! `warc` and `arc` read the heads; members, offsets and resynchronising are here. So a truncated
//! file differs from a whole one. The length of a record counts only if another record begins
//! after it, or if the file or the member ends. A false length costs its own record, and so does
//! junk after it. Going back in a pipe is possible only as far as its window. This module never
//! loses a neighbour silently, and never gives up a file without a report.

use std::io;
use std::sync::Arc;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, exceeded};

use super::head::{RecordHead, bad};
use super::kind::InputFormat;
use super::source::{ByteMark, ByteSource};
use super::terms::{Allowance, InputTerms, UnpackBudget};
use super::{arc, digest, warc};

/// The number of bytes by which a record is recognized.
const LOOK: usize = 8 << 10;
/// The bytes of each record that are kept, to check its length.
const KEPT: u64 = 64 << 10;

/// A record, with its content if it was wanted.
pub(super) struct Record {
    pub(super) mark: ByteMark,
    pub(super) head: RecordHead,
    pub(super) content: Vec<u8>,
    /// True if the record is larger than what is kept: the content is only its beginning.
    pub(super) is_part: bool,
}

/// The reason why a record could not be read.
struct BrokenRecord {
    error: Error,
    head: RecordHead,
    way_on: WayOn,
}

/// The place to look for the next record.
#[derive(Clone, Copy, Debug)]
enum WayOn {
    /// At the current position.
    Here,
    /// After the first line of the broken record. The number is the bytes of its content that were
    /// read already; they may hold later records.
    Reread(u64),
    /// In the next member, because this one cannot be unpacked.
    Member,
}

pub(super) enum FoundRecord {
    Record(Record),
    Damage(Lost),
}

/// A record that could not be read.
pub(super) struct Lost {
    /// The place where the record begins.
    pub(super) mark: ByteMark,
    pub(super) error: Error,
    /// The head, as far as it could be read.
    pub(super) head: RecordHead,
    /// The bytes after it that are given up.
    pub(super) unread: u64,
}

/// The function that reads the head of a record. A head that breaks off is filled as far as it was
/// read.
type ReadHead = fn(&mut ByteSource, &Limits, &mut RecordHead) -> io::Result<Result<(), Error>>;

/// Reads records one after the other.
pub(super) struct Records {
    pub(super) source: ByteSource,
    pub(super) allowance: Allowance,
    terms: Arc<InputTerms>,
    read_head: ReadHead,
    is_start: fn(&[u8]) -> bool,
    /// True if reading cannot continue.
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

    /// The room to which the page in the last record may be unpacked.
    pub(super) fn room(&self) -> UnpackBudget<'_> {
        self.allowance.room(self.source.stored())
    }

    /// The next record. Its content is kept if `wanted` returns true.
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

    /// Passes the blank lines before a record.
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
        // A record whose head breaks off is known by what was read of it: it may be a robots.txt.
        let trouble = match (self.read_head)(&mut self.source, &self.terms.limits, &mut head) {
            Ok(read) => read.err().map(|error| (error, WayOn::Here)),
            Err(error) => Some((self.unpackable(&error), WayOn::Member)),
        };
        if let Some((error, way_on)) = trouble {
            return Err(Box::new(BrokenRecord {
                error,
                head,
                way_on,
            }));
        }
        let mut content = Vec::new();
        let keep = wanted(&head);
        let is_part = keep && head.length > Some(self.terms.limits.record_bytes);
        // A record whose content cannot be unpacked is known all the same.
        let trouble = match self.content(&head, keep, &mut content) {
            Ok(None) => self.doubt(&head, &content, keep && !is_part),
            Ok(trouble) => trouble,
            Err(error) => Some((self.unpackable(&error), WayOn::Member)),
        };
        match trouble {
            None => Ok(Record {
                mark,
                head,
                content,
                is_part,
            }),
            Some((error, way_on)) => Err(Box::new(BrokenRecord {
                error,
                head,
                way_on,
            })),
        }
    }

    fn doubt(&self, head: &RecordHead, content: &[u8], is_whole: bool) -> Option<(Error, WayOn)> {
        if !is_whole || !self.terms.digests {
            return None;
        }
        let message = digest::doubt(head, content, &self.room())?;
        Some((bad(message), WayOn::Here))
    }

    /// Reads or passes the content of a record. It returns the problem, if there is one, and how to
    /// continue.
    fn content(
        &mut self,
        head: &RecordHead,
        keep: bool,
        content: &mut Vec<u8>,
    ) -> io::Result<Option<(Error, WayOn)>> {
        let Some(length) = head.length else {
            let error = bad("a record without a readable length");
            return Ok(Some((error, WayOn::Here)));
        };
        if let Some(left) = self.source.left()
            && length > left
        {
            let error = bad(format!(
                "a record that is cut off, or claims too large a length ({length})"
            ));
            return Ok(Some((error, WayOn::Here)));
        }
        let is_large = length > self.terms.limits.record_bytes;
        // The length of a pipe is unknown, so a length this large is not believed.
        if is_large && self.source.is_endless() {
            return Ok(Some((
                exceeded("record_bytes", &self.terms.limits),
                WayOn::Here,
            )));
        }
        if !self.is_followed(length)? {
            return Ok(Some((bad(LIES), WayOn::Reread(0))));
        }
        let member = self.source.member_mark().member;
        let most = length.saturating_sub(1);
        // The beginning is kept in any case: it shows if the length is false.
        let kept = most.min(if keep {
            self.terms.limits.record_bytes
        } else {
            KEPT
        });
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
            return Ok(Some((error, WayOn::Reread(read))));
        }
        content.extend_from_slice(&last);
        let is_line = matches!(last.last(), None | Some(b'\n'));
        let is_crossing = self.source.member_mark().member != member;
        if !self.at_boundary(content, is_line, is_crossing)? {
            return Ok(Some((bad(LIES), WayOn::Reread(read))));
        }
        Ok(None)
    }

    /// True if something confirms the length of a record before it is read. In a plain file, the
    /// bytes after the record are looked at. For anything else it is checked when it is read.
    fn is_followed(&mut self, length: u64) -> io::Result<bool> {
        if length == 0 {
            return Ok(true);
        }
        let Some(bytes) = self.source.look_behind(length - 1, LOOK)? else {
            return Ok(true);
        };
        let (last, rest) = bytes.split_first().unwrap_or((&b'\n', &[]));
        let blank = blank_bytes(rest);
        let after = &rest[blank..];
        Ok(after.is_empty() || (*last == b'\n' || blank > 0) && (self.is_start)(after))
    }

    /// True if a record begins here, on a line of its own, or the file ends. Content that runs on
    /// into another member must not run into another record there.
    fn at_boundary(
        &mut self,
        content: &[u8],
        is_line: bool,
        is_crossing: bool,
    ) -> io::Result<bool> {
        let bytes = self.source.rest(LOOK);
        let blank = blank_bytes(bytes);
        // A member whose checksum is wrong ends here.
        if blank == bytes.len()
            && let Some(failure) = self.source.failure()
        {
            return Err(failure);
        }
        let bytes = self.source.rest(LOOK);
        let rest = &bytes[blank..];
        let is_end = rest.is_empty() || (is_line || blank > 0) && (self.is_start)(rest);
        Ok(is_end && !(is_crossing && self.holds_start(content)))
    }

    /// True if a line of the content, except the first, begins like a record.
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

    /// Looks for the next record after a bad one.
    fn broken_record(&mut self, mark: ByteMark, broken: BrokenRecord) -> FoundRecord {
        let BrokenRecord {
            error,
            head,
            way_on,
        } = broken;
        let found = match way_on {
            WayOn::Here => self.seek_record().map(|()| 0),
            WayOn::Reread(read) => self.reread(mark, read),
            WayOn::Member => {
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

    /// Goes back to the end of the first line of a record. If too much was read twice by then, the
    /// records inside its false length are not read. Returns the bytes given up.
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

    /// Looks for the next member after bytes that cannot be unpacked.
    fn broken_member(&mut self, error: &io::Error) -> FoundRecord {
        let mark = self.source.member_mark();
        let error = self.unpackable(error);
        let unread = self.leave_member();
        FoundRecord::Damage(Lost {
            mark,
            error,
            head: RecordHead::default(),
            unread,
        })
    }

    fn unpackable(&self, error: &io::Error) -> Error {
        self.source.unpackable(error)
    }

    /// Goes to the next member. Returns the bytes of the file that are given up if there is none.
    fn leave_member(&mut self) -> u64 {
        let unread = self.source.leave_member();
        self.over = unread.is_some();
        unread.unwrap_or(0)
    }

    /// Moves to the next line that begins like a record; it may be this one.
    fn seek_record(&mut self) -> io::Result<()> {
        while !self.source.fill()?.is_empty() && !self.is_at_start()? {
            self.source.skip_line_or_member()?;
        }
        Ok(())
    }
}

/// The number of line ends before anything else.
fn blank_bytes(bytes: &[u8]) -> usize {
    let text = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n'));
    text.unwrap_or(bytes.len())
}

const LIES: &str = "a record whose length is wrong, or with something else behind it";
