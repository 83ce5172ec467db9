//! The stored form of a robots.txt: the lines that count, in their order, packed into one run of
//! bytes.
//!
//! A line costs five bytes and its text. A rare line costs more. It has a key in an unusual
//! spelling, a pattern that is not its value, or a long text.

use std::borrow::Cow;
use std::ops::Range;

use super::matching::host_and_path;

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Agent,
    Allow,
    Disallow,
    Record,
}

// The first byte of a line has two bits for its kind, these flags, and three bits for the form of
// its key.
const KIND: u8 = 0b11;
const AFTER_BLANK: u8 = 1 << 2;
/// A rule without effect for readers of patterns by the RFC.
const VOID: u8 = 1 << 3;
/// A pattern with a star or an anchor.
const SPECIAL: u8 = 1 << 4;
const FORM: u8 = 5;
/// The form of rare lines.
const RARE: u8 = 7;

/// The spellings of keys, by [`LineKind`].
const FORMS: [&[&str]; 2] = [
    &[
        "Allow: ", "Allow:", "allow: ", "allow:", "ALLOW: ", "Allow:  ",
    ],
    &[
        "Disallow: ",
        "Disallow:",
        "disallow: ",
        "disallow:",
        "DISALLOW: ",
        "Disallow:  ",
        "Disallow:\t",
    ],
];

/// The longest text. A longer name or record does not count, and a longer pattern is cut.
pub(super) const LONGEST: usize = u16::MAX as usize;

/// A line to be packed.
pub(super) struct NewLine<'a> {
    pub(super) kind: LineKind,
    pub(super) number: u32,
    /// A blank line comes before it, with no line between that counts.
    pub(super) after_blank: bool,
    pub(super) is_void: bool,
    pub(super) is_special: bool,
    /// The name of an agent, the normal pattern of a rule, the mark and value of a record.
    pub(super) text: &'a [u8],
    /// The line as it is written, with the blanks before it, and the part after its colon. An agent
    /// line in the usual spelling has only the name.
    pub(super) written: (&'a [u8], &'a [u8]),
}

/// Packed lines.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedLines {
    bytes: Vec<u8>,
}

/// The start of a line in [`PackedLines`].
pub(super) type LineOffset = u32;

impl PackedLines {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// The lines from the bytes of [`PackedLines::bytes`].
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The place of the next line.
    pub(super) fn end(&self) -> LineOffset {
        LineOffset::try_from(self.bytes.len()).unwrap_or(LineOffset::MAX)
    }

    pub(super) fn push(&mut self, line: &NewLine<'_>) {
        let text = &line.text[..line.text.len().min(LONGEST)];
        let (written, value) = line.written;
        let [low, middle, high, beyond] = line.number.to_le_bytes();
        let length = u8::try_from(text.len());
        // A pattern with a host is rare, so that no other line need be asked for one.
        let is_plain = value == text && host_and_path(text).0.is_none();
        let form = if is_plain {
            form(line.kind, &written[..written.len() - value.len()])
        } else {
            None
        };
        let (Some(form), Ok(length), 0) = (form, length, beyond) else {
            return self.push_rare(line, text);
        };
        self.bytes
            .extend([line.head(form), length, low, middle, high]);
        self.bytes.extend_from_slice(text);
    }

    /// Packs a rule whose short text is also its value. Returns false for any other rule, which is
    /// not packed.
    #[inline]
    pub(super) fn push_usual(
        &mut self,
        key: UsualKey,
        number: u32,
        text: &[u8],
        flags: [bool; 2],
    ) -> bool {
        let [low, middle, high, beyond] = number.to_le_bytes();
        let (Ok(length), 0) = (u8::try_from(text.len()), beyond) else {
            return false;
        };
        let [after_blank, is_special] = flags;
        let head = key.kind as u8
            | flag(after_blank, AFTER_BLANK)
            | flag(is_special, SPECIAL)
            | key.form << FORM;
        self.bytes.extend([head, length, low, middle, high]);
        self.bytes.extend_from_slice(text);
        true
    }

    /// Packs a rare line. Before the text come the line's number and the lengths of the text, the
    /// written line and the value at its end. The written line follows the text.
    fn push_rare(&mut self, line: &NewLine<'_>, text: &[u8]) {
        let (written, value) = line.written;
        self.bytes.extend([line.head(RARE), 0, 0, 0, 0]);
        for number in [line.number as usize, text.len(), written.len(), value.len()] {
            self.bytes
                .extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        self.bytes.extend([text, written].concat());
    }

    /// True if both have the same lines.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }

    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// The lines from one place to another, or to the end.
    #[inline]
    pub(super) fn lines(&self, from: LineOffset, to: Option<LineOffset>) -> LineList<'_> {
        let end = to.unwrap_or_else(|| self.end());
        LineList {
            bytes: &self.bytes[from as usize..end as usize],
            end,
        }
    }

