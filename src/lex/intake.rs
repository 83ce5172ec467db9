//! Buffer that the tokenizer's handlers fill: the *window*, which is the text not yet emitted, and
//! the tokens found in it.
//!
//! The tokenizer reports comments and doctypes. Everything else is found in the gaps between them:
//! tags (see `start_tag` for start tags), text, CDATA marks. Tokens are adjacent, so no byte is
//! lost. At each comment and doctype both must agree on where it begins. The tokenizer is stopped
//! where it may differ from a browser: either for good, or to restart it.

use std::ops::Range;

use crate::html::{self, Facts, Tag};

use super::bracket::{CDATA, Construct};
use super::confirmation::Confirmation;
use super::context::LexContext;
use super::namespaces::Namespaces;
use super::raw_text::RawText;
use super::token::{Attribute, RawToken, TokenKind};

/// Estimated number of bytes of a page per token, and also per attribute. The estimate decides how
/// much memory is reserved for tokens and attributes.
const BYTES_A_TOKEN: usize = 48;

/// Maximum number of bytes before the `/>` of a tag such as `<svg/>`. If the tag is shorter, it is
/// found before `lol_html` reads it, and `lol_html` is restarted directly after the tag. If the tag
/// is longer, `lol_html` reads past it, and may refuse the page.
const LONGEST_DRAWING_TAG: usize = 1024;

/// Reason for which a handler stops `lol_html`.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stop {
    #[error("the tokenizer begins anew")]
    Anew(Renewal),
    /// A browser may read the markup in another way than `lol_html`. The message describes the
    /// markup.
    #[error("{0}")]
    Ambiguous(&'static str),
}

const TEXT_TAKEN_FOR_MARKUP: Stop = Stop::Ambiguous("text that the tokenizer takes for markup");

/// Buffer that the handlers of the tokenizer `lol_html` fill. Its *window* is the text that is not
/// yet emitted. The buffer also has the tokens that were found in the window.
#[derive(Debug, Default)]
pub(super) struct Intake {
    pub(super) window: String,
    /// Offset of the window's start in `lol_html`'s input. Negative if `lol_html` started inside
    /// the window.
    origin: isize,
    /// Offset in the window at which the last token ends.
    pub(super) tokens_end: usize,
    pub(super) tokens: Vec<RawToken>,
    /// Names of the tags that are [`Tag::UNKNOWN`], in lower case, joined without separators.
    pub(super) names: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) namespaces: Namespaces,
    pub(super) context: LexContext,
    /// Kind of the raw text after the last token, such as the text of a script. Tags in raw text
    /// are not markup. `None` if no raw text follows the last token.
    pub(super) raw_text: Option<RawText>,
    /// Comparison of the lexer's start tags with those that the tokenizer `lol_html` reports.
    /// `None` if `lol_html` is not asked to report start tags.
    pub(super) confirmation: Option<Confirmation>,
}

/// A restart of the tokenizer `lol_html`. It has the offset in the window (the text not yet
/// emitted) at which `lol_html` resumes. It also has the start tags that `lol_html` must be fed
/// first.
#[derive(Debug)]
pub(super) struct Renewal {
    at: usize,
    pub(super) start_tags: String,
    /// Number of tags in `start_tags`.
    count: usize,
}

impl Intake {
    pub(super) fn append(&mut self, piece: &str) {
        if self.tokens.is_empty() {
            self.tokens.reserve(piece.len() / BYTES_A_TOKEN);
            self.attributes.reserve(piece.len() / BYTES_A_TOKEN);
        }
        self.window.push_str(piece);
    }

    /// Converts an offset in `lol_html`'s input to an offset in the window. Returns 0 for an offset
    /// before the window.
    pub(super) fn local(&self, offset: usize) -> usize {
        offset.saturating_add_signed(self.origin.saturating_neg())
    }

    /// Prepares the buffer for a restarted `lol_html`. Returns the number of bytes at the window's
    /// end that `lol_html` must read.
    pub(super) fn renew(&mut self, renewal: &Renewal) -> usize {
        if let Some(confirmation) = &mut self.confirmation {
            confirmation.ignore(renewal.count);
        }
        let fed = isize::try_from(renewal.start_tags.len()).unwrap_or(0);
        self.origin = fed - isize::try_from(renewal.at).unwrap_or(isize::MAX);
        self.window.len() - renewal.at
    }

