//! Parses a robots.txt into agents, rules and records, each with its line.
//!
//! The parser makes one pass over the bytes of the file, and packs agents, rules and records.
//! Sloppy lines are accepted if they deny, and get a note. [`Leniency`] selects which variant of
//! the file the parser makes, for example without repairs.

use std::borrow::Cow;

use heedful_base::lenient::line::{self as lenient, trim};

use super::agents::{AgentName, is_pattern, is_reserved, is_star};
use super::file::RobotsReading;
use super::key::{KeyedLine, LineKey, begins_key, may_have_key, plain_value};
use super::line::{LONGEST, LineKind, NewLine, PackedLines, UsualKey};
use super::lines::{RawLines, blanks, lines, up_to};
use super::matching::{self, host_and_path};
use super::note::{KINDS, MOST_NOTES, RobotsNote, RobotsNoteKind};
use super::records::{self, RecordKind, SiteRecord};
use super::repair::{LineMeaning, has_second_key, is_group, put_names_first, repair_line};
use super::{google, purpose};

/// Settings that define how leniently a robots.txt is parsed. Each combination gives one parsed
/// variant of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Leniency {
    /// True if sloppy lines whose meaning is beyond doubt are repaired.
    pub(super) repairs: bool,
    /// True if agent lines with a misspelt key count, such as `Useragent: FooBot`. False if such
    /// lines are ignored.
    pub(super) misspelt_agents: bool,
}

/// Parses the first `most` bytes of a robots.txt as Google's matcher does.
pub(super) fn read_for_google(bytes: &[u8], most: usize) -> RobotsReading {
    let mut reader = LineReader::default();
    for (line, text) in lines(reader.truncate(google::text(bytes), most)) {
        match google::record(text) {
            Some(google::GoogleLine {
                rule: None, value, ..
            }) => reader.agent(line, (&[], AgentName::new(value)), false),
            Some(google::GoogleLine {
                rule: Some(allow),
                written,
                value,
            }) => {
                reader.keep_rule(line, allow, (written, value), Some(&google::pattern(value)));
            }
            None => {}
        }
    }
    reader.finish().file
}

/// One parsed variant of a robots.txt, and facts about the file. The facts decide which other
/// variants must be parsed.
pub(super) struct ParsedReading {
    pub(super) file: RobotsReading,
    /// Notes on lines of the file that look wrong.
    pub(super) notes: Vec<RobotsNote>,
    /// True if a line of the file was repaired.
    pub(super) is_repaired: bool,
    /// True if the file has an agent line with a misspelt key.
    pub(super) has_misspelt_agents: bool,
    /// True if heedful and Google's matcher parse at least one line of the file differently.
    pub(super) departs: bool,
}

impl ParsedReading {
    /// Parses the first `most` bytes of a robots.txt.
    pub(super) fn parse(bytes: &[u8], most: usize, leniency: Leniency) -> Self {
        let mut reader = LineReader {
            leniency,
            ..LineReader::default()
        };
        let text = reader.decode(bytes);
        let text = reader.truncate(&text, most);
        reader.file.packed = PackedLines::with_capacity(text.len());
        reader.lines(lines(text));
        reader.finish()
    }
}

/// Length in bytes at which the stored text of a repaired line with very many paths is cut. The
/// text is stored once for each path of the line. Because of the cut, the total size grows with the
/// length of the line, and not with the square of that length.
const WRITTEN: usize = 100;
/// Maximum total length, in bytes, of the stored copies of a repaired line's text. One copy is
/// stored for each path of the line. Each copy may have an equal share of this total. The share is
/// at least [`WRITTEN`] bytes, so a line with many paths may exceed the total.
const ALL_WRITTEN: usize = 16 << 10;

/// Minimum length, in bytes, of a value that is too long for the quick parser of usual lines
/// ([`LineReader::read_usual`]).
const USUAL: usize = 200;

/// Placeholder for the line number of a note on the last parsed line. The real number is set after
/// all lines are parsed. No line has the number 0.
const NOT_COUNTED: u32 = 0;

