//! Buffer that the tokenizer's handlers fill: the *window*, which is the text not yet emitted, and
//! the tokens found in it.
//!
//! The tokenizer reports start tags, comments and doctypes. Everything else is found in the gaps
//! between them: text, end tags, CDATA marks. Tokens are adjacent, so no byte is lost. The
//! tokenizer is stopped where it may differ from a browser: either for good, or to restart it.

use std::ops::Range;

use lol_html::html_content::Element;

use crate::html::{self, Facts, Sieve, Tag};

use super::bracket::{CDATA, Construct};
use super::context::LexContext;
use super::namespaces::Namespaces;
use super::raw_text::RawText;
use super::token::{Attribute, RawToken, TokenKind};

/// Number of start tags after which the tokenizer is restarted, at the next tag that permits it.
const RENEW: u32 = 16_384;
const HTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

/// Estimated number of bytes of a page for each token, and for each attribute. The estimate decides
/// how much memory is reserved for tokens and attributes.
const BYTES_A_TOKEN: usize = 48;

/// Reason for which a handler stops the tokenizer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stop {
    #[error("the tokenizer begins anew")]
    Anew(Renewal),
    #[error("too many attributes")]
    TooManyAttributes,
    /// The markup has two readings, one of the tokenizer and one of a browser. The message
    /// describes them.
    #[error("{0}")]
    Ambiguous(&'static str),
}

/// Buffer that the tokenizer's handlers fill: the *window*, which is the text not yet emitted, and
/// the tokens found in it.
#[derive(Debug)]
pub(super) struct Intake {
    pub(super) window: String,
    /// Offset of the window's start in the tokenizer's input. Negative if the tokenizer started
    /// inside the window.
    origin: isize,
    /// Offset in the window at which the last token ends.
    pub(super) tokens_end: usize,
    pub(super) tokens: Vec<RawToken>,
    /// Names of unknown tags, in lower case, without separators.
    pub(super) names: String,
    pub(super) attributes: Vec<Attribute>,
    most_attributes: usize,
    /// Number of start tags since the tokenizer started.
    starts: u32,
    namespaces: Namespaces,
    context: LexContext,
    /// Kind of the raw text that is open. Its bytes are no markup.
    raw_text: Option<RawText>,
    /// Number of the tokenizer's next start tags that must be dropped. They were fed to the
    /// tokenizer for a restart, and are no part of the page.
    swallow: usize,
}

/// A restart of the tokenizer: the offset in the window at which it resumes, and the start tags
/// that it must be fed first.
#[derive(Debug)]
pub(super) struct Renewal {
    at: usize,
    start_tags: Vec<String>,
}

impl Intake {
    pub(super) fn new(most_attributes: usize) -> Self {
        Self {
            window: String::new(),
            origin: 0,
            tokens_end: 0,
            tokens: Vec::new(),
            names: String::new(),
            attributes: Vec::new(),
            most_attributes,
            starts: 0,
            namespaces: Namespaces::default(),
            context: LexContext::default(),
            raw_text: None,
            swallow: 0,
        }
    }

    pub(super) fn append(&mut self, piece: &str) {
        if self.tokens.is_empty() {
            self.tokens.reserve(piece.len() / BYTES_A_TOKEN);
            self.attributes.reserve(piece.len() / BYTES_A_TOKEN);
        }
        self.window.push_str(piece);
    }

    /// Converts an offset in the tokenizer's input to an offset in the window.
    pub(super) fn local(&self, offset: usize) -> usize {
        offset.saturating_add_signed(self.origin.saturating_neg())
    }

    /// Prepares the buffer for a new tokenizer. Returns the text to feed to the tokenizer.
    pub(super) fn renewed(&mut self, renewal: &Renewal) -> String {
        let at = renewal.at;
        let start_tags = renewal.start_tags.concat();
        self.origin = isize::try_from(start_tags.len()).unwrap_or(0)
            - isize::try_from(at).unwrap_or(isize::MAX);
        self.starts = 0;
        self.swallow = renewal.start_tags.len();
        start_tags + &self.window[at..]
    }

    /// Returns the number of bytes at the end of the last text that may be an unfinished character
    /// reference.
    pub(super) fn open_reference_length(&self) -> usize {
        match self.tokens.last() {
            Some(token) if token.references && token.range.end == self.tokens_end => {
                html::open_reference(&self.window[token.range.clone()])
            }
            _ => 0,
        }
    }

    /// Drops the emitted part of the window, except the last `held` bytes of the last text.
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

