//! A file becomes agents, rules and records, each with its line.
//!
//! One pass over the bytes; what is kept is kept in a few long strings. Sloppy lines count where they deny, and are noted.

use std::collections::HashSet;
use std::ops::Range;

use crate::bot::fold;

use super::matching::{self, Head};
use super::note::{RobotsNote, RobotsNoteKind};
use super::records::{Record, RecordKind};

/// A stretch of [`File::texts`] or [`File::patterns`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn of(from: usize, to: usize) -> Self {
        Self { start: u32::try_from(from).unwrap_or(u32::MAX), end: u32::try_from(to).unwrap_or(u32::MAX) }
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A User-agent line.
#[derive(Clone, Debug)]
pub(super) struct Agent {
    pub(super) line: u32,
    /// How many blank lines stand before it.
    pub(super) block: u32,
    /// Its value, folded and as written.
    pub(super) name: String,
    pub(super) written: String,
    misspelt: bool,
}

/// An Allow or Disallow line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) line: u32,
    pub(super) block: u32,
    pub(super) allow: bool,
    /// It says nothing to those who read patterns by the RFC: it is empty, or allows what cannot be told.
    pub(super) is_void: bool,
    pub(super) head: Head,
    written: Span,
    value: Span,
    pattern: Span,
}

/// Agents with what is said to them: numbers into the lists of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) agents: Range<usize>,
    pub(super) rules: Range<usize>,
    pub(super) records: Range<usize>,
}

/// What a file says.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    texts: String,
    patterns: Vec<u8>,
    pub(super) agents: Vec<Agent>,
    pub(super) rules: Vec<Rule>,
    pub(super) records: Vec<Record>,
    pub(super) groups: Vec<Group>,
    /// The groups as they are if misspelt agent lines are none; only where there are such lines.
    pub(super) strict: Option<Vec<Group>>,
    pub(super) notes: Vec<RobotsNote>,
}

impl File {
    pub(super) fn read(bytes: &[u8], most: usize) -> Self {
        let mut reader = Reader::default();
        let text = reader.decoded(bytes);
        let text = reader.within(&text, most);
        for (line, text) in lines(text) {
            reader.line(line, text);
        }
        reader.finish()
    }

    /// A rule as it is written, without comment and blanks round it.
    pub(super) fn written(&self, rule: &Rule) -> &str {
        &self.texts[rule.written.range()]
    }

    /// What stands behind its colon.
    pub(super) fn value(&self, rule: &Rule) -> &str {
        &self.texts[rule.value.range()]
    }

    /// What it is compared with, in normal form.
    pub(super) fn pattern(&self, rule: &Rule) -> &[u8] {
        &self.patterns[rule.pattern.range()]
    }

    /// The agents of a group, without those that are not read.
    pub(super) fn agents(&self, group: &Group, strict: bool) -> impl Iterator<Item = &Agent> {
        self.agents[group.agents.clone()].iter().filter(move |agent| !strict || !agent.misspelt)
    }
}

#[derive(Default)]
struct Reader {
    file: File,
    strict: Vec<Group>,
    /// The last line that counts was an agent's: by all lines, and by those that are spelt right.
    naming: [bool; 2],
    misspelt: bool,
    block: u32,
    /// A record that is no rule, since the last agent line, with no rule between.
    between: Option<u32>,
}

impl Reader {
    fn note(&mut self, kind: RobotsNoteKind, line: u32) {
        self.file.notes.push(RobotsNote { kind, line });
    }

