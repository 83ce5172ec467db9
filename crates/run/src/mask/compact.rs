//! Encodes and reads the compact form of a mask. It has one number for each record, and a table
//! that maps these numbers to answers.
//!
//! A file of this form is a sequence of gzip members, so it can be cut between groups and joined
//! with `cat`. Each member contains a group of records. The group has a line of JSON, followed by
//! one number per record in LEB128 (seven bits per byte, lowest first). The line has `mask` (the
//! version of the form, 1), `law`, `first` (number of records before this group), `records`,
//! `uses`, and `answers`: the distinct answers, the most frequent first. The number of a record is
//! the index of its answer in `answers`.
//!
//! An answer in the compact form has `kind`, `reason`, `robots`, `robots_status`, `allow` and
//! `bots` as in JSON Lines. The lines and columns of directives are omitted, since they would make
//! every answer distinct. URLs, dates and digests are omitted too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use heedful::{LAW, Uses};
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits::Limits;
use heedful_index::decision::{AllowedUses, BotAnswer};

use super::answer::{AnswerKind, MaskAnswer, forget_places};

/// Version of the compact form of a mask.
const VERSION: u32 = 1;
/// Maximum number of records in a group of a compact mask. The reader rejects a larger group.
const MOST: u64 = 1 << 30;
/// Maximum length, in bytes, of the line of JSON with which a group begins. A group that needs a
/// longer line is written as several groups.
const LINE: u64 = 32 << 20;

#[derive(Serialize, Deserialize)]
struct MaskHead {
    mask: u32,
    law: u32,
    first: u64,
    records: u64,
    uses: Vec<String>,
    answers: Vec<MaskEntry>,
}

/// A distinct answer of a group of records. The line of JSON at the start of the group lists all
/// distinct answers.
#[derive(Clone, Serialize, Deserialize)]
struct MaskEntry {
    kind: AnswerKind,
    reason: Option<String>,
    #[serde(default)]
    robots: Option<Cow<'static, str>>,
    #[serde(default)]
    robots_status: Option<u16>,
    allow: AllowedUses,
    bots: Vec<BotAnswer>,
}

impl MaskEntry {
    fn from_answer(answer: &MaskAnswer) -> Self {
        let mut bots = answer.bots.clone();
        forget_places(&mut bots);
        Self {
            kind: answer.kind,
            reason: answer.reason.clone(),
            robots: answer.robots.clone(),
            robots_status: answer.robots_status,
            allow: answer.allow,
            bots,
        }
    }
}

/// Distinct answers of a group of records, with the number of records for each answer.
#[derive(Default)]
struct MaskTable {
    known: HashMap<String, usize>,
    entries: Vec<MaskEntry>,
    counts: Vec<u64>,
}

impl MaskTable {
    /// Counts the answer for one more record. Returns the number of the answer: distinct answers
    /// are numbered from 0 in the order in which they first occur.
    fn count(&mut self, answer: &MaskAnswer) -> usize {
        let entry = MaskEntry::from_answer(answer);
        let number = *self
            .known
            .entry(heedful_json::line(&entry))
            .or_insert(self.entries.len());
        if number == self.entries.len() {
            self.entries.push(entry);
            self.counts.push(0);
        }
        self.counts[number] += 1;
        number
    }

    /// Returns the numbers of the distinct answers of a group. The number of the most frequent
    /// answer is first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_key(|number| (std::cmp::Reverse(self.counts[*number]), *number));
        order
    }
}

/// Encodes the answers for a group of records as a gzip member, which begins with a line of JSON.
/// If this line would be longer than [`LINE`], encodes the group as several members. `first` is the
/// number of records before the group in the mask.
pub(super) fn group(answers: &[MaskAnswer], first: u64, uses: Uses) -> std::io::Result<Vec<u8>> {
    members(answers, first, uses, LINE)
}

