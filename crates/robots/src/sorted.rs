//! The agents and rules of a reading, sorted so that few must be compared.
//!
//! This is for RFC 9309, and for files that are asked often. Agents are sorted by the hash of their
//! product token. In each group the rules with special characters come first, sorted by rank. Each
//! has a filter that rules out most of them. Then come the plain rules, sorted by their bytes, so
//! that a binary search finds those that begin a path.

use std::cmp::Reverse;

use heedful_base::bot::Bot;

use super::agents::{is_for, is_star, product_token};
use super::line::{LineKind, LineList, PackedAt, PackedLines, Rank};
use super::matching::MatchTarget;

#[derive(Clone, Debug, Default)]
pub(super) struct SortedRules {
    agents: Vec<(u32, PackedAt)>,
    /// The agents with stars.
    starred: Vec<PackedAt>,
    /// The groups that are for everybody.
    open: Vec<u32>,
    special: Vec<PackedAt>,
    /// The filter of each special rule.
    filters: Vec<u64>,
    plain: Vec<PackedAt>,
    /// The ends of the special and the plain rules of each group.
    ends: Vec<[u32; 2]>,
}

/// A rule that matches. The greatest decides; of equal ones it is the first in the file.
type PatternMatch = (Rank, Reverse<PackedAt>);

impl SortedRules {
    pub(super) fn of<'a>(
        packed: &'a PackedLines,
        groups: impl Iterator<Item = LineList<'a>>,
    ) -> Self {
        let mut sorted = Self::default();
        for (number, group) in groups.enumerate() {
            sorted.add(packed, number, group);
        }
        sorted.agents.sort_unstable();
        sorted.agents.shrink_to_fit();
        sorted.special.shrink_to_fit();
        sorted.filters.shrink_to_fit();
        sorted.plain.shrink_to_fit();
        sorted.ends.shrink_to_fit();
        sorted
    }

    fn add(&mut self, packed: &PackedLines, number: usize, group: LineList<'_>) {
        let (from_special, from_plain) = (self.special.len(), self.plain.len());
        let mut is_open = false;
        for line in group {
            let place = line.place;
            match line.kind() {
                LineKind::Agent if line.is_special() => self.starred.push(place),
                LineKind::Agent => {
                    self.agents.push((hash(product_token(line.text)), place));
                    is_open |= is_star(line.text);
                }
                LineKind::Allow | LineKind::Disallow if line.is_void() => {}
                LineKind::Allow | LineKind::Disallow if line.is_special() => {
                    self.special.push(place);
                }
                LineKind::Allow | LineKind::Disallow => self.plain.push(place),
                LineKind::Record => {}
            }
        }
        let line = |place: &PackedAt| packed.line(*place);
        self.special[from_special..]
            .sort_by_cached_key(|place| line(place).map(|rule| Reverse(rule.rank())));
        self.filters.extend(
            self.special[from_special..]
                .iter()
                .map(|place| line(place).map_or(0, |rule| filter(rule.host_and_path().1))),
        );
        // The last one of equal patterns is found. So allowances come last, and among them the
        // first in the file.
        self.plain[from_plain..].sort_by_cached_key(|place| {
            line(place).map(|rule| (rule.text, rule.allows(), Reverse(*place)))
        });
        self.open.extend(is_open.then_some(number as u32));
        self.ends
            .push([self.special.len() as u32, self.plain.len() as u32]);
    }

    /// The place of the rule that decides on a path for a bot. The second value is true if any
    /// group is for the bot.
    pub(super) fn decide(
        &self,
        packed: &PackedLines,
        groups: &[PackedAt],
        bot: &Bot,
        target: MatchTarget<'_>,
    ) -> (Option<PackedAt>, bool) {
        let mut own = self.own(packed, groups, bot).peekable();
        let others = if own.peek().is_some() {
            &[][..]
        } else {
            &self.open
        };
        let bits = if self.filters.is_empty() {
            0
        } else {
            bits(target.path)
        };
        let (mut best, mut is_spoken_to) = (None, false);
        for group in own.chain(others.iter().map(|group| *group as usize)) {
            is_spoken_to = true;
            best = best.max(self.best_of(packed, group, target, bits));
        }
        (best.map(|(_, Reverse(place))| place), is_spoken_to)
    }

    /// The groups that name a bot. Some may come several times.
    fn own<'a>(
        &'a self,
        packed: &'a PackedLines,
        groups: &'a [PackedAt],
        bot: &'a Bot,
    ) -> impl Iterator<Item = usize> {
        let tokens = bot.names().map(|name| hash(product_token(name.as_bytes())));
        let agents = tokens.flat_map(|token| {
            let first = self.agents.partition_point(|(hash, _)| *hash < token);
            self.agents[first..]
                .iter()
                .take_while(move |(hash, _)| *hash == token)
        });
        let agents = agents.map(|(_, place)| place).chain(&self.starred);
        let own = agents.filter(|place| {
            packed
                .line(**place)
                .is_some_and(|agent| is_for(&agent, bot))
        });
        own.map(|place| groups.partition_point(|start| start <= place) - 1)
    }

    /// The rule of a group that decides on a path.
    fn best_of(
        &self,
        packed: &PackedLines,
        group: usize,
        target: MatchTarget<'_>,
        bits: u64,
    ) -> Option<PatternMatch> {
        let from = group
            .checked_sub(1)
            .map_or([0; 2], |before| self.ends[before]);
        let [special, plain] =
            [0, 1].map(|kind| from[kind] as usize..self.ends[group][kind] as usize);
        let filtered = self.filters[special.clone()]
            .iter()
            .zip(&self.special[special]);
        let special = filtered
            .filter(|(filter, _)| *filter & !bits == 0)
            .find_map(|(_, place)| {
                let rule = packed.line(*place)?;
                target
                    .is_matched_by(rule.text)
                    .then(|| (rule.rank(), Reverse(*place)))
            });
        special.max(longest_prefix(&self.plain[plain], packed, target.path))
    }
}

/// The longest of the plain patterns that begins a path.
fn longest_prefix(
    mut rules: &[PackedAt],
    packed: &PackedLines,
    mut path: &[u8],
) -> Option<PatternMatch> {
    loop {
        // A pattern that begins a path is not greater than the path, and all patterns between the
        // two begin alike.
        let below = rules
            .partition_point(|place| packed.line(*place).is_some_and(|rule| rule.text <= path));
        let (last, before) = rules[..below].split_last()?;
        let rule = packed.line(*last)?;
        let common = rule
            .text
            .iter()
            .zip(path)
            .take_while(|(one, other)| one == other)
            .count();
        if common == rule.text.len() {
            return Some((rule.rank(), Reverse(*last)));
        }
        (rules, path) = (before, &path[..common]);
    }
}

/// The filter of a pattern: a bit for each two adjacent bytes. A path that matches has all bits of
/// the pattern.
fn filter(pattern: &[u8]) -> u64 {
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    body.split(|byte| *byte == b'*')
        .fold(0, |all, piece| all | bits(piece))
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.windows(2).fold(0, |all, pair| {
        all | 1 << (u32::from_le_bytes([pair[0], pair[1], 0, 0]).wrapping_mul(0x9E37_79B1) >> 26)
    })
}

/// FNV-1a, without regard to case.
fn hash(token: &[u8]) -> u32 {
    token.iter().fold(0x811C_9DC5, |hash, byte| {
        (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193)
    })
}
