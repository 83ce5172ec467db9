//! Scans a whole text for a pass that needs only the policy of the page. **It finds the bytes that
//! the lexer must read: no other byte can state something about the page or make it an error.**
//!
//! The scan follows the standard's tokenizer states without `lol_html`: text, tags with quoted
//! attributes, comments, raw text (`raw_text`). It passes each start tag, end tag, comment and raw
//! text to a [`TokenSelector`], which decides what the lexer must read. The lexer skips all other
//! bytes, and only advances line, column and offset.
//!
//! The scan is sure of plain HTML only. A drawing (svg) is plain if its elements are known and
//! properly nested. A `select` is plain if it holds only options. A `template` is plain if it ends
//! and the lexer need not read anything in it. The scan is unsure of anything else: `math`,
//! `frameset`, `plaintext`, CDATA, and markup that the end of the text cuts off. If it is unsure,
//! the whole text must be read. That is slower, but never wrong. The scan does not decide what a
//! tag means.

use crate::html::{self, Facts, Tag};

use super::bracket::CDATA;
use super::kept::{Keep, KeptParts, NotScannable, ScannedToken};
use super::last::LastToken;
use super::raw_text::RawText;
use super::token::{Token, TokenKind};

/// Callbacks that decide, for each token of a page, how much of this token the lexer must read.
pub(crate) trait TokenSelector {
    /// Returns how much of a start tag the lexer must read.
    fn start(&mut self, tag: &Token<'_>) -> Keep;
    /// Returns how much of the raw text after the start tag `tag` the lexer must read.
    fn raw_text(&mut self, tag: &Token<'_>, text: &str) -> Keep;
    /// Returns how much of an end tag the lexer must read.
    fn end(&mut self, tag: &Token<'_>) -> Keep;
    /// Returns how much of a comment written `<!--` the lexer must read.
    fn comment(&mut self, comment: &Token<'_>) -> Keep;
}

/// Parts of a page's text that the lexer must read. The counts cover the whole text, so that
/// skipped parts are checked against limits too.
#[derive(Debug, Default)]
pub(crate) struct ScanResult {
    pub(crate) kept: KeptParts,
    /// Number of start tags in the whole text.
    pub(crate) starts: usize,
    /// Length in bytes of the longest tag, comment or doctype.
    pub(crate) longest: usize,
    /// Number of attributes of the tag that has the most.
    pub(crate) attributes: usize,
}

/// Scans the text of a page for the parts that the lexer must read. Returns `None` if the lexer
/// must read the whole text.
pub(crate) fn scan(text: &str, selector: &mut impl TokenSelector) -> Option<ScanResult> {
    let mut scanner = Scanner {
        text,
        at: 0,
        selector,
        found: ScanResult::default(),
        last: LastToken::new(text),
        templates: 0,
        may_have_words: false,
    };
    match scanner.scan_page() {
        Ok(()) => Some(scanner.found),
        Err(NotScannable) => None,
    }
}

/// Cursor over a text, with the parts selected so far.
struct Scanner<'t, S> {
    text: &'t str,
    /// Byte offset of the cursor. All bytes before the cursor were read. The cursor is never inside
    /// a tag or a comment.
    at: usize,
    selector: &'t mut S,
    /// Result of the scan up to the cursor: the parts that the lexer must read, and counts of tags
    /// and attributes.
    found: ScanResult,
    /// The last token that was read.
    last: LastToken<'t>,
    /// Number of open templates.
    templates: usize,
    /// True if the last token is a start tag whose element may contain words.
    may_have_words: bool,
}

/// Kind of the next construct in the text, with the offset at which it begins.
enum ScanEvent {
    Start(usize),
    End(usize),
    Comment(usize),
    /// A doctype, or markup that HTML turns into a comment.
    Other(usize),
    Nothing,
}

/// A start tag that the scan has read, and the selector's decision on how much of the tag the lexer
/// must read.
struct StartTag<'t> {
    tag: Tag,
    /// Name of the tag, as spelled in the page.
    name: &'t str,
    keep: Keep,
}

/// The loop over the page's text, and the search for the next token.
impl<S: TokenSelector> Scanner<'_, S> {
    /// Reads the whole text, and adds to `found` the parts that the lexer must read.
    ///
    /// # Errors
    /// Fails if the lexer must read the whole text, for example because the text is not plain HTML.
    fn scan_page(&mut self) -> Result<(), NotScannable> {
        let mut has_begun = false;
        loop {
            let before = self.at;
            let templates = self.templates;
            self.may_have_words = false;
            let (from, keep) = match self.next()? {
                ScanEvent::Start(from) => (from, self.element(from)?),
                ScanEvent::End(from) => (from, self.end_tag(from)?.1),
                ScanEvent::Comment(from) => (from, self.comment(from)?),
                ScanEvent::Other(from) => (from, Keep::Nothing),
                ScanEvent::Nothing => (self.text.len(), Keep::Nothing),
            };
            if templates > 0 || self.templates > 0 {
                self.require_nothing_kept(if has_begun { keep } else { Keep::Everything })?;
                self.found.kept.skip_token()?;
            } else {
                self.found.kept.add(
                    self.text,
                    &ScannedToken {
                        keep,
                        text: before..from,
                        end: self.at,
                        may_have_words: self.may_have_words,
                    },
                )?;
            }
            // The bytes before the head decide where the head begins, so they are all kept.
            if !has_begun {
                has_begun = self.begins_content(from);
                self.found.kept.keep_all_until(self.at);
            }
            if from == self.text.len() {
                return if self.templates > 0 {
                    Err(NotScannable)
                } else {
                    self.found.kept.end()
                };
            }
        }
    }

    /// True if the head or the body has begun with the last token. This is so if the token is a
    /// start tag other than `html`. `from` is the byte offset at which the token starts.
    fn begins_content(&self, from: usize) -> bool {
        let is_start = self
            .text
            .as_bytes()
            .get(from + 1)
            .is_some_and(u8::is_ascii_alphabetic);
        is_start
            && !self.text[from + 1..]
                .get(..4)
                .is_some_and(|name| name.eq_ignore_ascii_case("html"))
    }

    /// Finds the next tag, comment or other markup after the cursor. Does not move the cursor past
    /// a tag or a comment, since the caller reads this token. Moves the cursor past markup of the
    /// kind [`ScanEvent::Other`]. Fails if the markup is not plain, such as CDATA.
    #[inline]
    fn next(&mut self) -> Result<ScanEvent, NotScannable> {
        let bytes = self.text.as_bytes();
        loop {
            let rest = &bytes[self.at..];
            // A fast path, since most tags directly follow another.
            let found = if rest.first() == Some(&b'<') {
                Some(0)
            } else {
                memchr::memchr(b'<', rest)
            };
            let Some(found) = found else { break };
            let from = self.at + found;
            match bytes.get(from + 1).ok_or(NotScannable)? {
                name if name.is_ascii_alphabetic() => return Ok(ScanEvent::Start(from)),
                b'/' => match bytes.get(from + 2).ok_or(NotScannable)? {
                    name if name.is_ascii_alphabetic() => return Ok(ScanEvent::End(from)),
                    b'>' => self.at = from + 3,
                    _ => return self.skip_markup(from),
                },
                b'!' if bytes[from..].starts_with(b"<!--") => return Ok(ScanEvent::Comment(from)),
                b'!' if bytes[from..].starts_with(CDATA) => return Err(NotScannable),
                b'!' | b'?' => return self.skip_markup(from),
                _ => self.at = from + 1,
            }
        }
        self.at = bytes.len();
        Ok(ScanEvent::Nothing)
    }

    /// Moves the cursor behind markup that starts at byte offset `from` and ends with the next `>`.
    /// Fails if no `>` follows.
    fn skip_markup(&mut self, from: usize) -> Result<ScanEvent, NotScannable> {
        let length = memchr::memchr(b'>', &self.text.as_bytes()[from..]).ok_or(NotScannable)?;
        self.pass(from, from + length + 1);
        Ok(ScanEvent::Other(from))
    }

    /// Moves the cursor to byte offset `end`, where the token that starts at `from` ends. Records
    /// the token's length.
    #[inline]
    fn pass(&mut self, from: usize, end: usize) {
        self.found.longest = self.found.longest.max(end - from);
        self.at = end;
    }
}

/// Methods that read one token of HTML, and the raw text that may follow the token.
impl<'t, S: TokenSelector> Scanner<'t, S> {
    /// Reads the start tag at byte offset `from`, with the raw text, the drawing (svg) or the
    /// `select` that it begins. Returns how much of them the lexer must read.
    #[inline]
    fn element(&mut self, from: usize) -> Result<Keep, NotScannable> {
        let StartTag { tag, keep, .. } = self.start_tag(from, false)?;
        if !tag.has(Facts::STEERS) || tag == Tag::TABLE {
            let is_column = self.templates > 0 && tag.name() == "col";
            return if is_column {
                Err(NotScannable)
            } else {
                Ok(keep)
            };
        }
        if keep != Keep::Nothing {
            return Err(NotScannable);
        }
        // Text in these elements is not body text. Text in the others may be.
        self.may_have_words =
            !tag.has(Facts::INERT) && !matches!(tag, Tag::TITLE | Tag::SCRIPT | Tag::STYLE);
        match RawText::opened_by(tag) {
            Some(raw_text) => return self.raw_text(raw_text, from),
            None if tag == Tag::SVG && !self.last.token.self_closing => self.drawing()?,
            None if tag == Tag::TEMPLATE => self.templates += 1,
            None if tag.name() == "select" => self.select()?,
            None => return Err(NotScannable),
        }
        Ok(Keep::Nothing)
    }

