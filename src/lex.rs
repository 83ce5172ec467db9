//! Text becomes tiles: **every byte belongs to exactly one tile, in order, however the input was cut.**
//!
//! The only file that names `lol_html`. Its tokenizer follows the HTML standard, but what it shows is not a stream we
//! can use as it is, so this file repairs four things:
//! * End tags are shown only as gaps between tokens. A scanner over each gap finds them, stray ones included.
//! * Text comes undecoded and cut anywhere. Pieces are joined, and cut only where no character reference is open.
//! * Its stack of open elements grows with every `<p>` that is never closed. The tokenizer is begun anew now and then,
//!   at tags where its state is known to be the initial one.
//! * It takes `<svg/>` for an svg that is still open. There, too, it is begun anew.
//!
//! Where the markup has two readings (raw-text elements in `select` or after `frameset`, `<svg/>` inside svg), reading
//! stops with [`ErrorKind::Ambiguous`]: a region marker might hide in one of them. What this file never does: decide
//! what an element contains. `tree` does that.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use lol_html::errors::RewritingError;
use lol_html::html_content::{Element, TextType};
use lol_html::{HtmlRewriter, MemorySettings, OutputSink, Settings};

use crate::error::{Error, ErrorKind, Result};
use crate::html;
use crate::limits::Limits;
use crate::place::Place;

/// How much the tokenizer is fed at once.
const PIECE: usize = 64 << 10;
/// After how many start tags the tokenizer is begun anew, where it can be.
const RENEW: u32 = 16_384;
const HTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

/// What a [`Tile`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TileKind {
    /// A piece of text. One text may come in several tiles.
    Text,
    /// A start tag.
    Start,
    /// An end tag, whether or not something was open.
    End,
    /// A comment written `<!--`.
    Comment,
    /// What HTML turns into a comment although it was not written as one: `<!x>`, `<?x>`, `</ x>`.
    Bogus,
    /// A doctype.
    Doctype,
    /// Bytes that mean nothing: CDATA marks, a tag that the end of the page cut off.
    Other,
}

/// One token with its exact bytes.
#[derive(Debug)]
pub struct Tile<'a> {
    kind: TileKind,
    raw: &'a str,
    name: &'a str,
    attributes: &'a [Attribute],
    foreign: bool,
    self_closing: bool,
    references: bool,
    place: Place,
}

impl<'a> Tile<'a> {
    /// What it is.
    pub fn kind(&self) -> TileKind {
        self.kind
    }

    /// Its bytes, as they stand in the decoded page.
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// The element's name in lower case; empty where the tile is no tag.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Whether it is a start tag of svg or `MathML` content.
    pub fn is_foreign(&self) -> bool {
        self.foreign
    }

    /// Whether it is a start tag that closes itself, as only svg and `MathML` have them.
    pub fn is_self_closing(&self) -> bool {
        self.foreign && self.self_closing
    }

    /// The decoded value of an attribute of a start tag. Of two with one name the first counts.
    pub fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        let found = self.attributes.iter().find(|a| self.raw[a.name()].eq_ignore_ascii_case(name))?;
        Some(html::decode_value(&self.raw[found.value()]))
    }

    /// The words of a text (references decoded) or of a comment (without its marks); empty for other kinds.
    pub fn text(&self) -> Cow<'a, str> {
        match self.kind {
            TileKind::Text if self.references => html::decode_text(self.raw),
            TileKind::Text => html::raw_text(self.raw),
            TileKind::Comment => Cow::Borrowed(comment_text(self.raw)),
            TileKind::Bogus => Cow::Borrowed(bogus_text(self.raw)),
            _ => Cow::Borrowed(""),
        }
    }

    /// Where it begins.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Where it begins, in bytes of the decoded page.
    pub fn start(&self) -> u64 {
        self.place.start()
    }

    /// Where it ends, in bytes of the decoded page.
    pub fn end(&self) -> u64 {
        self.place.start() + self.raw.len() as u64
    }
}

