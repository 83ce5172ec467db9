//! Parses a file into agents, rules and records, each with its line.
//!
//! There is one pass over the bytes, and all that is kept is packed. Sloppy lines count if they deny, and are noted.

use super::agents::{is_pattern, is_star};
use super::cut::{Lines, lines, single_blanks, until};
use super::file::File;
use super::google;
use super::key::{FoundKey, Keyword, is_suspect, record, trim};
use super::line::{LONGEST, LineKind, NewLine, Packed};
use super::matching::{self, Shape, host_and_path, plain};
use super::note::{KINDS, MOST_NOTES, RobotsNote, RobotsNoteKind};
use super::purpose;
use super::records::{self, RecordKind, SiteRecord};
use super::repair::{self, Meant};

/// Which lines a reading takes for what they mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Leniency {
    /// Lines whose meaning is beyond doubt are repaired.
    pub(super) repairs: bool,
    /// Misspelt agent lines are agents; else they are no lines.
    pub(super) misspelt_agents: bool,
}

/// The file as Google reads it.
pub(super) fn read_for_google(bytes: &[u8], most: usize) -> File {
    let mut reader = LineReader::default();
    for (line, text) in lines(reader.within(google::text(bytes), most)) {
        match google::record(text) {
            Some(google::GoogleRecord { rule: None, value, .. }) => reader.agent(line, (&[], value), false),
            Some(google::GoogleRecord { rule: Some(allow), written, value }) => {
                reader.keep_rule(line, allow, Shape::Odd, (written, value), &google::pattern(value));
            }
            None => {}
        }
    }
    reader.finish().file
}

/// One reading of a file, and what it tells of the others.
pub(super) struct Parsed {
    pub(super) file: File,
    pub(super) notes: Vec<RobotsNote>,
    /// Some line was repaired.
    pub(super) is_repaired: bool,
    pub(super) has_misspelt_agents: bool,
    /// Google reads some line differently.
    pub(super) departs: bool,
}

impl Parsed {
    pub(super) fn of(bytes: &[u8], most: usize, leniency: Leniency) -> Self {
        let mut reader = LineReader { leniency, ..LineReader::default() };
        let text = reader.decoded(bytes);
        let text = reader.within(&text, most);
        reader.file.packed = Packed::with_capacity(text.len() / 2);
        reader.lines(lines(text));
        reader.finish()
    }
}

/// The length below which a value counts as usual.
const USUAL: usize = 200;

#[derive(Default)]
struct LineReader {
    file: File,
    notes: Vec<RobotsNote>,
    leniency: Leniency,
    /// The last line that counts was an agent line.
    naming: bool,
    has_misspelt_agents: bool,
    is_repaired: bool,
    /// Google reads some line differently.
    departs: bool,
    is_html: bool,
    /// The number of notes of each kind.
    noted: [u32; KINDS.len()],
    /// A blank line came after the last line that counts.
    after_blank: bool,
    /// A record that is no rule, since the last agent line, with no rule between.
    between: Option<u32>,
    /// Room for putting text together.
    text: Vec<u8>,
}

impl LineReader {
    fn note(&mut self, kind: RobotsNoteKind, line: u32) {
        let of_kind = &mut self.noted[kind as usize];
        *of_kind += 1;
        if *of_kind <= MOST_NOTES {
            self.notes.push(RobotsNote { kind, line });
        }
    }

    /// The number of notes, kept or not.
    fn noted(&self) -> u32 {
        self.noted.iter().sum()
    }

