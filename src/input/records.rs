//! Records of web archives, one after the other, and the way on after damage.
//!
//! What a head says is read by `warc` and `arc`; members, offsets and resynchronising are here: a truncated file is told from
//! a whole one. The length of a record is believed only where another one begins behind it, or the file or the member ends: what
//! lies costs its own record, and so does junk behind it. What is read from a pipe can be taken up again only as far back as its
//! window goes. What this module never does: lose a neighbour silently, or give up a file without a word.

use std::io;
use std::time::SystemTime;

use super::source::{Mark, Source};
use super::{Kind, arc, http, warc};

/// A head with more bytes is damage.
pub(super) const LARGEST_HEAD: usize = 64 << 10;
/// A record with more bytes is passed over.
const LARGEST_RECORD: u64 = 256 << 20;
/// A record is known by so many bytes.
const LOOK: usize = 8 << 10;
/// So many broken members are passed at the most: each is looked at for up to 64 KiB.
const BROKEN_MEMBERS: u32 = 1000;
/// So much of a file is read a second time at the most: one that lies in every record is given up.
const REREADS: u64 = 256 << 20;

/// What the head of a record says.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) kind: RecordKind,
    pub(super) target: Option<String>,
    pub(super) content_type: String,
    pub(super) length: Option<u64>,
    pub(super) captured: Option<SystemTime>,
    pub(super) id: Option<String>,
    /// It says that its content is not whole.
    pub(super) is_cut: bool,
}

/// What a record may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RecordKind {
    /// An HTTP response.
    Response,
    /// A file without one.
    Resource,
    /// That a page is as it was.
    Revisit,
    #[default]
    Other,
    /// Nobody knows what.
    Unknown,
}

impl Head {
    fn is_web(&self) -> bool {
        self.target.as_deref().is_some_and(|uri| {
            let scheme = uri.split(':').next().unwrap_or_default();
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        })
    }

    pub(super) fn is_page(&self) -> bool {
        self.is_web()
            && match self.kind {
                RecordKind::Response => self.content_type.is_empty() || self.content_type.contains("http"),
                RecordKind::Resource | RecordKind::Revisit => true,
                RecordKind::Other | RecordKind::Unknown => false,
            }
    }

    pub(super) fn is_robots(&self) -> bool {
        self.kind != RecordKind::Other
            && self.target.as_deref().is_some_and(|url| super::item::robots_url(url).is_some())
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.is_page() && !self.is_other_file() || self.is_robots()
    }

    /// Whether it is a file that is no HTML.
    pub(super) fn is_other_file(&self) -> bool {
        self.kind == RecordKind::Resource && !http::is_html(&self.content_type)
    }
}

/// A record, with its content if it was wanted.
pub(super) struct Record {
    pub(super) mark: Mark,
    pub(super) head: Head,
    pub(super) content: Vec<u8>,
}

/// Why a record could not be read.
struct Broken {
    message: String,
    head: Head,
    way_on: WayOn,
}

/// Where the next record is looked for.
#[derive(Clone, Copy, Debug)]
enum WayOn {
    /// From here on.
    Here,
    /// Behind its own first line: bytes were read that may belong to the records behind it.
    Reread,
    /// In the next member: this one cannot be unpacked.
    Member,
}

pub(super) enum Found {
    Record(Record),
    /// Where, what, and the head as far as it could be read.
    Damage(Mark, String, Head),
}

/// What the head of a record is read with.
type ReadHead = fn(&mut Source) -> io::Result<Result<Head, &'static str>>;

/// Reads records one after the other.
pub(super) struct Records {
    pub(super) source: Source,
    read_head: ReadHead,
    is_start: fn(&[u8]) -> bool,
    /// A failure of the file itself ends it all.
    over: bool,
    /// Where it was given up, until that is told.
    given_up: Option<Mark>,
    /// Bytes that may still be read a second time, behind lengths that lie.
    rereads: u64,
    /// Places that look like a member and may still turn out not to be one.
    members: u32,
}

impl Records {
    pub(super) fn new(source: Source, kind: Kind) -> Self {
        let (read_head, is_start): (ReadHead, fn(&[u8]) -> bool) =
            if kind == Kind::Arc { (arc::head, arc::is_start) } else { (warc::head, warc::is_start) };
        Self { source, read_head, is_start, over: false, given_up: None, rereads: REREADS, members: BROKEN_MEMBERS }
    }

    /// The next record; its content is kept where `wanted` says so.
    pub(super) fn next(&mut self, wanted: fn(&Head) -> bool) -> Option<Found> {
        if self.over {
            let mark = self.given_up.take()?;
            return Some(Found::Damage(mark, "the rest of the file is not read".to_owned(), Head::default()));
        }
        let mark = match self.start() {
            Ok(Some(mark)) => mark,
            Ok(None) => return None,
            Err(error) => return Some(self.broken_member(&error)),
        };
        match self.record(mark, wanted) {
            Ok(Ok(record)) => Some(Found::Record(record)),
            Ok(Err(broken)) => Some(self.broken_record(mark, broken)),
            Err(error) => Some(self.broken_member(&error)),
        }
    }