    #[inline]
    fn start_tag(&mut self, from: usize, foreign: bool) -> Result<StartTag<'t>, NotScannable> {
        let bytes = self.text.as_bytes();
        let (tag, name_end) = Tag::read(bytes, from + 1);
        let foreign = foreign || matches!(tag, Tag::SVG | Tag::MATH);
        let length = self
            .last
            .start(&bytes[from..], name_end - from, foreign)
            .ok_or(NotScannable)?;
        let name = &self.text[from + 1..name_end];
        // HTML reads `image` as `img`.
        let tag = if tag == Tag::IMAGE && !foreign {
            Tag::IMG
        } else {
            tag
        };
        self.last.set_name(tag, name);
        self.found.starts += 1;
        self.found.attributes = self.found.attributes.max(self.last.attributes.len());
        self.pass(from, from + length);
        let keep = self.selector.start(&self.last.token(from..self.at));
        Ok(StartTag { tag, name, keep })
    }

    /// Reads the end tag at byte offset `from`. Returns its name, as spelled in the page, and how
    /// much of the tag the lexer must read.
    #[inline]
    fn end_tag(&mut self, from: usize) -> Result<(&'t str, Keep), NotScannable> {
        let bytes = self.text.as_bytes();
        let (tag, name_end) = Tag::read(bytes, from + 2);
        let end = match bytes.get(name_end) {
            Some(b'>') => name_end,
            _ => html::attributes(bytes, name_end, |_, _| ()),
        };
        if end >= bytes.len() {
            return Err(NotScannable);
        }
        let name = &self.text[from + 2..name_end];
        self.last.begin(TokenKind::End);
        self.last.set_name(tag, name);
        self.pass(from, end + 1);
        self.templates -= usize::from(tag == Tag::TEMPLATE && self.templates > 0);
        Ok((name, self.selector.end(&self.last.token(from..self.at))))
    }

