//! Records of a robots.txt on the use of pages that may be fetched (docs/semantics.md, section
//! 6.1).
//!
//! `Noindex`, `DisallowAITraining`, `Content-Signal` and `Content-Usage` are in groups, like rules.
//! The last two count for everybody if they come before any group. So does `TDM-Reservation`, which
//! the rules of a tdmrep.json become. No convention has it in a robots.txt, but its meaning there
//! is beyond doubt. A path may come before the value. This file finds the records that match a
//! page. Their meaning, and which of them decides, is left to `convention`.

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
    said: &'a str,
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
    pub fn said(&self) -> &'a str {
        self.said
    }

    /// The length of the path, in normal form: if two match, the longer one decides. For
    /// `TDM-Reservation` the first one decides, so it has the greater number here.
    pub fn length(&self) -> usize {
        self.length
    }

    /// True if another reading has the same value in the same line, whatever its path.
    fn says_the_same(&self, other: &Self) -> bool {
        (self.record.kind, self.line(), self.said) == (other.record.kind, other.line(), other.said)
    }

    /// The record, with its key in the usual spelling.
    pub fn written(&self) -> String {
        written(&self.record)
    }
}

impl RobotsTxt {
    /// All records for the bot on the use of pages, whatever their path. Each has its line, and its
    /// key in the usual spelling.
    pub fn records_of_use(&self, bot: &Bot) -> Vec<(u32, String)> {
        let records = self
            .readings
            .by(Mode::Rfc9309)
            .iter()
            .flat_map(|file| records_for(file, bot));
        let mut all: Vec<_> = records
            .map(|record| (record.line, written(&record)))
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// The records for `bot` on the use of a page that it may fetch: on indexing it and on training
    /// with it.
    pub fn usages(&self, bot: &Bot, url: &str) -> Vec<Usage<'_>> {
        let mut usages: Vec<Usage<'_>> = Vec::new();
        for usage in self.usage_readings(bot, url).into_iter().flatten() {
            let is_known =
                |known: &Usage<'_>| known.says_the_same(&usage) && known.path == usage.path;
            if !usages.iter().any(is_known) {
                usages.push(usage);
            }
        }
        usages
    }

    /// The records by each reading of the file. A denial in one of them counts.
    #[doc(hidden)]
    pub fn usage_readings(&self, bot: &Bot, url: &str) -> Vec<Vec<Usage<'_>>> {
        let files = self.speaking_of_use();
        if files.is_empty() {
            return Vec::new();
        }
        let asked = path::asked(url);
        let path = asked.subject();
        let matching =
            |file, target: MatchTarget<'_>, form: fn(&[u8]) -> Cow<'_, [u8]>| -> Vec<_> {
                records_for(file, bot)
                    .filter_map(|record| usage(record, target, form))
                    .collect()
            };
        let of_file = |file| {
            let as_they_stand = matching(file, path.as_it_stands(), |pattern| pattern.into());
            [as_they_stand, matching(file, path.alike(), matching::alike)]
        };
        files.iter().flat_map(|file| of_file(file)).collect()
    }

    /// The patterns of all records for a bot, in each reading of the file.
    pub(super) fn patterns_of_use(&self, bot: &Bot) -> impl Iterator<Item = matching::Pattern> {
        let records = self
            .speaking_of_use()
            .iter()
            .flat_map(|file| records_for(file, bot));
        records
            .filter_map(|record| pattern(&record, parts(&record).0))
            .map(matching::Pattern::of_normal)
    }

    /// The readings; none if no record is on the use of pages.
    fn speaking_of_use(&self) -> &[Arc<RobotsReading>] {
        if self.readings.fullest().has_usage {
            self.readings.by(Mode::Rfc9309)
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

fn records_for<'a>(file: &'a RobotsReading, bot: &Bot) -> impl Iterator<Item = SiteRecord<'a>> {
    let before = file
        .lines()
        .take_while(|line| line.kind() != LineKind::Agent)
        .filter_map(|line| record(&line));
    let before = before.filter(|record| is_for_everybody(record.kind));
    let own = own_groups(file, bot)
        .flat_map(|group| file.records_in(group))
        .filter_map(|line| record(&line));
    before.chain(own).chain(for_training(file))
}

/// The rules of groups for training. They are for every bot that trains, whatever its name.
fn for_training(file: &RobotsReading) -> impl Iterator<Item = SiteRecord<'_>> {
    let is_it = |group: &LineList<'_>| agents(*group).any(|agent| purpose::is_training(agent.text));
    file.groups()
        .filter(is_it)
        .flatten()
        .filter(|line| line.is_rule() && !line.is_void())
        .filter_map(|line| {
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
        })
}

fn record<'a>(line: &RobotsLine<'a>) -> Option<SiteRecord<'a>> {
    SiteRecord::of(line).filter(|record| is_usage(record.kind))
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
        said,
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
    match first.starts_with(['/', '*']) || matching::is_url(first.as_bytes()) {
        true if rest.is_empty() => value.split_once([',', ';']).unwrap_or((value, "")),
        true => (first, rest),
        false if first.contains(['=', ':']) || rest.is_empty() || rest.starts_with(['=', ':']) => {
            ("/", value)
        }
        false => ("/", rest),
    }
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
