//! Packs the agent lines, rules and records of a robots.txt into one byte string, in their order.
//!
//! A usual line is packed in a short format: five bytes and its text. A rare line needs a long
//! format with more bytes. A line is rare if its key has an unusual spelling, for example. Other
//! rare lines have a pattern with a host, a pattern that differs from the value, or a long text.

use std::borrow::Cow;
use std::ops::Range;

use super::matching::host_and_path;

/// Kind of a packed line: agent, allowance, denial or record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Agent,
    Allow,
    Disallow,
    Record,
}

// The first byte of a packed line has two bits for its kind, these flags, and three bits for the
// form of its key.
/// Bitmask of the line's kind in the first byte of a packed line.
const KIND: u8 = 0b11;
/// Flag in the first byte of a packed line that follows a blank line.
const AFTER_BLANK: u8 = 1 << 2;
/// Flag in the first byte of a packed rule that has no effect by RFC 9309.
const VOID: u8 = 1 << 3;
/// Flag in the first byte of a packed line that needs more than a comparison of plain text. Such a
/// rule has a pattern with a star, a final `$` or a host. Such an agent line has a pattern, such as
/// `foo*`, for its name.
const SPECIAL: u8 = 1 << 4;
/// Number of bits by which the form of a key is shifted left in the first byte of a packed line.
/// The bits below it hold the line's kind and its flags. The form is the index of the key's
/// spelling in [`FORMS`].
const FORM: u8 = 5;
/// Value of the three highest bits in the first byte of a rare line, which is packed in the long
/// format. A line is rare if its key has an unusual spelling or its text is long, for example. In
/// the short format, these bits hold the form of the key: the index of the key's spelling.
const RARE: u8 = 7;

/// Usual spellings of the keys of rules: a list for `Allow`, and a list for `Disallow`. A packed
/// rule stores the index of its spelling in the list. This index is called the form of the key.
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

/// Maximum length of a packed line's text, in bytes. A longer name or record is ignored, and a
/// longer pattern is cut.
pub(super) const LONGEST: usize = u16::MAX as usize;

/// Line of a robots.txt that is to be packed.
pub(super) struct NewLine<'a> {
    pub(super) kind: LineKind,
    pub(super) number: u32,
    /// True if a blank line comes after the previous packed line and before this line.
    pub(super) after_blank: bool,
    /// True if the line is a rule that has no effect by RFC 9309.
    pub(super) is_void: bool,
    /// True if the text of the line needs more than a comparison of plain text. The pattern of such
    /// a rule has a star, a final `$` or a host. The name in such an agent line is a pattern, such
    /// as `foo*`.
    pub(super) is_special: bool,
    /// Parsed text of the line. For an agent line, it is the name of the agent. For a rule, it is
    /// the pattern in normal form (percent-encoding in one spelling). For a record, it is one byte
    /// for the kind of the record, and then the value.
    pub(super) text: &'a [u8],
    /// Two texts: the line in the file, up to the end of its value, and the value alone. For a
    /// record, and for an agent line in a usual spelling, the key is left out of the first text.
    /// Each of the two texts is then equal to the field `text`.
    pub(super) written: (&'a [u8], &'a [u8]),
}

/// Lines of a robots.txt as one byte string.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedLines {
    bytes: Vec<u8>,
}

/// Offset of a line in [`PackedLines`], in bytes.
pub(super) type LineOffset = u32;

impl PackedLines {
    /// Creates an empty list of packed lines with room for `bytes` bytes.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// Wraps the byte string that [`PackedLines::bytes`] returned.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The byte string of all packed lines.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Offset at which the next line will be packed.
    pub(super) fn end(&self) -> LineOffset {
        LineOffset::try_from(self.bytes.len()).unwrap_or(LineOffset::MAX)
    }

    /// Packs `line` and appends it.
    pub(super) fn push(&mut self, line: &NewLine<'_>) {
        let text = &line.text[..line.text.len().min(LONGEST)];
        let (written, value) = line.written;
        // A pattern with a host is packed as a rare line. So no other line has to be searched for a
        // host.
        let is_plain = value == text && host_and_path(text).0.is_none();
        let form = if is_plain {
            form(line.kind, &written[..written.len() - value.len()])
        } else {
            None
        };
        match form {
            Some(form) if self.start_usual(line.head(form), line.number, text.len()) => {
                self.bytes.extend_from_slice(text);
            }
            _ => self.push_rare(line, text),
        }
    }