    /// Converts UTF-16 to UTF-8, and skips a byte order mark.
    fn decoded<'a>(&mut self, bytes: &'a [u8]) -> std::borrow::Cow<'a, [u8]> {
        match encoding_rs::Encoding::for_bom(bytes) {
            None => {
                self.departs |= google::text(bytes).len() < bytes.len();
                bytes.into()
            }
            Some((encoding, length)) if encoding == encoding_rs::UTF_8 => {
                self.note(RobotsNoteKind::ByteOrderMark, 1);
                bytes[length..].into()
            }
            Some((encoding, length)) => {
                self.note(RobotsNoteKind::Utf16, 1);
                self.departs = true;
                encoding.decode_without_bom_handling(&bytes[length..]).0.into_owned().into_bytes().into()
            }
        }
    }

    /// The part within the limit, cut at a line's end.
    fn within<'a>(&mut self, bytes: &'a [u8], most: usize) -> &'a [u8] {
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
        let last = lines(&bytes[..end]).count();
        self.note(RobotsNoteKind::TooLong, u32::try_from(last).unwrap_or(u32::MAX));
        &bytes[..end]
    }

    fn lines(&mut self, mut lines: Lines<'_>) {
        loop {
            while self.usual(&mut lines) {}
            let Some((line, text)) = lines.next() else { return };
            self.line(line, text);
        }
    }

    /// Passes a line in the usual spelling. Its meaning is known without a look at its parts, and its end is found
    /// while its value is read. A line with a colon in its value may have a second key, so it is not usual.
    fn usual(&mut self, lines: &mut Lines<'_>) -> bool {
        let rest = lines.rest();
        let is_passed = match rest {
            [b'D', ..] => self.usual_rule(lines, false, b"Disallow: "),
            [b'A', ..] => self.usual_rule(lines, true, b"Allow: "),
            [b'U', ..] => self.usual_agent(lines, b"User-agent: "),
            [b'\n' | b'\r', ..] => lines.ending(rest).map(|_| self.after_blank = true),
            _ => None,
        };
        is_passed.is_some()
    }

    #[inline]
    fn usual_rule(&mut self, lines: &mut Lines<'_>, allow: bool, key: &[u8]) -> Option<()> {
        let rest = lines.rest();
        let value = rest.strip_prefix(key).filter(|value| value.first() == Some(&b'/'))?;
        let (length, starred) = matching::normal_length(value);
        let anchored = value.get(length) == Some(&b'$');
        let (value, behind) = value.split_at(length + usize::from(anchored));
        let line = if value.len() < USUAL { lines.ending(behind)? } else { return None };
        self.before_rule(line);
        if self.file.packed.push_usual(allow, line, value, [self.after_blank, starred || anchored]) {
            self.after_blank = false;
        } else {
            self.keep_rule(line, allow, Shape::Odd, (&rest[..key.len() + value.len()], value), value);
        }
        Some(())
    }

    fn usual_agent(&mut self, lines: &mut Lines<'_>, key: &[u8]) -> Option<()> {
        let name = lines.rest().strip_prefix(key)?;
        let is_in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
        let length = name.iter().position(|byte| !is_in_name(byte)).unwrap_or(name.len());
        let (name, behind) = name.split_at(if name.starts_with(b"*") { 1 } else { length });
        let line = if (1..USUAL).contains(&name.len()) { lines.ending(behind)? } else { return None };
        self.named(line, (&[], name), false);
        Some(())
    }

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
        let found = record(text);
        self.departs |= !google::is_same(whole, found.as_ref());
        if self.leniency.repairs && is_suspect(found.as_ref()) && self.repair(line, text, found.as_ref()) {
            return;
        }
        let Some(found) = found else { return self.unknown(line) };
        if found.sloppy {
            let missing = found.colon.is_none();
            self.note(if missing { RobotsNoteKind::NoColon } else { RobotsNoteKind::MisspeltKey }, line);
        }
        match found.key {
            Keyword::Agent => {
                self.named(line, (until(whole, text), found.value), found.sloppy);
            }
            Keyword::Other if purpose::is_key(found.name) => self.purpose(line, found.value),
            Keyword::Rule { allow } => self.rule(line, allow, until(whole, text), found.value),
            Keyword::Other => self.other(line, found.name, found.value),
            Keyword::Nothing => {}
        }
    }

    fn push(&mut self, line: &NewLine<'_>) {
        self.file.packed.push(line);
        self.after_blank = false;
    }

    /// Takes a line by its meaning, if that differs from its text.
    fn repair(&mut self, line: u32, text: &[u8], found: Option<&FoundKey<'_>>) -> bool {
        let Some(parts) = repair::repaired(text, found) else { return false };
        self.is_repaired = true;
        let noted = self.noted();
        match (&parts[..], found) {
            ([_, _, ..], _) => self.note(RobotsNoteKind::SeveralKeys, line),
            _ if found.is_none_or(|found| found.colon.is_none()) => self.note(RobotsNoteKind::NoColon, line),
            ([Meant::Paths(paths)], _) if paths.len() > 1 => self.note(RobotsNoteKind::SeveralPaths, line),
            ([Meant::Paths(_)], Some(FoundKey { key: Keyword::Rule { .. }, value, .. })) => {
                // A path behind a sign that is not seen has its slash.
                self.note_path(line, &repair::with_plain_signs(value));
            }
            ([Meant::Agents(_)], Some(FoundKey { key: Keyword::Agent, .. })) => {
                self.note(RobotsNoteKind::OddAgent, line);
            }
            _ => {}
        }
        if self.noted() == noted || found.is_some_and(|found| found.sloppy && found.colon.is_some()) {
            self.note(RobotsNoteKind::MisspeltKey, line);
        }
        for part in parts {
            self.part(line, text, part);
        }
        true
    }

    fn part(&mut self, line: u32, text: &[u8], part: Meant) {
        match part {
            Meant::Agents(names) => {
                for name in names {
                    self.agent(line, (&[], &name), is_pattern(&name));
                }
            }
            Meant::Paths(paths) => {
                for path in paths {
                    let shape = if path.is_empty() { Shape::Void } else { Shape::Odd };
                    let made = if path.is_empty() { path } else { matching::denial(&path) };
                    self.keep_rule(line, false, shape, (text, &[]), &made);
                }
            }
            Meant::Record { kind, value } => self.record(line, kind, &value),
            Meant::Nothing | Meant::Unknown => {}
        }
    }

    /// Notes a line with an unknown key.
    fn unknown(&mut self, line: u32) {
        if !self.is_html {
            self.note(RobotsNoteKind::UnknownLine, line);
        }
    }

    /// Takes an agent line as it is written.
    fn named(&mut self, line: u32, written: (&[u8], &[u8]), misspelt: bool) {
        if purpose::is_token(written.1) {
            self.note(RobotsNoteKind::PurposeGroup, line);
        }
        self.has_misspelt_agents |= misspelt;
        if misspelt && !self.leniency.misspelt_agents {
            return;
        }
        self.agent(line, written, false);
    }

    /// Takes an agent. If the line is not in the usual spelling, `written` is the line up to the end of its value.
    fn agent(&mut self, line: u32, (written, value): (&[u8], &[u8]), is_pattern: bool) {
        if let Some(between) = self.between.take().filter(|_| self.naming) {
            self.note(RobotsNoteKind::BetweenAgents, between);
        }
        let name = single_blanks(value);
        if name.iter().any(u8::is_ascii_digit) {
            self.note(RobotsNoteKind::DigitInToken, line);
        }
        if name.is_empty() {
            self.note(RobotsNoteKind::UnreachableGroup, line);
        }
        self.file.has_usage |= purpose::is_training(&name);
        if !std::mem::replace(&mut self.naming, true) {
            self.file.groups.push(self.file.packed.here());
        }
        // No bot has so long a name.
        let text = if name.len() > LONGEST { &[] } else { &name[..] };
        let front = &written[..written.len().saturating_sub(value.len())];
        let is_usual = front.trim_ascii_end().eq_ignore_ascii_case(b"user-agent:");
        self.push(&NewLine {
            kind: LineKind::Agent,
            number: line,
            after_blank: self.after_blank,
            is_void: false,
            // A star with more text behind it is for everybody, and no pattern.
            is_special: is_pattern && !is_star(text),
            text,
            written: if is_usual || front.is_empty() { (text, text) } else { (written, value) },
        });
    }

    fn rule(&mut self, line: u32, allow: bool, text: &[u8], value: &[u8]) {
        let mut made = std::mem::take(&mut self.text);
        made.clear();
        let shape = self.shape(line, allow, value, &mut made);
        self.keep_rule(line, allow, shape, (text, value), &made);
        self.text = made;
    }

    fn before_rule(&mut self, line: u32) {
        self.between = None;
        self.naming = false;
        if self.file.groups.is_empty() {
            self.note(RobotsNoteKind::NoGroup, line);
        }
    }

    /// Keeps a rule. `made` is the normal form of a pattern that has another one.
    fn keep_rule(&mut self, line: u32, allow: bool, shape: Shape, written: (&[u8], &[u8]), made: &[u8]) {
        self.before_rule(line);
        let pattern = if matches!(shape, Shape::Odd | Shape::Void) { made } else { written.1 };
        self.file.encodes_reserved |= matching::encodes_reserved(pattern);
        self.push(&NewLine {
            kind: if allow { LineKind::Allow } else { LineKind::Disallow },
            number: line,
            after_blank: self.after_blank,
            // A denial that is cut becomes wider.
            is_void: matches!(shape, Shape::Void) || allow && pattern.len() > LONGEST,
            is_special: match shape {
                Shape::Starred => true,
                Shape::Odd => pattern.contains(&b'*') || pattern.ends_with(b"$") || host_and_path(pattern).0.is_some(),
                Shape::Plain | Shape::Void => false,
            },
            text: pattern,
            written,
        });
    }

    /// The form of a rule's value as a pattern. An odd pattern is brought into normal form; it counts if it denies.
    fn shape(&mut self, line: u32, allow: bool, value: &[u8], pattern: &mut Vec<u8>) -> Shape {
        if value.is_empty() {
            return Shape::Void;
        }
        if let Some(shape) = plain(value) {
            return shape;
        }
        self.note_path(line, value);
        let begins = value[0] == b'/' || value[0] == b'*';
        pattern.extend(match allow {
            true if begins => matching::normal_pattern(value),
            true => return Shape::Void,
            false => matching::denial(value),
        });
        Shape::Odd
    }

    /// Notes oddities in the path of a rule or a record.
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

    /// Takes a line that begins a group for a purpose, for readers that know such groups.
    fn purpose(&mut self, line: u32, value: &[u8]) {
        self.note(RobotsNoteKind::PurposeGroup, line);
        if self.leniency.repairs {
            self.is_repaired = true;
            self.agent(line, (&[], value), false);
        } else {
            self.is_no_rule(line);
        }
    }

    fn is_no_rule(&mut self, line: u32) {
        if self.naming && self.between.is_none() {
            self.between = Some(line);
        }
    }

    fn other(&mut self, line: u32, name: &[u8], value: &[u8]) {
        match RecordKind::of(name) {
            Some(kind) => self.record(line, kind, value),
            None => {
                self.is_no_rule(line);
                self.unknown(line);
            }
        }
    }

    fn record(&mut self, line: u32, kind: RecordKind, value: &[u8]) {
        self.is_no_rule(line);
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
        let value = String::from_utf8_lossy(value);
        if (SiteRecord { kind, line, value: &value }).is_unreadable() {
            self.note(RobotsNoteKind::UnreadableValue, line);
        }
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        text.push(kind.mark());
        text.extend_from_slice(value.as_bytes());
        self.push(&NewLine {
            kind: LineKind::Record,
            number: line,
            after_blank: self.after_blank,
            is_void: false,
            is_special: false,
            text: &text,
            written: (&text, &text),
        });
        self.text = text;
    }

    fn finish(mut self) -> Parsed {
        self.file.packed.shrink();
        self.file.groups.shrink_to_fit();
        self.notes.shrink_to_fit();
        let Self { file, notes, is_repaired, has_misspelt_agents, departs, .. } = self;
        Parsed { file, notes, is_repaired, has_misspelt_agents, departs }
    }
}