/// State of the parser of a robots.txt.
#[derive(Default)]
struct LineReader {
    file: RobotsReading,
    notes: Vec<RobotsNote>,
    leniency: Leniency,
    /// True while the agent lines of a group are read. The field becomes true at the group's first
    /// agent line, and false at its first rule.
    naming: bool,
    has_misspelt_agents: bool,
    is_repaired: bool,
    /// True if heedful and Google's matcher parse at least one line of the file differently.
    departs: bool,
    is_html: bool,
    /// Number of notes of each kind, in the order of [`KINDS`]. Notes that are not stored are
    /// counted too.
    noted: [u32; KINDS.len()],
    /// True if a blank line came after the last line that was stored: an agent line, rule or
    /// record.
    after_blank: bool,
    /// Line number of the first record or unknown line after an agent line. Such a line gets a note
    /// if another agent line follows before any rule. The next agent line or rule resets this field
    /// to `None`.
    between: Option<u32>,
}

impl LineReader {
    /// Counts a note of the kind `kind` on the line `line`. Stores the note unless there are too
    /// many of its kind.
    fn note(&mut self, kind: RobotsNoteKind, line: u32) {
        let of_kind = &mut self.noted[kind as usize];
        *of_kind += 1;
        if *of_kind <= MOST_NOTES {
            self.notes.push(RobotsNote { kind, line });
        }
    }

    /// Returns the number of notes so far, of all kinds. Notes that are not stored are counted too.
    fn note_count(&self) -> u32 {
        self.noted.iter().sum()
    }

