//! Reads the start tags in the gaps between the tokenizer's tokens, and updates the lexer's state
//! with them. Source: the tag and attribute states of the HTML standard.
//!
//! The tokenizer reads the same tags, but it is not asked to report them: with a handler for start
//! tags it takes 1.7 times as long. Its state after a start tag is known (`namespaces` and
//! `context` follow its rules), and `confirmation` checks that both read the same tags.

use std::ops::Range;

use lol_html::send::Element;

use crate::html::{self, Facts, Sieve, Tag};

use super::confirmation::{Confirmation, StartTag};
use super::intake::{Intake, Stop, TagName, tag_name_text};
use super::namespaces::Step;
use super::raw_text::RawText;
use super::token::{Attribute, RawToken, TokenKind};

/// Result of parsing a start tag: the tag's length, the names of its attributes, and whether it
/// closes itself.
pub(super) struct TagEnd {
    /// Length of the tag in bytes.
    pub(super) length: usize,
    /// Set of the attributes' names, by which a name can quickly be ruled out.
    pub(super) sieve: Sieve,
    /// True if the tag ends with `/>`.
    pub(super) self_closing: bool,
}

impl TagEnd {
    /// Parses the start tag at the start of `bytes`, and adds its attributes to `attributes`.
    /// `name_end` is the offset in `bytes` at which the tag's name ends. Returns `None` if `bytes`
    /// end before the tag does.
    #[inline]
    pub(super) fn parse(
        bytes: &[u8],
        name_end: usize,
        attributes: &mut Vec<Attribute>,
    ) -> Option<Self> {
        if bytes.get(name_end) == Some(&b'>') {
            return Some(Self {
                length: name_end + 1,
                sieve: Sieve::NONE,
                self_closing: false,
            });
        }
        let mut sieve = Sieve::NONE;
        let mut last = 0;
        let end = html::attributes(bytes, name_end, |name, value| {
            sieve = sieve.or(Sieve::from_name(&bytes[name.clone()]));
            last = value.end;
            attributes.push(Attribute::new(&name, &value));
        });
        if end >= bytes.len() {
            return None;
        }
        Some(Self {
            length: end + 1,
            sieve,
            // The slash may instead be the end of an unquoted value.
            self_closing: bytes[end - 1] == b'/' && last < end,
        })
    }
}

impl Intake {
    /// Appends the start tag that begins at `tokens_end`. Returns false if the tag does not end
    /// before the offset `end` of the window, and more bytes may arrive. If `last` is true, the
    /// page ends at `end`. A tag that this end cuts off becomes a token that HTML ignores.
    ///
    /// # Errors
    /// Fails if the tokenizer `lol_html` must stop after this start tag, either for a restart or
    /// for good.
    #[inline]
    pub(super) fn start_tag(&mut self, end: usize, last: bool) -> Result<bool, Stop> {
        let at = self.tokens_end;
        let TagName {
            tag,
            unknown,
            end: name_end,
        } = self.name(at + 1..end);
        let from = self.attributes.len();
        let bytes = &self.window.as_bytes()[at..end];
        let Some(tag_end) = TagEnd::parse(bytes, name_end - at, &mut self.attributes) else {
            self.attributes.truncate(from);
            if last {
                self.push_token(TokenKind::Other, end - at);
            }
            return Ok(last);
        };
        let attributes = from..self.attributes.len();
        let range = at..at + tag_end.length;
        let raw = &self.window.as_bytes()[range.clone()];
        let literal = attributes.is_empty() || memchr::memchr2(b'&', 0, raw).is_none();
        self.tokens_end = range.end;
        self.tokens.push(RawToken {
            tag,
            name: unknown,
            attributes,
            sieve: tag_end.sieve,
            literal,
            self_closing: tag_end.self_closing,
            ..RawToken::new(TokenKind::Start, range.clone())
        });
        let mut step = Step::Stay;
        let steers = tag.has(Facts::STEERS) || !self.is_plain_here();
        if steers {
            step = self.namespace_step();
        }
        if let Some(confirmation) = &mut self.confirmation {
            confirmation.add(StartTag {
                range: range.clone(),
                foreign: self.namespaces.is_foreign_after(step),
                self_closing: tag_end.self_closing,
            });
        }
        if steers {
            self.steer(tag, &range, step)?;
        }
        Ok(true)
    }