    /// Returns how many bytes are fed to the tokenizer `lol_html` next. `unread` is the number of
    /// bytes at the end of the window that were not fed yet. The window is the text not yet
    /// emitted. `lol_html` is restarted after the first tag like `<svg/>` or `<math/>`, so the
    /// bytes after this tag are not fed. Without such a tag, returns `unread`.
    pub(super) fn next_part(&self, unread: usize) -> usize {
        let bytes = self.window.as_bytes();
        let from = bytes.len() - unread;
        for end in memchr::memmem::find_iter(&bytes[from.saturating_sub(1)..], b"/>") {
            let end = from.saturating_sub(1) + end;
            let tag = &bytes[self.tokens_end.max(end.saturating_sub(LONGEST_DRAWING_TAG))..end];
            let begin = memchr::memrchr(b'<', tag).map_or(tag.len(), |begin| begin + 1);
            if matches!(Tag::read(tag, begin).0, Tag::SVG | Tag::MATH) {
                return end + 2 - from;
            }
        }
        unread
    }

    /// Returns the length in bytes of a character reference at the end of the last text token, if
    /// the reference may be incomplete, such as `&am`. Returns 0 if there is no such reference.
    pub(super) fn open_reference_length(&self) -> usize {
        match self.tokens.last() {
            Some(token) if token.references && token.range.end == self.tokens_end => {
                html::open_reference(&self.window[token.range.clone()])
            }
            _ => 0,
        }
    }

    /// Drops the emitted tokens, with their part of the window. The last `held` bytes of the last
    /// text token are not emitted yet, and stay.
    pub(super) fn drop_emitted(&mut self, held: usize) {
        let last = self.tokens.pop().filter(|_| held > 0);
        self.tokens.clear();
        self.names.clear();
        self.attributes.clear();
        let gone = self.tokens_end - held;
        self.window.drain(..gone);
        self.origin += isize::try_from(gone).unwrap_or(0);
        self.tokens_end = held;
        if let Some(token) = last {
            self.tokens.push(RawToken {
                range: 0..held,
                ..token
            });
        }
    }

    /// Converts a range in the input of the tokenizer `lol_html` to a range in the window. The
    /// window is the text not yet emitted.
    ///
    /// # Errors
    /// Fails if the range begins before the window. The bytes there were already emitted as other
    /// tokens.
    fn local_range(&self, range: &Range<usize>) -> Result<Range<usize>, Stop> {
        if range
            .start
            .checked_add_signed(self.origin.saturating_neg())
            .is_none()
        {
            return Err(TEXT_TAKEN_FOR_MARKUP);
        }
        Ok(self.local(range.start)..self.local(range.end))
    }

    pub(super) fn comment(&mut self, range: Range<usize>) -> Result<(), Stop> {
        let range = self.local_range(&range)?;
        let raw = &self.window[range.clone()];
        let is_cdata = raw.starts_with("<![CDATA[");
        let kind = if raw.starts_with("<!--") {
            TokenKind::Comment
        } else {
            TokenKind::Bogus
        };
        self.token(kind, range)?;
        if is_cdata && self.namespaces.are_in_integration_point() {
            return Err(Stop::Ambiguous("CDATA right inside an integration point"));
        }
        if is_cdata { self.cdata() } else { Ok(()) }
    }

    /// Checks that the meaning of a `<![CDATA[` is certain. In svg and `MathML`, this mark begins
    /// text. In HTML, it begins a comment.
    ///
    /// # Errors
    /// Fails if it is not certain whether svg or `MathML` is open here.
    fn cdata(&self) -> Result<(), Stop> {
        if self.namespaces.are_in_doubt() {
            return Err(Stop::Ambiguous("CDATA where svg may or may not be open"));
        }
        Ok(())
    }

    pub(super) fn doctype(&mut self, range: Range<usize>) -> Result<(), Stop> {
        let range = self.local_range(&range)?;
        self.token(TokenKind::Doctype, range)
    }