    fn comment(&mut self, from: usize) -> Result<Keep, NotScannable> {
        let text = &self.text.as_bytes()[from + 4..];
        let is_end = |at: &usize| {
            let before = &text[..*at];
            matches!(before, b"" | b"-") || before.ends_with(b"--") || before.ends_with(b"--!")
        };
        let length = memchr::memchr_iter(b'>', text)
            .find(is_end)
            .ok_or(NotScannable)?;
        self.last.begin(TokenKind::Comment);
        self.last.set_name(Tag::UNKNOWN, "");
        self.pass(from, from + 4 + length + 1);
        Ok(self.selector.comment(&self.last.token(from..self.at)))
    }

    /// Reads the raw text after the start tag at byte offset `from`, and the end tag after this
    /// text. Returns how much of the raw text and of the end tag the lexer must read.
    fn raw_text(&mut self, mut raw_text: RawText, from: usize) -> Result<Keep, NotScannable> {
        let begin = self.at;
        let (length, is_over) = raw_text.read(&self.text.as_bytes()[begin..], false);
        if !is_over {
            return Err(NotScannable);
        }
        let end = begin + length;
        let keep = self
            .selector
            .raw_text(&self.last.token(from..begin), &self.text[begin..end]);
        Ok(keep.max(self.end_tag(end)?.1))
    }
}

