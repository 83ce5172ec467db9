//! What the tokenizer's handlers fill: the text not yet emitted, and the tokens found in it.

use std::ops::Range;

use lol_html::html_content::{Element, TextType};

use crate::html;

use super::context::Context;
use super::end_tag::end_tag_length;
use super::namespaces::Namespaces;
use super::tile::{Attribute, TileKind, tag_name};

/// After how many start tags the tokenizer is begun anew, where it can be.
const RENEW: u32 = 16_384;
const HTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

/// Why the tokenizer is stopped.
type Stop = &'static str;

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TileKind,
    pub(super) range: Range<usize>,
    pub(super) attributes: Range<usize>,
    pub(super) foreign: bool,
    pub(super) self_closing: bool,
    pub(super) references: bool,
}

impl Token {
    pub(super) fn new(kind: TileKind, range: Range<usize>) -> Self {
        Self { kind, range, attributes: 0..0, foreign: false, self_closing: false, references: false }
    }
}

/// What the tokenizer's handlers fill: the text not yet emitted, and the tokens found in it.
#[derive(Debug)]
pub(super) struct Intake {
    pub(super) window: String,
    /// Where the window begins, from where the tokenizer began; negative when it began inside the window.
    pub(super) origin: isize,
    /// The end of the last token, in the window.
    pub(super) seen: usize,
    pub(super) tokens: Vec<Token>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) most_attributes: usize,
    pub(super) too_many_attributes: bool,
    pub(super) starts: u32,
    pub(super) namespaces: Namespaces,
    pub(super) context: Context,
    pub(super) renew_at: Option<Renewal>,
    /// The next start tag is ours, not the page's.
    swallow: bool,
}

/// Where the tokenizer begins anew, and the start tag that it must have read for that.
#[derive(Debug)]
pub(super) struct Renewal {
    at: usize,
    behind: String,
}

impl Intake {
    pub(super) fn new(most_attributes: usize) -> Self {
        Self {
            window: String::new(),
            origin: 0,
            seen: 0,
            tokens: Vec::new(),
            attributes: Vec::new(),
            most_attributes,
            too_many_attributes: false,
            starts: 0,
            namespaces: Namespaces::default(),
            context: Context::default(),
            renew_at: None,
            swallow: false,
        }
    }

    pub(super) fn append(&mut self, piece: &str) {
        self.window.push_str(piece);
    }

    /// From the tokenizer's offset to ours.
    pub(super) fn local(&self, offset: usize) -> usize {
        offset.saturating_add_signed(self.origin.saturating_neg())
    }

    /// The tokenizer begins anew; returns what it has to be fed.
    pub(super) fn renewed(&mut self, renewal: &Renewal) -> String {
        let Renewal { at, behind } = renewal;
        self.origin = isize::try_from(behind.len()).unwrap_or(0) - isize::try_from(*at).unwrap_or(isize::MAX);
        self.starts = 0;
        self.namespaces = Namespaces::default();
        self.swallow = !behind.is_empty();
        behind.clone() + &self.window[*at..]
    }

    /// How many bytes at the end are text that may go on inside a character reference.
    pub(super) fn held(&self) -> usize {
        match self.tokens.last() {
            Some(token) if token.references && token.range.end == self.seen => {
                html::open_reference(&self.window[token.range.clone()])
            }
            _ => 0,
        }
    }

    /// Drops what was emitted; keeps `held` bytes of the last text.
    pub(super) fn forget(&mut self, held: usize) {
        let last = self.tokens.pop().filter(|_| held > 0);
        self.tokens.clear();
        self.attributes.clear();
        let gone = self.seen - held;
        self.window.drain(..gone);
        self.origin += isize::try_from(gone).unwrap_or(0);
        self.seen = held;
        if let Some(token) = last {
            self.tokens.push(Token { range: 0..held, ..token });
        }
    }

    pub(super) fn text(&mut self, range: Range<usize>, text_type: TextType) -> Result<(), Stop> {
        let range = self.local(range.start)..self.local(range.end);
        if range.is_empty() {
            return Ok(());
        }
        self.gap(range.start);
        if text_type == TextType::CDataSection {
            self.cdata()?;
        }
        let references = text_type.allows_html_entities();
        self.seen = range.end;
        if let Some(last) = self.tokens.last_mut()
            && last.kind == TileKind::Text
            && last.range.end == range.start
            && last.references == references
        {
            last.range.end = range.end;
            return Ok(());
        }
        self.tokens.push(Token { references, ..Token::new(TileKind::Text, range) });
        Ok(())
    }

    pub(super) fn comment(&mut self, range: Range<usize>) -> Result<(), Stop> {
        let range = self.local(range.start)..self.local(range.end);
        let raw = &self.window[range.clone()];
        let (written, cdata) = (raw.starts_with("<!--"), raw.starts_with("<![CDATA["));
        self.token(if written { TileKind::Comment } else { TileKind::Bogus }, range);
        if cdata && self.namespaces.are_in_integration_point() {
            return Err("CDATA right inside an integration point");
        }
        if cdata { self.cdata() } else { Ok(()) }
    }

    /// A CDATA mark is a comment in HTML and none in svg.
    fn cdata(&self) -> Result<(), Stop> {
        if self.namespaces.are_in_doubt() { Err("CDATA where svg may or may not be open") } else { Ok(()) }
    }

