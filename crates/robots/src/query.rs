//! Queries to one parsed variant of a robots.txt. A query finds the rule that decides on a path for
//! a bot, all rules that match the path, or all rules for the bot.
//!
//! In every mode, one scan over the file computes the result of a query. It visits the rules among
//! the lines that the mode selects for the bot (`selection`). The mode also defines which of these
//! rules have any effect, which match a path, and their rank. If several rules match, the rule with
//! the greatest rank decides. If a file is queried often by RFC 9309, an index (`sorted`) replaces
//! the scan.

use std::cmp::Reverse;

use heedful_base::bot::Bot;

use super::file::RobotsReading;
use super::google;
use super::line::{LineList, Rank, RobotsLine};
use super::matching::{self, MatchTarget};
use super::mode::Mode;
use super::ruling::{Decider, Reason, Ruling};
use super::selection::{Selection, selected};

/// Query to one reading (a parsed variant) of a robots.txt.
#[derive(Clone, Copy)]
pub(super) struct RuleQuery<'a, 'b> {
    /// Reading (parsed variant) of the robots.txt that is queried.
    pub(super) file: &'a RobotsReading,
    /// Mode by which lines are selected for the bot and compared with the path.
    pub(super) mode: Mode,
    /// Bot whose rules are queried.
    pub(super) bot: &'b Bot,
    /// Path and host of the URL that is queried. The path is in normal form, or unchanged for
    /// Google's mode.
    pub(super) target: MatchTarget<'b>,
}

/// Rule of a robots.txt, and the group that has the rule.
#[derive(Clone, Copy)]
struct FoundRule<'a> {
    rule: RobotsLine<'a>,
    group: LineList<'a>,
}

/// Result of the search for the rule that decides on a path for a bot.
struct FoundBest<'a> {
    /// Rule that decides. `None` if no rule for the bot matches.
    best: Option<FoundRule<'a>>,
    /// True if the file has any group for the bot.
    is_addressed: bool,
}

impl<'a> RuleQuery<'a, '_> {
    /// Returns the ruling for the query's bot on the query's path.
    pub(super) fn decide(&self) -> Ruling<'a> {
        let found = match self.mode {
            Mode::Rfc9309 => self.find_by_rfc9309(),
            mode => self.scan(ByMode(mode)),
        };
        match found.best {
            Some(rule) => self.ruling(rule),
            None if found.is_addressed => Ruling::open(Reason::NoRule),
            None => Ruling::open(Reason::NoGroup),
        }
    }

    /// Finds the rule that decides by RFC 9309. Uses the index of rules if the file has been
    /// queried often, and otherwise scans the rules.
    fn find_by_rfc9309(&self) -> FoundBest<'a> {
        // Nearly all queries are by the RFC, so the scan is compiled for it separately.
        let Some(index) = self.file.index_if_asked_often() else {
            return self.scan(Rfc9309);
        };
        let (found, is_addressed) =
            index.decide(&self.file.packed, &self.file.groups, self.bot, self.target);
        let best = found.and_then(|(place, group)| {
            Some(FoundRule {
                rule: self.file.packed.line(place)?,
                group: self.file.group(group),
            })
        });
        FoundBest { best, is_addressed }
    }

    /// Finds the deciding rule by a scan over all rules for the bot. `compare` decides which rules
    /// match, and returns their rank.
    fn scan(&self, compare: impl Compare) -> FoundBest<'a> {
        let mut best = None;
        let mut most: Option<Rank> = None;
        let mut is_addressed = false;
        for selection in self.selected() {
            is_addressed = true;
            for rule in rules_of(selection, compare) {
                let rank = compare.rank(&rule, self.target);
                // A rule that cannot win is not compared. If ranks are equal, the first rule in the
                // file decides.
                if most.is_none_or(|most| rank > most) && compare.matches(&rule, self.target) {
                    most = Some(rank);
                    best = Some(FoundRule {
                        rule,
                        group: selection.group,
                    });
                }
            }
        }
        FoundBest { best, is_addressed }
    }

    /// Returns all rules for the query's bot that match the query's path. Each rule is converted to
    /// the ruling that it gives. The deciding rule is the first.
    pub(super) fn all(&self) -> Vec<Ruling<'a>> {
        let compare = ByMode(self.mode);
        let mut all: Vec<_> = self
            .each()
            .filter(|found| compare.matches(&found.rule, self.target))
            .collect();
        all.sort_by_key(|found| Reverse(compare.rank(&found.rule, self.target)));
        all.into_iter().map(|found| self.ruling(found)).collect()
    }

    /// Returns all rules for the query's bot, each as a ruling, in the order of the file.
    pub(super) fn rules(&self) -> impl Iterator<Item = Ruling<'a>> {
        self.each().map(|found| self.ruling(found))
    }

    /// Returns the lines of the first group for the query's bot. `None` if no group is for the bot.
    pub(super) fn group(&self) -> Option<LineList<'a>> {
        self.selected().next().map(|selection| selection.group)
    }

    /// Returns the lines that the query's mode selects for the query's bot.
    fn selected(&self) -> impl Iterator<Item = Selection<'a>> {
        selected(self.file, self.mode, self.bot)
    }

    /// Returns all rules for the query's bot that have any effect in the query's mode, each with
    /// its group.
    fn each(&self) -> impl Iterator<Item = FoundRule<'a>> {
        self.selected().flat_map(|selection| {
            let group = selection.group;
            rules_of(selection, ByMode(self.mode)).map(move |rule| FoundRule { rule, group })
        })
    }

    /// Converts a rule to the ruling that it gives.
    #[inline]
    fn ruling(&self, found: FoundRule<'a>) -> Ruling<'a> {
        let FoundRule { rule, group } = found;
        let opens =
            matches!(self.mode, Mode::Draft1996 | Mode::Spiderline) && rule.value().is_empty();
        let pattern = if self.mode == Mode::Rfc9309 {
            rule.text
        } else {
            rule.value()
        };
        Ruling::by_rule(Decider {
            rule,
            allowed: rule.allows() || opens,
            pattern,
            group,
        })
    }
}

