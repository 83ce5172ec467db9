//! Serializes a parsed robots.txt to bytes, for an index, and for a run with more robots.txt files
//! than fit in memory.
//!
//! The parsed form of a robots.txt is serialized, not its text: equal files give equal bytes, and
//! no file is parsed twice. The source and the mode are left out, since they belong to the site and
//! to the run. An index stores these bytes, so a change of this format is a change of the index's
//! format.

use std::sync::Arc;

use smallvec::SmallVec;

use super::file::RobotsReading;
use super::line::PackedLines;
use super::note::{KINDS, RobotsNote};
use super::parsed::{Blanket, RobotsTxt};
use super::readings::Readings;
use super::site_file::SiteFile;
use super::source::Source;

/// Flag in the stored form of a parsed file. It is set if the file has a record on uses of pages,
/// such as `Content-Signal`.
const HAS_USAGE: u32 = 1;
/// Flag in the stored form of a parsed file: a rule's pattern has a percent-encoded reserved
/// character.
const ENCODES_RESERVED: u32 = 1 << 1;
/// Flag in the stored form of a parsed file: the file has a record with the URL of a licence.
const HAS_LICENCE: u32 = 1 << 2;
/// Number of bits by which the HTTP status is shifted left in the stored ruling of a file that is
/// not available. The bits below encode whether this ruling allows or denies.
const STATUS: u32 = 2;
/// Estimated memory, in bytes, for one line in the indexes of a parsed file. It covers the line's
/// entry in the sorted index, and the line's offset in the list of records.
const SORTED: u64 = 16;
/// Estimated memory, in bytes, for one line in the copy that [`RobotsReading::alike`] returns. The
/// text of the line is not included.
const ALIKE: u64 = 20;

impl SiteFile {
    /// Returns a replacement for all files of this kind from one site, if these files exceed a
    /// limit. `limit` is the name of that limit, and `value` its value. The replacement denies all
    /// that a file of this kind can deny.
    #[doc(hidden)]
    pub fn closed_by_limit(self, limit: &str, value: u64) -> RobotsTxt {
        let why = format!(
            "its site's {} files pass the limit `{limit}` of {value}",
            self.name()
        );
        match self {
            Self::Robots => RobotsTxt {
                blanket: Some(Blanket {
                    allowed: false,
                    status: None,
                    why,
                }),
                ..RobotsTxt::default()
            },
            Self::Tdmrep => self.unreadable(&why),
        }
    }
}

impl RobotsTxt {
    /// Serializes the parts of the file that decisions depend on. The source, the mode and the
    /// attached response are left out.
    #[doc(hidden)]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let Readings {
            by_rfc,
            exact,
            google,
            notes,
        } = &*self.readings;
        let blanket = self.blanket.as_ref();
        number(&mut out, u32::from(self.site_file == SiteFile::Tdmrep));
        if let Some(blanket) = blanket {
            let status = u32::from(blanket.status.unwrap_or_default()) << STATUS;
            number(&mut out, 1 + u32::from(blanket.allowed) + status);
            bytes(&mut out, blanket.why.as_bytes());
        } else {
            number(&mut out, 0);
            bytes(&mut out, b"");
        }
        for count in [by_rfc.len(), *exact, usize::from(google.is_some())] {
            number(&mut out, length(count));
        }
        for file in by_rfc.iter().chain(google) {
            write(&mut out, file);
        }
        number(&mut out, length(notes.len()));
        for note in notes {
            number(&mut out, note.kind as u32);
            number(&mut out, note.line);
        }
        out
    }

    /// Parses the bytes that [`RobotsTxt::to_bytes`] returned. Returns `None` if they are not
    /// valid.
    #[doc(hidden)]
    pub fn from_bytes(stored: &[u8]) -> Option<Self> {
        let mut rest = stored;
        let site_file = if take_number(&mut rest)? == 0 {
            SiteFile::Robots
        } else {
            SiteFile::Tdmrep
        };
        let kind = take_number(&mut rest)?;
        let why = String::from_utf8(take_bytes(&mut rest)?.to_vec()).ok()?;
        let status = u16::try_from(kind >> STATUS).ok()?;
        let blanket = (kind > 0).then_some(Blanket {
            allowed: kind & 2 != 0,
            status: (status > 0).then_some(status),
            why,
        });
        let count = take_number(&mut rest)?;
        let exact = take_number(&mut rest)? as usize;
        let has_google = take_number(&mut rest)? != 0;
        let mut by_rfc = SmallVec::new();
        for _ in 0..count {
            by_rfc.push(take_file(&mut rest)?);
        }
        let google = if has_google {
            Some(take_file(&mut rest)?)
        } else {
            None
        };
        let notes = take_notes(&mut rest)?;
        if !rest.is_empty() || !(1..=by_rfc.len()).contains(&exact) {
            return None;
        }
        let readings = Arc::new(Readings {
            by_rfc,
            exact,
            google,
            notes,
        });
        Some(Self {
            readings,
            blanket,
            site_file,
            ..Self::default()
        })
    }

    /// Returns a shared pointer to the source of the file, which tells where the file was read
    /// from. Returns `None` if no source was set.
    #[doc(hidden)]
    pub fn shared_source(&self) -> Option<Arc<Source>> {
        self.source.clone()
    }

    /// Sets the source of the file, which tells where the file was read from. `None` removes the
    /// source.
    #[doc(hidden)]
    pub fn with_shared_source(mut self, source: Option<Arc<Source>>) -> Self {
        self.source = source;
        self
    }

    /// Returns a copy of the file without its source and without the attached response.
    #[doc(hidden)]
    pub fn bare(&self) -> Self {
        Self {
            source: None,
            sent: None,
            ..self.clone()
        }
    }

    /// Approximate memory of the parsed file in bytes, including the indexes that later queries
    /// build.
    #[doc(hidden)]
    pub fn memory(&self) -> u64 {
        let Readings {
            by_rfc,
            google,
            notes,
            ..
        } = &*self.readings;
        let files = by_rfc
            .iter()
            .chain(google)
            .map(|file| memory_of_reading(file));
        files.sum::<u64>() + size_of_val(&**notes) as u64
    }
}

