//! The type [`Usage`]: a record of a robots.txt that allows or denies uses of pages, such as
//! `Content-Signal` (docs/semantics.md, section 6.1).
//!
//! `Noindex`, `DisallowAITraining`, `Content-Signal` and `Content-Usage` are in groups, like rules.
//! A `Content-Signal` or `Content-Usage` before any group applies to every bot. So does
//! `TDM-Reservation`, to which the rules of a tdmrep.json are converted. No convention has
//! `TDM-Reservation` in a robots.txt, but its meaning there is beyond doubt. A path may come before
//! the value of a record.
//!
//! This file finds the records on uses of pages that match a page. The filter's module `convention`
//! decides what these records mean, and which of them decide.

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

/// Record of a robots.txt that allows or denies uses of pages under a path.
///
/// # Examples
///
/// ```
/// use heedful_robots::{Bot, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nContent-Signal: /articles/ ai-train=no");
/// let usages = robots.usages(&Bot::new("FooBot")?, "/articles/1");
/// let usage = &usages[0];
/// assert_eq!((usage.line(), usage.key(), usage.value()), (2, "Content-Signal", "ai-train=no"));
/// assert_eq!(usage.written(), "Content-Signal: /articles/ ai-train=no");
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Usage<'a> {
    /// Kind, line number and whole value of the record.
    record: SiteRecord<'a>,
    /// Path of the record, in the file's spelling. It is `/` for a record without a path.
    path: &'a str,
    /// Value of the record without its path.
    value: &'a str,
    /// Rank of the record among all records that match a page: the length of its path
    /// ([`Usage::length()`]).
    length: usize,
}

impl<'a> Usage<'a> {
    /// Key of the record: `Noindex`, `DisallowAITraining`, `AllowAITraining`, `Content-Signal`,
    /// `Content-Usage` or `TDM-Reservation`. The rules of a group are records too if the group's
    /// `User-agent` names training. Their key is `Disallow` or `Allow`.
    pub fn key(&self) -> &'static str {
        self.record.kind.name()
    }

    /// Number of the record's line in the robots.txt, from 1. In a tdmrep.json it is the number of
    /// the rule, from 1.
    pub fn line(&self) -> u32 {
        self.record.line
    }

    /// Value of the record without its path. Empty if the record has nothing but a path.
    pub fn value(&self) -> &'a str {
        self.value
    }

    /// Rank of the record: the length of its path in normal form, in bytes. If two records match a
    /// page, the record with the greater rank decides. For `TDM-Reservation` the first record
    /// decides, so the rank is not a length, and an earlier record has a greater rank.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let file = b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open train-ai=y";
    /// let robots = RobotsTxt::parse(file);
    /// let usages = robots.usages(&Bot::new("FooBot")?, "/open/a");
    /// let deciding = usages.iter().max_by_key(|usage| usage.length()).unwrap();
    /// assert_eq!(deciding.value(), "train-ai=y");
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn length(&self) -> usize {
        self.length
    }

    /// True if `other` has the same kind, line and value (without the path). The paths are not
    /// compared, because they may differ between parsed variants of the file.
    fn says_the_same(&self, other: &Self) -> bool {
        (self.record.kind, self.line(), self.value)
            == (other.record.kind, other.line(), other.value)
    }

    /// Formats the record as a line, with its key in the usual spelling.
    pub fn written(&self) -> String {
        written(&self.record)
    }
}

impl RobotsTxt {
    /// Returns all records on uses of pages for `bot`, such as `Noindex`. Records for any path are
    /// included. Each item has the line number, from 1, and the text of the record with its key in
    /// the usual spelling.
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nnoindex: /a\nDisallowAITraining: /b");
    /// let records = robots.records_of_use(&Bot::new("FooBot")?);
    /// assert_eq!(records[0], (2, "Noindex: /a".to_owned()));
    /// assert_eq!(records[1], (3, "DisallowAITraining: /b".to_owned()));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
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

    /// Returns the records on uses of pages that apply to `bot` and match `url`. Such a record is
    /// `Noindex`, for example. The records matter only if the bot may fetch the page.
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallowAITraining: /articles/");
    /// let bot = Bot::new("FooBot")?;
    /// assert!(robots.ruling(&bot, "/articles/1").allowed());
    /// assert_eq!(robots.usages(&bot, "/articles/1")[0].key(), "DisallowAITraining");
    /// assert!(robots.usages(&bot, "/recipes/1").is_empty());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
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

