//! One reading of a file: agents, rules and records, each with its line, packed; and its indexes.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use super::line::{LineKind, LineList, LineOffset, NewLine, PackedLines, RobotsLine};
use super::matching;
use super::sorted::SortedRules;

/// The contents of a file as one reading has them.
#[derive(Debug, Default)]
pub(super) struct RobotsReading {
    pub(super) packed: PackedLines,
    /// The starts of the groups. Each group ends where the next one begins.
    pub(super) groups: Vec<LineOffset>,
    /// There is a record on the use of pages.
    pub(super) has_usage: bool,
    /// There is a record that names a licence.
    pub(super) has_licence: bool,
    /// Patterns of rules have reserved characters that are encoded.
    pub(super) encodes_reserved: bool,
    pub(super) indexes: ReadingIndexes,
}

/// Indexes for quick answers, built when a file is asked many times. Many files are parsed only for
/// their records, and most are asked only a few questions.
#[derive(Debug, Default)]
pub(super) struct ReadingIndexes {
    sorted: OnceLock<Box<SortedRules>>,
    alike: OnceLock<Box<RobotsReading>>,
    /// The places of the records, of which there are few among many rules.
    records: OnceLock<Box<[LineOffset]>>,
    /// The number of questions.
    asked: AtomicU8,
}

/// The number of scans that cost about as much as sorting.
const SCANS: u8 = 16;

impl RobotsReading {
    /// All lines that count.
    pub(super) fn lines(&self) -> LineList<'_> {
        self.packed.lines(0, None)
    }

    /// The lines of each group, its agents first.
    pub(super) fn groups(&self) -> impl Iterator<Item = LineList<'_>> {
        (0..self.groups.len()).map(|number| self.group(number))
    }

    fn group(&self, number: usize) -> LineList<'_> {
        self.packed
            .lines(self.groups[number], self.groups.get(number + 1).copied())
    }

    /// The line at a place, with its group.
    pub(super) fn line_and_group(
        &self,
        place: LineOffset,
    ) -> Option<(RobotsLine<'_>, LineList<'_>)> {
        let next = self.groups.partition_point(|start| *start <= place);
        Some((self.packed.line(place)?, self.group(next.checked_sub(1)?)))
    }

    /// Counts a query, and returns the index once there were many.
    pub(super) fn index_if_asked_often(&self) -> Option<&SortedRules> {
        let ReadingIndexes { sorted, asked, .. } = &self.indexes;
        let is_asked_often =
            sorted.get().is_some() || asked.fetch_add(1, Ordering::Relaxed) >= SCANS;
        if !is_asked_often {
            return None;
        }
        Some(sorted.get_or_init(|| Box::new(SortedRules::new(&self.packed, self.groups()))))
    }

    /// The records among the lines of a group.
    pub(super) fn records_in(&self, group: LineList<'_>) -> impl Iterator<Item = RobotsLine<'_>> {
        let span = group.span();
        let places = self.indexes.records.get_or_init(|| self.find_records());
        let from = places.partition_point(|place| *place < span.start);
        let own = places[from..]
            .iter()
            .take_while(move |place| **place < span.end);
        own.filter_map(|place| self.packed.line(*place))
    }

    fn find_records(&self) -> Box<[LineOffset]> {
        let records = self.lines().filter(|line| line.kind() == LineKind::Record);
        records.map(|line| line.place).collect()
    }

    /// This reading with patterns in which reserved characters are the same, encoded or not.
    pub(super) fn alike(&self) -> &Self {
        if !self.encodes_reserved {
            return self;
        }
        self.indexes
            .alike
            .get_or_init(|| Box::new(self.decode_reserved()))
    }

    fn decode_reserved(&self) -> Self {
        let mut alike = Self::default();
        let mut groups = self.groups.iter().peekable();
        for line in self.lines() {
            if groups.next_if(|start| **start == line.place).is_some() {
                alike.groups.push(alike.packed.end());
            }
            let text = if line.is_rule() {
                matching::alike(line.text)
            } else {
                line.text.into()
            };
            alike
                .packed
                .push(&NewLine::with_text(&line, &text, &line.as_read()));
        }
        alike.packed.shrink();
        alike
    }

    /// The lines of denials that are overruled by an allowance with the same pattern in their
    /// group.
    pub(super) fn shadowed(&self) -> impl Iterator<Item = u32> {
        self.groups().flat_map(shadowed_rules)
    }

    /// True if another reading has the same lines, agents, rules and records.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.packed.is_same(&other.packed)
    }
}

/// The lines of a group's denials that are overruled by an allowance with the same pattern.
fn shadowed_rules(group: LineList<'_>) -> impl Iterator<Item = u32> {
    let rules = group.filter(|line| line.is_rule() && !line.is_void());
    let allowances = rules.clone().filter(RobotsLine::allows);
    let allowed: HashSet<_> = allowances.map(|rule| rule.text).collect();
    let shadowed = rules.filter(move |rule| !rule.allows() && allowed.contains(rule.text));
    shadowed.map(|rule| rule.number())
}
