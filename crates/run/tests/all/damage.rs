//! Damage to an archive costs only the damaged record, and is reported with file and place. The
//! records before and after this record are read.
//!
//! Archives of all kinds, generated or real, are damaged in twenty-one ways at places that a seed
//! chooses. Each way states the parts of the archive that may then be missing. A part is a record
//! of an uncompressed file, a member of a compressed file, or a line of JSON. Any item that was not
//! read from the undamaged archive must come from a damaged part.
//!
//! In an uncompressed file the record before the damaged one may be missing too, if that is
//! reported: its length may seem wrong because of the damage after it. The work of reading a
//! damaged archive is bounded by the number of bytes read, not by a clock.
//!
//! `HEEDFUL_DAMAGE` is the number of places that are damaged in each way (3 if not set), and
//! `HEEDFUL_SEED` chooses the places.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use flate2::bufread::GzDecoder;
use heedful_input::{Damage, FetchedPage, InputFormat, Inputs, Item};

use crate::damaged::{Archive, Damaged, Packing, WAYS, arcs, bits, lines, records, setting, split};
use crate::support;
use crate::support::made::{Chance, folder, gz, write, zst};

/// Result of reading an archive: its items, and the reports of damage.
#[derive(Default)]
struct Met {
    /// All items that were read: pages, robots.txt files and others. Each is a text. Two texts are
    /// equal only if their items are equal.
    things: Vec<String>,
    /// Reports of damage in the archive, each with its place.
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

    /// Returns the items of this result that `other`, the result of another reading, lacks.
    fn without(&self, other: &Self) -> Vec<String> {
        let there = other.counts();
        let more = self.counts().into_iter().flat_map(|(thing, count)| {
            let more = count - count.min(there.get(thing).copied().unwrap_or(0));
            std::iter::repeat_n(thing.to_owned(), more)
        });
        more.collect()
    }
}

fn read(name: &str, kind: Option<InputFormat>, bytes: &[u8]) -> Met {
    let folder = folder();
    let path = write(folder.path(), name, bytes);
    let inputs = match Inputs::default().kind(kind).open(&[&path]) {
        Ok(inputs) => inputs,
        // Nothing is left that tells the kind of file, so the error is about the whole file.
        Err(error) => {
            return Met {
                damage: vec![format!("{error} at byte 0")],
                ..Met::default()
            };
        }
    };
    let mut met = Met::default();
    for input in &inputs {
        for (item, _) in input.items().unwrap() {
            match item {
                Item::Damage(damage) => met.damage.push(message(&damage, &path)),
                item => met.things.push(thing(&item)),
            }
        }
        met.read += input.read();
    }
    met
}

fn message(damage: &Damage, path: &Path) -> String {
    let told = damage.to_string();
    assert!(
        told.starts_with(&path.display().to_string()),
        "{told} names {}",
        path.display()
    );
    told[path.display().to_string().len()..].to_owned()
}