/// Returns the rules of `selection` that have an effect in the mode of `compare`. `selection` has
/// the lines that apply to a bot.
fn rules_of<'a>(
    selection: Selection<'a>,
    compare: impl Compare,
) -> impl Iterator<Item = RobotsLine<'a>> {
    selection
        .lines
        .filter(move |line| line.is_rule() && compare.counts(line))
}

/// Comparison of rules with paths and with other rules. Each [`Mode`] defines its own comparison.
trait Compare: Copy {
    /// True if the rule has any effect in the mode of this comparison.
    fn counts(self, rule: &RobotsLine<'_>) -> bool;
    /// True if the rule matches the path of `target`.
    fn matches(self, rule: &RobotsLine<'_>, target: MatchTarget<'_>) -> bool;
    /// Returns the rank of a rule that matches `target`. If several rules match, the rule with the
    /// greatest rank decides.
    fn rank(self, rule: &RobotsLine<'_>, target: MatchTarget<'_>) -> Rank;
}

/// Comparison of rules with paths by RFC 9309.
#[derive(Clone, Copy)]
struct Rfc9309;

impl Compare for Rfc9309 {
    #[inline]
    fn counts(self, rule: &RobotsLine<'_>) -> bool {
        !rule.is_void()
    }

    #[inline]
    fn matches(self, rule: &RobotsLine<'_>, target: MatchTarget<'_>) -> bool {
        if rule.is_special() {
            target.is_matched_by(rule.text)
        } else {
            matching::is_prefix(rule.text, target.path)
        }
    }

    #[inline]
    fn rank(self, rule: &RobotsLine<'_>, _: MatchTarget<'_>) -> Rank {
        rule.rank()
    }
}

/// Comparison of rules with paths by a mode other than RFC 9309.
#[derive(Clone, Copy)]
struct ByMode(Mode);

impl Compare for ByMode {
    fn counts(self, rule: &RobotsLine<'_>) -> bool {
        match self.0 {
            Mode::Rfc9309 => Rfc9309.counts(rule),
            Mode::Google => matches!(rule.value().first(), Some(b'/' | b'*')),
            Mode::Text1994 => !rule.allows() && !rule.value().is_empty(),
            Mode::Spiderline => !rule.allows(),
            Mode::Draft1996 | Mode::Lycos => true,
        }
    }

    fn matches(self, rule: &RobotsLine<'_>, target: MatchTarget<'_>) -> bool {
        let value = rule.value();
        let path = target.path;
        match self.0 {
            Mode::Rfc9309 => Rfc9309.matches(rule, target),
            Mode::Google => google::priority(rule, path).is_some(),
            Mode::Lycos => value
                .split(u8::is_ascii_whitespace)
                .any(|one| !one.is_empty() && begins_path(one, path)),
            Mode::Text1994 | Mode::Draft1996 | Mode::Spiderline => begins_path(value, path),
        }
    }

    fn rank(self, rule: &RobotsLine<'_>, target: MatchTarget<'_>) -> Rank {
        match self.0 {
            Mode::Rfc9309 => Rfc9309.rank(rule, target),
            Mode::Google => (
                google::priority(rule, target.path).unwrap_or(0),
                rule.allows(),
            ),
            Mode::Spiderline => (rule.number() as usize, false),
            Mode::Text1994 | Mode::Draft1996 | Mode::Lycos => (0, false),
        }
    }
}

/// True if `path` begins with `value`, the value of a rule. No character of `value` is special.
fn begins_path(value: &[u8], path: &[u8]) -> bool {
    path.starts_with(&matching::normal_path(value))
}