    /// Passes the blank lines before a record.
    fn start(&mut self) -> io::Result<Option<Mark>> {
        loop {
            let bytes = self.source.fill()?;
            let blank = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n')).unwrap_or(bytes.len());
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

    fn record(&mut self, mark: Mark, wanted: fn(&Head) -> bool) -> io::Result<Result<Record, Broken>> {
        let head = match (self.read_head)(&mut self.source)? {
            Ok(head) => head,
            Err(message) => {
                return Ok(Err(Broken { message: message.to_owned(), head: Head::default(), way_on: WayOn::Here }));
            }
        };
        let mut content = Vec::new();
        // Whose content cannot be unpacked is known all the same.
        Ok(match self.content(&head, wanted(&head), &mut content) {
            Ok(None) => Ok(Record { mark, head, content }),
            Ok(Some((message, way_on))) => Err(Broken { message, head, way_on }),
            Err(error) => Err(Broken { message: self.unpackable(&error), head, way_on: WayOn::Member }),
        })
    }

    /// Reads or passes the content of a record. What is wrong with it, if something is, and how to go on.
    fn content(&mut self, head: &Head, keep: bool, content: &mut Vec<u8>) -> io::Result<Option<(String, WayOn)>> {
        let Some(length) = head.length else {
            return Ok(Some(("a record without a readable length".to_owned(), WayOn::Here)));
        };
        if self.source.left().is_some_and(|left| length > left) {
            return Ok(Some((format!("a record that is cut off, or claims too much: {length} bytes"), WayOn::Here)));
        }
        let (is_large, member) = (length > LARGEST_RECORD, self.source.member_mark().member);
        // How far a pipe goes nobody knows: what claims so much is not believed.
        if is_large && self.source.is_endless() {
            return Ok(Some((too_large(length), WayOn::Here)));
        }
        let (most, mut last) = (length.saturating_sub(1), Vec::new());
        // The beginning is kept in any case: it shows whether the length lies.
        let kept = if keep && !is_large { most } else { most.min(LARGEST_HEAD as u64) };
        let mut read = self.source.take(kept, Some(content))?;
        if read == kept {
            read += self.source.take(most - kept, None)?;
        }
        if read == most {
            read += self.source.take(length - most, Some(&mut last))?;
        }
        if read < length {
            return Ok(Some((format!("a record that is cut off: {read} bytes of {length}"), WayOn::Reread)));
        }
        content.extend_from_slice(&last);
        let is_line = last.last().is_none_or(|b| *b == b'\n');
        let is_crossing = self.source.member_mark().member != member;
        if !self.at_boundary(content, is_line, is_crossing)? {
            let message = "a record whose length is wrong, or with something else behind it".to_owned();
            return Ok(Some((message, WayOn::Reread)));
        }
        Ok((keep && is_large).then(|| (too_large(length), WayOn::Here)))
    }

    /// Whether a record begins here, on a line of its own, or the file ends; and what runs on into another member does not run
    /// into another record there.
    fn at_boundary(&mut self, content: &[u8], is_line: bool, is_crossing: bool) -> io::Result<bool> {
        let bytes = self.source.rest(LOOK);
        let blank = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n')).unwrap_or(bytes.len());
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

    /// Whether a line of it, but for the first, begins like a record.
    fn holds_start(&self, content: &[u8]) -> bool {
        let last = memchr::memrchr(b'\n', content).map_or(0, |end| end + 1);
        let last = [&content[last..], b"\n"].concat();
        (self.is_start)(&last) || memchr::memchr_iter(b'\n', content).any(|end| (self.is_start)(&content[end + 1..]))
    }

    fn is_at_start(&mut self) -> io::Result<bool> {
        Ok((self.is_start)(self.source.look(LOOK)?))
    }

    /// After a bad record: looks for the next one.
    fn broken_record(&mut self, mark: Mark, broken: Broken) -> Found {
        let found = match broken.way_on {
            WayOn::Here => self.seek_record(),
            WayOn::Reread => self.reread(mark),
            WayOn::Member => {
                let mark = self.source.member_mark();
                self.leave_member();
                return Found::Damage(mark, broken.message, broken.head);
            }
        };
        if found.is_err() {
            self.skip_member();
        }
        Found::Damage(mark, broken.message, broken.head)
    }

    fn reread(&mut self, mark: Mark) -> io::Result<()> {
        let spent = self.source.since(mark);
        let Some(left) = self.rereads.checked_sub(spent) else {
            let mark = self.source.here();
            self.give_up(mark);
            return Ok(());
        };
        self.rereads = left;
        self.source.return_to(mark, 1)?;
        self.source.skip_line_or_member()?;
        self.seek_record()
    }

    /// After bytes that cannot be unpacked: looks for the next member.
    fn broken_member(&mut self, error: &io::Error) -> Found {
        let mark = self.source.member_mark();
        self.leave_member();
        Found::Damage(mark, self.unpackable(error), Head::default())
    }

    fn unpackable(&self, error: &io::Error) -> String {
        format!("{} data that cannot be read ({error})", self.source.packing())
    }

    fn leave_member(&mut self) {
        self.members -= 1;
        if self.members == 0 {
            let mark = self.source.member_mark();
            self.give_up(mark);
        } else {
            self.skip_member();
        }
    }

    fn skip_member(&mut self) {
        let mark = self.source.here();
        match self.source.next_member() {
            Ok(found) => self.over = !found,
            Err(_) => self.give_up(mark),
        }
    }

    /// What is behind this is not read. That is told next.
    fn give_up(&mut self, mark: Mark) {
        (self.over, self.given_up) = (true, Some(mark));
    }

    /// Moves to the next line that begins like a record, be it this one.
    fn seek_record(&mut self) -> io::Result<()> {
        while !self.source.fill()?.is_empty() && !self.is_at_start()? {
            self.source.skip_line_or_member()?;
        }
        Ok(())
    }
}

fn too_large(length: u64) -> String {
    format!("a record of {length} bytes, more than the {LARGEST_RECORD} that are read")
}