    /// Packs an agent line or a rule in the short format, which is for usual lines. `text` is the
    /// name or pattern, spelt as in the file. The first of `flags` is true if the line follows a
    /// blank line. The second is true if the name or pattern is special
    /// ([`RobotsLine::is_special`]).
    ///
    /// Returns true if the line was packed. If `number` or the length of `text` is too great for
    /// the short format, packs nothing and returns false.
    #[inline]
    pub(super) fn push_usual(
        &mut self,
        key: UsualKey,
        number: u32,
        text: &[u8],
        flags: [bool; 2],
    ) -> bool {
        let [after_blank, is_special] = flags;
        let head = key.kind as u8
            | flag(after_blank, AFTER_BLANK)
            | flag(is_special, SPECIAL)
            | key.form << FORM;
        let is_usual = self.start_usual(head, number, text.len());
        if is_usual {
            self.bytes.extend_from_slice(text);
        }
        is_usual
    }

    /// Packs a record, such as a `Crawl-delay` line. `mark` is the byte that stands for the kind of
    /// the record, and `number` is the line number. `after_blank` is true if the record follows a
    /// blank line.
    pub(super) fn push_record(&mut self, mark: u8, number: u32, value: &[u8], after_blank: bool) {
        let head = LineKind::Record as u8 | flag(after_blank, AFTER_BLANK);
        if self.start_usual(head, number, 1 + value.len()) {
            self.bytes.push(mark);
            self.bytes.extend_from_slice(value);
            return;
        }
        let text = [&[mark], value].concat();
        self.push(&NewLine {
            kind: LineKind::Record,
            number,
            after_blank,
            is_void: false,
            is_special: false,
            text: &text,
            written: (&text, &text),
        });
    }

    /// Packs the five bytes that come before the text in the short format, which is for usual
    /// lines. `head` is the first of these bytes. `length` is the length of the text in bytes.
    /// Returns true if the five bytes were packed. If `number` or `length` is too great for the
    /// short format, packs nothing and returns false.
    #[inline]
    fn start_usual(&mut self, head: u8, number: u32, length: usize) -> bool {
        let [low, middle, high, beyond] = number.to_le_bytes();
        let (Ok(length), 0) = (u8::try_from(length), beyond) else {
            return false;
        };
        self.bytes
            .extend_from_slice(&[head, length, low, middle, high]);
        true
    }

    /// Packs a line in the long format, which is for rare lines. This format also stores the line
    /// as it is spelt in the file. `text` is the parsed text of the line, cut to [`LONGEST`] bytes:
    /// for example, a pattern in normal form. The packed line has these parts:
    ///
    /// 1. five bytes, of which only the first is used
    /// 2. four numbers: the line number, then the lengths in bytes of `text`, of the line in the
    ///    file, and of its value
    /// 3. `text`
    /// 4. the line in the file, which ends with the value
    fn push_rare(&mut self, line: &NewLine<'_>, text: &[u8]) {
        let (written, value) = line.written;
        self.bytes.extend([line.head(RARE), 0, 0, 0, 0]);
        for number in [line.number as usize, text.len(), written.len(), value.len()] {
            self.bytes
                .extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        self.bytes.extend([text, written].concat());
    }

    /// Appends copies of the packed lines of `other` whose offsets are in `range`.
    pub(super) fn copy(&mut self, other: &Self, range: Range<LineOffset>) {
        let lines = &other.bytes[range.start as usize..range.end as usize];
        self.bytes.extend_from_slice(lines);
    }

    /// True if `other` has the same packed lines.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }

    /// Frees the unused memory of the byte string.
    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Returns the packed lines from the offset `from` to the offset `to`, or to the last line if
    /// `to` is `None`.
    #[inline]
    pub(super) fn lines(&self, from: LineOffset, to: Option<LineOffset>) -> LineList<'_> {
        let end = to.unwrap_or_else(|| self.end());
        LineList {
            bytes: &self.bytes[from as usize..end as usize],
            end,
        }
    }

    /// Returns the packed line at the offset `place`, or `None` at the end of the packed lines.
    #[inline]
    pub(super) fn line(&self, place: LineOffset) -> Option<RobotsLine<'_>> {
        self.lines(place, None).next()
    }
}

impl<'a> NewLine<'a> {
    /// Creates a [`NewLine`] that is like the packed line `line`, but has the text `text`. The last
    /// parameter is the result of [`RobotsLine::as_read`] for `line`.
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
    /// Returns the first byte of the packed line. It encodes the kind of the line, its flags, and
    /// `form`. `form` is the form of the key (the index of its spelling), or [`RARE`].
    fn head(&self, form: u8) -> u8 {
        let flags = flag(self.after_blank, AFTER_BLANK)
            | flag(self.is_void, VOID)
            | flag(self.is_special, SPECIAL);
        self.kind as u8 | flags | form << FORM
    }
}