/// Methods that read a drawing (svg) or a `select` to its end. They fail if the [`TokenSelector`]
/// decides that the lexer must read a token inside. They also fail if the markup inside is not
/// plain. After such an error, the lexer must read the whole text of the page.
impl<S: TokenSelector> Scanner<'_, S> {
    /// Fails unless `keep`, the selector's decision about a token, is [`Keep::Nothing`]. Called for
    /// tokens inside a drawing (svg), a `select` or a template.
    #[inline]
    fn require_nothing_kept(&self, keep: Keep) -> Result<(), NotScannable> {
        if keep == Keep::Nothing {
            Ok(())
        } else {
            Err(NotScannable)
        }
    }

    /// Reads the content of an svg, and its end tag. Each element in the svg must be a known svg
    /// element, and must end before the element around it does. Then `lol_html`, the lexer and a
    /// browser agree on the end of the drawing.
    fn drawing(&mut self) -> Result<(), NotScannable> {
        let mut open = vec!["svg"];
        let mut holds_text = false;
        while !open.is_empty() {
            match self.next()? {
                ScanEvent::Start(from) if !holds_text && open.len() < DEEPEST => {
                    let StartTag { name, keep, .. } = self.start_tag(from, true)?;
                    let content = SvgContent::from_name(self.last.name());
                    let closes_itself = self.last.token.self_closing;
                    holds_text = content == SvgContent::Text;
                    if keep != Keep::Nothing
                        || content == SvgContent::Unknown
                        || holds_text && closes_itself
                    {
                        return Err(NotScannable);
                    }
                    if !closes_itself {
                        open.push(name);
                    }
                }
                ScanEvent::End(from) => {
                    let (name, keep) = self.end_tag(from)?;
                    self.require_nothing_kept(keep)?;
                    // `</svg>` also ends the elements that are still open in the drawing.
                    if !holds_text && is_svg(name) && !open[1..].iter().any(|open| is_svg(open)) {
                        break;
                    }
                    let ended = open.pop().ok_or(NotScannable)?;
                    if !ended.eq_ignore_ascii_case(name) {
                        return Err(NotScannable);
                    }
                    holds_text = false;
                }
                ScanEvent::Comment(from) if !holds_text => {
                    let keep = self.comment(from)?;
                    self.require_nothing_kept(keep)?;
                }
                _ => return Err(NotScannable),
            }
        }
        Ok(())
    }

    /// Reads the content of a `select`, which must be options, and its end tag.
    fn select(&mut self) -> Result<(), NotScannable> {
        loop {
            match self.next()? {
                ScanEvent::Start(from) => {
                    let keep = self.start_tag(from, false)?.keep;
                    if keep != Keep::Nothing || !is_option(self.last.name()) {
                        return Err(NotScannable);
                    }
                }
                ScanEvent::End(from) => {
                    let (_, keep) = self.end_tag(from)?;
                    self.require_nothing_kept(keep)?;
                    match self.last.name() {
                        "select" => break,
                        name if is_option(name) => {}
                        _ => return Err(NotScannable),
                    }
                }
                ScanEvent::Comment(from) => {
                    let keep = self.comment(from)?;
                    self.require_nothing_kept(keep)?;
                }
                ScanEvent::Other(_) | ScanEvent::Nothing => return Err(NotScannable),
            }
        }
        Ok(())
    }
}

fn is_svg(name: &str) -> bool {
    name.eq_ignore_ascii_case("svg")
}

/// True if the scan accepts an element of this name inside a `select`. `name` is in lower case.
fn is_option(name: &str) -> bool {
    matches!(name, "option" | "optgroup")
}

/// Maximum number of open elements in a drawing (svg). If this many are open, the scan fails at the
/// next start tag.
const DEEPEST: usize = 64;

/// Content that the scan accepts in an element of a drawing (svg).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SvgContent {
    /// Other svg elements.
    Elements,
    /// Text alone, since markup in the element may be HTML.
    Text,
    Unknown,
}

