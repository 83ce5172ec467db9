//! The ways in which a robots.txt has been read since 1994 (docs/semantics.md, section 6).
//!
//! One parsed file, different readers. RFC 9309 is the one to obey; the others tell what another program, or a program of
//! another time, would do. A rule that cannot win is not compared.

use crate::bot::Bot;
use crate::error::{Error, Result};

use super::matching;
use super::parse::{Agent, File, Group, Rule};

/// Whose way of reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// RFC 9309: groups naming one bot are merged, the longest pattern wins, Allow wins ties.
    #[default]
    Rfc9309,
    /// Google's matcher, as far as it departs: tokens end at the first character that is no letter, `_` or `-`, an Allow
    /// of `/index.html` allows its folder, patterns are compared as written but for bytes that are not ASCII.
    Google,
    /// The text of 1994: the first record naming us or `*`, any prefix that matches denies.
    Text1994,
    /// The draft of 1996: the first match in the record counts.
    Draft1996,
    /// Spiderline: the last match counts.
    Spiderline,
    /// Lycos: the first agent line in the file that names us or `*`, several paths on a line.
    Lycos,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Rfc9309, Self::Google, Self::Text1994, Self::Draft1996, Self::Spiderline, Self::Lycos];

    /// Its name: `rfc9309`, `google`, `1994`, `1996`, `spiderline`, `lycos`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rfc9309 => "rfc9309",
            Self::Google => "google",
            Self::Text1994 => "1994",
            Self::Draft1996 => "1996",
            Self::Spiderline => "spiderline",
            Self::Lycos => "lycos",
        }
    }

    /// The mode of a name.
    ///
    /// # Errors
    /// When there is none; the message lists them.
    pub fn parse(name: &str) -> Result<Self> {
        let known = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| Error::setting(format!("`{name}` is no way to read a robots.txt; there are {}", known())))
    }
}

/// What a file says to a bot about a path.
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    NoGroup,
    NoRule,
    Rule { rule: &'a Rule, allow: bool, agents: &'a [Agent] },
}

/// By RFC 9309. With `strict`, misspelt agent lines are none.
pub(super) fn rfc9309<'a>(file: &'a File, bot: &Bot, path: &[u8], strict: bool) -> Found<'a> {
    let groups = if strict { file.strict.as_deref().unwrap_or(&file.groups) } else { &file.groups };
    let head = matching::head(path);
    let compare = Compare {
        may_match: |rule: &Rule| !rule.is_void && rule.head.may_match(head),
        length: |rule: &Rule| file.pattern(rule).len(),
        matches: |rule: &Rule| matching::matches(file.pattern(rule), path),
    };
    longest(file, groups, |agent| names(&agent.name, bot), strict, &compare)
}

pub(super) fn google<'a>(file: &'a File, bot: &Bot, path: &str) -> Found<'a> {
    let is_ours = |agent: &Agent| {
        let token = google_token(&agent.name);
        !token.is_empty() && bot.names().any(|name| google_token(name) == token)
    };
    // Google takes a path as it stands.
    let path = path.as_bytes();
    let matches = |rule: &Rule| {
        let pattern = matching::google_pattern(file.value(rule));
        let folder = pattern.strip_suffix(b"index.html").filter(|folder| rule.allow && folder.ends_with(b"/"));
        let is_folder = || folder.is_some_and(|folder| matching::matches(&[folder, b"$"].concat(), path));
        matching::matches(&pattern, path) || is_folder()
    };
    let compare = Compare {
        may_match: |rule: &Rule| file.value(rule).starts_with(['/', '*']),
        length: |rule: &Rule| file.value(rule).len(),
        matches,
    };
    longest(file, &file.groups, is_ours, false, &compare)
}

/// How a rule is compared with a path: cheaply first, and in full only where it could win.
struct Compare<May, Length, Matches> {
    may_match: May,
    length: Length,
    matches: Matches,
}

/// The groups for us by RFC 9309.
pub(super) fn own_groups<'a>(file: &'a File, bot: &'a Bot) -> impl Iterator<Item = &'a Group> {
    groups_for(file, &file.groups, |agent| names(&agent.name, bot), false)
}

/// The groups for us, or, where there are none, those for all.
fn groups_for<'a>(
    file: &'a File,
    groups: &'a [Group],
    is_ours: impl Fn(&Agent) -> bool,
    strict: bool,
) -> impl Iterator<Item = &'a Group> {
    let is_for_us = move |group: &Group| file.agents(group, strict).any(&is_ours);
    let is_for_all = move |group: &Group| file.agents(group, strict).any(|agent| is_star(&agent.name));
    let own = groups.iter().position(&is_for_us);
    // Those before the first of ours need not be asked again.
    let rest = groups[own.unwrap_or(0)..].iter().enumerate();
    rest.filter(move |(number, group)| match own {
        Some(_) => *number == 0 || is_for_us(group),
        None => is_for_all(group),
    })
    .map(|(_, group)| group)
}