/// The text of a comment written `<!--`, by the standard's ways of ending one.
fn comment_text(raw: &str) -> &str {
    let inner = &raw[4..];
    if inner == ">" || inner == "->" {
        return "";
    }
    inner.strip_suffix("-->").or_else(|| inner.strip_suffix("--!>")).unwrap_or(inner)
}

/// The text of `<!x>`, `<?x?>` or `</ x>`.
fn bogus_text(raw: &str) -> &str {
    let inner = raw.get(2..).unwrap_or_default();
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    if raw.starts_with("<?") { inner.strip_suffix('?').unwrap_or(inner) } else { inner }
}

/// Where an attribute's name and value stand, from the start of its tag.
#[derive(Clone, Copy, Debug)]
struct Attribute {
    name: (u32, u32),
    value: (u32, u32),
}

impl Attribute {
    fn name(&self) -> Range<usize> {
        self.name.0 as usize..self.name.1 as usize
    }

    fn value(&self) -> Range<usize> {
        self.value.0 as usize..self.value.1 as usize
    }
}

/// Turns one page into tiles.
pub(crate) struct Lexer {
    rewriter: HtmlRewriter<'static, Flushed>,
    flushed: Rc<Cell<usize>>,
    intake: Rc<RefCell<Intake>>,
    place: Place,
    tiles: u64,
    name: String,
    limits: Limits,
}

impl Lexer {
    pub(crate) fn new(limits: &Limits) -> Self {
        let flushed = Rc::new(Cell::new(0));
        let intake = Rc::new(RefCell::new(Intake::new(limits.attributes)));
        Self {
            rewriter: rewriter(&intake, &flushed, limits),
            flushed,
            intake,
            place: Place::default(),
            tiles: 0,
            name: String::new(),
            limits: limits.clone(),
        }
    }

    /// A lexer for text that stands somewhere inside a page.
    pub(crate) fn from_place(limits: &Limits, place: Place) -> Self {
        Self { place, ..Self::new(limits) }
    }

    /// Feeds text; `out` gets the tiles that are complete.
    pub(crate) fn write(&mut self, text: &str, out: &mut impl FnMut(&Tile<'_>) -> Result<()>) -> Result<()> {
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
            self.intake.borrow_mut().append(piece);
            self.tokenize(piece)?;
            self.emit(false, out)?;
            rest = after;
        }
        Ok(())
    }

    /// The text is over.
    pub(crate) fn end(mut self, out: &mut impl FnMut(&Tile<'_>) -> Result<()>) -> Result<()> {
        let fresh = rewriter(&self.intake, &self.flushed, &self.limits);
        if let Err(error) = std::mem::replace(&mut self.rewriter, fresh).end() {
            return Err(self.failure(&error));
        }
        let end = self.intake.borrow().window.len();
        self.intake.borrow_mut().gap(end);
        self.emit(true, out)
    }

    fn tokenize(&mut self, piece: &str) -> Result<()> {
        let mut outcome = self.rewriter.write(piece.as_bytes());
        while let Err(error) = outcome {
            let Some(at) = self.intake.borrow_mut().renew_at.take() else { return Err(self.failure(&error)) };
            self.rewriter = rewriter(&self.intake, &self.flushed, &self.limits);
            self.flushed.set(0);
            let rest = self.intake.borrow_mut().renewed(at);
            outcome = self.rewriter.write(rest.as_bytes());
        }
        let mut intake = self.intake.borrow_mut();
        let consumed = intake.local(self.flushed.get());
        intake.gap(consumed);
        Ok(())
    }

    fn failure(&self, error: &RewritingError) -> Error {
        let intake = self.intake.borrow();
        match error {
            RewritingError::MemoryLimitExceeded(_) => Error::limit("tag_bytes", self.limits.tag_bytes as u64),
            _ if intake.too_many_attributes => Error::limit("attributes", self.limits.attributes as u64),
            _ => {
                let place = self.place.behind(&intake.window[..intake.seen]);
                ErrorKind::Ambiguous { line: place.line() }.into()
            }
        }
    }

    fn emit(&mut self, last: bool, out: &mut impl FnMut(&Tile<'_>) -> Result<()>) -> Result<()> {
        let mut intake = self.intake.borrow_mut();
        let held = if last { 0 } else { intake.held() };
        for index in 0..intake.tokens.len() {
            let mut token = intake.tokens[index].clone();
            if index + 1 == intake.tokens.len() {
                token.range.end -= held;
            }
            if !token.range.is_empty() {
                let tile = tile(&intake, &token, &mut self.name, self.place);
                self.tiles += 1;
                check(&tile, self.tiles, &self.limits)?;
                out(&tile)?;
                self.place = self.place.behind(tile.raw);
            }
        }
        intake.forget(held);
        if intake.window.len() > self.limits.tag_bytes {
            return Err(Error::limit("tag_bytes", self.limits.tag_bytes as u64));
        }
        Ok(())
    }
}

impl std::fmt::Debug for Lexer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lexer").field("place", &self.place).finish_non_exhaustive()
    }
}