    /// Bytes in UTF-16 become UTF-8; a mark of the byte order is skipped.
    fn decoded<'a>(&mut self, bytes: &'a [u8]) -> std::borrow::Cow<'a, [u8]> {
        match encoding_rs::Encoding::for_bom(bytes) {
            None => bytes.into(),
            Some((encoding, length)) if encoding == encoding_rs::UTF_8 => {
                self.note(RobotsNoteKind::ByteOrderMark, 1);
                bytes[length..].into()
            }
            Some((encoding, length)) => {
                self.note(RobotsNoteKind::Utf16, 1);
                encoding.decode_without_bom_handling(&bytes[length..]).0.into_owned().into_bytes().into()
            }
        }
    }

    /// The part within the limit, cut at a line's end.
    fn within<'a>(&mut self, bytes: &'a [u8], most: usize) -> &'a [u8] {
        if let Some((line, _)) = lines(bytes).take(100).find(|(_, line)| !trim(line).is_empty())
            && bytes.trim_ascii_start().starts_with(b"<")
        {
            self.note(RobotsNoteKind::Html, line);
        }
        if bytes.len() <= most {
            return bytes;
        }
        let end = memchr::memrchr2(b'\n', b'\r', &bytes[..most]).unwrap_or(0);
        let last = lines(&bytes[..end]).count();
        self.note(RobotsNoteKind::TooLong, u32::try_from(last).unwrap_or(u32::MAX));
        &bytes[..end]
    }

    fn line(&mut self, line: u32, text: &[u8]) {
        if trim(text).is_empty() {
            self.block += 1;
            return;
        }
        let text = trim(text.split(|byte| *byte == b'#').next().unwrap_or_default());
        let Some(found) = record(text) else { return };
        if found.sloppy {
            let missing = found.colon.is_none();
            self.note(if missing { RobotsNoteKind::NoColon } else { RobotsNoteKind::MisspeltKey }, line);
        }
        match found.key {
            Key::Agent => self.agent(line, found.value, found.sloppy),
            Key::Rule { allow } => self.rule(line, allow, text, found.value),
            Key::Other => self.other(line, found.name, found.value),
            Key::Nothing => {}
        }
    }

    fn agent(&mut self, line: u32, value: &[u8], misspelt: bool) {
        if let Some(between) = self.between.take().filter(|_| self.naming[0]) {
            self.note(RobotsNoteKind::BetweenAgents, between);
        }
        let written = String::from_utf8_lossy(value).into_owned();
        let name = fold(&written);
        if name.bytes().any(|byte| byte.is_ascii_digit()) {
            self.note(RobotsNoteKind::DigitInToken, line);
        }
        if name.is_empty() {
            self.note(RobotsNoteKind::UnreachableGroup, line);
        }
        let number = self.file.agents.len();
        self.file.agents.push(Agent { line, block: self.block, name, written, misspelt });
        let (rules, records) = (self.file.rules.len(), self.file.records.len());
        let fresh = Group { agents: number..number, rules: rules..rules, records: records..records };
        self.misspelt |= misspelt;
        for (at, groups) in [&mut self.file.groups, &mut self.strict].into_iter().enumerate() {
            if misspelt && at == 1 {
                continue;
            }
            if !std::mem::replace(&mut self.naming[at], true) {
                groups.push(fresh.clone());
            }
            if let Some(group) = groups.last_mut() {
                group.agents.end = number + 1;
            }
        }
    }

    fn rule(&mut self, line: u32, allow: bool, text: &[u8], value: &[u8]) {
        self.between = None;
        self.naming = [false; 2];
        if self.file.groups.is_empty() {
            self.note(RobotsNoteKind::NoGroup, line);
        }
        let start = self.file.patterns.len();
        let is_void = self.pattern(line, allow, value);
        let pattern = Span::of(start, self.file.patterns.len());
        let head = Head::of_pattern(&self.file.patterns[start..]);
        let written = self.keep(text);
        let value = if written.range().len() == text.len() {
            let offset = value.as_ptr() as usize - text.as_ptr() as usize;
            let start = written.start as usize + offset;
            Span::of(start, start + value.len())
        } else {
            self.keep(value)
        };
        self.file.rules.push(Rule { line, block: self.block, allow, is_void, head, written, value, pattern });
        self.join_groups();
    }

    /// What was read last belongs to the groups that are open, by both readings.
    fn join_groups(&mut self) {
        let (rules, records) = (self.file.rules.len(), self.file.records.len());
        for group in [self.file.groups.last_mut(), self.strict.last_mut()].into_iter().flatten() {
            (group.rules.end, group.records.end) = (rules, records);
        }
    }

    /// Bytes that are no text become U+FFFD, which is longer than any of them.
    fn keep(&mut self, text: &[u8]) -> Span {
        let start = self.file.texts.len();
        self.file.texts.push_str(&String::from_utf8_lossy(text));
        Span::of(start, self.file.texts.len())
    }

    /// Keeps the normal form of a pattern; says whether the rule says nothing. What is odd counts where it denies.
    fn pattern(&mut self, line: u32, allow: bool, value: &[u8]) -> bool {
        if value.is_empty() {
            return true;
        }
        if value[0] == b'/' && value.iter().all(|byte| matching::is_plain(*byte)) {
            self.file.patterns.extend_from_slice(value);
            return false;
        }
        if value.iter().any(|byte| byte.is_ascii_whitespace()) {
            self.note(RobotsNoteKind::SeveralPaths, line);
        }
        let mut value = value.to_vec();
        if let Some(path) = path_of_url(&value) {
            self.note(RobotsNoteKind::UrlAsPath, line);
            if allow {
                return true;
            }
            value = path;
        }
        match value.first() {
            Some(b'*') => self.note(RobotsNoteKind::StarFirst, line),
            Some(b'/') => {}
            _ => {
                self.note(RobotsNoteKind::NoSlash, line);
                if allow {
                    return true;
                }
                value.insert(0, b'/');
            }
        }
        if !allow {
            // A URL has no backslashes: the standard's parser makes slashes of them.
            for byte in value.iter_mut().filter(|byte| **byte == b'\\') {
                *byte = b'/';
            }
        }
        self.file.patterns.extend(matching::normal_pattern(&value));
        false
    }

    fn other(&mut self, line: u32, name: &[u8], value: &[u8]) {
        if self.naming[0] && self.between.is_none() {
            self.between = Some(line);
        }
        if let Some(kind) = RecordKind::of(name).filter(|_| !value.is_empty()) {
            self.file.records.push(Record { kind, value: String::from_utf8_lossy(value).into_owned() });
            self.join_groups();
        }
    }

    fn finish(mut self) -> File {
        self.note_shadowed();
        self.file.strict = self.misspelt.then_some(self.strict);
        self.file.notes.sort_by_key(|note| note.line);
        self.file
    }

    /// A denial that an allowance with the same pattern in its group overrules.
    fn note_shadowed(&mut self) {
        let mut shadowed = Vec::new();
        for group in &self.file.groups {
            let rules = self.file.rules[group.rules.clone()].iter().filter(|rule| !rule.is_void);
            let mut allowed = HashSet::new();
            allowed.extend(rules.clone().filter(|rule| rule.allow).map(|rule| self.file.pattern(rule)));
            if allowed.is_empty() {
                continue;
            }
            let denied = rules.filter(|rule| !rule.allow && allowed.contains(self.file.pattern(rule)));
            shadowed.extend(denied.map(|rule| rule.line));
        }
        for line in shadowed {
            self.note(RobotsNoteKind::ShadowedRule, line);
        }
    }
}

