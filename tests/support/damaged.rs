//! Generates archives of all kinds, and damages them in twenty-one ways. A seed determines the
//! offsets of the damage.
//!
//! Each function that damages an archive returns which of its parts may be missing afterwards. A
//! part is a record of a plain file, a member of a packed file, or a line.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::io::Read;
use std::ops::Range;

use flate2::bufread::GzDecoder;
use heedful_input::InputFormat;

use crate::support::made::{Chance, arc, arc_start, gz, http, line, page, robots, warc, zst};

pub(crate) const SITE: &str = "https://site.example";

pub(crate) fn setting(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
}

/// A unit of an archive that is parsed separately: a record, a member of a packed file, or a line.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) plain: Vec<u8>,
    pub(crate) packed: Vec<u8>,
}

pub(crate) struct Archive {
    pub(crate) name: String,
    pub(crate) kind: InputFormat,
    pub(crate) packing: Packing,
    pub(crate) parts: Vec<Part>,
}

impl Archive {
    pub(crate) fn new(
        name: &str,
        kind: InputFormat,
        packing: Packing,
        parts: Vec<Vec<u8>>,
    ) -> Self {
        let parts = parts
            .into_iter()
            .map(|plain| Part {
                packed: packed(packing, &plain),
                plain,
            })
            .collect();
        Self {
            name: name.to_owned(),
            kind,
            packing,
            parts,
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.with(0..0, &[])
    }

    /// Returns the bytes of the archive with `bytes` in place of some of its parts.
    pub(crate) fn with(&self, parts: Range<usize>, bytes: &[u8]) -> Vec<u8> {
        let packed = |parts: &[Part]| {
            parts
                .iter()
                .flat_map(|part| part.packed.clone())
                .collect::<Vec<_>>()
        };
        [
            packed(&self.parts[..parts.start]),
            bytes.to_vec(),
            packed(&self.parts[parts.end..]),
        ]
        .concat()
    }

    /// Returns the bytes of the archive with the content of a part replaced by `plain`, packed like
    /// that part.
    pub(crate) fn repacked(&self, part: usize, plain: &[u8]) -> Vec<u8> {
        self.with(part..part + 1, &packed(self.packing, plain))
    }

    pub(crate) fn start(&self, part: usize) -> usize {
        self.parts[..part]
            .iter()
            .map(|part| part.packed.len())
            .sum()
    }

    pub(crate) fn is_packed(&self) -> bool {
        self.packing != Packing::None
    }

    /// Returns bytes that end a line in this archive, so that inserted junk does not run into a
    /// record.
    pub(crate) fn line_end(&self) -> &'static [u8] {
        if self.is_packed() { b"" } else { b"\r\n" }
    }

    /// Returns the offset at which the content of a record begins in its part.
    pub(crate) fn content(&self, part: usize) -> usize {
        let end: &[u8] = if self.kind == InputFormat::Warc {
            b"\r\n\r\n"
        } else {
            b"\n"
        };
        find(&self.parts[part].plain, end).map_or(0, |at| at + end.len())
    }

    /// Returns the content of a part with a wrong length: `length` replaces the length in its
    /// record.
    pub(crate) fn lying(&self, part: usize, length: &str) -> Vec<u8> {
        let plain = &self.parts[part].plain;
        let digits = self.length(part);
        [
            &plain[..digits.start],
            length.as_bytes(),
            &plain[digits.end..],
        ]
        .concat()
    }

    /// Returns the byte range in a part that contains the length of the first record.
    pub(crate) fn length(&self, part: usize) -> Range<usize> {
        let head =
            String::from_utf8_lossy(&self.parts[part].plain[..self.content(part)]).into_owned();
        let end = if self.kind == InputFormat::Warc {
            let at = head.to_ascii_lowercase().find("content-length:").unwrap();
            at + head[at..].find('\r').unwrap()
        } else {
            head.len() - 1
        };
        let start = head[..end].rfind(|c: char| !c.is_ascii_digit()).unwrap() + 1;
        start..end
    }

    pub(crate) fn says_length(&self, part: usize) -> Option<usize> {
        if self.kind == InputFormat::Jsonl {
            return None;
        }
        std::str::from_utf8(&self.parts[part].plain[self.length(part)])
            .unwrap()
            .parse()
            .ok()
    }
}

pub(crate) fn packed(packing: Packing, plain: &[u8]) -> Vec<u8> {
    match packing {
        Packing::None => plain.to_vec(),
        Packing::Gzip => gz(plain),
        Packing::Zstd => zst(plain),
    }
}