fn check(tile: &Tile<'_>, count: u64, limits: &Limits) -> Result<()> {
    if tile.kind != TileKind::Text && tile.raw.len() > limits.tag_bytes {
        return Err(Error::limit("tag_bytes", limits.tag_bytes as u64));
    }
    if count > limits.tiles {
        return Err(Error::limit("tiles", limits.tiles));
    }
    Ok(())
}

fn tile<'a>(intake: &'a Intake, token: &Token, name: &'a mut String, place: Place) -> Tile<'a> {
    let raw = &intake.window[token.range.clone()];
    name.clear();
    match token.kind {
        TileKind::Start => name.push_str(tag_name(&raw[1..])),
        TileKind::End => name.push_str(tag_name(&raw[2..])),
        _ => {}
    }
    name.make_ascii_lowercase();
    Tile {
        kind: token.kind,
        raw,
        name,
        attributes: &intake.attributes[token.attributes.clone()],
        foreign: token.foreign,
        references: token.references,
        self_closing: token.self_closing,
        place,
    }
}

fn tag_name(after_bracket: &str) -> &str {
    let end = after_bracket.bytes().position(|b| html::is_white_space(b) || b == b'/' || b == b'>');
    &after_bracket[..end.unwrap_or(after_bracket.len())]
}

#[derive(Clone, Debug)]
struct Token {
    kind: TileKind,
    range: Range<usize>,
    attributes: Range<usize>,
    foreign: bool,
    self_closing: bool,
    references: bool,
}

impl Token {
    fn new(kind: TileKind, range: Range<usize>) -> Self {
        Self { kind, range, attributes: 0..0, foreign: false, self_closing: false, references: false }
    }
}

/// What the tokenizer's handlers fill: the text not yet emitted, and the tokens found in it.
#[derive(Debug)]
struct Intake {
    window: String,
    /// Where the window begins, from where the tokenizer began; negative when it began inside the window.
    origin: isize,
    /// The end of the last token, in the window.
    seen: usize,
    tokens: Vec<Token>,
    attributes: Vec<Attribute>,
    most_attributes: usize,
    too_many_attributes: bool,
    starts: u32,
    namespaces: Namespaces,
    renew_at: Option<usize>,
}

