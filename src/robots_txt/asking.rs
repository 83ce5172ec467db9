//! Queries to a file, answered by its reader: the rules for a bot, those that match a path, the one that decides.

use std::fmt;

use crate::bot::Bot;

use super::agents::{agents, is_for, is_star, without_version};
use super::file::File;
use super::google;
use super::line::{Line, LineKind, Lines};
use super::matching::{self, Target};
use super::mode::Mode;
use super::sorted::{self, Rank};

/// The answer of a file to a bot about a path.
#[derive(Clone, Copy, Default)]
pub(super) enum FoundRule<'a> {
    #[default]
    NoGroup,
    NoRule,
    Rule(Decider<'a>),
}

/// A rule that matches, with the group that it is from.
#[derive(Clone, Copy)]
pub(super) struct Decider<'a> {
    pub(super) rule: Line<'a>,
    pub(super) allowed: bool,
    /// The pattern in the form that the reader compares.
    pub(super) pattern: &'a [u8],
    pub(super) group: Lines<'a>,
}

impl fmt::Debug for Decider<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.rule.number, self.rule.written())
    }
}

/// A question to a file, with the mode in which to answer it.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a, 'b> {
    pub(super) file: &'a File,
    pub(super) mode: Mode,
    pub(super) bot: &'b Bot,
    /// The path in normal form, with its host; for Google as written.
    pub(super) target: Target<'b>,
}

impl<'a> Asking<'a, '_> {
    /// The rule that decides.
    pub(super) fn decide(&self) -> FoundRule<'a> {
        if self.mode == Mode::Rfc9309 {
            let (best, is_spoken_to) = self.file.decide(self.bot, self.target);
            return self.found(best, is_spoken_to);
        }
        let mut best: Option<(Rank, Line<'a>, Lines<'a>)> = None;
        let is_spoken_to = self.each(|rule, group| {
            let rank = self.rank(&rule);
            // A rule that cannot win is not compared.
            if best.as_ref().is_none_or(|(most, ..)| rank > *most) && self.matches(&rule) {
                best = Some((rank, rule, group));
            }
        });
        self.found(best.map(|(_, rule, group)| (rule, group)), is_spoken_to)
    }

    fn found(&self, best: Option<(Line<'a>, Lines<'a>)>, is_spoken_to: bool) -> FoundRule<'a> {
        match best {
            Some((rule, group)) => FoundRule::Rule(self.decider(rule, group)),
            None if is_spoken_to => FoundRule::NoRule,
            None => FoundRule::NoGroup,
        }
    }

    /// All rules that match, the one that decides first.
    pub(super) fn all(&self) -> Vec<Decider<'a>> {
        let mut all = Vec::new();
        self.each(|rule, group| {
            if self.matches(&rule) {
                all.push(self.decider(rule, group));
            }
        });
        all.sort_by_key(|decider| std::cmp::Reverse(self.rank(&decider.rule)));
        all
    }

    /// All rules for the bot, in the order of the file.
    pub(super) fn rules(&self) -> Vec<Decider<'a>> {
        let mut all = Vec::new();
        self.each(|rule, group| all.push(self.decider(rule, group)));
        all
    }

    fn decider(&self, rule: Line<'a>, group: Lines<'a>) -> Decider<'a> {
        let opens = match self.mode {
            Mode::Draft1996 | Mode::Spiderline => rule.value().is_empty(),
            _ => false,
        };
        let pattern = if self.mode == Mode::Rfc9309 { rule.text } else { rule.value() };
        Decider { rule, allowed: rule.allows() || opens, pattern, group }
    }

    /// The first group that is for the bot.
    pub(super) fn group(&self) -> Option<Lines<'a>> {
        match self.mode {
            Mode::Rfc9309 => groups_for(self.file, |agent| is_for(agent, self.bot)).next(),
            Mode::Google => groups_for(self.file, |agent| google::names(agent.text, self.bot)).next(),
            Mode::Lycos => self.agent_line().map(|(itself, ..)| itself),
            Mode::Text1994 | Mode::Draft1996 | Mode::Spiderline => self.own_record().map(|(group, _)| group),
        }
    }

    /// Visits the rules that are for the bot, in the order of the file, each with its group. Returns true if any group
    /// is for the bot.
    fn each(&self, visit: impl FnMut(Line<'a>, Lines<'a>)) -> bool {
        match self.mode {
            Mode::Rfc9309 => {
                let groups = groups_for(self.file, |agent| is_for(agent, self.bot));
                self.each_in_groups(groups, |rule| !rule.is_void(), visit)
            }
            Mode::Google => {
                let groups = groups_for(self.file, |agent| google::names(agent.text, self.bot));
                self.each_in_groups(groups, |rule| matches!(rule.value().first(), Some(b'/' | b'*')), visit)
            }
            Mode::Lycos => self.each_right_behind(visit),
            Mode::Text1994 | Mode::Draft1996 | Mode::Spiderline => self.each_of_record(visit),
        }
    }

    fn each_in_groups(
        &self,
        groups: impl Iterator<Item = Lines<'a>>,
        counts: impl Fn(&Line<'a>) -> bool,
        mut visit: impl FnMut(Line<'a>, Lines<'a>),
    ) -> bool {
        let mut is_spoken_to = false;
        for group in groups {
            is_spoken_to = true;
            for rule in group.filter(|line| line.is_rule() && counts(line)) {
                visit(rule, group);
            }
        }
        is_spoken_to
    }

    /// Visits the rules of the first record that names us, or else `*`. A blank line ends a record, and so does an
    /// agent line behind a rule.
    fn each_of_record(&self, mut visit: impl FnMut(Line<'a>, Lines<'a>)) -> bool {
        let Some((group, behind)) = self.own_record() else { return false };
        let record = behind.take_while(|line| !line.is_after_blank());
        let counts = |rule: &Line<'_>| match self.mode {
            Mode::Text1994 => !rule.allows() && !rule.value().is_empty(),
            Mode::Draft1996 => true,
            _ => !rule.allows(),
        };
        for rule in record.filter(|line| line.is_rule() && counts(line)) {
            visit(rule, group);
        }
        true
    }

    /// Our record: its group, and the lines behind the agent that makes it ours.
    fn own_record(&self) -> Option<(Lines<'a>, Lines<'a>)> {
        let is_ours = |agent: &Line<'_>| {
            let token = without_version(agent.text);
            let is_in = |name: &str| name.as_bytes().windows(token.len()).any(|part| part.eq_ignore_ascii_case(token));
            !token.is_empty() && token != b"*" && self.bot.names().any(is_in)
        };
        self.record(is_ours).or_else(|| self.record(|agent| agent.text == b"*"))
    }

    /// The group of the first agent that is one of ours, and the lines behind that agent.
    fn record(&self, is_ours: impl Fn(&Line<'_>) -> bool) -> Option<(Lines<'a>, Lines<'a>)> {
        self.file.groups().find_map(|group| {
            let mut behind = group;
            behind.find(|line| line.kind() == LineKind::Agent && is_ours(line)).map(|_| (group, behind))
        })
    }

    /// Visits the Disallow lines right behind the first agent line that names us or `*`. An empty one ends them.
    fn each_right_behind(&self, mut visit: impl FnMut(Line<'a>, Lines<'a>)) -> bool {
        let Some((itself, agent, behind)) = self.agent_line() else { return false };
        let in_a_row = behind.zip(agent.number + 1..);
        let is_denial = |line: &Line<'_>| {
            line.kind() == LineKind::Disallow && line.begins_with(b"disallow") && !line.value().is_empty()
        };
        let in_a_row = in_a_row.take_while(|(line, number)| line.number == *number && is_denial(line));
        for (rule, _) in in_a_row {
            visit(rule, itself);
        }
        true
    }

    /// The first agent line that names us or `*`, as packed lines and as a line, and the lines behind it.
    fn agent_line(&self) -> Option<(Lines<'a>, Line<'a>, Lines<'a>)> {
        let is_ours =
            |agent: &[u8]| agent.starts_with(b"*") || self.bot.names().any(|name| is_word_in(name.as_bytes(), agent));
        let mut behind = self.file.lines();
        loop {
            let from = behind;
            let line = behind.next()?;
            if line.kind() == LineKind::Agent && line.begins_with(b"user-agent") && is_ours(line.text) {
                return Some((from.before(behind), line, behind));
            }
        }
    }

    #[inline]
    fn matches(&self, rule: &Line<'_>) -> bool {
        match self.mode {
            Mode::Rfc9309 if rule.is_special() => self.target.is_matched_by(rule.text),
            Mode::Rfc9309 => matching::is_prefix(rule.text, self.target.path),
            Mode::Google => google::priority(rule, self.target.path).is_some(),
            Mode::Lycos => rule
                .value()
                .split(u8::is_ascii_whitespace)
                .any(|value| !value.is_empty() && literal(value, self.target.path)),
            Mode::Text1994 | Mode::Draft1996 | Mode::Spiderline => literal(rule.value(), self.target.path),
        }
    }

    /// The rank of a rule. The matching rule with the greatest rank decides; of equal ones it is the first.
    #[inline]
    fn rank(&self, rule: &Line<'_>) -> Rank {
        match self.mode {
            Mode::Rfc9309 => sorted::rank(rule.text, rule.allows()),
            Mode::Google => (google::priority(rule, self.target.path).unwrap_or(0), rule.allows()),
            Mode::Spiderline => (rule.number as usize, false),
            Mode::Text1994 | Mode::Draft1996 | Mode::Lycos => (0, false),
        }
    }
}