fn thing(item: &Item) -> String {
    let page = |page: &FetchedPage| {
        format!(
            "{} {:x} {:?}",
            page.url(),
            hash(page.bytes()),
            page.headers()
        )
    };
    match item {
        Item::Document(document) => format!("page {}", page(document)),
        Item::Unchanged(document) => format!("unchanged {}", page(document)),
        Item::Robots(robots) => format!("{robots:?}"),
        Item::Skipped(skipped) => format!(
            "{:?} {:?} {:?}",
            skipped.why(),
            skipped.url(),
            skipped.captured()
        ),
        _ => unreachable!("damage is told elsewhere"),
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Returns the number that follows `word` in a report of damage.
fn number(told: &str, word: &str) -> Option<u64> {
    let (_, rest) = told.split_once(word)?;
    rest[..rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len())]
        .parse()
        .ok()
}

/// Damages an archive in all ways, each at this number of places. Compares the items that are read
/// with those of the undamaged archive.
fn damage(archive: &Archive, places: usize) {
    let mut chance = Chance(setting("HEEDFUL_SEED", 1) as u64);
    let whole = read(&archive.name, None, &archive.bytes());
    let alone: Vec<Met> = archive
        .parts
        .iter()
        .map(|part| read(&archive.name, Some(archive.kind), &part.packed))
        .collect();
    let things: Vec<_> = alone.iter().flat_map(|met| met.things.clone()).collect();
    assert_eq!(
        whole.things, things,
        "{}: its parts are read like the whole",
        archive.name
    );
    assert!(
        !things.is_empty() || !whole.damage.is_empty(),
        "{}: there is something in it",
        archive.name
    );
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
    let struck = alone[damaged.struck.clone()]
        .iter()
        .flat_map(|met| met.things.clone());
    let struck = Met {
        things: struck.collect(),
        ..Met::default()
    };
    let before =
        doubtful(archive, damaged, &met).map_or(&[][..], |part| alone[part].things.as_slice());
    let struck = Met {
        things: [&struck.things, before].concat(),
        ..struck
    };
    let lost = Met {
        things: whole.without(&met),
        ..Met::default()
    }
    .without(&struck);
    if !lost.is_empty() {
        return Err(format!("neighbours are lost: {lost:?}; damage: {told:?}"));
    }
    let strange = met.without(whole);
    if strange.len() > damaged.struck.len() {
        return Err(format!(
            "{strange:?} was not there before; damage: {told:?}"
        ));
    }
    // A record that was damaged before may reach into the one that is hit now.
    let before: Vec<_> = whole
        .damage
        .iter()
        .filter_map(|told| place(archive, told))
        .collect();
    let is_told = |at: &Range<usize>| {
        met.damage
            .iter()
            .filter_map(|told| place(archive, told))
            .any(|told| at.contains(&told) || before.contains(&told))
    };
    let is_doubted = doubtful(archive, damaged, &met).is_some();
    if let Some(place) = damaged
        .told
        .as_ref()
        .filter(|place| !is_doubted && !is_told(place))
    {
        return Err(format!("not told at {place:?}: {told:?}"));
    }
    let most = 16 * (damaged.bytes.len() as u64 + (1 << 20));
    if met.read > most {
        Err(format!(
            "{} bytes read of {}",
            met.read,
            damaged.bytes.len()
        ))
    } else {
        Ok(())
    }
}

/// Returns the index of the part of the archive just before the damaged ones, if damage is reported
/// in that part.
fn doubtful(archive: &Archive, damaged: &Damaged, met: &Met) -> Option<usize> {
    let part = damaged
        .struck
        .start
        .checked_sub(1)
        .filter(|_| !archive.is_packed() && archive.kind != InputFormat::Jsonl)?;
    let at = archive.start(part)..archive.start(part + 1);
    met.damage
        .iter()
        .filter_map(|told| place(archive, told))
        .any(|told| at.contains(&told))
        .then_some(part)
}

/// Returns the offset in the archive's file at which a report places damage.
fn place(archive: &Archive, told: &str) -> Option<usize> {
    if let Some(at) = number(told, "at byte ") {
        return usize::try_from(at).ok();
    }
    // Junk may span several lines. A line number in a packed file need not be located.
    let line = usize::try_from(number(told, " line ")?).unwrap();
    Some(archive.start(line.saturating_sub(1).min(archive.parts.len() - 1)))
}

fn damage_made(
    name: &str,
    kind: InputFormat,
    packing: Packing,
    make: fn(&mut Chance) -> Vec<Vec<u8>>,
) {
    damage(
        &Archive::new(name, kind, packing, make(&mut Chance(7))),
        setting("HEEDFUL_DAMAGE", 3),
    );
}

/// Damages real archives, some of which had damage before. Only the damaged parts may be missing.
#[test]
fn real_archives_lose_only_what_is_struck() {
    let Some(data) = support::data() else { return };
    let mut files: Vec<_> = std::fs::read_dir(data.join("warc"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let (packing, parts) = split(&std::fs::read(&file).unwrap());
        let kind = if name.contains(".arc") {
            InputFormat::Arc
        } else {
            InputFormat::Warc
        };
        damage(
            &Archive {
                name,
                kind,
                packing,
                parts,
            },
            1,
        );
    }
}

/// Damages an archive whose records are all in one compressed member. The records that were
/// decompressed before the damage must be read.
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
            // Damage in a flipped byte is found a little before or after its place: inflate reads
            // ahead by a few bytes.
            let had = unpacked(&packed[..at]);
            let ended = records
                .iter()
                .scan(0, |end, record| {
                    *end += record.len();
                    Some(*end)
                })
                .take_while(|end| *end <= had)
                .count();
            let expected = read("one", Some(InputFormat::Warc), &records[..ended].concat());
            let met = read("one", Some(InputFormat::Warc), bytes);
            assert!(
                met.things.starts_with(&expected.things),
                "{what} at {at}: {} of {}; {:?}",
                met.things.len(),
                expected.things.len(),
                met.damage
            );
            assert!(
                met.damage.iter().any(|told| told.contains(" at byte 0: ")),
                "{what} at {at}: {:?}",
                met.damage
            );
        }
    }
}

/// Returns the number of bytes that can be decompressed from damaged gzip.
fn inflated(packed: &[u8]) -> usize {
    let mut decoder = GzDecoder::new(packed);
    let mut byte = [0];
    std::iter::from_fn(|| decoder.read(&mut byte).ok().filter(|read| *read > 0)).count()
}

/// Returns the number of bytes that can be decompressed from damaged zstd. The decoder returns only
/// bytes to which later bytes cannot refer back.
fn unzstd_some(packed: &[u8]) -> usize {
    let Ok(mut decoder) = ruzstd::decoding::StreamingDecoder::new(packed) else {
        return 0;
    };
    let mut bytes = [0; 1024];
    std::iter::from_fn(|| decoder.read(&mut bytes).ok().filter(|read| *read > 0)).sum()
}

#[test]
fn one_member_is_read_up_to_its_damage() {
    one_member(gz, inflated);
    one_member(zst, unzstd_some);
}
#[test]
fn a_plain_warc_loses_only_what_is_struck() {
    damage_made("made.warc", InputFormat::Warc, Packing::None, records);
}

#[test]
fn a_warc_in_gzip_loses_only_what_is_struck() {
    damage_made("made.warc.gz", InputFormat::Warc, Packing::Gzip, records);
}

#[test]
fn a_warc_in_zstd_loses_only_what_is_struck() {
    damage_made("made.warc.zst", InputFormat::Warc, Packing::Zstd, records);
}

#[test]
fn an_arc_loses_only_what_is_struck() {
    damage_made("made.arc", InputFormat::Arc, Packing::None, arcs);
    damage_made("made.arc.gz", InputFormat::Arc, Packing::Gzip, arcs);
}

#[test]
fn json_lines_lose_only_what_is_struck() {
    damage_made("made.jsonl", InputFormat::Jsonl, Packing::None, lines);
    damage_made("made.jsonl.gz", InputFormat::Jsonl, Packing::Gzip, lines);
    damage_made("made.jsonl.zst", InputFormat::Jsonl, Packing::Zstd, lines);
}