/// The tokenizer's own idea of svg and `MathML`, followed from outside by its own rules.
///
/// It reports an integration point (svg's `title`) as an HTML element, and can begin anew only where it is in its
/// first state. Above all it closes svg only at `</svg>` or a tag that breaks out, where a browser also closes it at
/// the end tag of an element round it, or keeps it open. Whenever the two may differ, `doubt` is raised; text that
/// would then be raw in one reading and markup in the other makes the page ambiguous.
#[derive(Debug, Default)]
struct Namespaces {
    /// Below the first lies HTML.
    open: Vec<Namespace>,
    /// The elements open since the first, outermost first.
    elements: Vec<String>,
    doubt: Doubt,
    in_select: bool,
    after_frameset: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Doubt {
    #[default]
    None,
    /// A browser may have left svg; both are in HTML again once the tokenizer has left it too.
    UntilLeft,
    ForGood,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Namespace {
    Svg,
    MathMl,
    /// HTML inside an integration point.
    Html,
}

impl Namespace {
    /// Whether an element is where HTML begins again inside this namespace.
    fn is_integration_point(self, name: &str) -> bool {
        match self {
            Self::Svg => matches!(name, "foreignobject" | "desc" | "title"),
            Self::MathMl => matches!(name, "mi" | "mo" | "mn" | "ms" | "mtext" | "annotation-xml"),
            Self::Html => false,
        }
    }
}

impl Namespaces {
    fn are_initial(&self) -> bool {
        self.open.is_empty() && self.doubt == Doubt::None && !self.in_select && !self.after_frameset
    }

    fn are_in_doubt(&self) -> bool {
        self.doubt != Doubt::None
    }

    /// Follows a start tag that the tokenizer reports as HTML or foreign; returns whether the element is foreign.
    fn start(&mut self, name: &str, reported_foreign: bool, self_closing: bool) -> bool {
        self.in_select |= name == "select";
        self.after_frameset |= name == "frameset";
        let foreign = match name {
            "svg" => self.enter(Namespace::Svg),
            "math" => self.enter(Namespace::MathMl),
            _ => self.start_inside(name, reported_foreign),
        };
        let stays_open = if foreign { !self_closing } else { !html::is_void(name) };
        if !self.open.is_empty() && stays_open {
            self.elements.push(name.to_owned());
        }
        foreign
    }

    fn enter(&mut self, namespace: Namespace) -> bool {
        // A browser takes svg inside MathML for MathML, and math inside svg for svg.
        if self.open.last().is_some_and(|outer| *outer != Namespace::Html && *outer != namespace) {
            self.doubt = Doubt::ForGood;
        }
        self.open.push(namespace);
        true
    }

    fn start_inside(&mut self, name: &str, reported_foreign: bool) -> bool {
        if matches!(name, "mglyph" | "malignmark") && !self.open.is_empty() {
            self.doubt = Doubt::ForGood;
        }
        if reported_foreign {
            return true;
        }
        match self.open.last() {
            Some(last) if last.is_integration_point(name) => {
                self.open.push(Namespace::Html);
                true
            }
            Some(Namespace::Svg | Namespace::MathMl) => {
                self.leave();
                // A browser breaks out of all foreign elements at once.
                if matches!(self.open.last(), Some(Namespace::Svg | Namespace::MathMl)) {
                    self.doubt = Doubt::ForGood;
                }
                false
            }
            _ => false,
        }
    }

    fn end(&mut self, name: &str) {
        self.in_select &= name != "select";
        if self.open.is_empty() {
            return;
        }
        self.close(name);
        let leaves = match self.open.as_slice() {
            [.., outer, Namespace::Html] => outer.is_integration_point(name),
            [.., Namespace::Svg] => matches!(name, "svg" | "p" | "br"),
            [.., Namespace::MathMl] => matches!(name, "math" | "p" | "br"),
            _ => false,
        };
        if leaves {
            self.leave();
        }
    }

    /// Takes an end tag off the open elements. One that is not for the last of them may mean more to a browser.
    fn close(&mut self, name: &str) {
        if self.elements.last().is_some_and(|last| last == name) {
            self.elements.pop();
        } else if self.open.len() > 1 || self.elements.iter().skip(1).any(|element| element == name) {
            self.doubt = if self.open.len() > 1 { Doubt::ForGood } else { self.doubt };
            let at = self.elements.iter().rposition(|element| element == name).unwrap_or(self.elements.len());
            self.elements.truncate(at);
        } else if self.doubt == Doubt::None && !matches!(name, "svg" | "math" | "p" | "br") {
            self.doubt = Doubt::UntilLeft;
        }
    }

    fn leave(&mut self) {
        self.open.pop();
        if self.open.is_empty() {
            self.elements.clear();
            if self.doubt == Doubt::UntilLeft {
                self.doubt = Doubt::None;
            }
        }
    }
}

impl Intake {
    fn new(most_attributes: usize) -> Self {
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
            renew_at: None,
        }
    }

    fn append(&mut self, piece: &str) {
        self.window.push_str(piece);
    }

    /// From the tokenizer's offset to ours.
    fn local(&self, offset: usize) -> usize {
        offset.saturating_add_signed(self.origin.saturating_neg())
    }

    /// The tokenizer begins anew at `at`; returns what it has to be fed.
    fn renewed(&mut self, at: usize) -> String {
        self.origin = -isize::try_from(at).unwrap_or(isize::MAX);
        self.starts = 0;
        self.namespaces = Namespaces::default();
        self.window[at..].to_owned()
    }

    /// How many bytes at the end are text that may go on inside a character reference.
    fn held(&self) -> usize {
        match self.tokens.last() {
            Some(token) if token.references && token.range.end == self.seen => {
                html::open_reference(&self.window[token.range.clone()])
            }
            _ => 0,
        }
    }

    /// Drops what was emitted; keeps `held` bytes of the last text.
    fn forget(&mut self, held: usize) {
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

    fn text(&mut self, range: Range<usize>, text_type: TextType) -> std::result::Result<(), &'static str> {
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

    fn comment(&mut self, range: Range<usize>) -> std::result::Result<(), &'static str> {
        let range = self.local(range.start)..self.local(range.end);
        let raw = &self.window[range.clone()];
        let (written, cdata) = (raw.starts_with("<!--"), raw.starts_with("<![CDATA["));
        self.token(if written { TileKind::Comment } else { TileKind::Bogus }, range);
        if cdata { self.cdata() } else { Ok(()) }
    }

    /// A CDATA mark is a comment in HTML and none in svg.
    fn cdata(&self) -> std::result::Result<(), &'static str> {
        if self.namespaces.are_in_doubt() { Err("CDATA where svg may or may not be open") } else { Ok(()) }
    }

