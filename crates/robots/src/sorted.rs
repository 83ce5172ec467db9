//! Index of the agents and rules of a parsed robots.txt, sorted so that few rules must be compared
//! with a path.
//!
//! The index is for RFC 9309, and for files that are queried often. Agents are sorted by the hash
//! of their product token. In each group, the rules with special characters come first, sorted by
//! rank. Each of these rules has a filter that excludes most paths. The plain rules follow, sorted
//! by their bytes, so that a binary search finds those that are a prefix of a path.

use std::cmp::{Ordering, Reverse};

use heedful_base::bot::Bot;

use super::agents::{is_for, is_star, product_token};
use super::line::{LineKind, LineList, LineOffset, PackedLines, Rank};
use super::matching::{MatchTarget, common_prefix};

/// Index of the agents and rules of one parsed robots.txt.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedRules {
    /// Agents without stars, sorted: the hash of each product token, and the offset of the agent
    /// line.
    agents: Vec<(u32, LineOffset)>,
    /// Offsets of agent lines whose name is a pattern with stars, such as `foo*`.
    starred: Vec<LineOffset>,
    /// Indexes of the groups for `*` in the list of all groups.
    open: Vec<u32>,
    /// Offsets of the rules with special characters, by group and then by descending rank.
    special: Vec<LineOffset>,
    /// Filter ([`filter`]) of each rule in `special`, in the same order. The filters
    /// exclude many rules that do not match a path, before the patterns are compared.
    filters: Vec<u64>,
    /// Rules without special characters. Each item has the sort key of the rule's pattern
    /// ([`order`]), and the offset of the rule. The items are sorted by group, and in a group by
    /// pattern.
    plain: Vec<(u32, LineOffset)>,
    /// End of each group's rules: one index in `special`, and one in `plain`. A group's rules begin
    /// where those of the previous group end.
    ends: Vec<[u32; 2]>,
}

/// Rank and offset of a rule that matches, and the index of its group. If several rules match, the
/// greatest tuple decides: it has the greatest rank, and among equal ranks the least offset.
type PatternMatch = (Rank, Reverse<LineOffset>, usize);

impl SortedRules {
    /// Builds the index of the packed lines of a file.
    pub(super) fn new<'a>(
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

    /// Adds the agents and rules of `group`. `number` is the index of this group in the file.
    fn add(&mut self, packed: &PackedLines, number: usize, group: LineList<'_>) {
        let from_special = self.special.len();
        let from_plain = self.plain.len();
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
                LineKind::Allow | LineKind::Disallow => match order(line.text) {
                    Some(order) if !line.is_special() => self.plain.push((order, place)),
                    _ => self.special.push(place),
                },
                LineKind::Record => {}
            }
        }
        let special = &mut self.special[from_special..];
        special.sort_by_cached_key(|place| packed.line(*place).map(|rule| Reverse(rule.rank())));
        for place in special.iter() {
            let filter = match packed.line(*place) {
                Some(rule) => filter(rule.host_and_path().1),
                None => 0,
            };
            self.filters.push(filter);
        }
        // The search finds the last of equal patterns. So allowances come last, and among them the
        // first in the file.
        self.plain[from_plain..].sort_by_cached_key(|(order, place)| {
            let rule = packed.line(*place);
            let whole = rule.map(|rule| (rule.text, rule.allows(), Reverse(*place)));
            (*order, whole)
        });
        if is_open {
            self.open.push(number as u32);
        }
        self.ends
            .push([self.special.len() as u32, self.plain.len() as u32]);
    }

    /// Returns the offset of the rule that decides on a path for `bot`, and the index of the rule's
    /// group. This pair is `None` if no rule matches. The boolean is true if any group is for the
    /// bot.
    pub(super) fn decide(
        &self,
        packed: &PackedLines,
        groups: &[LineOffset],
        bot: &Bot,
        target: MatchTarget<'_>,
    ) -> (Option<(LineOffset, usize)>, bool) {
        let mut best = None;
        let mut is_addressed = false;
        let mut add = |place: LineOffset| {
            if packed.line(place).is_some_and(|agent| is_for(&agent, bot)) {
                is_addressed = true;
                let group = groups.partition_point(|start| *start <= place) - 1;
                best = best.max(self.best_of(packed, group, target));
            }
        };
        // The same line may be tried several times.
        for name in bot.names() {
            for (_, place) in self.lines_of_token(name) {
                add(*place);
            }
        }
        for place in &self.starred {
            add(*place);
        }
        if !is_addressed {
            for group in &self.open {
                is_addressed = true;
                best = best.max(self.best_of(packed, *group as usize, target));
            }
        }
        (
            best.map(|(_, Reverse(place), group)| (place, group)),
            is_addressed,
        )
    }

    /// Returns the agent lines that may have the name `name`, each with its hash. The product
    /// tokens of these lines have the same hash as the product token of `name`.
    fn lines_of_token(&self, name: &str) -> &[(u32, LineOffset)] {
        let token = hash(product_token(name.as_bytes()));
        let first = self.agents.partition_point(|(hash, _)| *hash < token);
        let rest = &self.agents[first..];
        let count = rest.iter().take_while(|(hash, _)| *hash == token).count();
        &rest[..count]
    }

    /// Returns the rule with the greatest rank among the rules of one group that match a path.
    /// Returns `None` if no rule of the group matches.
    fn best_of(
        &self,
        packed: &PackedLines,
        group: usize,
        target: MatchTarget<'_>,
    ) -> Option<PatternMatch> {
        let [special_start, plain_start] = match group {
            0 => [0; 2],
            _ => self.ends[group - 1],
        };
        let [special_end, plain_end] = self.ends[group];
        let plain = &self.plain[plain_start as usize..plain_end as usize];
        let plain = longest_prefix(plain, packed, target.path);
        let plain = plain.map(|(rank, place)| (rank, place, group));
        let special = special_start as usize..special_end as usize;
        if special.is_empty() {
            return plain;
        }
        let bits = bits(target.path);
        let filters = &self.filters[special.clone()];
        for (filter, place) in filters.iter().zip(&self.special[special]) {
            if filter & !bits == 0
                && let Some(rule) = packed.line(*place)
            {
                let found = (rule.rank(), Reverse(*place), group);
                // The rules that follow have no greater rank.
                if plain.is_some_and(|plain| plain > found) {
                    return plain;
                }
                if target.is_matched_by(rule.text) {
                    return Some(found);
                }
            }
        }
        plain
    }
}