pub(crate) fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// The bytes of an archive after damage, and what may follow from the damage.
pub(crate) struct Damaged {
    pub(crate) bytes: Vec<u8>,
    /// Range of the parts of the archive that may be missing or changed.
    pub(crate) struck: Range<usize>,
    /// Byte range of the damaged archive in which the damage must be reported. None if it may
    /// remain unnoticed.
    pub(crate) told: Option<Range<usize>>,
}

pub(crate) type Way = fn(&Archive, usize, &mut Chance) -> Option<Damaged>;

pub(crate) const WAYS: &[(&str, Way)] = &[
    ("cut in a part", cut),
    ("cut in the first bytes of a part", cut_early),
    ("cut between parts", cut_between),
    ("a flipped byte", flipped),
    ("a flipped byte in a head", flipped_in_head),
    ("a flipped byte in content", flipped_in_content),
    ("a first byte that is another", other_first_byte),
    ("junk between parts", junk_between),
    ("junk like a member between parts", junk_like_a_member),
    ("junk without an end between parts", junk_glued),
    ("junk in a part", junk_inside),
    ("junk in content", junk_in_content),
    ("a length too low", too_low),
    ("a length too high", too_high),
    (
        "a length that ends with a line of the next record",
        too_high_by_lines,
    ),
    (
        "a length that has the next record in it",
        too_high_by_a_record,
    ),
    ("a huge length", huge),
    ("no length", no_length),
    ("a head that is not there", no_head),
    ("bytes that are not there", hole),
    ("zeros", zeros),
];

pub(crate) fn cut_at(archive: &Archive, part: usize, at: usize) -> Damaged {
    let start = archive.start(part);
    let end = start + archive.parts[part].packed.len();
    let bytes = archive.bytes()[..start + at].to_vec();
    // Missing blank lines after a record, or a missing line end, need not be reported.
    let is_whole = !archive.is_packed() && at + 5 > archive.parts[part].packed.len();
    Damaged {
        bytes,
        struck: part..archive.parts.len(),
        told: (!is_whole).then_some(start..end),
    }
}

pub(crate) fn cut(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    Some(cut_at(
        archive,
        part,
        1 + chance.below(archive.parts[part].packed.len() - 1),
    ))
}

/// Truncates an archive early in a part. Returns None for the first part of an archive that is not
/// packed, because the kind of the truncated file could not be recognized.
pub(crate) fn cut_early(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let damaged = cut_at(archive, part, 1 + chance.below(9));
    (part > 0 || archive.is_packed()).then_some(damaged)
}

/// Truncates an archive between two parts, which leaves no trace.
pub(crate) fn cut_between(archive: &Archive, part: usize, _: &mut Chance) -> Option<Damaged> {
    let bytes = archive.bytes()[..archive.start(part)].to_vec();
    (part > 0).then_some(Damaged {
        bytes,
        struck: part..archive.parts.len(),
        told: None,
    })
}

/// Flips the bits `bits` in one byte of a part as it is stored. `at` is the offset of the byte in
/// the part.
pub(crate) fn flip(archive: &Archive, part: usize, at: usize, bits: u8) -> Damaged {
    let mut bytes = archive.bytes();
    let (start, length) = (archive.start(part), archive.parts[part].packed.len());
    bytes[start + at] ^= bits;
    // The heads of gzip, and any part of zstd, have bits that do not matter.
    let flipped = &bytes[start..start + length];
    let is_seen = match archive.packing {
        Packing::None => false,
        Packing::Gzip => at >= 10,
        Packing::Zstd => unzstd(flipped).is_none_or(|plain| plain != archive.parts[part].plain),
    };
    let told = is_seen.then_some(start..start + length);
    // Without the end of its line, a part includes the next one.
    let next =
        usize::from(!archive.is_packed() && at + 1 == length && part + 1 < archive.parts.len());
    Damaged {
        bytes,
        struck: part..part + 1 + next,
        told,
    }
}

pub(crate) fn bits(chance: &mut Chance) -> u8 {
    u8::try_from(1 + chance.below(255)).unwrap()
}

pub(crate) fn flipped(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let at = chance.below(archive.parts[part].packed.len());
    Some(flip(archive, part, at, bits(chance)))
}

pub(crate) fn flipped_in_head(
    archive: &Archive,
    part: usize,
    chance: &mut Chance,
) -> Option<Damaged> {
    let mut plain = archive.parts[part].plain.clone();
    let at = chance.below(archive.content(part).max(1));
    plain[at] ^= bits(chance);
    (archive.kind != InputFormat::Jsonl).then(|| Damaged {
        bytes: archive.repacked(part, &plain),
        struck: part..part + 1,
        told: None,
    })
}