    fn doctype(&mut self, range: Range<usize>) {
        self.token(TileKind::Doctype, self.local(range.start)..self.local(range.end));
    }

    fn token(&mut self, kind: TileKind, range: Range<usize>) {
        self.gap(range.start);
        self.seen = range.end;
        self.tokens.push(Token::new(kind, range));
    }

    /// A start tag. An error stops the tokenizer: to begin anew behind this tag, or for good.
    fn start(&mut self, element: &Element<'_, '_>) -> std::result::Result<(), &'static str> {
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
        let initial = self.namespaces.are_initial();
        let reported_foreign = element.namespace_uri() != HTML_NAMESPACE;
        let foreign = self.namespaces.start(&name, reported_foreign, element.is_self_closing());
        if switches_text(&name) && self.namespaces.are_in_doubt() {
            return Err("raw text where svg may or may not be open");
        }
        if let Some(token) = self.tokens.last_mut() {
            token.attributes = from..self.attributes.len();
            token.foreign = foreign;
            token.self_closing = element.is_self_closing();
        }
        if matches!(name.as_str(), "svg" | "math") && element.is_self_closing() {
            return if initial { self.begin_anew(range.end) } else { Err("where svg closes itself is not certain") };
        }
        self.starts += 1;
        if self.starts > RENEW && self.namespaces.are_initial() && !switches_text(&name) {
            return self.begin_anew(range.end);
        }
        Ok(())
    }

    fn begin_anew(&mut self, at: usize) -> std::result::Result<(), &'static str> {
        self.renew_at = Some(at);
        Err("begin anew")
    }

    /// Everything up to `end` that no token covers: end tags, CDATA marks, a tag cut off by the end of the page.
    fn gap(&mut self, end: usize) {
        while self.seen < end {
            let bytes = &self.window.as_bytes()[self.seen..end];
            let (kind, length) = match end_tag_length(bytes) {
                Some(length) => (TileKind::End, length),
                None => (TileKind::Other, memchr::memmem::find(&bytes[1..], b"</").map_or(bytes.len(), |n| n + 1)),
            };
            let range = self.seen..self.seen + length;
            if kind == TileKind::End {
                let name = tag_name(&self.window[range.start + 2..range.end]).to_ascii_lowercase();
                self.namespaces.end(&name);
            }
            self.seen = range.end;
            self.tokens.push(Token::new(kind, range));
        }
    }
}