/// Approximate memory, in bytes, of one parsed variant of a file, including its indexes.
fn memory_of_reading(file: &RobotsReading) -> u64 {
    let fixed = size_of::<RobotsReading>() + file.packed.bytes().len() + 4 * file.groups.len();
    let lines = file.lines().count() as u64;
    let alike = if file.encodes_reserved {
        ALIKE * lines + file.packed.bytes().len() as u64
    } else {
        0
    };
    fixed as u64 + SORTED * lines + alike
}

/// Serializes one parsed variant of a file, and appends its bytes to `out`.
fn write(out: &mut Vec<u8>, file: &RobotsReading) {
    let flag = |is: bool, flag: u32| if is { flag } else { 0 };
    let flags = flag(file.has_usage, HAS_USAGE)
        | flag(file.has_licence, HAS_LICENCE)
        | flag(file.encodes_reserved, ENCODES_RESERVED);
    number(out, flags);
    bytes(out, file.packed.bytes());
    number(out, length(file.groups.len()));
    for place in &file.groups {
        number(out, *place);
    }
}

/// Parses one variant of a file from the start of `rest`, and moves `rest` past its bytes.
fn take_file(rest: &mut &[u8]) -> Option<Arc<RobotsReading>> {
    let flags = take_number(rest)?;
    let packed = PackedLines::from_bytes(take_bytes(rest)?.to_vec());
    let mut groups = Vec::new();
    for _ in 0..take_number(rest)? {
        groups.push(take_number(rest)?);
    }
    Some(Arc::new(RobotsReading {
        packed,
        groups,
        has_usage: flags & HAS_USAGE != 0,
        has_licence: flags & HAS_LICENCE != 0,
        encodes_reserved: flags & ENCODES_RESERVED != 0,
        ..RobotsReading::default()
    }))
}

/// Parses the notes of a file at the start of `rest`, and moves `rest` past their bytes.
fn take_notes(rest: &mut &[u8]) -> Option<Vec<RobotsNote>> {
    let mut notes = Vec::new();
    for _ in 0..take_number(rest)? {
        let (kind, ..) = KINDS.get(take_number(rest)? as usize)?;
        notes.push(RobotsNote {
            kind: *kind,
            line: take_number(rest)?,
        });
    }
    Some(notes)
}

/// Appends `number` to `out`, as four bytes in little-endian order.
fn number(out: &mut Vec<u8>, number: u32) {
    out.extend(number.to_le_bytes());
}

/// Appends the length of a byte string to `out`, and then the byte string.
fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    number(out, length(bytes.len()));
    out.extend_from_slice(bytes);
}

/// Parses the number at the start of `rest`, and moves `rest` past it.
fn take_number(rest: &mut &[u8]) -> Option<u32> {
    let (number, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*number))
}

/// Parses the byte string at the start of `rest`, and moves `rest` past it.
fn take_bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_number(rest)? as usize;
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(bytes)
}

/// Converts a length to a `u32`. No length is too great, since only the first 500 KiB of a file are
/// parsed.
fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINES: [&str; 13] = [
        "User-agent: *",
        "User-agent: FooBot",
        "Useragent: FooBot",
        "User-agent: * Disallow: /a",
        "Disallow: /a%2f",
        "Disallow= /b",
        "Disallow:/x /y",
        "Disallowed: /c",
        "Allow: /a/*b$",
        "Content-Usage: train-ai=n",
        "License: /l",
        "nobody knows this",
        "",
    ];

    proptest! {
        /// Tests that a restored file is equal to the serialized one, and is serialized to the same
        /// bytes. Also tests that truncated bytes cannot be restored.
        #[test]
        fn what_is_stored_comes_back(lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..9)) {
            let robots = RobotsTxt::parse(lines.join("\n").as_bytes());
            let stored = robots.to_bytes();
            let back = RobotsTxt::from_bytes(&stored).unwrap();
            prop_assert_eq!(back.to_bytes(), stored.clone());
            prop_assert_eq!(format!("{:?}", robots.readings), format!("{:?}", back.readings));
            for cut in 0..stored.len() {
                prop_assert!(RobotsTxt::from_bytes(&stored[..cut]).is_none());
            }
        }
    }

    #[test]
    fn what_a_status_says_comes_back() {
        for robots in [
            RobotsTxt::deny_all(),
            RobotsTxt::from_response(404, b""),
            RobotsTxt::from_response(503, b""),
        ] {
            let back = RobotsTxt::from_bytes(&robots.to_bytes()).unwrap();
            assert_eq!(
                format!("{:?}", robots.blanket),
                format!("{:?}", back.blanket)
            );
        }
    }
}