/// Lines with their numbers; CR, LF and CR LF each end one.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut rest = Some(bytes);
    let mut number = 0;
    std::iter::from_fn(move || {
        let bytes = rest?;
        number += 1;
        let end = memchr::memchr2(b'\n', b'\r', bytes);
        let Some(end) = end else {
            rest = None;
            return Some((number, bytes));
        };
        let next = if bytes[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        rest = Some(&bytes[next..]);
        Some((number, &bytes[..end]))
    })
}

enum Key {
    Agent,
    Rule {
        allow: bool,
    },
    Other,
    /// An allowance that cannot be told from junk.
    Nothing,
}

struct Found<'a> {
    key: Key,
    name: &'a [u8],
    value: &'a [u8],
    colon: Option<usize>,
    /// The key is misspelt, or its colon missing.
    sloppy: bool,
}

/// The key and the value of a line. Where the colon is missing, the first blank takes its place, unless the line would
/// allow something.
fn record(line: &[u8]) -> Option<Found<'_>> {
    let colon = memchr::memchr(b':', line);
    let end = colon.or_else(|| memchr::memchr2(b' ', b'\t', line))?;
    let name = trim(&line[..end]);
    let is = |word: &[u8]| name.eq_ignore_ascii_case(word);
    let (key, misspelt) = if is(b"user-agent") {
        (Key::Agent, false)
    } else if is(b"disallow") {
        (Key::Rule { allow: false }, false)
    } else if is(b"allow") {
        (if colon.is_some() { Key::Rule { allow: true } } else { Key::Nothing }, false)
    } else if is(b"useragent") || is(b"user agent") {
        (Key::Agent, true)
    } else if [&b"dissallow"[..], b"dissalow", b"disalow", b"diasllow", b"disallaw"].into_iter().any(is) {
        (Key::Rule { allow: false }, true)
    } else if colon.is_some() {
        (Key::Other, false)
    } else {
        return None;
    };
    let sloppy = !matches!(key, Key::Other) && (misspelt || colon.is_none());
    Some(Found { key, name, value: trim(&line[end + 1..]), colon, sloppy })
}

fn trim(bytes: &[u8]) -> &[u8] {
    let is_blank = |b: &u8| b.is_ascii_whitespace() || *b == 0;
    let start = bytes.iter().position(|b| !is_blank(b)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|b| !is_blank(b)).map_or(start, |n| n + 1);
    &bytes[start..end]
}

/// The path of a pattern that was written as a whole URL.
fn path_of_url(value: &[u8]) -> Option<Vec<u8>> {
    let starts = |scheme: &&[u8]| value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let scheme = [&b"https://"[..], b"http://"].into_iter().find(starts)?;
    let rest = &value[scheme.len()..];
    Some(rest.iter().position(|b| *b == b'/').map_or_else(|| b"/".to_vec(), |slash| rest[slash..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_counts_once() {
        let found: Vec<_> =
            lines(b"a\r\nb\rc\n\nd").map(|(n, l)| (n, String::from_utf8_lossy(l).into_owned())).collect();
        let expected = [(1, "a"), (2, "b"), (3, "c"), (4, ""), (5, "d")];
        assert_eq!(found, expected.map(|(n, l)| (n, l.to_owned())));
    }

    #[test]
    fn a_line_over_the_limit_is_not_read_in_part() {
        let mut file = b"User-agent: *\nDisallow: /".to_vec();
        file.resize(200, b'a');
        let file = File::read(&file, 100);
        assert!(file.rules.is_empty() && file.notes.iter().any(|note| note.kind == RobotsNoteKind::TooLong));
    }
}