/// After these the tokenizer reads raw text.
fn switches_text(name: &str) -> bool {
    matches!(
        name,
        "textarea"
            | "title"
            | "plaintext"
            | "script"
            | "style"
            | "iframe"
            | "xmp"
            | "noembed"
            | "noframes"
            | "noscript"
    )
}

/// The length of the end tag that `bytes` begin with, by the standard's tag and attribute states.
fn end_tag_length(bytes: &[u8]) -> Option<usize> {
    if !(bytes.starts_with(b"</") && bytes.get(2)?.is_ascii_alphabetic()) {
        return None;
    }
    let mut state = TagState::Name;
    for (at, byte) in bytes.iter().enumerate().skip(3) {
        if *byte == b'>' && !matches!(state, TagState::Quoted(_)) {
            return Some(at + 1);
        }
        state = state.next(*byte);
    }
    None
}

/// Where in a tag a byte stands.
#[derive(Clone, Copy)]
enum TagState {
    Name,
    BeforeAttribute,
    Attribute,
    AfterAttribute,
    BeforeValue,
    Quoted(u8),
    Unquoted,
}

impl TagState {
    fn next(self, byte: u8) -> Self {
        let blank = html::is_white_space(byte);
        match (self, byte) {
            (Self::Quoted(quote), _) if byte == quote => Self::BeforeAttribute,
            (Self::Quoted(_), _) => self,
            (Self::BeforeValue, b'"' | b'\'') => Self::Quoted(byte),
            (Self::BeforeValue, _) if blank => self,
            (Self::BeforeValue, _) => Self::Unquoted,
            (Self::Unquoted, _) if !blank => self,
            (Self::Attribute | Self::AfterAttribute, b'=') => Self::BeforeValue,
            (Self::Attribute | Self::AfterAttribute, _) if blank => Self::AfterAttribute,
            (_, b'/') => Self::BeforeAttribute,
            (Self::Name, _) if !blank => self,
            _ if blank => Self::BeforeAttribute,
            _ => Self::Attribute,
        }
    }
}

/// Counts what the tokenizer has consumed.
struct Flushed(Rc<Cell<usize>>);

impl OutputSink for Flushed {
    fn handle_chunk(&mut self, chunk: &[u8]) {
        self.0.set(self.0.get() + chunk.len());
    }
}