    /// Compares a start tag that the tokenizer `lol_html` reports with the start tag that the lexer
    /// finds in the same bytes.
    ///
    /// # Errors
    /// Fails if the two tags differ. Also fails if `lol_html` must stop, either for a restart or
    /// for good.
    pub(super) fn confirm(&mut self, element: &Element<'_, '_>) -> Result<(), Stop> {
        let location = element.source_location().bytes();
        let range = self.local(location.start)..self.local(location.end);
        let Some(confirmation) = &mut self.confirmation else {
            return Ok(());
        };
        if confirmation.take_ignored() {
            return Ok(());
        }
        let outcome = self.gap(range.end, false);
        let reported = StartTag::from_element(element, range);
        let is_confirmed = self
            .confirmation
            .as_mut()
            .is_some_and(|confirmation| confirmation.confirm(&reported));
        match outcome {
            Ok(()) | Err(Stop::Anew(_)) if !is_confirmed => Err(Stop::Ambiguous(
                "a start tag that only the tokenizer or only the lexer finds",
            )),
            outcome => outcome,
        }
    }

    /// True if the tokenizer `lol_html` has reported as many start tags as the lexer has found.
    /// Also true if `lol_html` is not asked to report start tags.
    pub(super) fn is_confirmed(&self) -> bool {
        self.confirmation
            .as_ref()
            .is_none_or(Confirmation::is_complete)
    }

    /// Returns the effect of the last token, which must be a start tag, on the open namespaces of
    /// svg and `MathML`.
    fn namespace_step(&self) -> Step {
        let Some(token) = self.tokens.last() else {
            return Step::Stay;
        };
        let raw = &self.window[token.range.clone()];
        let attributes = self.attributes[token.attributes.clone()]
            .iter()
            .map(|attribute| (&raw[attribute.name()], &raw[attribute.value()]));
        let name = tag_name_text(token.tag, &token.name, &self.names);
        self.namespaces.step(name, token.self_closing, attributes)
    }

    /// Updates the lexer's state with the last token, which must be a start tag. The tag may begin
    /// svg or `MathML`, or change how the bytes after it are read. Fails if `lol_html` must stop
    /// after the tag.
    fn steer(&mut self, tag: Tag, range: &Range<usize>, step: Step) -> Result<(), Stop> {
        let Some(token) = self.tokens.last() else {
            return Ok(());
        };
        let unknown = token.name.clone();
        let from = token.attributes.start;
        let self_closing = token.self_closing;
        if tag == Tag::ANNOTATION && self.encoding_is_unclear(range, from) {
            self.namespaces.doubt_for_good();
        }
        let name = tag_name_text(tag, &unknown, &self.names);
        let foreign = self
            .namespaces
            .start(name, step, self_closing, &self.context);
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
            self.namespaces.close_self_closing();
            return self.begin_anew(range.end, None);
        }
        if foreign {
            return Ok(());
        }
        self.raw_text = RawText::opened_by(tag);
        if switches_text && self.ends_without_value(range, from) {
            // The tokenizer misses the raw text after such a tag, so it reads a plain copy of the
            // tag once more.
            return self.begin_anew(range.end, Some(format!("<{}>", tag.name())));
        }
        Ok(())
    }

    /// True if `lol_html` and a browser may read different values of the attribute `encoding` in a
    /// tag. `lol_html` does not decode values, and may use the second of two attributes with the
    /// same name.
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
    fn ends_without_value(&self, tag: &Range<usize>, from: usize) -> bool {
        let raw = &self.window[tag.clone()];
        let Some(attribute) = self.attributes[from..].last() else {
            return false;
        };
        raw.get(attribute.name().end..raw.len() - 1)
            .is_some_and(|after| after.trim() == "=")
    }
}