    /// Appends a token that the tokenizer `lol_html` reported. `range` is the token's byte range in
    /// the window (the text not yet emitted). If there are tokens before `range` that `lol_html`
    /// did not report, appends these tokens first.
    fn token(&mut self, kind: TokenKind, range: Range<usize>) -> Result<(), Stop> {
        self.gap(range.start, false)?;
        if self.raw_text.is_some() || self.tokens_end != range.start {
            return Err(TEXT_TAKEN_FOR_MARKUP);
        }
        self.push_token(kind, range.len());
        Ok(())
    }

    /// True if no drawing (svg or `MathML`) and no template is open at this point. Then only a few
    /// kinds of tags change the lexer's state.
    #[inline]
    pub(super) fn is_plain_here(&self) -> bool {
        self.namespaces.are_outside() && self.context.is_in_no_template()
    }

    /// Returns the error that stops `lol_html` for a restart at offset `at` in the window. After
    /// the restart it is first fed the start tags of the open drawings (svg or `MathML`), then the
    /// start tag `tag`. If the state here is not certain, the error is [`Stop::Ambiguous`] instead.
    pub(super) fn begin_anew(&self, at: usize, tag: Option<String>) -> Result<(), Stop> {
        if self.namespaces.are_in_doubt() || !self.context.is_initial() {
            return Err(Stop::Ambiguous(
                "the tokenizer must begin anew, and it is not certain where it is",
            ));
        }
        let start_tags: Vec<String> = self.namespaces.path().chain(tag).collect();
        Err(Stop::Anew(Renewal {
            at,
            start_tags: start_tags.concat(),
            count: start_tags.len(),
        }))
    }

    /// Appends the tokens between the last token and the offset `end` of the window (the text not
    /// yet emitted). They are tags, texts and CDATA marks, which the tokenizer `lol_html` does not
    /// report. If `last` is true, the page ends at `end`, and all bytes become tokens. Otherwise
    /// bytes at the end are left if their token depends on later bytes.
    pub(super) fn gap(&mut self, end: usize, last: bool) -> Result<(), Stop> {
        let mut goes_on = true;
        while goes_on && self.tokens_end < end {
            goes_on = if self.raw_text.is_some() {
                self.raw_text(end, last)
            } else {
                self.markup(end, last)?
            };
        }
        Ok(())
    }

    /// Moves `tokens_end` to the markup that the tokenizer `lol_html` has refused. The error
    /// message can then name the line of this markup, which `lol_html` does not report. If the
    /// lexer finds no ambiguous markup, `tokens_end` stays.
    pub(super) fn find_ambiguity(&mut self) {
        let before = self.tokens_end;
        if self.gap(self.window.len(), false).is_ok() {
            self.tokens_end = before;
        }
    }