fn members(answers: &[MaskAnswer], first: u64, uses: Uses, most: u64) -> std::io::Result<Vec<u8>> {
    let mut table = MaskTable::default();
    let numbers: Vec<usize> = answers.iter().map(|answer| table.count(answer)).collect();
    let order = table.order();
    let mut ranks = vec![0; order.len()];
    for (rank, number) in (0..).zip(&order) {
        ranks[*number] = rank;
    }
    let head = MaskHead {
        mask: VERSION,
        law: LAW,
        first,
        records: answers.len() as u64,
        uses: uses.iter().map(|usage| usage.name().to_owned()).collect(),
        answers: order
            .iter()
            .map(|number| table.entries[*number].clone())
            .collect(),
    };
    let line = heedful_json::line(&head);
    if line.len() as u64 >= most && answers.len() > 1 {
        let (one, other) = answers.split_at(answers.len() / 2);
        let behind = members(other, first + one.len() as u64, uses, most)?;
        return Ok([members(one, first, uses, most)?, behind].concat());
    }
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")?;
    let mut bytes = Vec::new();
    for number in numbers {
        add_leb128(ranks[number], &mut bytes);
    }
    out.write_all(&bytes)?;
    out.finish()
}

fn add_leb128(mut number: u64, bytes: &mut Vec<u8>) {
    while number > 0x7F {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reader of a mask in the compact form. It yields the answer for each record, without the record's
/// place, URL and digest.
///
/// ```
/// use heedful::{Bot, Filter, Uses};
/// use heedful_run::mask::{AnswerKind, CompactReader, MaskFile, MaskFormat, MaskQuestions};
///
/// let folder = tempfile::tempdir()?;
/// let out = folder.path().join("out.mask");
/// let asking = MaskQuestions::new(Uses::parse_names("train")?, &Filter::new(Bot::new("FooBot")?));
/// let (mut mask, _) = MaskFile::begin(&out, MaskFormat::Compact, &asking, "FooBot", false)?;
/// mask.add(asking.unknown("a torn line"), || None)?;
/// mask.finish()?;
///
/// let bytes = std::fs::read(&out)?;
/// let answers = CompactReader::new(&bytes[..]).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(answers[0].kind, AnswerKind::Unknown);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CompactReader<R> {
    from: BufReader<MultiGzDecoder<R>>,
    head: Option<MaskHead>,
    /// Length in bytes of each distinct answer of the current group.
    lengths: Vec<u64>,
    read: u64,
    /// The limit `mask_bytes` on the total length of all answers, in bytes.
    most: u64,
    /// Maximum total length of the answers that are not read yet, in bytes.
    left: u64,
    failed: bool,
}

impl<R> std::fmt::Debug for CompactReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompactReader")
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}

impl<R: BufRead> CompactReader<R> {
    /// Creates a reader of a compact mask, whose bytes are read from `from`. The limit `mask_bytes`
    /// of [`Limits`] applies.
    pub fn new(from: R) -> Self {
        Self {
            from: BufReader::new(MultiGzDecoder::new(from)),
            head: None,
            lengths: Vec::new(),
            read: 0,
            most: 0,
            left: 0,
            failed: false,
        }
        .limits(&Limits::default())
    }