    pub(super) fn comment(&mut self, range: Range<usize>) -> Result<(), Stop> {
        let range = self.local(range.start)..self.local(range.end);
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

    /// Checks a CDATA mark (`<![CDATA[` or `]]>`), which is a comment in HTML and none in svg.
    ///
    /// # Errors
    /// Fails if it is not certain whether svg is open at the CDATA mark.
    fn cdata(&self) -> Result<(), Stop> {
        if self.namespaces.are_in_doubt() {
            return Err(Stop::Ambiguous("CDATA where svg may or may not be open"));
        }
        Ok(())
    }

    pub(super) fn doctype(&mut self, range: Range<usize>) -> Result<(), Stop> {
        self.token(
            TokenKind::Doctype,
            self.local(range.start)..self.local(range.end),
        )
    }

    /// Appends the tokens of the gap before `range`, and then the token that the tokenizer
    /// reported.
    fn token(&mut self, kind: TokenKind, range: Range<usize>) -> Result<(), Stop> {
        self.gap(range.start, false)?;
        if self.raw_text.is_some() || self.tokens_end != range.start {
            return Err(Stop::Ambiguous("text that the tokenizer takes for markup"));
        }
        self.push_token(kind, range.len());
        Ok(())
    }

    /// Appends the start tag that the tokenizer reported.
    ///
    /// # Errors
    /// Fails if the tokenizer must stop: for a restart after this start tag, or for good.
    pub(super) fn start(&mut self, element: &Element<'_, '_>) -> Result<(), Stop> {
        if self.swallow > 0 {
            self.swallow -= 1;
            return Ok(());
        }
        let location = element.source_location().bytes();
        let range = self.local(location.start)..self.local(location.end);
        self.token(TokenKind::Start, range.clone())?;
        let TagName { tag, unknown, end } = self.name(range.start + 1..range.end);
        let from = self.attributes.len();
        let has_none = end + 1 == range.end;
        let sieve = if has_none {
            Sieve::NONE
        } else {
            self.split(&range, end - range.start)
        };
        if self.attributes.len() - from > self.most_attributes {
            return Err(Stop::TooManyAttributes);
        }
        let foreign = element.namespace_uri() != HTML_NAMESPACE;
        let self_closing = element.is_self_closing();
        let attributes = from..self.attributes.len();
        let literal =
            has_none || memchr::memchr2(b'&', 0, &self.window.as_bytes()[range.clone()]).is_none();
        if let Some(token) = self.tokens.last_mut() {
            token.tag = tag;
            token.name = unknown;
            token.attributes = attributes;
            token.sieve = sieve;
            token.foreign = foreign;
            token.self_closing = self_closing;
            token.literal = literal;
        }
        if tag.has(Facts::STEERS) || !self.is_plain_here() {
            self.steer(tag, &range, foreign, self_closing)?;
        }
        self.starts += 1;
        if self.starts > RENEW && self.is_initial() && !tag.has(Facts::SWITCHES_TEXT) {
            return self.begin_anew(range.end, None);
        }
        Ok(())
    }

    /// True if most tags do not change the lexer's state at this point: no drawing (svg) and no
    /// template is open.
    #[inline]
    fn is_plain_here(&self) -> bool {
        self.namespaces.are_outside() && self.context.is_in_no_template()
    }

    /// Updates the lexer's state with the start tag that is the last token. The tag may begin svg
    /// or `MathML`, or change how the bytes after it are read.
    fn steer(
        &mut self,
        tag: Tag,
        range: &Range<usize>,
        reported_foreign: bool,
        self_closing: bool,
    ) -> Result<(), Stop> {
        let Some(token) = self.tokens.last() else {
            return Ok(());
        };
        let unknown = token.name.clone();
        let from = token.attributes.start;
        if tag == Tag::ANNOTATION && self.encoding_is_unclear(range, from) {
            self.namespaces.doubt_for_good();
        }
        let name = tag_name_text(tag, &unknown, &self.names);
        let foreign = self
            .namespaces
            .start(name, reported_foreign, self_closing, &self.context);
        if tag == Tag::TEMPLATE && self.namespaces.are_in_doubt() {
            return Err(Stop::Ambiguous(
                "a template where svg may or may not be open",
            ));
        }
        let switches_text = tag.has(Facts::SWITCHES_TEXT);
        if switches_text && (self.namespaces.are_in_doubt() || self.context.may_ignore(name)) {
            return Err(Stop::Ambiguous(
                "raw text that a browser may read as markup",
            ));
        }
        self.context.start(name, foreign);
        if let Some(token) = self.tokens.last_mut() {
            token.foreign = foreign;
            token.raw_text = switches_text;
            // HTML reads `image` as `img`.
            token.tag = if tag == Tag::IMAGE && !foreign {
                Tag::IMG
            } else {
                tag
            };
        }
        if matches!(tag, Tag::SVG | Tag::MATH) && self_closing {
            self.namespaces.closes_itself();
            return self.begin_anew(range.end, None);
        }
        if foreign {
            return Ok(());
        }
        self.raw_text = RawText::opened_by(tag);
        if switches_text && self.ends_without_value(range) {
            // The tokenizer misses the raw text after such a tag, so it reads a plain copy of the
            // tag once more.
            return self.begin_anew(range.end, Some(format!("<{}>", tag.name())));
        }
        Ok(())
    }

    /// Parses the attributes of a tag and stores their ranges. `name_end` is the end of the tag's
    /// name. Returns the set of the attributes' names.
    fn split(&mut self, tag: &Range<usize>, name_end: usize) -> Sieve {
        let Self {
            window, attributes, ..
        } = self;
        let bytes = &window.as_bytes()[tag.clone()];
        let mut sieve = Sieve::NONE;
        html::attributes(bytes, name_end, |name, value| {
            sieve = sieve.or(Sieve::from_name(&bytes[name.clone()]));
            attributes.push(Attribute::new(&name, &value));
        });
        sieve
    }

    fn is_initial(&self) -> bool {
        self.namespaces.are_initial() && self.context.is_initial()
    }

    /// True if the tokenizer and a browser may read different values of the attribute `encoding`.
    /// The tokenizer does not decode attributes, and of two attributes with the same name it may
    /// use the second.
    fn encoding_is_unclear(&self, tag: &Range<usize>, from: usize) -> bool {
        let raw = &self.window[tag.clone()];
        let is_encoding = |a: &&Attribute| raw[a.name()].eq_ignore_ascii_case("encoding");
        let mut encodings = self.attributes[from..].iter().filter(is_encoding);
        encodings
            .next()
            .is_some_and(|first| raw[first.value()].contains(['&', '\0', '\r']))
            || encodings.next().is_some()
    }

    /// True if the last attribute of a tag has `=` and no value: `<script src=>`.
    fn ends_without_value(&self, tag: &Range<usize>) -> bool {
        let raw = &self.window[tag.clone()];
        let Some(attribute) = self.attributes.last() else {
            return false;
        };
        raw.get(attribute.name().end..raw.len() - 1)
            .is_some_and(|after| after.trim() == "=")
    }

    /// Returns the error that stops the tokenizer for a restart at offset `at` in the window. The
    /// new tokenizer is first fed the start tags of the open drawings (svg), then the start tag
    /// `tag`.
    fn begin_anew(&self, at: usize, tag: Option<String>) -> Result<(), Stop> {
        if self.namespaces.are_in_doubt() || !self.context.is_initial() {
            return Err(Stop::Ambiguous(
                "the tokenizer must begin anew, and it is not certain where it is",
            ));
        }
        let start_tags = self.namespaces.path().chain(tag).collect();
        Err(Stop::Anew(Renewal { at, start_tags }))
    }

    /// Appends the tokens of the gap up to `end`, which the tokenizer did not report: text, end
    /// tags, CDATA marks, a tag that is cut off. Some bytes may be undecided until more arrive.
    /// They are left, unless `last` is true: then no more bytes follow the gap.
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

    /// Appends the next text of a gap, and the tag that follows the text. Returns false if this tag
    /// is undecided until more bytes arrive.
    fn markup(&mut self, end: usize, last: bool) -> Result<bool, Stop> {
        let Some((at, construct)) = self.bracket(end, last) else {
            self.text(end - self.tokens_end, true);
            return Ok(true);
        };
        let limit = end - at;
        self.text(at - self.tokens_end, true);
        match construct {
            Construct::EndTag(length) if length <= limit => self.end_tag(length),
            Construct::Nothing(length) if length <= limit => {
                self.push_token(TokenKind::Other, length);
            }
            Construct::Cdata => {
                self.cdata()?;
                self.push_token(TokenKind::Other, CDATA.len());
                self.raw_text = Some(RawText::Cdata);
            }
            Construct::Hidden => {
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

    /// Returns the offset in the window of the first `<` before `end` that is not text, and the
    /// construct that it begins.
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

    /// Appends raw text, and then the end mark if the raw text is CDATA. Returns false if some
    /// bytes are undecided until more arrive.
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
    fn push_token(&mut self, kind: TokenKind, length: usize) -> Range<usize> {
        let range = self.tokens_end..self.tokens_end + length;
        self.tokens_end = range.end;
        self.tokens.push(RawToken::new(kind, range.clone()));
        range
    }

    /// Parses the tag name at the start of a range of the window.
    #[inline(always)]
    fn name(&mut self, after_bracket: Range<usize>) -> TagName {
        let (tag, end) = Tag::read(self.window.as_bytes(), after_bracket.start);
        let unknown = if tag == Tag::UNKNOWN {
            self.keep(after_bracket.start..end)
        } else {
            0..0
        };
        TagName { tag, unknown, end }
    }

    /// Stores the name of an unknown tag in lower case, and returns its range in `names`.
    fn keep(&mut self, name: Range<usize>) -> Range<usize> {
        let start = self.names.len();
        self.names.push_str(&self.window[name]);
        self.names[start..].make_ascii_lowercase();
        start..self.names.len()
    }
}

/// Returns the name of a tag. `unknown` is the range of an unknown tag's name in `names`.
#[inline]
pub(super) fn tag_name_text<'n>(tag: Tag, unknown: &Range<usize>, names: &'n str) -> &'n str {
    if tag == Tag::UNKNOWN {
        &names[unknown.clone()]
    } else {
        tag.name()
    }
}

/// Name of a tag, and the offset at which the name ends.
struct TagName {
    tag: Tag,
    /// Range of an unknown tag's name in [`Intake::names`].
    unknown: Range<usize>,
    /// Offset in the window at which the name ends.
    end: usize,
}