    /// Appends the next text, and then the tag or CDATA mark (`<![CDATA[`) after this text. No
    /// appended token extends beyond the offset `end` of the window (the text not yet emitted). If
    /// no tag or mark begins before `end`, all bytes up to `end` become text. Returns false if more
    /// bytes must arrive before the tag or mark is known. If `last` is true, the page ends at
    /// `end`.
    fn markup(&mut self, end: usize, last: bool) -> Result<bool, Stop> {
        let Some((at, construct)) = self.bracket(end, last) else {
            self.text(end - self.tokens_end, true);
            return Ok(true);
        };
        let limit = end - at;
        self.text(at - self.tokens_end, true);
        match construct {
            Construct::StartTag => return self.start_tag(end, last),
            Construct::EndTag(length) if length <= limit => self.end_tag(length),
            Construct::Nothing(length) if length <= limit => {
                self.push_token(TokenKind::Other, length);
            }
            Construct::Cdata => {
                self.cdata()?;
                self.push_token(TokenKind::Other, CDATA.len());
                self.raw_text = Some(RawText::Cdata);
            }
            Construct::MissedMarkup => {
                return Err(Stop::Ambiguous("markup that the tokenizer takes for text"));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Appends the next `length` bytes as an end tag.
    #[inline]
    fn end_tag(&mut self, length: usize) {
        let range = self.push_token(TokenKind::End, length);
        let TagName { tag, unknown, .. } = self.name(range.start + 2..range.end);
        if tag.has(Facts::STEERS) || !self.is_plain_here() {
            let name = tag_name_text(tag, &unknown, &self.names);
            self.namespaces.end(name, &self.context);
            self.context.end(name);
        }
        if let Some(token) = self.tokens.last_mut() {
            token.tag = tag;
            token.name = unknown;
        }
    }

    /// Finds the first `<` before the offset `end` that is not text, but begins a construct such as
    /// a tag. Returns the offset of the `<` in the window (the text not yet emitted), and the
    /// construct. Returns `None` if there is no such `<`.
    fn bracket(&self, end: usize, last: bool) -> Option<(usize, Construct)> {
        let bytes = self.window.as_bytes();
        let mut at = self.tokens_end;
        loop {
            if bytes[at..end].first() != Some(&b'<') {
                at += memchr::memchr(b'<', &bytes[at..end])?;
            }
            let construct = Construct::parse(&bytes[at..], last);
            if construct != Construct::Text {
                return Some((at, construct));
            }
            at += 1;
        }
    }

    /// Appends the open raw text up to the end of the window, although `lol_html` has not consumed
    /// it yet. After a `<!--` in a script, `lol_html` consumes nothing before the next `<`, however
    /// far away.
    pub(super) fn raw_text_ahead(&mut self) {
        self.raw_text(self.window.len(), false);
    }

    /// Appends the open raw text before the offset `end`. If the raw text is CDATA, also appends
    /// the `]]>` that ends it. Returns false if more bytes must arrive before it is known whether
    /// the last bytes are raw text.
    fn raw_text(&mut self, end: usize, last: bool) -> bool {
        let Some(raw_text) = &mut self.raw_text else {
            return true;
        };
        let length = end - self.tokens_end;
        let (read, is_over) = raw_text.read(&self.window.as_bytes()[self.tokens_end..end], last);
        let references = raw_text.has_references();
        let is_cdata = *raw_text == RawText::Cdata;
        self.text(read, references);
        if is_over {
            self.raw_text = None;
            if is_cdata {
                self.push_token(TokenKind::Other, 3);
            }
        }
        is_over || read == length
    }

    /// Appends the next `length` bytes as text. `references` is true if HTML decodes character
    /// references in this text.
    fn text(&mut self, length: usize, references: bool) {
        let range = self.tokens_end..self.tokens_end + length;
        self.tokens_end = range.end;
        match self.tokens.last_mut() {
            _ if range.is_empty() => {}
            Some(last) if last.kind == TokenKind::Text && last.references == references => {
                last.range.end = range.end;
            }
            _ => self.tokens.push(RawToken {
                references,
                ..RawToken::new(TokenKind::Text, range)
            }),
        }
    }

    /// Appends a token for the next `length` bytes, and returns the token's range in the window.
    pub(super) fn push_token(&mut self, kind: TokenKind, length: usize) -> Range<usize> {
        let range = self.tokens_end..self.tokens_end + length;
        self.tokens_end = range.end;
        self.tokens.push(RawToken::new(kind, range.clone()));
        range
    }

    /// Parses a tag name. `after_bracket` is the range of the window after the tag's `<` or `</`.
    #[inline(always)]
    pub(super) fn name(&mut self, after_bracket: Range<usize>) -> TagName {
        let (tag, end) = Tag::read(self.window.as_bytes(), after_bracket.start);
        let unknown = if tag == Tag::UNKNOWN {
            self.keep(after_bracket.start..end)
        } else {
            0..0
        };
        TagName { tag, unknown, end }
    }

    /// Appends the tag name at the range `name` of the window to `names`, in lower case. Returns
    /// the range of the name in `names`.
    fn keep(&mut self, name: Range<usize>) -> Range<usize> {
        let start = self.names.len();
        self.names.push_str(&self.window[name]);
        self.names[start..].make_ascii_lowercase();
        start..self.names.len()
    }
}

/// Returns the name of `tag` in lower case. If `tag` is [`Tag::UNKNOWN`], the name is the range
/// `unknown` of `names`.
#[inline]
pub(super) fn tag_name_text<'n>(tag: Tag, unknown: &Range<usize>, names: &'n str) -> &'n str {
    if tag == Tag::UNKNOWN {
        &names[unknown.clone()]
    } else {
        tag.name()
    }
}

/// Name of a tag, and the offset at which the name ends.
pub(super) struct TagName {
    pub(super) tag: Tag,
    /// Range of the name in [`Intake::names`] if `tag` is [`Tag::UNKNOWN`], else empty.
    pub(super) unknown: Range<usize>,
    /// Offset in the window at which the name ends.
    pub(super) end: usize,
}