/// What the groups for us, or else those for all, say: the longest match, and of equals the allowance.
fn longest<'a>(
    file: &'a File,
    groups: &'a [Group],
    is_ours: impl Fn(&Agent) -> bool,
    strict: bool,
    compare: &Compare<impl Fn(&Rule) -> bool, impl Fn(&Rule) -> usize, impl Fn(&Rule) -> bool>,
) -> Found<'a> {
    let mut groups = groups_for(file, groups, is_ours, strict).peekable();
    if groups.peek().is_none() {
        return Found::NoGroup;
    }
    let mut best: Option<(&Group, &Rule, usize)> = None;
    for group in groups {
        for rule in file.rules[group.rules.clone()].iter().filter(|rule| (compare.may_match)(rule)) {
            let length = (compare.length)(rule);
            let wins = best.is_none_or(|(_, other, most)| (length, rule.allow) > (most, other.allow));
            if wins && (compare.matches)(rule) {
                best = Some((group, rule, length));
            }
        }
    }
    best.map_or(Found::NoRule, |(group, rule, _)| Found::Rule {
        rule,
        allow: rule.allow,
        agents: &file.agents[group.agents.clone()],
    })
}

/// The first record that names us, or else `*`. A blank line ends a record, and so does an agent line behind a rule.
pub(super) fn by_record<'a>(file: &'a File, mode: Mode, bot: &Bot, path: &[u8]) -> Found<'a> {
    let is_ours = |agent: &&Agent| {
        let token = without_version(&agent.name);
        !token.is_empty() && token != "*" && bot.names().any(|name| name.contains(token))
    };
    let first = |is: &dyn Fn(&&Agent) -> bool| file.agents.iter().position(|agent| is(&agent));
    let own = first(&is_ours).or_else(|| first(&|agent| agent.name == "*"));
    let record =
        own.and_then(|own| Some((&file.agents[own], file.groups.iter().find(|group| group.agents.contains(&own))?)));
    let Some((own, group)) = record else { return Found::NoGroup };
    let rules = file.rules[group.rules.clone()].iter().filter(|rule| rule.block == own.block);
    let rules = rules.filter(|rule| !rule.allow || mode == Mode::Draft1996);
    let is_empty = |rule: &Rule| file.value(rule).is_empty();
    let matches = |rule: &&Rule| literal(file.value(rule), path);
    let decides = match mode {
        Mode::Text1994 => rules.filter(|rule| !is_empty(rule)).find(matches),
        Mode::Draft1996 => rules.clone().find(matches),
        _ => rules.rev().find(matches),
    };
    decides.map_or(Found::NoRule, |rule| Found::Rule {
        rule,
        allow: rule.allow || is_empty(rule),
        agents: &file.agents[group.agents.clone()],
    })
}

/// The first agent line that names us or `*`, with the Disallow lines right behind it.
pub(super) fn lycos<'a>(file: &'a File, bot: &Bot, path: &[u8]) -> Found<'a> {
    let is_ours = |agent: &&Agent| agent.name == "*" || bot.names().any(|name| is_word_in(name, &agent.name));
    let Some(agent) = file.agents.iter().find(is_ours) else { return Found::NoGroup };
    let behind = file.rules.iter().filter(|rule| rule.line > agent.line);
    let in_a_row = behind.zip(agent.line + 1..).take_while(|(rule, line)| rule.line == *line && !rule.allow);
    let denies = |rule: &&Rule| file.value(rule).split_whitespace().any(|value| literal(value, path));
    let decides = in_a_row.map(|(rule, _)| rule).find(denies);
    decides.map_or(Found::NoRule, |rule| Found::Rule { rule, allow: false, agents: std::slice::from_ref(agent) })
}

/// Whether a path begins with a value in which nothing is special.
fn literal(value: &str, path: &[u8]) -> bool {
    path.starts_with(&matching::normal_path(value))
}

fn is_star(name: &str) -> bool {
    name == "*" || name.starts_with("* ")
}

/// Whether an agent line names the bot: names without versions are compared, or the product tokens they begin with.
fn names(agent: &str, bot: &Bot) -> bool {
    // Most agents are somebody else.
    let first = agent.bytes().next();
    if !bot.names().any(|name| name.bytes().next() == first) {
        return false;
    }
    let agent = without_version(agent);
    bot.names()
        .map(without_version)
        .any(|name| agent == name || agent == product_token(name) || product_token(agent) == name)
}

/// `foobot` of `foobot/2.1 (+https://...)`.
fn without_version(name: &str) -> &str {
    name.split(['/', '(']).next().unwrap_or_default().trim_end()
}

/// What a name begins with: letters, digits, `_` and `-` (the RFC has no digits; real tokens do).
fn product_token(name: &str) -> &str {
    let end = name.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
    &name[..end.unwrap_or(name.len())]
}

/// The same without digits.
fn google_token(name: &str) -> &str {
    let end = name.bytes().position(|b| !(b.is_ascii_alphabetic() || b == b'_' || b == b'-'));
    &name[..end.unwrap_or(name.len())]
}

/// Whether a name stands in a line with no letter, digit or `_` beside it.
fn is_word_in(name: &str, line: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(name)
        .any(|(at, _)| !is_word(line[..at].chars().next_back()) && !is_word(line[at + name.len()..].chars().next()))
}
