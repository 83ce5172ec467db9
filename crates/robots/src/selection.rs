//! The lines of a file that are for a bot, as each mode selects them.

use heedful_base::bot::Bot;

use super::agents::{agents, is_for, is_star, without_version};
use super::file::RobotsReading;
use super::google;
use super::line::{LineKind, LineList, RobotsLine};
use super::mode::Mode;

/// Lines whose rules are for a bot, and the group that they are from.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    pub(super) group: LineList<'a>,
    pub(super) lines: LineList<'a>,
}

/// What is for a bot in a mode, in the order of the file. There is nothing if the file does not
/// speak to the bot.
pub(super) fn selected<'a>(
    file: &'a RobotsReading,
    mode: Mode,
    bot: &Bot,
) -> impl Iterator<Item = Selection<'a>> {
    let is_ours = move |agent: &RobotsLine<'_>| match mode {
        Mode::Google => google::names(agent.text, bot),
        _ => is_for(agent, bot),
    };
    let (groups, part) = match mode {
        Mode::Rfc9309 | Mode::Google => (Some(groups_for(file, is_ours)), None),
        Mode::Text1994 | Mode::Draft1996 | Mode::Spiderline => (None, own_record(file, bot)),
        Mode::Lycos => (None, right_behind_agent(file, bot)),
    };
    groups
        .into_iter()
        .flatten()
        .map(|group| Selection {
            group,
            lines: group,
        })
        .chain(part)
}

/// The groups for a bot by RFC 9309.
pub(super) fn own_groups<'a>(
    file: &'a RobotsReading,
    bot: &Bot,
) -> impl Iterator<Item = LineList<'a>> {
    groups_for(file, |agent| is_for(agent, bot))
}

/// The groups that have an agent of ours, or those for all if there are none.
fn groups_for<'a>(
    file: &'a RobotsReading,
    is_ours: impl Fn(&RobotsLine<'_>) -> bool,
) -> impl Iterator<Item = LineList<'a>> {
    let is_for_us = move |group: &LineList<'a>| agents(*group).any(|agent| is_ours(&agent));
    let is_for_all = |group: &LineList<'a>| agents(*group).any(|agent| is_star(agent.text));
    let first = file.groups().position(|group| is_for_us(&group));
    // Groups before our first one need not be asked again.
    let rest = file.groups().skip(first.unwrap_or(0));
    rest.filter(move |group| {
        if first.is_some() {
            is_for_us(group)
        } else {
            is_for_all(group)
        }
    })
}

/// The first record that names us, or else `*`: the lines behind its agent. A blank line ends it,
/// and so does an agent line behind a rule.
fn own_record<'a>(file: &'a RobotsReading, bot: &Bot) -> Option<Selection<'a>> {
    let is_ours = |agent: &RobotsLine<'_>| {
        let token = without_version(agent.text);
        let is_in = |name: &str| {
            name.as_bytes()
                .windows(token.len())
                .any(|part| part.eq_ignore_ascii_case(token))
        };
        !token.is_empty() && token != b"*" && bot.names().any(is_in)
    };
    record_of(file, is_ours).or_else(|| record_of(file, |agent| agent.text == b"*"))
}

/// The record of the first agent that is one of ours.
fn record_of<'a>(
    file: &'a RobotsReading,
    is_ours: impl Fn(&RobotsLine<'_>) -> bool,
) -> Option<Selection<'a>> {
    file.groups().find_map(|group| {
        let mut behind = group;
        behind.find(|line| line.kind() == LineKind::Agent && is_ours(line))?;
        Some(Selection {
            group,
            lines: behind.until(RobotsLine::is_after_blank),
        })
    })
}

/// The Disallow lines right behind the first agent line that names us or `*`. An empty one ends
/// them. An agent line must begin with its key; a Disallow may stand behind blanks.
fn right_behind_agent<'a>(file: &'a RobotsReading, bot: &Bot) -> Option<Selection<'a>> {
    let is_ours = |agent: &RobotsLine<'_>| {
        let names_us = |text: &[u8]| bot.names().any(|name| is_word_in(name.as_bytes(), text));
        has_key(agent.front(), b"user-agent")
            && (agent.text.starts_with(b"*") || names_us(agent.text))
    };
    let is_denial = |line: &RobotsLine<'_>| {
        let key = line.front().map(<[u8]>::trim_ascii_start);
        line.kind() == LineKind::Disallow && has_key(key, b"disallow") && !line.value().is_empty()
    };
    let mut behind = file.lines();
    let agent = behind.find(|line| line.kind() == LineKind::Agent && is_ours(line))?;
    let group = file.packed.lines(agent.place, Some(behind.span().start));
    let mut next = agent.number();
    let lines = behind.until(|line| {
        next += 1;
        line.number() != next || !is_denial(line)
    });
    Some(Selection { group, lines })
}

/// True if the front of a line is a key (given in lower case) and its colon. A usual front is.
fn has_key(front: Option<&[u8]>, key: &[u8]) -> bool {
    front.is_none_or(|front| {
        let name = front.trim_ascii_end().strip_suffix(b":");
        name.is_some_and(|name| name.trim_ascii_end().eq_ignore_ascii_case(key))
    })
}

/// True if a name is in a line with no ASCII letter, digit or `_` beside it.
fn is_word_in(name: &[u8], line: &[u8]) -> bool {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let fits = |at: usize| {
        !is_word(at.checked_sub(1).and_then(|at| line.get(at)))
            && !is_word(line.get(at + name.len()))
    };
    line.windows(name.len())
        .enumerate()
        .any(|(at, part)| part.eq_ignore_ascii_case(name) && fits(at))
}
