//! Selects the lines of a robots.txt that are for a bot, in each mode.

use heedful_base::bot::Bot;

use super::agents::{agents, is_for, is_star, without_version};
use super::file::RobotsReading;
use super::google;
use super::line::{LineKind, LineList, RobotsLine};
use super::mode::Mode;

/// Group of a robots.txt that is for a bot. `lines` are the lines of the group that apply to the
/// bot in the current mode.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    pub(super) group: LineList<'a>,
    pub(super) lines: LineList<'a>,
}

/// Returns the lines that are for `bot` in the mode `mode`. Each group for the bot gives one
/// [`Selection`], in the order of the file.
pub(super) fn selected<'a>(
    file: &'a RobotsReading,
    mode: Mode,
    bot: &Bot,
) -> impl Iterator<Item = Selection<'a>> {
    let mut groups = None;
    let mut part = None;
    match mode {
        Mode::Rfc9309 | Mode::Google => groups = Some(groups_for(file, mode, bot)),
        Mode::Text1994 | Mode::Draft1996 | Mode::Spiderline => part = first_group_lines(file, bot),
        Mode::Lycos => part = denials_after_agent(file, bot),
    }
    let groups = groups.into_iter().flatten();
    groups.map(Selection::whole).chain(part)
}

impl<'a> Selection<'a> {
    /// Selects all lines of the group `group`.
    fn whole(group: LineList<'a>) -> Self {
        Self {
            group,
            lines: group,
        }
    }
}

/// Returns the groups of a robots.txt that are for `bot` by RFC 9309.
pub(super) fn own_groups<'a>(
    file: &'a RobotsReading,
    bot: &Bot,
) -> impl Iterator<Item = LineList<'a>> {
    groups_for(file, Mode::Rfc9309, bot)
}

/// Returns the groups that name `bot` in the mode `mode`. If no group names the bot, returns the
/// groups for `*`.
fn groups_for<'a>(
    file: &'a RobotsReading,
    mode: Mode,
    bot: &Bot,
) -> impl Iterator<Item = LineList<'a>> {
    let first = file.groups().position(|group| names_bot(group, mode, bot));
    // The groups before the first that names the bot do not name it.
    let rest = file.groups().skip(first.unwrap_or(0));
    rest.filter(move |group| {
        if first.is_some() {
            names_bot(*group, mode, bot)
        } else {
            agents(*group).any(|agent| is_star(agent.text))
        }
    })
}

/// True if an agent line of `group` names `bot` in the mode `mode`.
#[inline]
fn names_bot(group: LineList<'_>, mode: Mode, bot: &Bot) -> bool {
    agents(group).any(|agent| match mode {
        Mode::Google => google::is_named_by(agent.text, bot),
        _ => is_for(&agent, bot),
    })
}

/// Selects the lines after the first agent line that names the bot, by the text of 1994. If no
/// agent line names the bot, selects the lines after the first agent line for `*`. A blank line
/// ends the selection, and so does an agent line after a rule.
fn first_group_lines<'a>(file: &'a RobotsReading, bot: &Bot) -> Option<Selection<'a>> {
    record_of(file, |agent| is_part_of_name(agent.text, bot))
        .or_else(|| record_of(file, |agent| agent.text == b"*"))
}

/// True if the name `agent` in an agent line, without its version, is a substring of one of the
/// bot's names.
fn is_part_of_name(agent: &[u8], bot: &Bot) -> bool {
    let token = without_version(agent);
    if token.is_empty() || token == b"*" {
        return false;
    }
    for name in bot.names() {
        let mut parts = name.as_bytes().windows(token.len());
        if parts.any(|part| part.eq_ignore_ascii_case(token)) {
            return true;
        }
    }
    false
}

/// Selects the lines after the first agent line for which `is_ours` is true. A blank line ends the
/// selection, and so does an agent line after a rule.
fn record_of<'a>(
    file: &'a RobotsReading,
    is_ours: impl Fn(&RobotsLine<'_>) -> bool,
) -> Option<Selection<'a>> {
    for group in file.groups() {
        let mut rest = group;
        if rest.any(|line| line.kind() == LineKind::Agent && is_ours(&line)) {
            return Some(Selection {
                group,
                lines: rest.until(RobotsLine::is_after_blank),
            });
        }
    }
    None
}

/// Selects `Disallow` lines for the bot as Lycos did. These lines follow directly after the first
/// agent line that names the bot or `*`. A `Disallow` without a value ends the selection, and so
/// does any other line. Blanks may come before the key of a `Disallow`, but not before the key of
/// the agent line.
fn denials_after_agent<'a>(file: &'a RobotsReading, bot: &Bot) -> Option<Selection<'a>> {
    let mut rest = file.lines();
    let agent = rest.find(|line| line.kind() == LineKind::Agent && is_for_word(line, bot))?;
    let group = file.packed.lines(agent.place, Some(rest.span().start));
    let mut next = agent.number();
    let lines = rest.until(|line| {
        next += 1;
        line.number() != next || !is_denial(line)
    });
    Some(Selection { group, lines })
}

/// True if an agent line names `bot`, and no blanks come before the line's key. The value must
/// contain a name of the bot as a word, or begin with a star.
fn is_for_word(agent: &RobotsLine<'_>, bot: &Bot) -> bool {
    if !has_key(agent.front(), b"user-agent") {
        return false;
    }
    let mut names = bot.names();
    agent.text.starts_with(b"*") || names.any(|name| is_word_in(name.as_bytes(), agent.text))
}

/// True if the line is a `Disallow` with a value, and the key is spelt exactly.
fn is_denial(line: &RobotsLine<'_>) -> bool {
    let key = line.front().map(<[u8]>::trim_ascii_start);
    line.kind() == LineKind::Disallow && has_key(key, b"disallow") && !line.value().is_empty()
}

/// True if a line has the key `key`, in any letter case, and a colon. `key` must be in lower case.
/// `front` is the text of the line before its value, or `None` if the key has a usual spelling. For
/// `None`, nothing is compared, and the result is true. So the caller must check the kind of the
/// line, such as agent or denial.
fn has_key(front: Option<&[u8]>, key: &[u8]) -> bool {
    let Some(front) = front else {
        return true;
    };
    match front.trim_ascii_end().strip_suffix(b":") {
        Some(name) => name.trim_ascii_end().eq_ignore_ascii_case(key),
        None => false,
    }
}

/// True if `name` occurs in `line` as a whole word, in any letter case. No ASCII letter, digit or
/// `_` may come directly before or after the word.
fn is_word_in(name: &[u8], line: &[u8]) -> bool {
    for (at, part) in line.windows(name.len()).enumerate() {
        if part.eq_ignore_ascii_case(name)
            && !is_in_word(line[..at].last())
            && !is_in_word(line.get(at + name.len()))
        {
            return true;
        }
    }
    false
}

/// True if `byte` is an ASCII letter, a digit or `_`. False if there is no byte.
fn is_in_word(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_'))
}
