//! Records of a robots.txt on the use of pages that may be fetched (docs/semantics.md, section
//! 6.1).
//!
//! `Noindex`, `DisallowAITraining`, `Content-Signal` and `Content-Usage` are in groups, like rules.
//! The last two count for everybody if they come before any group. So does `TDM-Reservation`, which
//! the rules of a tdmrep.json become. No convention has it in a robots.txt, but its meaning there
//! is beyond doubt. A path may come before the value. This file finds the records that match a
//! page. Module `convention` of the filter decides on their meaning, and which of them counts.

use std::borrow::Cow;
use std::sync::Arc;

use heedful_base::bot::Bot;

use super::agents::agents;
use super::file::RobotsReading;
use super::line::{LineKind, LineList, RobotsLine};
use super::matching::{self, MatchTarget, host_and_path};
use super::mode::Mode;
use super::parsed::RobotsTxt;
use super::records::{RecordKind, SiteRecord, is_for_everybody, is_path_alone, is_usage};
use super::selection::own_groups;
use super::{path, purpose};

/// A record on the use of a page.
#[derive(Clone, Copy, Debug)]
pub struct Usage<'a> {
    record: SiteRecord<'a>,
    path: &'a str,
    value: &'a str,
    length: usize,
}

impl<'a> Usage<'a> {
    /// The record's key: `Noindex`, `DisallowAITraining`, `AllowAITraining`, `Content-Signal`,
    /// `Content-Usage` or `TDM-Reservation`. In a group for training it is `Disallow` or `Allow`.
    pub fn key(&self) -> &'static str {
        self.record.kind.name()
    }

    /// The record's line, from 1. In a tdmrep.json it is the number of the rule.
    pub fn line(&self) -> u32 {
        self.record.line
    }

    /// The value without the path. Empty if the record has nothing but its path.
    pub fn value(&self) -> &'a str {
        self.value
    }

    /// The length of the path, in normal form: if two match, the longer one decides. For
    /// `TDM-Reservation` the first one decides, so it has the greater number here.
    pub fn length(&self) -> usize {
        self.length
    }

    /// True if another reading has the same value in the same line, for any path.
    fn says_the_same(&self, other: &Self) -> bool {
        (self.record.kind, self.line(), self.value)
            == (other.record.kind, other.line(), other.value)
    }

    /// The record, with its key in the usual spelling.
    pub fn written(&self) -> String {
        written(&self.record)
    }
}

impl RobotsTxt {
    /// All records for the bot on the use of pages, for any path. Each has its line, and its key in
    /// the usual spelling.
    pub fn records_of_use(&self, bot: &Bot) -> Vec<(u32, String)> {
        let mut all = Vec::new();
        for file in self.readings.for_mode(Mode::Rfc9309) {
            for record in records_for(file, bot) {
                all.push((record.line, written(&record)));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// The records for `bot` on the use of a page that it may fetch: on indexing it and on training
    /// with it.
    pub fn usages(&self, bot: &Bot, url: &str) -> Vec<Usage<'_>> {
        let mut usages: Vec<Usage<'_>> = Vec::new();
        for usage in self.usage_readings(bot, url).into_iter().flatten() {
            let mut known = usages.iter();
            if !known.any(|known| known.says_the_same(&usage) && known.path == usage.path) {
                usages.push(usage);
            }
        }
        usages
    }

    /// The records by each reading of the file. A denial in one of them counts.
    #[doc(hidden)]
    pub fn usage_readings(&self, bot: &Bot, url: &str) -> Vec<Vec<Usage<'_>>> {
        let files = self.readings_with_usage();
        if files.is_empty() {
            return Vec::new();
        }
        let asked = path::request_path(url);
        let path = asked.subject();
        let mut readings = Vec::with_capacity(2 * files.len());
        for file in files {
            let target = path.as_written();
            readings.push(matching_usages(file, bot, target, |pattern| pattern.into()));
            let target = path.alike();
            readings.push(matching_usages(file, bot, target, matching::alike));
        }
        readings
    }

    /// The patterns of all records for a bot, in each reading of the file.
    pub(super) fn patterns_of_use(&self, bot: &Bot) -> Vec<matching::Pattern> {
        let mut patterns = Vec::new();
        for file in self.readings_with_usage() {
            for record in records_for(file, bot) {
                let (path, _) = parts(&record);
                patterns.extend(pattern(&record, path).map(matching::Pattern::from_normal));
            }
        }
        patterns
    }

    /// The readings; none if no record is on the use of pages.
    fn readings_with_usage(&self) -> &[Arc<RobotsReading>] {
        if self.readings.fullest().has_usage {
            self.readings.for_mode(Mode::Rfc9309)
        } else {
            &[]
        }
    }
}

/// True if two readings decide the same: they have the same records, and the order of the lengths
/// is the same.
#[doc(hidden)]
pub fn decide_the_same(one: &[Usage<'_>], other: &[Usage<'_>]) -> bool {
    let has_same_records = one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| one.says_the_same(other));
    has_same_records && ranks(one) == ranks(other)
}

