//! Damage costs only the record that it hits, is reported with file and place, and costs no neighbour.
//!
//! Archives of all kinds, made here or real, are damaged in twenty-one ways at places that a seed chooses. Each way
//! names the parts that may then be missing. They are a record of a plain file, a member of a packed one, or a line of
//! JSON. Anything new must come from a damaged part. In a plain file the record before the damaged one may be lost too,
//! if that is reported. Its length may be wrong, given what now follows it. The number of bytes read bounds the work,
//! not a clock.
//!
//! `HEEDFUL_DAMAGE` sets how many places are damaged in each way (3), `HEEDFUL_SEED` chooses them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use flate2::bufread::GzDecoder;
use heedful::input::{Damage, Document, Inputs, Item, Kind};
use support::made::{Chance, arc, arc_start, folder, gz, http, line, page, robots, warc, write, zst};

const SITE: &str = "https://site.example";

fn setting(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

#[derive(Clone, Copy, PartialEq)]
enum Packing {
    None,
    Gzip,
    Zstd,
}

/// A unit that is read separately: a record, a member of a packed file, or a line.
#[derive(Clone)]
struct Part {
    plain: Vec<u8>,
    packed: Vec<u8>,
}

struct Archive {
    name: String,
    kind: Kind,
    packing: Packing,
    parts: Vec<Part>,
}

impl Archive {
    fn new(name: &str, kind: Kind, packing: Packing, parts: Vec<Vec<u8>>) -> Self {
        let parts = parts.into_iter().map(|plain| Part { packed: packed(packing, &plain), plain }).collect();
        Self { name: name.to_owned(), kind, packing, parts }
    }

    fn bytes(&self) -> Vec<u8> {
        self.with(0..0, &[])
    }

    /// The file with these bytes in place of some of its parts.
    fn with(&self, parts: Range<usize>, bytes: &[u8]) -> Vec<u8> {
        let packed = |parts: &[Part]| parts.iter().flat_map(|part| part.packed.clone()).collect::<Vec<_>>();
        [packed(&self.parts[..parts.start]), bytes.to_vec(), packed(&self.parts[parts.end..])].concat()
    }

    /// The file with another content of a part, packed again.
    fn repacked(&self, part: usize, plain: &[u8]) -> Vec<u8> {
        self.with(part..part + 1, &packed(self.packing, plain))
    }

    fn start(&self, part: usize) -> usize {
        self.parts[..part].iter().map(|part| part.packed.len()).sum()
    }

    fn is_packed(&self) -> bool {
        self.packing != Packing::None
    }

    /// Bytes that end a line, so that junk does not run into a record.
    fn line_end(&self) -> &'static [u8] {
        if self.is_packed() { b"" } else { b"\r\n" }
    }

    /// The start of a record's content in its part.
    fn content(&self, part: usize) -> usize {
        let end: &[u8] = if self.kind == Kind::Warc { b"\r\n\r\n" } else { b"\n" };
        find(&self.parts[part].plain, end).map_or(0, |at| at + end.len())
    }

    /// The content of a part, with another length in its record.
    fn lying(&self, part: usize, length: &str) -> Vec<u8> {
        let plain = &self.parts[part].plain;
        let digits = self.length(part);
        [&plain[..digits.start], length.as_bytes(), &plain[digits.end..]].concat()
    }

    /// The place of the first record's length in a part.
    fn length(&self, part: usize) -> Range<usize> {
        let head = String::from_utf8_lossy(&self.parts[part].plain[..self.content(part)]).into_owned();
        let end = if self.kind == Kind::Warc {
            let at = head.to_ascii_lowercase().find("content-length:").unwrap();
            at + head[at..].find('\r').unwrap()
        } else {
            head.len() - 1
        };
        let start = head[..end].rfind(|c: char| !c.is_ascii_digit()).unwrap() + 1;
        start..end
    }

    fn says_length(&self, part: usize) -> Option<usize> {
        if self.kind == Kind::Jsonl {
            return None;
        }
        std::str::from_utf8(&self.parts[part].plain[self.length(part)]).unwrap().parse().ok()
    }
}