    /// The line that begins at a place.
    #[inline]
    pub(super) fn line(&self, place: LineOffset) -> Option<RobotsLine<'_>> {
        self.lines(place, None).next()
    }
}

impl<'a> NewLine<'a> {
    /// A line with another text, and the form in which it was read.
    pub(super) fn with_text(
        line: &RobotsLine<'_>,
        text: &'a [u8],
        (written, value): &'a (Cow<'_, [u8]>, usize),
    ) -> Self {
        Self {
            kind: line.kind(),
            number: line.number(),
            after_blank: line.is_after_blank(),
            is_void: line.is_void(),
            is_special: line.is_special(),
            text,
            written: (written, &written[written.len() - value..]),
        }
    }
}

impl NewLine<'_> {
    fn head(&self, form: u8) -> u8 {
        let flags = flag(self.after_blank, AFTER_BLANK)
            | flag(self.is_void, VOID)
            | flag(self.is_special, SPECIAL);
        self.kind as u8 | flags | form << FORM
    }
}

fn flag(is: bool, flag: u8) -> u8 {
    if is { flag } else { 0 }
}

/// A key in one of [`FORMS`].
#[derive(Clone, Copy)]
pub(super) struct UsualKey {
    kind: LineKind,
    form: u8,
}

impl UsualKey {
    /// Splits a line into its key and the rest, if a path follows the key directly.
    #[inline]
    pub(super) fn split(line: &[u8], allows: bool) -> Option<(Self, &[u8])> {
        let kind = if allows {
            LineKind::Allow
        } else {
            LineKind::Disallow
        };
        // Most files have no other form.
        let first = if allows {
            line.strip_prefix(b"Allow: ")
        } else {
            line.strip_prefix(b"Disallow: ")
        };
        if let Some(path @ [b'/', ..]) = first {
            return Some((Self { kind, form: 0 }, path));
        }
        for (key, form) in FORMS[usize::from(!allows)].iter().zip(0..) {
            if let Some(path @ [b'/' | b'*', ..]) = line.strip_prefix(key.as_bytes()) {
                return Some((Self { kind, form }, path));
            }
        }
        None
    }
}

fn form(kind: LineKind, key: &[u8]) -> Option<u8> {
    let forms = match kind {
        LineKind::Allow => FORMS[0],
        LineKind::Disallow => FORMS[1],
        LineKind::Agent | LineKind::Record => return key.is_empty().then_some(0),
    };
    let form = forms.iter().position(|form| form.as_bytes() == key)?;
    u8::try_from(form).ok()
}

/// The length of a rule's pattern, and true if the rule allows. The greatest rank decides.
pub(super) type Rank = (usize, bool);

/// A line as it was packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct RobotsLine<'a> {
    head: u8,
    pub(super) place: LineOffset,
    pub(super) text: &'a [u8],
    /// All bytes from the start of the line, read only where they are asked for.
    packed: &'a [u8],
}

/// The number of bytes before the text of a rare line.
const BEFORE_RARE: usize = 5 + 4 * 4;

/// The numbers before the text of a rare line: its own, and three lengths.
fn numbers(packed: &[u8]) -> Option<[u32; 4]> {
    let (numbers, _) = packed.get(5..BEFORE_RARE)?.as_chunks();
    Some(
        <[[u8; 4]; 4]>::try_from(numbers)
            .ok()?
            .map(u32::from_le_bytes),
    )
}

impl<'a> RobotsLine<'a> {
    #[inline]
    pub(super) fn kind(&self) -> LineKind {
        match self.head & KIND {
            0 => LineKind::Agent,
            1 => LineKind::Allow,
            2 => LineKind::Disallow,
            _ => LineKind::Record,
        }
    }

    #[inline]
    pub(super) fn is_rule(&self) -> bool {
        matches!(self.kind(), LineKind::Allow | LineKind::Disallow)
    }

    #[inline]
    pub(super) fn allows(&self) -> bool {
        self.kind() == LineKind::Allow
    }

    /// The host of a rule's pattern, if it has one, and its path. Only rare lines have a host.
    #[inline]
    pub(super) fn host_and_path(&self) -> (Option<&'a [u8]>, &'a [u8]) {
        if self.is_rare() {
            host_and_path(self.text)
        } else {
            (None, self.text)
        }
    }