/// The groups for us by RFC 9309.
pub(super) fn own_groups<'a>(file: &'a File, bot: &Bot) -> impl Iterator<Item = Lines<'a>> {
    groups_for(file, |agent| is_for(agent, bot))
}

/// The groups for us, or those for all if there are none.
fn groups_for<'a>(file: &'a File, is_ours: impl Fn(&Line<'_>) -> bool) -> impl Iterator<Item = Lines<'a>> {
    let is_for_us = move |group: &Lines<'a>| agents(*group).any(|agent| is_ours(&agent));
    let is_for_all = move |group: &Lines<'a>| agents(*group).any(|agent| is_star(agent.text));
    let own = file.groups().position(|group| is_for_us(&group));
    // Groups before our first one need not be asked again.
    let rest = file.groups().enumerate().skip(own.unwrap_or(0));
    rest.filter(move |(number, group)| match own {
        Some(own) => *number == own || is_for_us(group),
        None => is_for_all(group),
    })
    .map(|(_, group)| group)
}

/// True if a path begins with a value in which nothing is special.
fn literal(value: &[u8], path: &[u8]) -> bool {
    path.starts_with(&matching::normal_path(value))
}

/// True if a name is in a line with no ASCII letter, digit or `_` beside it.
fn is_word_in(name: &[u8], line: &[u8]) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let fits =
        |at: usize| !is_word(at.checked_sub(1).and_then(|at| line.get(at))) && !is_word(line.get(at + name.len()));
    line.windows(name.len()).enumerate().any(|(at, part)| part.eq_ignore_ascii_case(name) && fits(at))
}
