//! The type [`RobotsReading`]: one parsed variant of a robots.txt. It has agents, rules and records
//! as packed lines, and indexes for queries.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use super::line::{LineKind, LineList, LineOffset, NewLine, PackedLines, RobotsLine};
use super::matching;
use super::sorted::SortedRules;

/// One parsed variant of a robots.txt, for example with sloppy lines repaired.
#[derive(Debug, Default)]
pub(super) struct RobotsReading {
    /// Agent lines, rules and records as one byte string, in the order of the file.
    pub(super) packed: PackedLines,
    /// Offset of each group's first line in `packed`. A group ends where the next one begins.
    pub(super) groups: Vec<LineOffset>,
    /// True if the file has a record that states how pages may be used, such as `Content-Signal`.
    pub(super) has_usage: bool,
    /// True if the file has a record that names a licence.
    pub(super) has_licence: bool,
    /// True if a rule's pattern has a percent-encoded reserved character.
    pub(super) encodes_reserved: bool,
    pub(super) indexes: ReadingIndexes,
}

/// Indexes for quick queries to a parsed robots.txt. Most files get few queries, so each index is
/// built only when a query needs it.
#[derive(Debug, Default)]
pub(super) struct ReadingIndexes {
    /// Index of the agents and rules, sorted so that the rule that decides on a path is found
    /// quickly.
    sorted: OnceLock<Box<SortedRules>>,
    /// Copy of the file that [`RobotsReading::alike`] returns. In the patterns of its rules,
    /// percent-encoded reserved characters are decoded.
    alike: OnceLock<Box<RobotsReading>>,
    /// Offsets of the records in the packed lines. A record is a line such as `Crawl-delay`. With
    /// the offsets, records are found without a scan of all lines.
    records: OnceLock<Box<[LineOffset]>>,
    /// Number of queries for a ruling so far. Counting stops when the index `sorted` is built.
    asked: AtomicU8,
}

/// Number of queries to a file that are answered by a scan of all lines. Later queries use the
/// index `sorted`. These scans cost about as much time as building the index.
const SCANS: u8 = 16;

impl RobotsReading {
    /// Returns all packed lines of the file.
    pub(super) fn lines(&self) -> LineList<'_> {
        self.packed.lines(0, None)
    }

    /// Returns one list of lines for each group. The agent lines of a group are first in its list.
    pub(super) fn groups(&self) -> impl Iterator<Item = LineList<'_>> {
        (0..self.groups.len()).map(|number| self.group(number))
    }

    /// Returns the lines of one group. `number` is the index of the group in `groups`, from 0.
    pub(super) fn group(&self, number: usize) -> LineList<'_> {
        self.packed
            .lines(self.groups[number], self.groups.get(number + 1).copied())
    }

    /// Counts a query. Returns `None` for the first [`SCANS`] queries. For all later queries,
    /// returns the index of agents and rules.
    pub(super) fn index_if_asked_often(&self) -> Option<&SortedRules> {
        let ReadingIndexes { sorted, asked, .. } = &self.indexes;
        if let Some(sorted) = sorted.get() {
            return Some(sorted);
        }
        if asked.fetch_add(1, Ordering::Relaxed) < SCANS {
            return None;
        }
        Some(sorted.get_or_init(|| Box::new(SortedRules::new(&self.packed, self.groups()))))
    }

    /// Returns the records of `group`. A record is a line such as `Crawl-delay`.
    pub(super) fn records_in(&self, group: LineList<'_>) -> impl Iterator<Item = RobotsLine<'_>> {
        let span = group.span();
        let places = self.indexes.records.get_or_init(|| self.find_records());
        let from = places.partition_point(|place| *place < span.start);
        let own = places[from..]
            .iter()
            .take_while(move |place| **place < span.end);
        own.filter_map(|place| self.packed.line(*place))
    }

    /// Finds all records, and returns their offsets in the packed lines. A record is a line such as
    /// `Crawl-delay`.
    fn find_records(&self) -> Box<[LineOffset]> {
        let records = self.lines().filter(|line| line.kind() == LineKind::Record);
        records.map(|line| line.place).collect()
    }

    /// Returns a copy of the file in which the percent-encoded reserved characters of patterns are
    /// decoded. In the copy, `%2C` matches `,`, as RFC 9309 says. Returns the file itself if no
    /// pattern has such a character.
    pub(super) fn alike(&self) -> &Self {
        if !self.encodes_reserved {
            return self;
        }
        self.indexes
            .alike
            .get_or_init(|| Box::new(self.decode_reserved()))
    }

    /// Builds the copy for [`RobotsReading::alike`], in which percent-encoded reserved characters
    /// of patterns are decoded. An example is `%2C`, which becomes `,`.
    fn decode_reserved(&self) -> Self {
        let mut alike = Self::default();
        let mut groups = self.groups.iter().peekable();
        let mut lines = self.lines();
        while let Some(line) = lines.next() {
            if groups.next_if(|start| **start == line.place).is_some() {
                alike.groups.push(alike.packed.end());
            }
            match matching::alike(line.text) {
                Cow::Owned(text) if line.is_rule() => {
                    let read = line.as_read();
                    alike.packed.push(&NewLine::with_text(&line, &text, &read));
                }
                _ => alike
                    .packed
                    .copy(&self.packed, line.place..lines.span().start),
            }
        }
        alike.packed.shrink();
        alike
    }

    /// Returns the line numbers of the `Disallow` rules that have no effect. Such a rule has the
    /// same pattern as an `Allow` in the same group.
    pub(super) fn shadowed(&self) -> impl Iterator<Item = u32> {
        self.groups().flat_map(shadowed_rules)
    }

    /// True if `other` has the same agents, rules and records in the same lines.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.packed.is_same(&other.packed)
    }
}

/// Returns the line numbers of the `Disallow` rules in `group` that have no effect. Such a rule has
/// the same pattern as an `Allow` in `group`.
fn shadowed_rules(group: LineList<'_>) -> impl Iterator<Item = u32> {
    let rules = group.filter(|line| line.is_rule() && !line.is_void());
    let allowances = rules.clone().filter(RobotsLine::allows);
    let allowed: HashSet<_> = allowances.map(|rule| rule.text).collect();
    let shadowed = rules.filter(move |rule| !rule.allows() && allowed.contains(rule.text));
    shadowed.map(|rule| rule.number())
}
