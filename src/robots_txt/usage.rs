//! What a robots.txt says of the use of pages that may be fetched (docs/semantics.md, section 6).
//!
//! `Noindex`, `DisallowAITraining`, `Content-Signal` and `Content-Usage` stand in groups, as rules do; the last two count
//! for everybody where they stand before any group. A path may go before what they say; of the paths that match, the
//! longest decides, and everything that is said of it counts. A path that is not one counts as if it began with a slash,
//! but never so that it allows.

use crate::bot::Bot;

use super::line::{Line, LineKind};
use super::matching;
use super::mode;
use super::parse::File;
use super::records::{Record, RecordKind};

/// What kind of record it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UsageKind {
    /// `Noindex`: no standard ever, and read by no large engine since 2019.
    Noindex,
    /// `DisallowAITraining`.
    DisallowTraining,
    /// `Content-Signal`: `search`, `ai-input` and `ai-train`, each `yes` or `no`.
    ContentSignal,
    /// `Content-Usage`: preferences as in the header of that name.
    ContentUsage,
}

/// What a record says of the use of a page.
#[derive(Clone, Copy, Debug)]
pub struct Usage<'a> {
    kind: UsageKind,
    record: Record<'a>,
    said: &'a str,
}

impl<'a> Usage<'a> {
    /// What kind of record it is.
    pub fn kind(&self) -> UsageKind {
        self.kind
    }

    /// Its line, from 1.
    pub fn line(&self) -> u32 {
        self.record.line
    }

    /// What is said, without the path; empty where the record is nothing but its path.
    pub fn said(&self) -> &'a str {
        self.said
    }

    /// The record, its key in the usual spelling.
    pub fn written(&self) -> String {
        format!("{}: {}", self.record.kind.name(), self.record.value)
    }
}

/// What a file says to a bot about a path.
pub(super) fn of<'a>(file: &'a File, bot: &Bot, path: &[u8]) -> Vec<Usage<'a>> {
    // Most files say nothing of the kind.
    if !file.lines().any(|line| said(&line).is_some()) {
        return Vec::new();
    }
    let before = file.lines().take_while(|line| line.kind() != LineKind::Agent);
    let before = before
        .filter_map(|line| said(&line))
        .filter(|usage| matches!(usage.kind, UsageKind::ContentSignal | UsageKind::ContentUsage));
    let own = mode::own_groups(file, bot).flatten().filter_map(|line| said(&line));
    let matching = before.chain(own).filter_map(|usage| Some((length(&usage, path)?, usage)));
    let matching: Vec<_> = matching.collect();
    let is_longest = |(length, usage): &(usize, Usage<'_>)| {
        !matching.iter().any(|(other, rival)| rival.kind == usage.kind && other > length)
    };
    let decide = matching.iter().filter(|found| is_longest(found)).map(|(_, usage)| *usage);
    decide.filter(|usage| usage.record.kind != RecordKind::AllowTraining).collect()
}

/// What a line says of use, if anything.
fn said<'a>(line: &Line<'a>) -> Option<Usage<'a>> {
    let record = Record::of(line)?;
    let kind = match record.kind {
        RecordKind::Noindex => UsageKind::Noindex,
        RecordKind::DisallowTraining | RecordKind::AllowTraining => UsageKind::DisallowTraining,
        RecordKind::ContentSignal => UsageKind::ContentSignal,
        RecordKind::ContentUsage => UsageKind::ContentUsage,
        _ => return None,
    };
    let (_, said) = parts(&record);
    Some(Usage { kind, record, said })
}

/// The path of a record, and what it says.
fn parts<'a>(record: &Record<'a>) -> (&'a str, &'a str) {
    if matches!(record.kind, RecordKind::Noindex | RecordKind::DisallowTraining | RecordKind::AllowTraining) {
        return (record.value, "");
    }
    if !record.value.starts_with(['/', '*']) {
        return ("/", record.value);
    }
    let (path, said) = record.value.split_once(char::is_whitespace).unwrap_or((record.value, ""));
    (path, said.trim_start())
}

/// The length of the path of a record, if it matches.
fn length(usage: &Usage<'_>, path: &[u8]) -> Option<usize> {
    let (own, _) = parts(&usage.record);
    let pattern = match own.starts_with(['/', '*']) {
        true => matching::normal_pattern(own.as_bytes()),
        false if usage.record.kind == RecordKind::AllowTraining => return None,
        false => matching::normal_pattern(format!("/{own}").as_bytes()),
    };
    matching::matches(&pattern, path).then_some(pattern.len())
}