/// Returns `flag` if `is` is true, and 0 otherwise.
fn flag(is: bool, flag: u8) -> u8 {
    if is { flag } else { 0 }
}

/// Key of an agent line or a rule in one of the usual spellings. [`FORMS`] lists the spellings of
/// the keys of rules.
#[derive(Clone, Copy)]
pub(super) struct UsualKey {
    kind: LineKind,
    form: u8,
}

impl UsualKey {
    /// Key of an agent line. All usual spellings of this key are packed in the same way.
    pub(super) const AGENT: Self = Self {
        kind: LineKind::Agent,
        form: 0,
    };

    /// Splits `line` into the key of a rule and the text after this key. The key must be `Allow` if
    /// `allows` is true, and `Disallow` otherwise. Returns `None` if `line` does not begin with a
    /// usual spelling of that key. Also returns `None` if neither `/` nor `*` follows the key.
    #[inline]
    pub(super) fn split(line: &[u8], allows: bool) -> Option<(Self, &[u8])> {
        let kind = if allows {
            LineKind::Allow
        } else {
            LineKind::Disallow
        };
        // Most files have only this spelling.
        let first = if allows {
            line.strip_prefix(b"Allow: ")
        } else {
            line.strip_prefix(b"Disallow: ")
        };
        if let Some(path @ [b'/', ..]) = first {
            return Some((Self { kind, form: 0 }, path));
        }
        for (key, form) in FORMS[usize::from(!allows)].iter().zip(0..) {
            // A path begins behind few of these keys, so its first byte is compared first.
            if matches!(line.get(key.len()), Some(b'/' | b'*'))
                && let Some(path) = line.strip_prefix(key.as_bytes())
            {
                return Some((Self { kind, form }, path));
            }
        }
        None
    }
}

/// Returns the form of a key: the index of its spelling in [`FORMS`]. Returns `None` if the
/// spelling is not in that table.
fn form(kind: LineKind, key: &[u8]) -> Option<u8> {
    let forms = match kind {
        LineKind::Allow => FORMS[0],
        LineKind::Disallow => FORMS[1],
        LineKind::Agent | LineKind::Record => return key.is_empty().then_some(0),
    };
    let form = forms.iter().position(|form| form.as_bytes() == key)?;
    u8::try_from(form).ok()
}

/// Rank of a rule by RFC 9309: the length of its pattern in bytes, and whether the rule allows. The
/// rule with the greatest rank decides.
pub(super) type Rank = (usize, bool);

/// One robots.txt line of [`PackedLines`].
#[derive(Clone, Copy, Debug)]
pub(super) struct RobotsLine<'a> {
    /// First byte of the packed line. It encodes the kind of the line, its flags, and the form of
    /// its key (the index of the key's spelling).
    head: u8,
    /// Offset of the line in [`PackedLines`].
    pub(super) place: LineOffset,
    /// Parsed text of the line. For an agent line, it is the name of the agent. For a rule, it is
    /// the pattern in normal form (percent-encoding in one spelling). For a record, it is one byte
    /// for the kind of the record, and then the value.
    pub(super) text: &'a [u8],
    /// Packed bytes from the start of this line. The packed lines after this line are included.
    /// Methods parse the line number and other values from these bytes when a caller asks for them.
    packed: &'a [u8],
}

/// Number of bytes before the parsed text of a line in the long format. The long format is for rare
/// lines: lines with an unusually spelt key, for example.
const BEFORE_RARE: usize = 5 + 4 * 4;

/// Parses the four numbers of a line in the long format. This format is for rare lines: lines with
/// an unusually spelt key, for example. The first number is the line number. The others are lengths
/// in bytes: of the parsed text, of the line in the file, and of the line's value. Returns `None`
/// if bytes are missing.
fn numbers(packed: &[u8]) -> Option<[u32; 4]> {
    let (numbers, _) = packed.get(5..BEFORE_RARE)?.as_chunks();
    Some(
        <[[u8; 4]; 4]>::try_from(numbers)
            .ok()?
            .map(u32::from_le_bytes),
    )
}

impl<'a> RobotsLine<'a> {
    /// Kind of the packed line: agent, allowance, denial or record.
    #[inline]
    pub(super) fn kind(&self) -> LineKind {
        match self.head & KIND {
            0 => LineKind::Agent,
            1 => LineKind::Allow,
            2 => LineKind::Disallow,
            _ => LineKind::Record,
        }
    }

    /// True if the line is a rule: an allowance or a denial.
    #[inline]
    pub(super) fn is_rule(&self) -> bool {
        matches!(self.kind(), LineKind::Allow | LineKind::Disallow)
    }