/// The places of the lengths in their order.
fn ranks(usages: &[Usage<'_>]) -> Vec<usize> {
    let mut lengths: Vec<_> = usages.iter().map(Usage::length).collect();
    lengths.sort_unstable();
    lengths.dedup();
    usages
        .iter()
        .map(|usage| lengths.partition_point(|length| *length < usage.length))
        .collect()
}

fn written(record: &SiteRecord<'_>) -> String {
    format!("{}: {}", record.kind.name(), record.value)
}

/// The usages of a reading that match a path. `form` brings patterns into the form of the path.
fn matching_usages<'a>(
    file: &'a RobotsReading,
    bot: &Bot,
    target: MatchTarget<'_>,
    form: fn(&[u8]) -> Cow<'_, [u8]>,
) -> Vec<Usage<'a>> {
    let mut usages = Vec::new();
    for record in records_for(file, bot) {
        usages.extend(usage(record, target, form));
    }
    usages
}

fn records_for<'a>(file: &'a RobotsReading, bot: &Bot) -> impl Iterator<Item = SiteRecord<'a>> {
    let before = file
        .lines()
        .take_while(|line| line.kind() != LineKind::Agent)
        .filter_map(record)
        .filter(|record| is_for_everybody(record.kind));
    let own = own_groups(file, bot)
        .flat_map(|group| file.records_in(group))
        .filter_map(record);
    before.chain(own).chain(for_training(file))
}

/// The rules of groups for training. They are for every bot that trains, under any name.
fn for_training(file: &RobotsReading) -> impl Iterator<Item = SiteRecord<'_>> {
    file.groups()
        .filter(is_for_training)
        .flatten()
        .filter_map(training_rule)
}

fn is_for_training(group: &LineList<'_>) -> bool {
    agents(*group).any(|agent| purpose::is_training(agent.text))
}

/// A rule of a group for training, as a record.
fn training_rule(line: RobotsLine<'_>) -> Option<SiteRecord<'_>> {
    if !line.is_rule() || line.is_void() {
        return None;
    }
    let kind = if line.allows() {
        RecordKind::TrainingAllow
    } else {
        RecordKind::TrainingDisallow
    };
    Some(SiteRecord {
        kind,
        line: line.number(),
        value: std::str::from_utf8(line.text).ok()?,
    })
}

fn record(line: RobotsLine<'_>) -> Option<SiteRecord<'_>> {
    SiteRecord::from_line(line).filter(|record| is_usage(record.kind))
}

/// The usage of a record, if it matches a path. `form` brings patterns into the form of the path.
fn usage<'a>(
    record: SiteRecord<'a>,
    target: MatchTarget<'_>,
    form: fn(&[u8]) -> Cow<'_, [u8]>,
) -> Option<Usage<'a>> {
    let (path, said) = parts(&record);
    let pattern = pattern(&record, path)?;
    let pattern = form(&pattern);
    let length = match record.kind {
        RecordKind::Reservation => usize::MAX - record.line as usize,
        _ => host_and_path(&pattern).1.len(),
    };
    target.is_matched_by(&pattern).then_some(Usage {
        record,
        path,
        value: said,
        length,
    })
}

/// The pattern that a record's path is, in normal form; `None` if the record is without effect.
fn pattern(record: &SiteRecord<'_>, path: &str) -> Option<Vec<u8>> {
    match record.kind {
        RecordKind::AllowTraining if !path.starts_with(['/', '*']) => None,
        RecordKind::AllowTraining | RecordKind::TrainingAllow => {
            Some(matching::normal_pattern(path.as_bytes()))
        }
        _ => Some(matching::denial(path.as_bytes())),
    }
}

/// The path of a record, and its value. A text that begins with neither a slash nor a star, and is
/// no whole URL, is no path, except in records that have only a path. A first word with no meaning
/// is left out.
fn parts<'a>(record: &SiteRecord<'a>) -> (&'a str, &'a str) {
    if is_path_alone(record.kind) {
        return (record.value, "");
    }
    let value = record.value;
    let first = value.split([' ', '\t']).next().unwrap_or_default();
    let rest = value[first.len()..].trim_start();
    let is_path = first.starts_with(['/', '*']) || matching::is_url(first.as_bytes());
    if is_path && rest.is_empty() {
        return value.split_once([',', ';']).unwrap_or((value, ""));
    }
    if is_path {
        return (first, rest);
    }
    if first.contains(['=', ':']) || rest.is_empty() || rest.starts_with(['=', ':']) {
        return ("/", value);
    }
    ("/", rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_listed_once_for_each_of_its_paths() {
        let bot = Bot::new("FooBot").unwrap();
        for (record, lengths) in [
            ("Content-Signal: /a, ai-train=no", &[3][..]),
            // Only the way of comparing makes a difference.
            ("Content-Signal: /a%2C ai-train=no", &[5]),
            ("Content-Signal: \u{200B}/a ai-train=no", &[1, 2]),
            ("Noindex: /a DisallowAITraining: /a", &[2, 2]),
        ] {
            let robots = RobotsTxt::parse(format!("User-agent: *\n{record}").as_bytes());
            let usages = robots.usages(&bot, "/a%2Cb");
            assert_eq!(
                usages.iter().map(Usage::length).collect::<Vec<_>>(),
                lengths,
                "{record}"
            );
        }
    }
}