    /// Returns the records of [`RobotsTxt::usages`] in several lists. There are two lists for each
    /// parsed variant of the file (with or without repairs). For the first, paths are compared as
    /// written, and for the second with percent-encoded reserved characters decoded. A use is
    /// denied if the records of any list deny it.
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

    /// Returns the patterns of all records on uses of pages for `bot`, from each parsed variant of
    /// the file.
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

    /// Returns all parsed variants of the file, or an empty slice if the file has no record on uses
    /// of pages.
    fn readings_with_usage(&self) -> &[Arc<RobotsReading>] {
        if self.readings.fullest().has_usage {
            self.readings.for_mode(Mode::Rfc9309)
        } else {
            &[]
        }
    }
}

/// True if two lists of records certainly lead to the same decision. Each list is from one parsed
/// variant of a file. Both must have the same lines and values, and the same order by
/// [`Usage::length()`].
#[doc(hidden)]
pub fn decide_the_same(one: &[Usage<'_>], other: &[Usage<'_>]) -> bool {
    let has_same_records = one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| one.says_the_same(other));
    has_same_records && ranks(one) == ranks(other)
}

/// Returns a number for each record in `usages`, in their order. The number is the count of
/// different lengths ([`Usage::length()`]) in `usages` that are smaller than the record's length.
fn ranks(usages: &[Usage<'_>]) -> Vec<usize> {
    let mut lengths: Vec<_> = usages.iter().map(Usage::length).collect();
    lengths.sort_unstable();
    lengths.dedup();
    usages
        .iter()
        .map(|usage| lengths.partition_point(|length| *length < usage.length))
        .collect()
}

/// Formats a record as a line, with its key in the usual spelling.
fn written(record: &SiteRecord<'_>) -> String {
    format!("{}: {}", record.kind.name(), record.value)
}

/// Returns the records on uses of pages in `file` that apply to `bot` and match the path of
/// `target`. `form` converts a record's pattern before the comparison. If percent-encoded reserved
/// characters are decoded in the path, `form` must decode them in the pattern too. Otherwise `form`
/// must change nothing.
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

/// Returns the records on uses of pages that apply to `bot`. They are the records before any group,
/// and the records in the bot's groups. The rules of training groups are added, converted to
/// records. A training group is a group whose `User-agent` names the purpose training, such as
/// `ai-train`.
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

/// Returns the rules of all training groups, converted to records. A training group is a group
/// whose `User-agent` names the purpose training, such as `ai-train`. The records apply to every
/// bot.
fn for_training(file: &RobotsReading) -> impl Iterator<Item = SiteRecord<'_>> {
    file.groups()
        .filter(is_for_training)
        .flatten()
        .filter_map(training_rule)
}

/// True if `group` is a training group. One of its agent lines then names the purpose training,
/// such as `ai-train`, instead of a bot.
fn is_for_training(group: &LineList<'_>) -> bool {
    agents(*group).any(|agent| purpose::is_training(agent.text))
}

/// Converts a line of a training group to a record on training. A training group is a group whose
/// `User-agent` names the purpose training, such as `ai-train`. Returns `None` if the line is no
/// rule, or has no effect.
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

/// Converts a parsed line to a record. Returns `None` if the line is no record on uses of pages.
fn record(line: RobotsLine<'_>) -> Option<SiteRecord<'_>> {
    SiteRecord::from_line(line).filter(|record| is_usage(record.kind))
}

/// Returns the [`Usage`] of `record` if the record matches the path of `target`. `form` converts
/// the record's pattern before the comparison, as in [`matching_usages`].
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

/// Converts `path`, the path of `record`, to a pattern in normal form. Returns `None` for an
/// `AllowAITraining` whose path begins with neither slash nor star. Such a record has no effect.
fn pattern(record: &SiteRecord<'_>, path: &str) -> Option<Vec<u8>> {
    match record.kind {
        RecordKind::AllowTraining if !path.starts_with(['/', '*']) => None,
        RecordKind::AllowTraining | RecordKind::TrainingAllow => {
            Some(matching::normal_pattern(path.as_bytes()))
        }
        _ => Some(matching::denial(path.as_bytes())),
    }
}

/// Splits a record into its path and its value. The first word is the path if it begins with a
/// slash or a star, or is a whole URL. If there is no path, returns the path `/`. A first word that
/// is neither path nor value is dropped. For some kinds of records, such as `Noindex`, all text is
/// the path.
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
            // The two forms of reserved characters give records that differ only in their length.
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