    /// True if the line is a rule that allows.
    #[inline]
    pub(super) fn allows(&self) -> bool {
        self.kind() == LineKind::Allow
    }

    /// Splits the rule's pattern into its host, if the pattern has a host, and its path.
    #[inline]
    pub(super) fn host_and_path(&self) -> (Option<&'a [u8]>, &'a [u8]) {
        if self.is_rare() {
            host_and_path(self.text)
        } else {
            (None, self.text)
        }
    }

    /// Rank of the rule by RFC 9309. A host in its pattern does not count.
    #[inline]
    pub(super) fn rank(&self) -> Rank {
        (self.host_and_path().1.len(), self.allows())
    }

    /// True if a blank line is between this line and the previous packed line in the file.
    pub(super) fn is_after_blank(&self) -> bool {
        self.head & AFTER_BLANK != 0
    }

    /// True if the line is a rule that has no effect by RFC 9309.
    #[inline]
    pub(super) fn is_void(&self) -> bool {
        self.head & VOID != 0
    }

    /// True if the text of the line needs more than a comparison of plain text. The pattern of such
    /// a rule has a star, a final `$` or a host. The name in such an agent line is a pattern, such
    /// as `foo*`.
    #[inline]
    pub(super) fn is_special(&self) -> bool {
        self.head & SPECIAL != 0
    }

    /// True if the line is packed in the long format, which also stores the line as in the file.
    /// This format is for rare lines: lines with an unusually spelt key or a long text, for
    /// example.
    #[inline]
    fn is_rare(&self) -> bool {
        self.head >> FORM == RARE
    }

    /// Number of the line in its robots.txt, from 1.
    pub(super) fn number(&self) -> u32 {
        if self.is_rare() {
            return numbers(self.packed).map_or(0, |[number, ..]| number);
        }
        match self.packed {
            [_, _, low, middle, high, ..] => u32::from_le_bytes([*low, *middle, *high, 0]),
            _ => 0,
        }
    }

    /// Text of the line in the file, and the length in bytes of the value at the end of that text.
    /// Only the long format stores this text. `None` for a line in the short format. The short
    /// format is for usual lines: the key has a usual spelling, and the text is short.
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

    /// Value of an agent line or a rule: the text after the colon, in the file's spelling. Empty
    /// for a rule from a repaired line.
    pub(super) fn value(&self) -> &'a [u8] {
        match self.rare() {
            Some((written, value)) => &written[written.len() - value..],
            None => self.text,
        }
    }

    /// Text of the line in the file before its value: blanks, key and colon. `None` for a line in a
    /// usual spelling, since this text is not stored for such a line.
    pub(super) fn front(&self) -> Option<&'a [u8]> {
        let (written, value) = self.rare()?;
        let front = &written[..written.len() - value];
        (!front.is_empty()).then_some(front)
    }

    /// Text of the rule in the file, without its comment and without the blanks at its ends.
    pub(super) fn written(&self) -> Cow<'a, str> {
        match self.rare() {
            Some((written, _)) => String::from_utf8_lossy(written.trim_ascii_start()),
            None => Cow::Owned([self.key(), &String::from_utf8_lossy(self.text)].concat()),
        }
    }

    /// Text of the line in the file, and the length in bytes of the value at the end of that text.
    /// For an agent line or record in the short format, the text is only the value. The short
    /// format does not store the key of such a line. The pair is a parameter of
    /// [`NewLine::with_text`].
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

    /// Returns the key of a rule as it is spelt in the file. The colon and the blanks after the key
    /// are included. The rule must be packed in the short format, which is for the spellings in
    /// [`FORMS`]. Returns an empty text for a rule in the long format.
    fn key(&self) -> &'static str {
        let forms = FORMS[usize::from(!self.allows())];
        forms
            .get(usize::from(self.head >> FORM))
            .copied()
            .unwrap_or_default()
    }
}

/// Iterator over a part of the packed lines of a robots.txt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineList<'a> {
    /// Packed bytes of the lines that the iterator has not returned yet.
    bytes: &'a [u8],
    end: LineOffset,
}

impl<'a> LineList<'a> {
    /// Returns the first lines of this list, up to the first line for which `ends` is true. That
    /// line is left out. If `ends` is true for no line, returns the whole list.
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

    /// Range of offsets in [`PackedLines`] from the next line of this list to the end of its last
    /// line.
    #[inline]
    pub(super) fn span(&self) -> Range<LineOffset> {
        self.end - self.bytes.len() as LineOffset..self.end
    }

    /// Returns the next line, which must be packed in the long format. This format is for rare
    /// lines: lines with an unusually spelt key, for example. Returns `None` if bytes are missing.
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