fn packed(packing: Packing, plain: &[u8]) -> Vec<u8> {
    match packing {
        Packing::None => plain.to_vec(),
        Packing::Gzip => gz(plain),
        Packing::Zstd => zst(plain),
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// The result of reading an input.
#[derive(Default)]
struct Met {
    /// Pages, robots.txt files and everything else reported, each as a text that is equal only for equal things.
    things: Vec<String>,
    /// The damage as reported, with its places.
    damage: Vec<String>,
    read: u64,
}

impl Met {
    fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for thing in &self.things {
            *counts.entry(thing.as_str()).or_default() += 1;
        }
        counts
    }

    /// The things of this result that the other one lacks.
    fn without(&self, other: &Self) -> Vec<String> {
        let there = other.counts();
        let more = self.counts().into_iter().flat_map(|(thing, count)| {
            let more = count - count.min(there.get(thing).copied().unwrap_or(0));
            std::iter::repeat_n(thing.to_owned(), more)
        });
        more.collect()
    }
}

fn read(name: &str, kind: Option<Kind>, bytes: &[u8]) -> Met {
    let folder = folder();
    let path = write(folder.path(), name, bytes);
    let inputs = match Inputs::default().kind(kind).open(&[&path]) {
        Ok(inputs) => inputs,
        // Nothing is left that tells the kind of file, so the error is about the whole file.
        Err(error) => return Met { damage: vec![format!("{error} at byte 0")], ..Met::default() },
    };
    let mut met = Met::default();
    for input in &inputs {
        for (item, _) in input.items().unwrap() {
            match item {
                Item::Damage(damage) => met.damage.push(told(&damage, &path)),
                item => met.things.push(thing(&item)),
            }
        }
        met.read += input.read();
    }
    met
}

fn told(damage: &Damage, path: &Path) -> String {
    let told = damage.to_string();
    assert!(told.starts_with(&path.display().to_string()), "{told} names {}", path.display());
    told[path.display().to_string().len()..].to_owned()
}

fn thing(item: &Item) -> String {
    let page = |page: &Document| format!("{} {:x} {:?}", page.url(), hash(page.bytes()), page.headers());
    match item {
        Item::Document(document) => format!("page {}", page(document)),
        Item::Unchanged(document) => format!("unchanged {}", page(document)),
        Item::Robots(robots) => format!("{robots:?}"),
        Item::Skipped(skipped) => format!("{skipped:?}"),
        _ => unreachable!("damage is told elsewhere"),
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The number after a word in a report.
fn number(told: &str, word: &str) -> Option<u64> {
    let (_, rest) = told.split_once(word)?;
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

/// An archive after damage.
struct Damaged {
    bytes: Vec<u8>,
    /// The parts that may be missing or changed.
    struck: Range<usize>,
    /// The bytes of the damaged file in which the damage must be reported; None if it may stay unnoticed.
    told: Option<Range<usize>>,
}

type Way = fn(&Archive, usize, &mut Chance) -> Option<Damaged>;

const WAYS: &[(&str, Way)] = &[
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
    ("a length that ends with a line of the next record", too_high_by_lines),
    ("a length that has the next record in it", too_high_by_a_record),
    ("a huge length", huge),
    ("no length", no_length),
    ("a head that is not there", no_head),
    ("bytes that are not there", hole),
    ("zeros", zeros),
];

fn cut_at(archive: &Archive, part: usize, at: usize) -> Damaged {
    let start = archive.start(part);
    let end = start + archive.parts[part].packed.len();
    let bytes = archive.bytes()[..start + at].to_vec();
    // Missing blank lines after a record, or a missing line end, need not be noticed.
    let is_whole = !archive.is_packed() && at + 5 > archive.parts[part].packed.len();
    Damaged { bytes, struck: part..archive.parts.len(), told: (!is_whole).then_some(start..end) }
}

fn cut(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    Some(cut_at(archive, part, 1 + chance.below(archive.parts[part].packed.len() - 1)))
}

/// Cuts a file early: if its first part is not packed, nothing is left that tells its kind.
fn cut_early(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let damaged = cut_at(archive, part, 1 + chance.below(9));
    (part > 0 || archive.is_packed()).then_some(damaged)
}

/// Cuts a file between two parts, which does not show that it was longer.
fn cut_between(archive: &Archive, part: usize, _: &mut Chance) -> Option<Damaged> {
    let bytes = archive.bytes()[..archive.start(part)].to_vec();
    (part > 0).then_some(Damaged { bytes, struck: part..archive.parts.len(), told: None })
}

/// Flips bits in one byte of a part as it is stored.
fn flip(archive: &Archive, part: usize, at: usize, bits: u8) -> Damaged {
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
    let next = usize::from(!archive.is_packed() && at + 1 == length && part + 1 < archive.parts.len());
    Damaged { bytes, struck: part..part + 1 + next, told }
}

fn bits(chance: &mut Chance) -> u8 {
    u8::try_from(1 + chance.below(255)).unwrap()
}

fn flipped(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let at = chance.below(archive.parts[part].packed.len());
    Some(flip(archive, part, at, bits(chance)))
}

fn flipped_in_head(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let mut plain = archive.parts[part].plain.clone();
    let at = chance.below(archive.content(part).max(1));
    plain[at] ^= bits(chance);
    (archive.kind != Kind::Jsonl).then(|| Damaged {
        bytes: archive.repacked(part, &plain),
        struck: part..part + 1,
        told: None,
    })
}

fn flipped_in_content(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let mut plain = archive.parts[part].plain.clone();
    let start = archive.content(part) * usize::from(archive.kind != Kind::Jsonl);
    let at = start + chance.below(plain.len().checked_sub(start + 4).filter(|length| *length > 0)?);
    plain[at] ^= bits(chance);
    Some(Damaged { bytes: archive.repacked(part, &plain), struck: part..part + 1, told: None })
}

/// The first byte in ARC belongs to the scheme of a URL, which may be any.
fn other_first_byte(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let damaged = flip(archive, part, 0, bits(chance));
    let start = archive.start(part);
    let told = start..start + archive.parts[part].packed.len();
    let is_seen = archive.kind != Kind::Arc || archive.is_packed();
    Some(Damaged { told: is_seen.then_some(told), ..damaged })
}

fn put(archive: &Archive, part: usize, junk: &[u8]) -> Damaged {
    let start = archive.start(part);
    Damaged { bytes: archive.with(part..part, junk), struck: part..part, told: Some(start..start + junk.len()) }
}

fn junk(chance: &mut Chance) -> Vec<u8> {
    let length = 1 + chance.below(3000);
    // Blanks alone, even a whole line of them, are not junk.
    [b"junk".to_vec(), chance.bytes(length)].concat()
}

fn junk_between(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    Some(put(archive, part, &[&junk(chance), archive.line_end()].concat()))
}

/// A file that begins like this counts as packed.
fn junk_like_a_member(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    if part == 0 && !archive.is_packed() {
        return None;
    }
    let magic: &[u8] = if archive.packing == Packing::Zstd { &[0x28, 0xB5, 0x2F, 0xFD] } else { &[0x1F, 0x8B, 8, 0] };
    Some(put(archive, part, &[magic, &junk(chance), archive.line_end()].concat()))
}

/// If the file is not packed, nothing tells where the next record begins, so that record is hit too.
fn junk_glued(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let junk = [junk(chance), b"x".to_vec()].concat();
    let damaged = put(archive, part, &junk);
    // In ARC the junk may pass for a part of the URL.
    let told = damaged.told.clone().filter(|_| archive.kind != Kind::Arc);
    (!archive.is_packed()).then_some(Damaged { struck: part..part + 1, told, ..damaged })
}

fn insert(bytes: &[u8], at: usize, what: &[u8]) -> Vec<u8> {
    [&bytes[..at], what, &bytes[at..]].concat()
}

fn junk_inside(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let stored = &archive.parts[part].packed;
    let junk = junk(chance);
    let bytes = insert(stored, 1 + chance.below(stored.len() - 1), &junk);
    let start = archive.start(part);
    let told = archive.is_packed().then_some(start..start + bytes.len());
    Some(Damaged { bytes: archive.with(part..part + 1, &bytes), struck: part..part + 1, told })
}

fn junk_in_content(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let (plain, start) = (&archive.parts[part].plain, archive.content(part));
    let length = archive.says_length(part).filter(|length| *length > 0)?;
    // Leaves room for what is reported at the end of the record.
    let at = start + chance.below(length.min(plain.len() - start));
    let bytes = archive.repacked(part, &insert(plain, at, &junk(chance)));
    Some(Damaged { told: Some(struck_bytes(archive, part, &bytes)), bytes, struck: part..part + 1 })
}

/// The bytes of a part after its replacement in a file.
fn struck_bytes(archive: &Archive, part: usize, bytes: &[u8]) -> Range<usize> {
    let start = archive.start(part);
    let behind = archive.bytes().len() - start - archive.parts[part].packed.len();
    start..bytes.len() - behind
}

fn length(archive: &Archive, part: usize, says: &str, is_seen: bool) -> Damaged {
    let bytes = archive.repacked(part, &archive.lying(part, says));
    let told = struck_bytes(archive, part, &bytes);
    Damaged { bytes, struck: part..part + 1, told: is_seen.then_some(told) }
}

/// Lowers a length. Blank lines at the end of a record need not belong to it.
fn too_low(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let says = chance.below(archive.says_length(part).filter(|length| *length > 0)?);
    let rest = archive.parts[part].plain.get(archive.content(part) + says..)?;
    Some(length(archive, part, &says.to_string(), rest.iter().any(|b| !b"\r\n".contains(b))))
}

/// Raises a length. Up to four bytes may be the blank lines after the record.
fn too_high(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let more = 5 + chance.below(500);
    Some(length(archive, part, &(archive.says_length(part)? + more).to_string(), true))
}

fn too_high_by_lines(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let says = archive.says_length(part)?;
    let next = archive.parts.get(part + 1)?;
    let ends: Vec<_> = next.plain[..next.plain.len() - 4].iter().enumerate().filter(|(_, b)| **b == b'\n').collect();
    let at = ends[chance.below(ends.len())].0 - chance.below(2);
    let behind = (archive.parts[part].plain.len() - archive.content(part)).checked_sub(says)?;
    Some(length(archive, part, &(says + behind + at).to_string(), true))
}

/// In a file that is not packed such a record looks whole: it may contain another one.
fn too_high_by_a_record(archive: &Archive, part: usize, _: &mut Chance) -> Option<Damaged> {
    let (says, next) = (archive.says_length(part)?, archive.parts.get(part + 1)?);
    let behind = (archive.parts[part].plain.len() - archive.content(part)).checked_sub(says)?;
    let says = (says + behind + next.plain.len() - 4).to_string();
    archive.is_packed().then(|| length(archive, part, &says, true))
}

fn huge(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let says = ["99999999", "9999999999", "18446744073709551615", "18446744073709551616"][chance.below(4)];
    archive.says_length(part).map(|_| length(archive, part, says, true))
}

fn no_length(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let says = ["", "-5", "x", "0x20"][chance.below(4)];
    archive.says_length(part).map(|_| length(archive, part, says, true))
}

fn no_head(archive: &Archive, part: usize, _: &mut Chance) -> Option<Damaged> {
    let content = archive.parts[part].plain[archive.content(part)..].to_vec();
    let is_seen = content.iter().any(|b| !b.is_ascii_whitespace());
    let bytes = archive.repacked(part, &content);
    let told = is_seen.then(|| struck_bytes(archive, part, &bytes));
    (archive.kind != Kind::Jsonl).then_some(Damaged { bytes, struck: part..part + 1, told })
}

fn hole(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let (plain, start) = (&archive.parts[part].plain, archive.content(part));
    let length = archive.says_length(part)?.min(plain.len() - start);
    if length <= 5 {
        return None;
    }
    let from = start + chance.below(length - 5);
    let count = 5 + chance.below(start + length - from - 4);
    let bytes = archive.repacked(part, &[&plain[..from], &plain[from + count..]].concat());
    Some(Damaged { told: Some(struck_bytes(archive, part, &bytes)), bytes, struck: part..part + 1 })
}

/// Zeroes a sector of a disk.
fn zeros(archive: &Archive, part: usize, chance: &mut Chance) -> Option<Damaged> {
    let mut bytes = archive.bytes();
    let from = archive.start(part) + chance.below(archive.parts[part].packed.len());
    let to = bytes.len().min(from + 512);
    bytes[from..to].fill(0);
    let reached = (0..archive.parts.len()).take_while(|part| archive.start(*part) <= to).count();
    let told = archive.is_packed().then(|| archive.start(part)..bytes.len());
    Some(Damaged { bytes, struck: part..reached, told })
}

/// Damages an archive in all ways, and compares the results with those before.
fn damage(archive: &Archive, places: usize) {
    let mut chance = Chance(setting("HEEDFUL_SEED", 1) as u64);
    let whole = read(&archive.name, None, &archive.bytes());
    let alone: Vec<Met> =
        archive.parts.iter().map(|part| read(&archive.name, Some(archive.kind), &part.packed)).collect();
    let things: Vec<_> = alone.iter().flat_map(|met| met.things.clone()).collect();
    assert_eq!(whole.things, things, "{}: its parts are read like the whole", archive.name);
    assert!(!things.is_empty() || !whole.damage.is_empty(), "{}: there is something in it", archive.name);
    let mut wrong = Vec::new();
    for (way, make) in WAYS {
        for _ in 0..places {
            let part = chance.below(archive.parts.len());
            if let Some(damaged) = make(archive, part, &mut chance) {
                let what = format!("{way} at part {part} of {}", archive.parts.len());
                let holds = hold(archive, &whole, &alone, &damaged);
                wrong.extend(holds.err().map(|why| format!("{what}: {why}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", archive.name, wrong.join("\n"));
}

fn hold(archive: &Archive, whole: &Met, alone: &[Met], damaged: &Damaged) -> Result<(), String> {
    let met = read(&archive.name, None, &damaged.bytes);
    let told = &met.damage[..met.damage.len().min(4)];
    let struck = alone[damaged.struck.clone()].iter().flat_map(|met| met.things.clone());
    let struck = Met { things: struck.collect(), ..Met::default() };
    let before = doubtful(archive, damaged, &met).map_or(&[][..], |part| alone[part].things.as_slice());
    let struck = Met { things: [&struck.things, before].concat(), ..struck };
    let lost = Met { things: whole.without(&met), ..Met::default() }.without(&struck);
    if !lost.is_empty() {
        return Err(format!("neighbours are lost: {lost:?}; damage: {told:?}"));
    }
    let strange = met.without(whole);
    if strange.len() > damaged.struck.len() {
        return Err(format!("{strange:?} was not there before; damage: {told:?}"));
    }
    // A record that was damaged before may reach into the one that is hit now.
    let before: Vec<_> = whole.damage.iter().filter_map(|told| place(archive, told)).collect();
    let is_told = |at: &Range<usize>| {
        met.damage
            .iter()
            .filter_map(|told| place(archive, told))
            .any(|told| at.contains(&told) || before.contains(&told))
    };
    let is_doubted = doubtful(archive, damaged, &met).is_some();
    if let Some(place) = damaged.told.as_ref().filter(|place| !is_doubted && !is_told(place)) {
        return Err(format!("not told at {place:?}: {told:?}"));
    }
    let most = 16 * (damaged.bytes.len() as u64 + (1 << 20));
    if met.read > most { Err(format!("{} bytes read of {}", met.read, damaged.bytes.len())) } else { Ok(()) }
}

/// The part before the damaged ones, if damage is reported in it.
fn doubtful(archive: &Archive, damaged: &Damaged, met: &Met) -> Option<usize> {
    let part = damaged.struck.start.checked_sub(1).filter(|_| !archive.is_packed() && archive.kind != Kind::Jsonl)?;
    let at = archive.start(part)..archive.start(part + 1);
    met.damage.iter().filter_map(|told| place(archive, told)).any(|told| at.contains(&told)).then_some(part)
}

/// The place in a file at which damage is reported.
fn place(archive: &Archive, told: &str) -> Option<usize> {
    if let Some(at) = number(told, "at byte ") {
        return usize::try_from(at).ok();
    }
    // Junk may span several lines. A line number in a packed file need not be located.
    let line = usize::try_from(number(told, " line ")?).unwrap();
    Some(archive.start(line.saturating_sub(1).min(archive.parts.len() - 1)))
}

/// Pages of many sizes, and the other kinds of records in archives.
fn records(chance: &mut Chance) -> Vec<Vec<u8>> {
    let mut records = vec![
        warc("warcinfo", "", "", b"software: test\r\nformat: WARC File Format 1.0\r\n"),
        robots(SITE, "User-agent: *\nDisallow: /shut/\n"),
    ];
    for number in 0..16 {
        let url = format!("{SITE}/n{number}");
        let html = html(number, chance);
        records.push(page(&url, &html));
        if number % 4 == 0 {
            records.push(warc("request", &url, "", b"GET / HTTP/1.1\r\nHost: site.example\r\n\r\n"));
        }
    }
    let gone = http("404 Not Found\r\nContent-Type: text/html", b"<p>not here");
    records.insert(8, warc("response", &format!("{SITE}/gone"), "WARC-Date: 2024-05-06T07:08:09Z\r\n", &gone));
    records.push(robots("https://other.example", "User-agent: *\nDisallow: /\n"));
    records.push(page("https://other.example/last", "<p>the last page"));
    records
}

fn html(number: usize, chance: &mut Chance) -> String {
    let words = [5, 40, 400, 3000, 30_000][number % 5];
    format!("<!doctype html><title>n{number}</title>\n<p>page {number}\n<p>{}\n", chance.words(words))
}

fn arcs(chance: &mut Chance) -> Vec<Vec<u8>> {
    let mut records = vec![arc_start(1)];
    for number in 0..12 {
        let content = http("200 OK\r\nContent-Type: text/html", html(number, chance).as_bytes());
        records.push(arc(&format!("http://site.example/n{number}"), &content));
    }
    let rules = http("200 OK\r\nContent-Type: text/plain", b"User-agent: *\nDisallow: /shut/\n");
    records.push(arc("http://site.example/robots.txt", &rules));
    records
}

fn lines(chance: &mut Chance) -> Vec<Vec<u8>> {
    let mut lines: Vec<_> = (0..16).map(|n| line(&format!("{SITE}/n{n}"), &html(n, chance))).collect();
    lines.push(line(&format!("{SITE}/robots.txt"), "User-agent: *\nDisallow: /shut/\n"));
    lines
}

fn damage_made(name: &str, kind: Kind, packing: Packing, make: fn(&mut Chance) -> Vec<Vec<u8>>) {
    damage(&Archive::new(name, kind, packing, make(&mut Chance(7))), setting("HEEDFUL_DAMAGE", 3));
}

/// The members of a packed file, or the records of a plain one.
fn split(bytes: &[u8]) -> (Packing, Vec<Part>) {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        let starts =
            bytes.windows(9).enumerate().filter(|(at, w)| *w == b"WARC/1.0\r" && (*at == 0 || bytes[at - 1] == b'\n'));
        let mut borders: Vec<_> = starts.map(|(at, _)| at).collect();
        borders.push(bytes.len());
        let part =
            |ends: &[usize]| Part { plain: bytes[ends[0]..ends[1]].to_vec(), packed: bytes[ends[0]..ends[1]].to_vec() };
        return (Packing::None, borders.windows(2).map(part).collect());
    }
    let (mut rest, mut parts) = (bytes, Vec::new());
    while !rest.is_empty() {
        let mut decoder = GzDecoder::new(rest);
        let mut plain = Vec::new();
        let is_whole = decoder.read_to_end(&mut plain).is_ok();
        let behind = if is_whole { decoder.into_inner() } else { &[] };
        parts.push(Part { plain, packed: rest[..rest.len() - behind.len()].to_vec() });
        rest = behind;
    }
    (Packing::Gzip, parts)
}

/// Real archives, and the damage that some of them already have.
#[test]
fn real_archives_lose_only_what_is_struck() {
    let Some(data) = support::data() else { return };
    let mut files: Vec<_> = std::fs::read_dir(data.join("warc")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let (packing, parts) = split(&std::fs::read(&file).unwrap());
        let kind = if name.contains(".arc") { Kind::Arc } else { Kind::Warc };
        damage(&Archive { name, kind, packing, parts }, 1);
    }
}

/// All records in one member: those unpacked before the damage are read.
fn one_member(pack: fn(&[u8]) -> Vec<u8>, unpacked: fn(&[u8]) -> usize) {
    let mut chance = Chance(3);
    let records = records(&mut chance);
    let plain = records.concat();
    let (packed, whole) = (pack(&plain), read("one", None, &plain));
    assert_eq!(read("one", None, &packed).things, whole.things);
    for _ in 0..3 * setting("HEEDFUL_DAMAGE", 3) {
        let at = 100 + chance.below(packed.len() - 100);
        let mut flipped = packed.clone();
        flipped[at] ^= bits(&mut chance);
        for (what, bytes) in [("cut", &packed[..at]), ("flipped", &flipped)] {
            // Damage in a flipped byte is found a little before or after its place: inflate reads ahead by a few bytes.
            let had = unpacked(&packed[..at]);
            let ended = records
                .iter()
                .scan(0, |end, record| {
                    *end += record.len();
                    Some(*end)
                })
                .take_while(|end| *end <= had)
                .count();
            let expected = read("one", Some(Kind::Warc), &records[..ended].concat());
            let met = read("one", Some(Kind::Warc), bytes);
            assert!(
                met.things.starts_with(&expected.things),
                "{what} at {at}: {} of {}; {:?}",
                met.things.len(),
                expected.things.len(),
                met.damage
            );
            assert!(met.damage.iter().any(|told| told.contains(" at byte 0: ")), "{what} at {at}: {:?}", met.damage);
        }
    }
}

/// The number of bytes that can be unpacked from damaged gzip.
fn inflated(packed: &[u8]) -> usize {
    let mut decoder = GzDecoder::new(packed);
    let mut byte = [0];
    std::iter::from_fn(|| decoder.read(&mut byte).ok().filter(|read| *read > 0)).count()
}

/// The number of bytes that can be unpacked from damaged zstd: the decoder returns those to which it need not look
/// back.
fn unzstd_some(packed: &[u8]) -> usize {
    let Ok(mut decoder) = ruzstd::decoding::StreamingDecoder::new(packed) else { return 0 };
    let mut bytes = [0; 1024];
    std::iter::from_fn(|| decoder.read(&mut bytes).ok().filter(|read| *read > 0)).sum()
}

/// Unpacks a whole frame; None if it is damaged.
fn unzstd(packed: &[u8]) -> Option<Vec<u8>> {
    let unpack = || {
        let (mut plain, mut rest) = (Vec::new(), packed);
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest).ok()?;
        decoder.read_to_end(&mut plain).ok()?;
        rest.is_empty().then_some(plain)
    };
    // The decoder may panic on damaged input.
    std::panic::catch_unwind(unpack).unwrap_or(None)
}

#[test]
fn one_member_is_read_up_to_its_damage() {
    one_member(gz, inflated);
    one_member(zst, unzstd_some);
}
#[test]
fn a_plain_warc_loses_only_what_is_struck() {
    damage_made("made.warc", Kind::Warc, Packing::None, records);
}

#[test]
fn a_warc_in_gzip_loses_only_what_is_struck() {
    damage_made("made.warc.gz", Kind::Warc, Packing::Gzip, records);
}

#[test]
fn a_warc_in_zstd_loses_only_what_is_struck() {
    damage_made("made.warc.zst", Kind::Warc, Packing::Zstd, records);
}

#[test]
fn an_arc_loses_only_what_is_struck() {
    damage_made("made.arc", Kind::Arc, Packing::None, arcs);
    damage_made("made.arc.gz", Kind::Arc, Packing::Gzip, arcs);
}

#[test]
fn json_lines_lose_only_what_is_struck() {
    damage_made("made.jsonl", Kind::Jsonl, Packing::None, lines);
    damage_made("made.jsonl.gz", Kind::Jsonl, Packing::Gzip, lines);
    damage_made("made.jsonl.zst", Kind::Jsonl, Packing::Zstd, lines);
}