pub(crate) fn flipped_in_content(
    archive: &Archive,
    part: usize,
    chance: &mut Chance,
) -> Option<Damaged> {
    let mut plain = archive.parts[part].plain.clone();
    let start = archive.content(part) * usize::from(archive.kind != InputFormat::Jsonl);
    let at = start
        + chance.below(
            plain
                .len()
                .checked_sub(start + 4)
                .filter(|length| *length > 0)?,
        );
    plain[at] ^= bits(chance);
    Some(Damaged {
        bytes: archive.repacked(part, &plain),
        struck: part..part + 1,
        told: None,
    })
}

/// Changes the first byte of a part of an archive. In ARC this byte belongs to the scheme of a URL,
/// so any value may be valid.
pub(crate) fn other_first_byte(
    archive: &Archive,
    part: usize,
    chance: &mut Chance,
) -> Option<Damaged> {
    let damaged = flip(archive, part, 0, bits(chance));
    let start = archive.start(part);
    let told = start..start + archive.parts[part].packed.len();
    let is_seen = archive.kind != InputFormat::Arc || archive.is_packed();
    Some(Damaged {
        told: is_seen.then_some(told),
        ..damaged
    })
}

pub(crate) fn put(archive: &Archive, part: usize, junk: &[u8]) -> Damaged {
    let start = archive.start(part);
    Damaged {
        bytes: archive.with(part..part, junk),
        struck: part..part,
        told: Some(start..start + junk.len()),
    }
}

pub(crate) fn junk(chance: &mut Chance) -> Vec<u8> {
    let length = 1 + chance.below(3000);
    // White space alone, even a whole line of it, is not junk.
    [b"junk".to_vec(), chance.bytes(length)].concat()
}

pub(crate) fn junk_between(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    Some(put(
        archive,
        part,
        &[&junk(chance), archive.line_end()].concat(),
    ))
}

/// Inserts junk that looks like a packed member before a part of an archive. An archive that begins
/// with such junk is treated as packed.
pub(crate) fn junk_like_a_member(
    archive: &Archive,
    part: usize,
    chance: &mut Chance,
) -> Option<Damaged> {
    if part == 0 && !archive.is_packed() {
        return None;
    }
    let magic: &[u8] = if archive.packing == Packing::Zstd {
        &[0x28, 0xB5, 0x2F, 0xFD]
    } else {
        &[0x1F, 0x8B, 8, 0]
    };
    Some(put(
        archive,
        part,
        &[magic, &junk(chance), archive.line_end()].concat(),
    ))
}

/// Inserts junk directly before a record of an archive. In an archive that is not packed, the start
/// of this record is then lost too.
pub(crate) fn junk_glued(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let junk = [junk(chance), b"x".to_vec()].concat();
    let damaged = put(archive, part, &junk);
    // In ARC the junk may be read as a part of the URL.
    let told = damaged
        .told
        .clone()
        .filter(|_| archive.kind != InputFormat::Arc);
    (!archive.is_packed()).then_some(Damaged {
        struck: part..part + 1,
        told,
        ..damaged
    })
}

pub(crate) fn insert(bytes: &[u8], at: usize, what: &[u8]) -> Vec<u8> {
    [&bytes[..at], what, &bytes[at..]].concat()
}

pub(crate) fn junk_inside(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let stored = &archive.parts[part].packed;
    let junk = junk(chance);
    let bytes = insert(stored, 1 + chance.below(stored.len() - 1), &junk);
    let start = archive.start(part);
    let told = archive.is_packed().then_some(start..start + bytes.len());
    Some(Damaged {
        bytes: archive.with(part..part + 1, &bytes),
        struck: part..part + 1,
        told,
    })
}

pub(crate) fn junk_in_content(
    archive: &Archive,
    part: usize,
    chance: &mut Chance,
) -> Option<Damaged> {
    let (plain, start) = (&archive.parts[part].plain, archive.content(part));
    let length = archive.says_length(part).filter(|length| *length > 0)?;
    // Leaves room for damage that is reported at the end of the record.
    let at = start + chance.below(length.min(plain.len() - start));
    let bytes = archive.repacked(part, &insert(plain, at, &junk(chance)));
    Some(Damaged {
        told: Some(struck_bytes(archive, part, &bytes)),
        bytes,
        struck: part..part + 1,
    })
}