    /// Sets the limits of reading. If all answers together exceed `mask_bytes`, the iterator yields
    /// an error as its last item. Must be called before the first answer is read.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.most = limits.mask_bytes;
        self.left = self.most;
        self
    }

    /// True if the next answer of the compact mask belongs to the next group.
    fn is_at_group_end(&self) -> bool {
        match &self.head {
            Some(head) => self.read == head.first + head.records,
            None => true,
        }
    }

    fn answer(&mut self) -> Result<Option<MaskAnswer>> {
        while self.is_at_group_end() {
            let Some(head) = self.group()? else {
                return Ok(None);
            };
            self.lengths.clear();
            for answer in &head.answers {
                let length = serde_json::to_vec(answer).map_err(wrong)?.len();
                self.lengths.push(length as u64);
            }
            self.head = Some(head);
        }
        let rank = self.number()?;
        let Some(head) = &self.head else {
            return Err(wrong("no group"));
        };
        let rank = usize::try_from(rank).ok();
        let Some(entry) = rank.and_then(|rank| head.answers.get(rank)) else {
            return Err(wrong("a number without its answer"));
        };
        let length = rank.and_then(|rank| self.lengths.get(rank));
        let Some(left) = self.left.checked_sub(length.copied().unwrap_or_default()) else {
            return Err(Error::limit("mask_bytes", self.most));
        };
        self.left = left;
        let MaskEntry {
            kind,
            reason,
            robots,
            robots_status,
            allow,
            bots,
        } = entry.clone();
        self.read += 1;
        let nothing = MaskAnswer::denied(kind, String::new(), Uses::NONE, &[]);
        Ok(Some(MaskAnswer {
            law: head.law,
            reason,
            robots,
            robots_status,
            allow,
            bots,
            ..nothing
        }))
    }

    fn group(&mut self) -> Result<Option<MaskHead>> {
        let mut line = String::new();
        let read = (&mut self.from).take(LINE).read_line(&mut line);
        let read = read.map_err(wrong)?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 == LINE {
            return Err(wrong(format!(
                "the line of a group has more than {LINE} bytes"
            )));
        }
        let head: MaskHead = serde_json::from_str(&line).map_err(wrong)?;
        if head.mask != VERSION {
            return Err(wrong(format!(
                "its form is version {}, this heedful reads {VERSION}",
                head.mask
            )));
        }
        if head.first != self.read || head.records > MOST {
            return Err(wrong(format!(
                "a group begins at record {}, not {}",
                head.first, self.read
            )));
        }
        Ok(Some(head))
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.from.read_exact(&mut byte).map_err(wrong)?;
            number |= u64::from(byte[0] & 0x7F) << shift;
            if byte[0] & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(wrong("a number that does not end"))
    }
}

impl<R: BufRead> Iterator for CompactReader<R> {
    type Item = Result<MaskAnswer>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let answer = self.answer();
        self.failed = answer.is_err();
        answer.transpose()
    }
}

fn wrong(what: impl std::fmt::Display) -> Error {
    ErrorKind::Input(format!("no compact mask, or a damaged one: {what}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_unpacks_within_a_limit() {
        let uses = Uses::parse_names("index").unwrap();
        let answer = MaskAnswer::denied(AnswerKind::Unknown, "torn".to_owned(), uses, &[]);
        let bytes = group(&vec![answer; 1_000], 0, uses).unwrap();
        assert!(bytes.len() < 1_000);
        let read = |most| {
            let reader = CompactReader::new(&bytes[..]).limits(&Limits::default().mask_bytes(most));
            reader.collect::<Vec<_>>()
        };
        assert!(read(1 << 20).iter().all(Result::is_ok));
        let some = read(10_000);
        assert!(some.len() > 10 && some.len() < 300, "{}", some.len());
        let error = some.last().unwrap().as_ref().unwrap_err();
        assert_eq!(error.passed_limit(), Some("mask_bytes"));
    }

    #[test]
    fn a_group_whose_line_would_be_too_long_is_several() {
        let uses = Uses::parse_names("index,train").unwrap();
        let answer = |n: usize| {
            MaskAnswer::denied(AnswerKind::Unknown, format!("reason {}", n % 40), uses, &[])
        };
        let answers: Vec<_> = (0..100).map(answer).collect();
        let bytes = [
            group(&answers, 0, uses).unwrap(),
            members(&answers, 100, uses, 2_000).unwrap(),
        ]
        .concat();
        let read: Vec<_> = CompactReader::new(&bytes[..])
            .map(|answer| answer.unwrap().reason)
            .collect();
        assert_eq!(read.len(), 200);
        assert!(
            read.iter()
                .zip(answers.iter().cycle())
                .all(|(read, answer)| *read == answer.reason)
        );
        let mut unpacked = Vec::new();
        MultiGzDecoder::new(&bytes[..])
            .read_to_end(&mut unpacked)
            .unwrap();
        assert!(unpacked.iter().filter(|byte| **byte == b'\n').count() > 3);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        let piece = vec![b' '; 1 << 20];
        for _ in 0..40 {
            packed.write_all(&piece).unwrap();
        }
        let bytes = packed.finish().unwrap();
        let error = CompactReader::new(&bytes[..]).next().unwrap().unwrap_err();
        assert!(
            error.to_string().contains("more than 33554432 bytes"),
            "{error}"
        );
    }
}