    /// Converts a file to UTF-8 if it has a UTF-16 byte order mark. Cuts off any byte order mark,
    /// and adds a note on the mark.
    fn decode<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        match bytes {
            [0xEF, 0xBB, 0xBF, text @ ..] => {
                self.note(RobotsNoteKind::ByteOrderMark, 1);
                text.into()
            }
            [0xFE, 0xFF, text @ ..] => self.decode_utf16(text, u16::from_be_bytes),
            [0xFF, 0xFE, text @ ..] => self.decode_utf16(text, u16::from_le_bytes),
            _ => {
                self.departs |= google::text(bytes).len() < bytes.len();
                bytes.into()
            }
        }
    }

    /// Converts a file in UTF-16 to UTF-8. `unit` decodes two bytes to a code unit. A single byte
    /// left at the end becomes U+FFFD, and so does an unpaired surrogate.
    fn decode_utf16(&mut self, bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'static, [u8]> {
        self.note(RobotsNoteKind::Utf16, 1);
        self.departs = true;
        let (pairs, rest) = bytes.as_chunks::<2>();
        let mut text = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
            .map(|sign| sign.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>();
        if !rest.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        text.into_bytes().into()
    }

    /// Cuts the file at the last line break within its first `most` bytes, if it is longer. Adds
    /// notes if the file is longer, or looks like HTML.
    fn truncate<'a>(&mut self, bytes: &'a [u8], most: usize) -> &'a [u8] {
        let front = &bytes[..bytes.len().min(1000)];
        if front.trim_ascii_start().starts_with(b"<")
            && let Some((line, _)) = lines(front).find(|(_, line)| !trim(line).is_empty())
        {
            self.note(RobotsNoteKind::Html, line);
            self.is_html = true;
        }
        if bytes.len() <= most {
            return bytes;
        }
        let end = memchr::memrchr2(b'\n', b'\r', &bytes[..most]).unwrap_or(0);
        self.note(RobotsNoteKind::TooLong, NOT_COUNTED);
        &bytes[..end]
    }

    /// Parses all lines of the file.
    fn lines(&mut self, mut lines: RawLines<'_>) {
        loop {
            while self.read_usual(&mut lines) {}
            let Some((line, text)) = lines.next() else {
                break;
            };
            self.line(line, text);
        }
        for note in &mut self.notes {
            if note.line == NOT_COUNTED {
                note.line = lines.number();
            }
        }
    }

    /// Parses the next line if it has a usual spelling. Skips the next line if it has no key, such
    /// as a comment. Returns true if the line was parsed or skipped. Otherwise returns false, and
    /// [`LineReader::line`] must parse the line.
    #[inline]
    fn read_usual(&mut self, lines: &mut RawLines<'_>) -> bool {
        let rest = lines.rest();
        let Some(first) = rest.first() else {
            return false;
        };
        match first {
            b'D' | b'd' | b'A' | b'a' => self.usual_rule(lines, matches!(first, b'A' | b'a')),
            b'U' | b'u' => self.usual_agent(lines),
            b'#' => lines.pass_line_end(rest).is_some(),
            _ if first.is_ascii_alphabetic() && begins_key(*first) => self.usual_record(lines),
            _ => self.keyless(lines),
        }
    }

    /// Parses the next line if it is a rule in a usual spelling. The rule must be an `Allow` if
    /// `allow` is true, and a `Disallow` otherwise. Returns true if the line was parsed. Otherwise
    /// the line remains the next line, and the result is false.
    fn usual_rule(&mut self, lines: &mut RawLines<'_>, allow: bool) -> bool {
        let rest = lines.rest();
        let Some((key, value)) = UsualKey::split(rest, allow) else {
            return false;
        };
        let before = rest.len() - value.len();
        let Some((length, form)) = matching::normal_word(value) else {
            return false;
        };
        if length >= USUAL {
            return false;
        }
        let (value, after) = value.split_at(length);
        if form.has_colon && has_second_key(value) {
            return false;
        }
        let Some(line) = lines.pass_line_end(after) else {
            return false;
        };
        if value[0] == b'*' {
            self.note(RobotsNoteKind::StarFirst, line);
        }
        self.before_rule(line);
        if self
            .file
            .packed
            .push_usual(key, line, value, [self.after_blank, form.is_special])
        {
            self.file.encodes_reserved |= form.encodes_reserved;
            self.after_blank = false;
        } else {
            self.keep_rule(
                line,
                allow,
                (&rest[..before + value.len()], value),
                Some(value),
            );
        }
        true
    }

    /// Parses the next line if it is an agent line in a usual spelling. Any other line is not
    /// skipped, and the result is false.
    fn usual_agent(&mut self, lines: &mut RawLines<'_>) -> bool {
        const KEY: &[u8] = b"user-agent:";
        let Some((key, name)) = lines.rest().split_at_checked(KEY.len()) else {
            return false;
        };
        if !key.eq_ignore_ascii_case(KEY) {
            return false;
        }
        let name = name.strip_prefix(b" ").unwrap_or(name);
        let agent = AgentName::first_word(name);
        if !(1..USUAL).contains(&agent.text.len()) || !agent.is_plain() && agent.text != b"*" {
            return false;
        }
        let Some(line) = lines.pass_line_end(&name[agent.text.len()..]) else {
            return false;
        };
        self.agent_line(line, (&[], agent), false);
        true
    }

    /// Parses the next line if it is a record in a usual spelling, such as `Crawl-delay: 5`.
    /// Returns true if the line was parsed. Otherwise the line remains the next line, and the
    /// result is false.
    fn usual_record(&mut self, lines: &mut RawLines<'_>) -> bool {
        let Some((kind, value)) = RecordKind::split(lines.rest()) else {
            return false;
        };
        let value = &value[blanks(value)..];
        let Some(length) = plain_value(value) else {
            return false;
        };
        let (value, after) = value.split_at(length);
        let Some(line) = lines.pass_line_end(after) else {
            return false;
        };
        self.record(line, kind, value);
        true
    }

    /// Skips the next line if it is blank, or if its first byte begins no known key. Returns true
    /// if the line was skipped. Otherwise the line remains the next line, and the result is false.
    ///
    /// This method quickly skips most lines of an HTML page, which some sites serve in place of a
    /// robots.txt.
    fn keyless(&mut self, lines: &mut RawLines<'_>) -> bool {
        let rest = lines.rest();
        let text = &rest[blanks(rest)..];
        let is_blank = match text.first() {
            None | Some(b'\n' | b'\r') => true,
            Some(b'#') => return false,
            Some(byte) if begins_key(*byte) => return false,
            Some(_) => false,
        };
        let end = if is_blank {
            0
        } else {
            memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len())
        };
        let line = lines.pass(&text[end..]);
        if is_blank {
            self.after_blank = true;
        } else {
            self.unknown(line, &text[..end]);
        }
        true
    }

    /// Parses a line in any spelling. `line` is its number, and `whole` its bytes.
    fn line(&mut self, line: u32, whole: &[u8]) {
        let text = trim(whole);
        if text.is_empty() {
            self.after_blank = true;
            return;
        }
        let text = memchr::memchr(b'#', text).map_or(text, |comment| trim(&text[..comment]));
        if text.is_empty() {
            return;
        }
        if !may_have_key(text) {
            return self.unknown(line, text);
        }
        let found = KeyedLine::parse(text);
        self.departs |= !google::is_same(whole, found.as_ref());
        let may_differ = self.leniency.repairs && found.as_ref().is_none_or(KeyedLine::may_differ);
        if may_differ && self.repair(line, text, found.as_ref()) {
            return;
        }
        let Some(found) = found else {
            return self.unknown(line, text);
        };
        if found.is_sloppy() {
            self.note(
                if found.has_colon {
                    RobotsNoteKind::MisspeltKey
                } else {
                    RobotsNoteKind::NoColon
                },
                line,
            );
        }
        match found.key {
            Some(LineKey::Agent) => {
                let written = (up_to(whole, text), AgentName::new(found.value));
                self.agent_line(line, written, found.is_sloppy());
            }
            Some(LineKey::Purpose) => self.purpose(line, found.value),
            Some(LineKey::Allow) => self.rule(line, true, up_to(whole, text), found.value),
            Some(LineKey::Disallow) => self.rule(line, false, up_to(whole, text), found.value),
            Some(LineKey::Record(kind)) => self.record(line, kind, found.value),
            None if found.has_colon => self.unknown(line, text),
            None => {}
        }
    }

    /// Appends a line to the parsed lines of the file.
    fn push(&mut self, line: &NewLine<'_>) {
        self.file.packed.push(line);
        self.after_blank = false;
    }

    /// Repairs a line, and adds the repaired rules, agents or records if the repair changes the
    /// line's meaning. Otherwise adds nothing and returns false. `found` has the key and value of
    /// the line without repair.
    fn repair(&mut self, line: u32, text: &[u8], found: Option<&KeyedLine<'_>>) -> bool {
        let plain = lenient::plain(text);
        let Some(mut parts) = repair_line(&plain, found) else {
            return false;
        };
        self.is_repaired = true;
        let noted = self.note_count();
        match (&parts[..], found) {
            ([_, _, ..], _) => self.note(RobotsNoteKind::SeveralKeys, line),
            _ if found.is_none_or(|found| !found.has_colon) => {
                self.note(RobotsNoteKind::NoColon, line);
            }
            ([LineMeaning::Paths(paths)], _) if paths.len() > 1 => {
                self.note(RobotsNoteKind::SeveralPaths, line);
            }
            (
                [LineMeaning::Paths(_)],
                Some(KeyedLine {
                    key: Some(LineKey::Disallow | LineKey::Allow),
                    value,
                    ..
                }),
            ) => {
                // The path may begin with an invisible character, after which it has its slash.
                self.note_path(line, &lenient::plain(value));
            }
            (
                [LineMeaning::Agents(_)],
                Some(KeyedLine {
                    key: Some(LineKey::Agent),
                    ..
                }),
            ) => {
                self.note(RobotsNoteKind::OddAgent, line);
            }
            _ => {}
        }
        if self.note_count() == noted
            || found.is_some_and(|found| found.is_misspelt && found.has_colon)
        {
            self.note(RobotsNoteKind::MisspeltKey, line);
        }
        let mut count = 0;
        for part in &parts {
            if let LineMeaning::Paths(paths) = part {
                count += paths.len();
            }
        }
        let written = &text[..text.len().min(WRITTEN.max(ALL_WRITTEN / count.max(1)))];
        if put_names_first(&mut parts) || is_group(&parts) {
            // The agents of the line begin a group of their own.
            self.naming = false;
        }
        for part in parts {
            self.part(line, written, part);
        }
        true
    }

    /// Adds the agents, rules or record of one part of a repaired line. `text` is the line in the
    /// file's spelling. If the line is long, its end is cut off.
    fn part(&mut self, line: u32, text: &[u8], part: LineMeaning<'_>) {
        match part {
            LineMeaning::Agents(names) => {
                for name in names {
                    self.agent(line, (&[], AgentName::new(name)), is_pattern(name));
                }
            }
            LineMeaning::Paths(paths) => {
                for path in paths {
                    let pattern = if path.is_empty() {
                        None
                    } else {
                        Some(matching::denial(path))
                    };
                    self.keep_rule(line, false, (text, &[]), pattern.as_deref());
                }
            }
            LineMeaning::Record { kind, value } => self.record(line, kind, value),
            LineMeaning::Nothing => {}
        }
    }

    /// Adds a note on a line without a known key, unless the file looks like HTML. `line` is the
    /// number of the line, and `text` is the trimmed line. A line with a colon may be an unknown
    /// record. If such a line follows an agent line, the line number is also stored in the field
    /// `between`. A later agent line then adds the note [`RobotsNoteKind::BetweenAgents`].
    fn unknown(&mut self, line: u32, text: &[u8]) {
        if self.naming && memchr::memchr(b':', text).is_some() {
            self.mark_between(line);
        }
        if !self.is_html {
            self.note(RobotsNoteKind::UnknownLine, line);
        }
    }

    /// Adds an agent line that was not repaired. If `misspelt` is true, the line is added only if
    /// the setting [`Leniency::misspelt_agents`] is true.
    fn agent_line(&mut self, line: u32, written: (&[u8], AgentName<'_>), misspelt: bool) {
        if written.1.is_purpose() {
            self.note(RobotsNoteKind::PurposeGroup, line);
        }
        self.has_misspelt_agents |= misspelt;
        if misspelt && !self.leniency.misspelt_agents {
            return;
        }
        self.agent(line, written, false);
    }

    /// Adds an agent with the name `agent`. `written` is the line up to the end of that name, or
    /// empty for an agent that a repair adds. `is_pattern` is true if the name is a pattern for
    /// names of bots.
    fn agent(&mut self, line: u32, (written, agent): (&[u8], AgentName<'_>), is_pattern: bool) {
        if let Some(between) = self.between.take()
            && self.naming
        {
            self.note(RobotsNoteKind::BetweenAgents, between);
        }
        let name = agent.with_single_blanks();
        if agent.has_digit() {
            self.note(RobotsNoteKind::DigitInToken, line);
        }
        if name.is_empty() || is_reserved(&name) && !purpose::is_token(&name) {
            self.note(RobotsNoteKind::UnreachableGroup, line);
        }
        self.file.has_usage |= agent.may_be_training() && purpose::is_training(&name);
        if !std::mem::replace(&mut self.naming, true) {
            self.file.groups.push(self.file.packed.end());
        }
        // No bot has a longer name.
        let text = if name.len() > LONGEST { &[] } else { &name[..] };
        let front = &written[..written.len().saturating_sub(agent.text.len())];
        let is_usual =
            front.is_empty() || front.trim_ascii_end().eq_ignore_ascii_case(b"user-agent:");
        let flags = [self.after_blank, false];
        if is_usual
            && agent.is_plain()
            && self
                .file
                .packed
                .push_usual(UsualKey::AGENT, line, text, flags)
        {
            self.after_blank = false;
            return;
        }
        self.push(&NewLine {
            kind: LineKind::Agent,
            number: line,
            after_blank: self.after_blank,
            is_void: false,
            // A star followed by more text is for every bot, and is no pattern.
            is_special: is_pattern && !is_star(text),
            text,
            written: if is_usual {
                (text, text)
            } else {
                (written, agent.text)
            },
        });
    }

    /// Adds the rule of a line that was not repaired.
    fn rule(&mut self, line: u32, allow: bool, text: &[u8], value: &[u8]) {
        let pattern = self.pattern(line, allow, value);
        self.keep_rule(line, allow, (text, value), pattern.as_deref());
    }

    /// Ends the list of agent lines of the current group, before a rule is added. Adds a note if
    /// the rule comes before any group.
    fn before_rule(&mut self, line: u32) {
        self.between = None;
        self.naming = false;
        if self.file.groups.is_empty() {
            self.note(RobotsNoteKind::NoGroup, line);
        }
    }

    /// Adds a rule to the parsed lines of the file. `written` has the line's text in the file, and
    /// the value at the end of that text. If `pattern` is `None`, the rule has no effect by RFC
    /// 9309.
    fn keep_rule(
        &mut self,
        line: u32,
        allow: bool,
        written: (&[u8], &[u8]),
        pattern: Option<&[u8]>,
    ) {
        self.before_rule(line);
        let text = pattern.unwrap_or_default();
        self.file.encodes_reserved |= matching::encodes_reserved(text);
        self.push(&NewLine {
            kind: if allow {
                LineKind::Allow
            } else {
                LineKind::Disallow
            },
            number: line,
            after_blank: self.after_blank,
            // A denial whose pattern is cut denies more, so it stays.
            is_void: pattern.is_none() || allow && text.len() > LONGEST,
            is_special: text.contains(&b'*')
                || text.ends_with(b"$")
                || host_and_path(text).0.is_some(),
            text,
            written,
        });
    }

    /// Returns the pattern of a rule in normal form. Returns `None` for an empty value, and for an
    /// allowance without a leading slash or star. The value of a denial is repaired if necessary.
    fn pattern(&mut self, line: u32, allow: bool, value: &[u8]) -> Option<Vec<u8>> {
        if value.is_empty() {
            return None;
        }
        self.note_path(line, value);
        if !allow {
            return Some(matching::denial(value));
        }
        if !matches!(value[0], b'/' | b'*') {
            return None;
        }
        Some(matching::normal_pattern(value))
    }

    /// Adds notes on what looks wrong in the path of a rule or a record.
    fn note_path(&mut self, line: u32, value: &[u8]) {
        if value.iter().any(|byte| byte.is_ascii_whitespace()) {
            self.note(RobotsNoteKind::SeveralPaths, line);
        }
        match value.first() {
            _ if matching::is_url(value) => self.note(RobotsNoteKind::UrlAsPath, line),
            Some(b'*') => self.note(RobotsNoteKind::StarFirst, line),
            Some(b'/') => {}
            _ => self.note(RobotsNoteKind::NoSlash, line),
        }
    }

    /// Adds a `User-Agent-Purpose` line. If repairs are turned on, the line begins a group for a
    /// purpose, such as training. Otherwise the line begins no group.
    fn purpose(&mut self, line: u32, value: &[u8]) {
        self.note(RobotsNoteKind::PurposeGroup, line);
        if self.leniency.repairs {
            self.is_repaired = true;
            self.agent(line, (&[], AgentName::new(value)), false);
        } else {
            self.mark_between(line);
        }
    }

    /// Stores the line number `line` in the field `between`. The line must be neither an agent line
    /// nor a rule. Does nothing unless agent lines are being read and `between` is empty.
    fn mark_between(&mut self, line: u32) {
        if self.naming && self.between.is_none() {
            self.between = Some(line);
        }
    }

    /// Adds a record, such as `Crawl-delay`, to the parsed lines of the file. A record whose value
    /// is empty or too long is left out.
    fn record(&mut self, line: u32, kind: RecordKind, value: &[u8]) {
        self.mark_between(line);
        if value.is_empty() || value.len() >= LONGEST {
            return;
        }
        self.file.has_usage |= records::is_usage(kind);
        self.file.has_licence |= kind == RecordKind::License;
        if records::is_path_alone(kind) {
            self.note_path(line, value);
            if self.file.groups.is_empty() {
                self.note(RobotsNoteKind::NoGroup, line);
            }
        }
        // Nearly all values are UTF-8, for which this test is faster than a conversion.
        let value = std::str::from_utf8(value)
            .map_or_else(|_| String::from_utf8_lossy(value), Cow::Borrowed);
        if (SiteRecord {
            kind,
            line,
            value: &value,
        })
        .is_unreadable()
        {
            self.note(RobotsNoteKind::UnreadableValue, line);
        }
        let after_blank = std::mem::take(&mut self.after_blank);
        self.file
            .packed
            .push_record(kind.mark(), line, value.as_bytes(), after_blank);
    }

    /// Returns the parsed file, its notes, and facts about it. The facts decide which other
    /// variants of the file must be parsed.
    fn finish(mut self) -> ParsedReading {
        self.file.packed.shrink();
        self.file.groups.shrink_to_fit();
        self.notes.shrink_to_fit();
        let Self {
            file,
            notes,
            is_repaired,
            has_misspelt_agents,
            departs,
            ..
        } = self;
        ParsedReading {
            file,
            notes,
            is_repaired,
            has_misspelt_agents,
            departs,
        }
    }
}