/// Returns the byte range that a damaged part has in the damaged archive. `bytes` is the whole
/// damaged archive.
pub(crate) fn struck_bytes(archive: &Archive, part: usize, bytes: &[u8]) -> Range<usize> {
    let start = archive.start(part);
    let behind = archive.bytes().len() - start - archive.parts[part].packed.len();
    start..bytes.len() - behind
}

pub(crate) fn length(archive: &Archive, part: usize, says: &str, is_seen: bool) -> Damaged {
    let bytes = archive.repacked(part, &archive.lying(part, says));
    let told = struck_bytes(archive, part, &bytes);
    Damaged {
        bytes,
        struck: part..part + 1,
        told: is_seen.then_some(told),
    }
}

/// Lowers the length in a record of an archive. The damage may be unnoticed if only blank lines at
/// the end of the record are cut off.
pub(crate) fn too_low(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let says = chance.below(archive.says_length(part).filter(|length| *length > 0)?);
    let rest = archive.parts[part]
        .plain
        .get(archive.content(part) + says..)?;
    Some(length(
        archive,
        part,
        &says.to_string(),
        rest.iter().any(|b| !b"\r\n".contains(b)),
    ))
}

/// Raises the length in a record of an archive by at least five bytes. With up to four, the record
/// could still end within the blank lines after it.
pub(crate) fn too_high(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let more = 5 + chance.below(500);
    Some(length(
        archive,
        part,
        &(archive.says_length(part)? + more).to_string(),
        true,
    ))
}

pub(crate) fn too_high_by_lines(
    archive: &Archive,
    part: usize,
    chance: &mut Chance,
) -> Option<Damaged> {
    let says = archive.says_length(part)?;
    let next = archive.parts.get(part + 1)?;
    let ends: Vec<_> = next.plain[..next.plain.len() - 4]
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .collect();
    let at = ends[chance.below(ends.len())].0 - chance.below(2);
    let behind = (archive.parts[part].plain.len() - archive.content(part)).checked_sub(says)?;
    Some(length(
        archive,
        part,
        &(says + behind + at).to_string(),
        true,
    ))
}

/// Raises the length in a record of an archive by that of a whole record. In an archive that is not
/// packed the result looks valid, because a record may contain another one.
pub(crate) fn too_high_by_a_record(
    archive: &Archive,
    part: usize,
    _: &mut Chance,
) -> Option<Damaged> {
    let (says, next) = (archive.says_length(part)?, archive.parts.get(part + 1)?);
    let behind = (archive.parts[part].plain.len() - archive.content(part)).checked_sub(says)?;
    let says = (says + behind + next.plain.len() - 4).to_string();
    archive
        .is_packed()
        .then(|| length(archive, part, &says, true))
}

pub(crate) fn huge(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let says = [
        "99999999",
        "9999999999",
        "18446744073709551615",
        "18446744073709551616",
    ][chance.below(4)];
    archive
        .says_length(part)
        .map(|_| length(archive, part, says, true))
}

pub(crate) fn no_length(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let says = ["", "-5", "x", "0x20"][chance.below(4)];
    archive
        .says_length(part)
        .map(|_| length(archive, part, says, true))
}

pub(crate) fn no_head(archive: &Archive, part: usize, _: &mut Chance) -> Option<Damaged> {
    let content = archive.parts[part].plain[archive.content(part)..].to_vec();
    let is_seen = content.iter().any(|b| !b.is_ascii_whitespace());
    let bytes = archive.repacked(part, &content);
    let told = is_seen.then(|| struck_bytes(archive, part, &bytes));
    (archive.kind != InputFormat::Jsonl).then_some(Damaged {
        bytes,
        struck: part..part + 1,
        told,
    })
}

pub(crate) fn hole(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let (plain, start) = (&archive.parts[part].plain, archive.content(part));
    let length = archive.says_length(part)?.min(plain.len() - start);
    if length <= 5 {
        return None;
    }
    let from = start + chance.below(length - 5);
    let count = 5 + chance.below(start + length - from - 4);
    let bytes = archive.repacked(part, &[&plain[..from], &plain[from + count..]].concat());
    Some(Damaged {
        told: Some(struck_bytes(archive, part, &bytes)),
        bytes,
        struck: part..part + 1,
    })
}

/// Overwrites up to 512 bytes of an archive with zeros, as a broken disk sector does. The first of
/// these bytes is in the given part.
pub(crate) fn zeros(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let mut bytes = archive.bytes();
    let from = archive.start(part) + chance.below(archive.parts[part].packed.len());
    let to = bytes.len().min(from + 512);
    bytes[from..to].fill(0);
    let reached = (0..archive.parts.len())
        .take_while(|part| archive.start(*part) <= to)
        .count();
    let told = archive
        .is_packed()
        .then(|| archive.start(part)..bytes.len());
    Some(Damaged {
        bytes,
        struck: part..reached,
        told,
    })
}