fn rewriter(
    intake: &Rc<RefCell<Intake>>,
    flushed: &Rc<Cell<usize>>,
    limits: &Limits,
) -> HtmlRewriter<'static, Flushed> {
    let (elements, texts, comments, doctypes) = (intake.clone(), intake.clone(), intake.clone(), intake.clone());
    // Room for a tag, for the stack of RENEW open elements, and for a piece.
    let memory = limits.tag_bytes.saturating_mul(2).saturating_add(16 << 20);
    let settings = Settings::new()
        .with_strict(true)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(memory))
        .append_element_content_handler(lol_html::element!("*", move |element| {
            Ok(elements.borrow_mut().start(element)?)
        }))
        .append_document_content_handler(lol_html::doc_text!(move |text| {
            Ok(texts.borrow_mut().text(text.source_location().bytes(), text.text_type())?)
        }))
        .append_document_content_handler(lol_html::doc_comments!(move |comment| {
            Ok(comments.borrow_mut().comment(comment.source_location().bytes())?)
        }))
        .append_document_content_handler(lol_html::doctype!(move |doctype| {
            doctypes.borrow_mut().doctype(doctype.source_location().bytes());
            Ok(())
        }));
    HtmlRewriter::new(settings, Flushed(flushed.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds and bytes of all tiles, texts joined.
    fn tiles(text: &str, cuts: usize) -> Vec<(TileKind, String)> {
        let mut found: Vec<(TileKind, String)> = Vec::new();
        let mut out = |tile: &Tile<'_>| {
            match found.last_mut() {
                Some((TileKind::Text, before)) if tile.kind == TileKind::Text => before.push_str(tile.raw),
                _ => found.push((tile.kind, tile.raw.to_owned())),
            }
            Ok(())
        };
        let mut lexer = Lexer::new(&Limits::default());
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.ceil_char_boundary(cuts.min(rest.len())));
            lexer.write(piece, &mut out).unwrap();
            rest = after;
        }
        lexer.end(&mut out).unwrap();
        found
    }

    #[test]
    fn end_tags_come_out_of_the_gaps() {
        use TileKind::{End, Other, Start, Text};
        let html = "<p>a</b></i x='>' y=\">\">b</p></p><svg><![CDATA[c]]></svg></a x=y=\"z>d</e";
        let expected = [
            (Start, "<p>"),
            (Text, "a"),
            (End, "</b>"),
            (End, "</i x='>' y=\">\">"),
            (Text, "b"),
            (End, "</p>"),
            (End, "</p>"),
            (Start, "<svg>"),
            (Other, "<![CDATA["),
            (Text, "c"),
            (Other, "]]>"),
            (End, "</svg>"),
            (End, "</a x=y=\"z>"),
            (Text, "d"),
            (Other, "</e"),
        ]
        .map(|(kind, raw)| (kind, raw.to_owned()));
        for cuts in 1..html.len() {
            assert_eq!(tiles(html, cuts), expected, "cuts of {cuts}");
        }
    }

    #[test]
    fn the_tokenizer_begins_anew_without_a_trace() {
        let html = "<p>a<b>".repeat(40_000) + "<script><!-- </p> --></script><svg/><style><p></style>x";
        for cuts in [7, 100_000, html.len()] {
            let found = tiles(&html, cuts);
            assert_eq!(found.iter().map(|(_, raw)| raw.as_str()).collect::<String>(), html);
            assert_eq!(found.len(), 120_000 + 8);
            assert_eq!(found[found.len() - 3], (TileKind::Text, "<p>".to_owned()));
        }
    }

    #[test]
    fn markup_with_two_readings_is_refused() {
        for html in ["<select><xmp>", "<frameset><style>", "<svg><svg/>"] {
            let mut lexer = Lexer::new(&Limits::default());
            let error = lexer.write(html, &mut |_| Ok(())).unwrap_err();
            assert_eq!(error.name(), "ambiguous", "{html}");
        }
    }

    #[test]
    fn lines_and_columns() {
        let mut places = Vec::new();
        let mut out = |tile: &Tile<'_>| {
            places.push((tile.place().line(), tile.place().column(), tile.start()));
            Ok(())
        };
        let mut lexer = Lexer::new(&Limits::default());
        for piece in ["é<a>\r", "\n<b>\n\r<i>x"] {
            lexer.write(piece, &mut out).unwrap();
        }
        lexer.end(&mut out).unwrap();
        assert_eq!(places, [(1, 1, 0), (1, 2, 2), (1, 5, 5), (2, 1, 6), (2, 1, 7), (2, 4, 10), (4, 1, 12), (4, 4, 15)]);
    }
}