    /// The rank of a rule by RFC 9309. A host that its pattern names does not count.
    #[inline]
    pub(super) fn rank(&self) -> Rank {
        (self.host_and_path().1.len(), self.allows())
    }

    pub(super) fn is_after_blank(&self) -> bool {
        self.head & AFTER_BLANK != 0
    }

    #[inline]
    pub(super) fn is_void(&self) -> bool {
        self.head & VOID != 0
    }

    #[inline]
    pub(super) fn is_special(&self) -> bool {
        self.head & SPECIAL != 0
    }

    #[inline]
    fn is_rare(&self) -> bool {
        self.head >> FORM == RARE
    }

    /// The number of the line, from 1.
    pub(super) fn number(&self) -> u32 {
        if self.is_rare() {
            return numbers(self.packed).map_or(0, |[number, ..]| number);
        }
        match self.packed {
            [_, _, low, middle, high, ..] => u32::from_le_bytes([*low, *middle, *high, 0]),
            _ => 0,
        }
    }

    /// The written line and the length of its value, if the line is rare.
    fn rare(&self) -> Option<(&'a [u8], usize)> {
        if !self.is_rare() {
            return None;
        }
        let [_, text, written, value] = numbers(self.packed)?;
        let written = self
            .packed
            .get(BEFORE_RARE + text as usize..)?
            .get(..written as usize)?;
        Some((written, value as usize))
    }

    /// The part of a rule after its colon.
    pub(super) fn value(&self) -> &'a [u8] {
        match self.rare() {
            Some((written, value)) => &written[written.len() - value..],
            None => self.text,
        }
    }

    /// The line up to its value, if it is not written in a usual way.
    pub(super) fn front(&self) -> Option<&'a [u8]> {
        let (written, value) = self.rare()?;
        let front = &written[..written.len() - value];
        (!front.is_empty()).then_some(front)
    }

    /// A rule as it is written, without its comment and the blanks at its ends.
    pub(super) fn written(&self) -> Cow<'a, str> {
        match self.rare() {
            Some((written, _)) => String::from_utf8_lossy(written.trim_ascii_start()),
            None => Cow::Owned([self.key(), &String::from_utf8_lossy(self.text)].concat()),
        }
    }

    /// The line as [`NewLine`] has it: written, and the length of the value at its end.
    pub(super) fn as_read(&self) -> (Cow<'a, [u8]>, usize) {
        match self.rare() {
            Some((written, value)) => (written.into(), value),
            None if self.is_rule() => (
                [self.key().as_bytes(), self.text].concat().into(),
                self.text.len(),
            ),
            None => (self.text.into(), self.text.len()),
        }
    }

    /// The key of a rule in a usual spelling, with its colon.
    fn key(&self) -> &'static str {
        let forms = FORMS[usize::from(!self.allows())];
        forms
            .get(usize::from(self.head >> FORM))
            .copied()
            .unwrap_or_default()
    }
}

/// An iterator over packed lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineList<'a> {
    bytes: &'a [u8],
    end: LineOffset,
}

impl<'a> LineList<'a> {
    /// The lines up to the first for which this is true.
    pub(super) fn until(self, mut ends: impl FnMut(&RobotsLine<'a>) -> bool) -> Self {
        let mut rest = self;
        let end = rest
            .find(|line| ends(line))
            .map_or(self.end, |line| line.place);
        let length = (end - self.span().start) as usize;
        Self {
            bytes: &self.bytes[..length],
            end,
        }
    }

    /// The places from the next line to the end.
    #[inline]
    pub(super) fn span(&self) -> Range<LineOffset> {
        self.end - self.bytes.len() as LineOffset..self.end
    }

    #[cold]
    fn next_rare(&mut self) -> Option<RobotsLine<'a>> {
        let [_, text, written, _] = numbers(self.bytes)?;
        let (text, rest) = self.bytes[BEFORE_RARE..].split_at_checked(text as usize)?;
        let line = RobotsLine {
            head: self.bytes[0],
            place: self.span().start,
            text,
            packed: self.bytes,
        };
        self.bytes = rest.get(written as usize..)?;
        Some(line)
    }
}

impl<'a> Iterator for LineList<'a> {
    type Item = RobotsLine<'a>;

    #[inline]
    fn next(&mut self) -> Option<RobotsLine<'a>> {
        let [head, length, _, _, _, rest @ ..] = self.bytes else {
            return None;
        };
        if head >> FORM == RARE {
            return self.next_rare();
        }
        let (text, rest) = rest.split_at_checked(usize::from(*length))?;
        let line = RobotsLine {
            head: *head,
            place: self.span().start,
            text,
            packed: self.bytes,
        };
        self.bytes = rest;
        Some(line)
    }
}