    pub(super) fn doctype(&mut self, range: Range<usize>) {
        self.token(TileKind::Doctype, self.local(range.start)..self.local(range.end));
    }

    fn token(&mut self, kind: TileKind, range: Range<usize>) {
        self.gap(range.start);
        self.seen = range.end;
        self.tokens.push(Token::new(kind, range));
    }

    /// A start tag. An error stops the tokenizer: to begin anew behind this tag, or for good.
    pub(super) fn start(&mut self, element: &Element<'_, '_>) -> Result<(), Stop> {
        if std::mem::take(&mut self.swallow) {
            return Ok(());
        }
        let location = element.source_location().bytes();
        let range = self.local(location.start)..self.local(location.end);
        self.token(TileKind::Start, range.clone());
        let from = self.attributes.len();
        for attribute in element.attributes() {
            let Some(name) = attribute.name_source_location() else { continue };
            let within = |r: Range<usize>| ((r.start - location.start) as u32, (r.end - location.start) as u32);
            let name = within(name.bytes());
            let value = attribute.value_source_location().map_or((name.1, name.1), |v| within(v.bytes()));
            self.attributes.push(Attribute { name, value });
        }
        if self.attributes.len() - from > self.most_attributes {
            self.too_many_attributes = true;
            return Err("too many attributes");
        }
        let name = tag_name(&self.window[range.start + 1..range.end]).to_ascii_lowercase();
        let initial = self.is_initial();
        if name == "annotation-xml" && self.encoding_is_unclear(&range, from) {
            self.namespaces.doubt_for_good();
        }
        let reported_foreign = element.namespace_uri() != HTML_NAMESPACE;
        let self_closing = element.is_self_closing();
        let foreign = self.namespaces.start(&name, reported_foreign, self_closing, &self.context);
        if name == "template" && self.namespaces.are_in_doubt() {
            return Err("a template where svg may or may not be open");
        }
        if html::switches_text(&name) && (self.namespaces.are_in_doubt() || self.context.may_ignore(&name)) {
            return Err("raw text that a browser may read as markup");
        }
        self.context.start(&name, foreign);
        if let Some(token) = self.tokens.last_mut() {
            *token = Token { attributes: from..self.attributes.len(), foreign, self_closing, ..token.clone() };
        }
        if matches!(name.as_str(), "svg" | "math") && self_closing {
            return if initial { self.begin_anew(range.end) } else { Err("where svg closes itself is not certain") };
        }
        if !foreign && html::switches_text(&name) && self.ends_without_value(&range) {
            // The tokenizer forgets the raw text then: it is told once more.
            if !initial {
                return Err("raw text behind an attribute without its value");
            }
            self.renew_at = Some(Renewal { at: range.end, behind: format!("<{name}>") });
            return Err("begin anew");
        }
        self.starts += 1;
        if self.starts > RENEW && self.is_initial() && !html::switches_text(&name) {
            return self.begin_anew(range.end);
        }
        Ok(())
    }

    fn is_initial(&self) -> bool {
        self.namespaces.are_initial() && self.context.is_initial()
    }

    /// Whether the tokenizer, which reads attributes undecoded and takes any of several, may read another `encoding`
    /// than a browser.
    fn encoding_is_unclear(&self, tag: &Range<usize>, from: usize) -> bool {
        let raw = &self.window[tag.clone()];
        let is_encoding = |a: &&Attribute| raw[a.name()].eq_ignore_ascii_case("encoding");
        let mut encodings = self.attributes[from..].iter().filter(is_encoding);
        encodings.next().is_some_and(|first| raw[first.value()].contains(['&', '\0', '\r']))
            || encodings.next().is_some()
    }

    /// Whether the last attribute of a tag has `=` and no value: `<script src=>`.
    fn ends_without_value(&self, tag: &Range<usize>) -> bool {
        let raw = &self.window[tag.clone()];
        let behind = |attribute: &Attribute| raw.get(attribute.name().end..raw.len() - 1);
        self.attributes.last().and_then(behind).is_some_and(|behind| behind.trim() == "=")
    }

    fn begin_anew(&mut self, at: usize) -> Result<(), Stop> {
        self.renew_at = Some(Renewal { at, behind: String::new() });
        Err("begin anew")
    }

    /// Everything up to `end` that no token covers: end tags, CDATA marks, a tag cut off by the end of the page.
    pub(super) fn gap(&mut self, end: usize) {
        while self.seen < end {
            let bytes = &self.window.as_bytes()[self.seen..end];
            let (kind, length) = match (end_tag_length(bytes), bytes) {
                (Some(length), _) => (TileKind::End, length),
                // An end tag without a name, which means nothing.
                (None, [b'<', b'/', b'>', ..]) => (TileKind::Other, 3),
                // A CDATA mark; what follows may be an end tag.
                (None, [b'<', b'!', ..] | [b']', ..]) => {
                    (TileKind::Other, memchr::memmem::find(bytes, b"</").unwrap_or(bytes.len()))
                }
                // A tag that the end of the page cut off: nothing behind it is one either.
                (None, _) => (TileKind::Other, bytes.len()),
            };
            let range = self.seen..self.seen + length;
            if kind == TileKind::End {
                let name = tag_name(&self.window[range.start + 2..range.end]).to_ascii_lowercase();
                self.namespaces.end(&name);
                self.context.end(&name);
            }
            self.seen = range.end;
            self.tokens.push(Token::new(kind, range));
        }
    }
}