impl SvgContent {
    fn from_name(name: &str) -> Self {
        match name {
            "title" | "desc" | "style" => Self::Text,
            "a"
            | "animate"
            | "animatemotion"
            | "animatetransform"
            | "circle"
            | "clippath"
            | "defs"
            | "ellipse"
            | "feblend"
            | "fecolormatrix"
            | "fecomponenttransfer"
            | "fecomposite"
            | "fedropshadow"
            | "feflood"
            | "fefunca"
            | "fefuncb"
            | "fefuncg"
            | "fefuncr"
            | "fegaussianblur"
            | "feimage"
            | "femerge"
            | "femergenode"
            | "femorphology"
            | "feoffset"
            | "fetile"
            | "feturbulence"
            | "filter"
            | "g"
            | "image"
            | "line"
            | "lineargradient"
            | "marker"
            | "mask"
            | "metadata"
            | "mpath"
            | "path"
            | "pattern"
            | "polygon"
            | "polyline"
            | "radialgradient"
            | "rect"
            | "set"
            | "stop"
            | "svg"
            | "symbol"
            | "text"
            | "textpath"
            | "tspan"
            | "use"
            | "view" => Self::Elements,
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lexer;
    use super::*;
    use heedful_base::error::Result;
    use heedful_base::limits::Limits;

    /// Properties of a token that the test compares. First come the kind, one string with the name
    /// and the source of the token, and the attributes. The first `bool` is true for a tag of svg
    /// or `MathML`. The second is true for a tag that ends with `/>`.
    type Seen = (TokenKind, String, Vec<(String, String)>, bool, bool);

    fn seen(token: &Token<'_>) -> Seen {
        let written = token
            .attributes()
            .written()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let is_start = token.kind() == TokenKind::Start;
        let raw = format!("{} {}", token.name(), token.raw());
        (
            token.kind(),
            raw,
            written,
            is_start && token.is_foreign(),
            is_start && token.has_slash(),
        )
    }

    /// Selector for the test: it selects nothing for the lexer and records each token.
    #[derive(Default)]
    struct Notes(Vec<Seen>);

    impl TokenSelector for Notes {
        fn start(&mut self, tag: &Token<'_>) -> Keep {
            self.0.push(seen(tag));
            Keep::Nothing
        }

        fn raw_text(&mut self, _: &Token<'_>, _: &str) -> Keep {
            Keep::Nothing
        }

        fn end(&mut self, tag: &Token<'_>) -> Keep {
            self.0.push(seen(tag));
            Keep::Nothing
        }

        fn comment(&mut self, comment: &Token<'_>) -> Keep {
            self.0.push(seen(comment));
            Keep::Nothing
        }
    }

    /// Returns the tags and comments that the lexer reads in `text`. The test compares them with
    /// the tags and comments of the scan.
    fn lexed(text: &str) -> Result<Vec<Seen>> {
        let (mut lexer, mut tokens) = (Lexer::new(&Limits::default()), Vec::new());
        let mut out = |token: &Token<'_>| {
            let is_shown = matches!(
                token.kind(),
                TokenKind::Start | TokenKind::End | TokenKind::Comment
            );
            tokens.extend(is_shown.then(|| seen(token)));
            Ok(())
        };
        lexer.write(text, &mut out)?;
        lexer.end(&mut out)?;
        Ok(tokens)
    }

    const PIECES: &str = "<p>|</p>|<b a='>'| c=\">\"|/|>|<|</|x|\u{0}|ü| |=|'|\"|<a b=/>|<br/>|<!--|-->|--|-|--!>|<!-->|<!--->|\
        <!--!>|<!x>|<?x>|</ y>|</>|<!DOCTYPE html '>'>|<![CDATA[|]]>|<script>|<script a=>|</script >|</scripty>|\
        <SCRIPT>|<title>|</title\n>|<style>|</style/>|<textarea>|</textarea>|<noscript>|</noscript>|<iframe>|\
        </iframe>|<xmp>|</xmp>|<plaintext>|<svg>|<svg>|<svg/>|</svg>|</svg>|</SVG >|<g>|</g>|<path d=M/>|\
        <path d='M'/>|<Path />|<svg><title>|</title></svg>|<svg><style>|</style></svg>|<desc>|</desc>|<use/>|\
        <a>|</a>|<svg><a><image/></a>|<math>|</math>|<select>|<option>|</option>|</select>|<template>|\
        </template>|<table>|<td>|<image>|<annotation-xml encoding='&'>|<frameset>|<x-y Z=1>|</X-y>|&amp;|\
        <foreignObject>|</foreignObject>|<scr\u{0}ipt>|\r\n|<body>|<html a>|<linearGradient/>";

    /// If the scan of a text succeeds, the lexer accepts the text, and reads the same tags and
    /// comments as the scan.
    #[test]
    fn what_is_plain_is_read_alike() {
        let mut state = 11_u64;
        let mut next = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        let pieces: Vec<&str> = PIECES.split('|').collect();
        let mut sure = 0;
        for _ in 0..60_000 {
            let html: String = (0..=next(16)).map(|_| pieces[next(pieces.len())]).collect();
            let mut notes = Notes::default();
            if scan(&html, &mut notes).is_some() {
                sure += 1;
                assert_eq!(lexed(&html).ok(), Some(notes.0), "{html:?}");
            }
        }
        assert!(sure > 5_000, "{sure}");
    }
}