/// Returns random records of an archive: pages of many sizes, and the other kinds of records.
pub(crate) fn records(chance: &mut Chance) -> Vec<Vec<u8>> {
    let mut records = vec![
        warc(
            "warcinfo",
            "",
            "",
            b"software: test\r\nformat: WARC File Format 1.0\r\n",
        ),
        robots(SITE, "User-agent: *\nDisallow: /shut/\n"),
    ];
    for number in 0..16 {
        let url = format!("{SITE}/n{number}");
        let html = html(number, chance);
        records.push(page(&url, &html));
        if number % 4 == 0 {
            records.push(warc(
                "request",
                &url,
                "",
                b"GET / HTTP/1.1\r\nHost: site.example\r\n\r\n",
            ));
        }
    }
    let gone = http("404 Not Found\r\nContent-Type: text/html", b"<p>not here");
    records.insert(
        8,
        warc(
            "response",
            &format!("{SITE}/gone"),
            "WARC-Date: 2024-05-06T07:08:09Z\r\n",
            &gone,
        ),
    );
    records.push(robots(
        "https://other.example",
        "User-agent: *\nDisallow: /\n",
    ));
    records.push(page("https://other.example/last", "<p>the last page"));
    records
}

pub(crate) fn html(number: usize, chance: &mut Chance) -> String {
    let words = [5, 40, 400, 3000, 30_000][number % 5];
    format!(
        "<!doctype html><title>n{number}</title>\n<p>page {number}\n<p>{}\n",
        chance.words(words)
    )
}

pub(crate) fn arcs(chance: &mut Chance) -> Vec<Vec<u8>> {
    let mut records = vec![arc_start(1)];
    for number in 0..12 {
        let content = http(
            "200 OK\r\nContent-Type: text/html",
            html(number, chance).as_bytes(),
        );
        records.push(arc(&format!("http://site.example/n{number}"), &content));
    }
    let rules = http(
        "200 OK\r\nContent-Type: text/plain",
        b"User-agent: *\nDisallow: /shut/\n",
    );
    records.push(arc("http://site.example/robots.txt", &rules));
    records
}

pub(crate) fn lines(chance: &mut Chance) -> Vec<Vec<u8>> {
    let mut lines: Vec<_> = (0..16)
        .map(|n| line(&format!("{SITE}/n{n}"), &html(n, chance)))
        .collect();
    lines.push(line(
        &format!("{SITE}/robots.txt"),
        "User-agent: *\nDisallow: /shut/\n",
    ));
    lines
}

/// Splits an archive into the members of a packed file, or the records of a plain one. Returns how
/// the archive is packed, and these parts.
pub(crate) fn split(bytes: &[u8]) -> (Packing, Vec<Part>) {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        let starts = bytes
            .windows(9)
            .enumerate()
            .filter(|(at, w)| *w == b"WARC/1.0\r" && (*at == 0 || bytes[at - 1] == b'\n'));
        let mut borders: Vec<_> = starts.map(|(at, _)| at).collect();
        borders.push(bytes.len());
        let part = |ends: &[usize]| Part {
            plain: bytes[ends[0]..ends[1]].to_vec(),
            packed: bytes[ends[0]..ends[1]].to_vec(),
        };
        return (Packing::None, borders.windows(2).map(part).collect());
    }
    let (mut rest, mut parts) = (bytes, Vec::new());
    while !rest.is_empty() {
        let mut decoder = GzDecoder::new(rest);
        let mut plain = Vec::new();
        let is_whole = decoder.read_to_end(&mut plain).is_ok();
        let behind = if is_whole { decoder.into_inner() } else { &[] };
        parts.push(Part {
            plain,
            packed: rest[..rest.len() - behind.len()].to_vec(),
        });
        rest = behind;
    }
    (Packing::Gzip, parts)
}

/// Unpacks a whole zstd frame. Returns None if it is damaged.
pub(crate) fn unzstd(packed: &[u8]) -> Option<Vec<u8>> {
    let unpack = || {
        let (mut plain, mut rest) = (Vec::new(), packed);
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest).ok()?;
        decoder.read_to_end(&mut plain).ok()?;
        rest.is_empty().then_some(plain)
    };
    // The decoder may panic on damaged input.
    std::panic::catch_unwind(unpack).unwrap_or(None)
}