/// Returns the rule with the longest pattern that is a prefix of `path`. `rules` are rules without
/// special characters, sorted by pattern.
fn longest_prefix(
    mut rules: &[(u32, LineOffset)],
    packed: &PackedLines,
    mut path: &[u8],
) -> Option<(Rank, Reverse<LineOffset>)> {
    loop {
        // A pattern that is a prefix of the path is not greater than the path. All patterns between
        // the two have it as a prefix, too.
        let own = order(path)?;
        let below = rules.partition_point(|(order, place)| match order.cmp(&own) {
            Ordering::Equal => packed.line(*place).is_some_and(|rule| rule.text <= path),
            order => order.is_lt(),
        });
        let ((_, last), before) = rules[..below].split_last()?;
        let rule = packed.line(*last)?;
        let common = common_prefix(rule.text, path);
        if common == rule.text.len() {
            return Some((rule.rank(), Reverse(*last)));
        }
        rules = before;
        path = &path[..common];
    }
}

/// Returns the sort key of a pattern or path: the four bytes after its first slash, as a number. If
/// one text is greater than another, its sort key is not smaller. Returns `None` if the text does
/// not begin with a slash.
fn order(text: &[u8]) -> Option<u32> {
    let after = text.strip_prefix(b"/")?;
    let bytes = match after {
        [first, second, third, fourth, ..] => [*first, *second, *third, *fourth],
        [first, second, third] => [*first, *second, *third, 0],
        [first, second] => [*first, *second, 0, 0],
        [first] => [*first, 0, 0, 0],
        [] => [0; 4],
    };
    Some(u32::from_be_bytes(bytes))
}

/// Computes the filter of a pattern: the bitmask ([`bits`]) of all its pairs of adjacent bytes.
/// Pairs with a star or the final `$` are left out. Every path that the pattern matches has all
/// these bits in its own bitmask.
fn filter(pattern: &[u8]) -> u64 {
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    let mut all = 0;
    for piece in body.split(|byte| *byte == b'*') {
        all |= bits(piece);
    }
    all
}

/// Returns a bitmask with a bit for each pair of adjacent bytes. A hash of the pair selects one of
/// the 64 bits.
fn bits(bytes: &[u8]) -> u64 {
    let mut all = 0;
    for pair in bytes.windows(2) {
        let pair = u32::from_le_bytes([pair[0], pair[1], 0, 0]);
        all |= 1 << (pair.wrapping_mul(0x9E37_79B1) >> 26);
    }
    all
}

/// Returns the hash of a product token. ASCII case is ignored. Two tokens have equal hashes if they
/// have the same length, the same first eight bytes and the same last eight bytes.
fn hash(token: &[u8]) -> u32 {
    let (first, last) = match (token.first_chunk(), token.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            let shift = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
            (token.iter().fold(0, shift), 0)
        }
    };
    // This bit is set in all lower-case letters and in no capital.
    let case = u64::from_ne_bytes([0x20; 8]);
    let mixed = (first | case).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (last | case).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
        ^ (token.len() as u64) << 32;
    (mixed >> 32) as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Tests that the greater of two patterns never has the smaller sort key ([`order`]).
        #[test]
        fn numbers_have_the_order_of_patterns(one in "/[a-c]{0,6}", other in "/[a-c]{0,6}") {
            let numbers = order(one.as_bytes()).cmp(&order(other.as_bytes()));
            prop_assert!(numbers == Ordering::Equal || numbers == one.cmp(&other));
        }

        /// Tests that tokens in any letter case have the same hash.
        #[test]
        fn hashes_have_no_case(token in "[A-Za-z0-9_-]{0,20}") {
            prop_assert_eq!(hash(token.to_ascii_uppercase().as_bytes()), hash(token.to_ascii_lowercase().as_bytes()));
        }
    }
}
