//! The page's own bytes without what may not be archived, with a mark at each cut.
//!
//! What is kept is copied byte for byte. Of what is withheld only bare tags stay (names, no attributes), as many as the
//! rest of the page needs to hang where it hung: those of the outermost withheld elements, and those that are not paired
//! inside them or that HTML treats as more than a pair. Text, comments, attributes, and pairs within go. A mark stands
//! in each outermost element and in the place of withheld text, as text where HTML allows text, else as a comment
//! (docs/semantics.md, section 5). Where the two cannot be told apart, a comment is taken, and a tag stays.

use std::io::Write;

use url::Url;

use crate::bot::BotSet;
use crate::error::{ErrorKind, Result};
use crate::html;
use crate::lex::{Tile, TileKind, tag_name};
use crate::policy::Facet;
use crate::walk::{Judged, Outcome, VerdictId};

use super::Sink;

/// How much of a run of bare tags is held back while a page streams.
const HELD: usize = 64 << 10;

/// What shows that something was left out.
///
/// ```
/// let mark = heedful::CutMark::new("[cut]").class("cut");
/// ```
#[derive(Clone, Debug)]
pub struct CutMark {
    text: String,
    comment: String,
    element: Option<String>,
}

impl Default for CutMark {
    fn default() -> Self {
        Self::new("[...]")
    }
}

impl CutMark {
    /// A mark of text.
    pub fn new(text: &str) -> Self {
        let plain: String = text.chars().filter(|c| !c.is_control()).collect();
        // Behind a reference without its semicolon a letter would belong to it.
        let first = plain.chars().next().is_none_or(|c| c.is_alphanumeric() || matches!(c, ';' | '=' | '#'));
        let plain = if first { format!(" {plain}") } else { plain };
        let words: String = plain.chars().filter(|c| !matches!(c, '-' | '<' | '>' | '!')).collect();
        Self { text: escaped(&plain), comment: format!("<!--{words}-->"), element: None }
    }

    /// The mark as a `span` of this class, where HTML allows an element.
    pub fn class(mut self, name: &str) -> Self {
        self.element = Some(format!("<span class=\"{}\">{}</span>", escaped(name), self.text));
        self
    }

    fn comments_only(&self) -> Self {
        Self { text: self.comment.clone(), comment: self.comment.clone(), element: None }
    }

    fn as_text(&self) -> &str {
        self.element.as_deref().unwrap_or(&self.text)
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Leaves out what may not be archived from tiles that go by.
#[derive(Debug)]
pub(crate) struct Elider {
    mark: CutMark,
    /// What stays of the run of withheld tiles at hand.
    run: String,
    /// The elements of the run that are open. The first one stays; the others go, with all that is in them, if they end.
    open: Vec<Open>,
    /// The blanks behind a mark that stands for text: they are part of the text if more of it comes.
    blanks: Option<String>,
}

/// An element that began in a run.
#[derive(Debug)]
struct Open {
    name: String,
    /// Where in the run.
    at: usize,
    foreign: bool,
    /// Where its mark goes, if text comes.
    mark_at: Option<usize>,
}

impl Elider {
    pub(crate) fn new(mark: CutMark) -> Self {
        Self { mark, run: String::new(), open: Vec::new(), blanks: None }
    }

    /// What stays of the withheld tiles so far: what comes next is kept.
    pub(crate) fn end_run(&mut self) -> String {
        self.end_text();
        self.open.clear();
        std::mem::take(&mut self.run)
    }

    fn is_held_too_long(&self) -> bool {
        self.run.len() > HELD
    }

    /// One withheld tile. `image` is what stays of an image that is withheld by what its own tag says.
    fn withhold(&mut self, shape: Shape, raw: &str, image: Option<String>) {
        match shape.kind {
            // Without the mark that ends it a region would go on.
            TileKind::Comment if shape.is_mark => {
                self.end_text();
                self.run.push_str(raw);
                self.open.clear();
                return;
            }
            TileKind::Text => return self.text(raw),
            // Between two texts it is part of what the mark stands for.
            TileKind::Comment | TileKind::Bogus | TileKind::Other if self.blanks.is_some() => return,
            _ => self.end_text(),
        }
        match shape.kind {
            TileKind::Start => self.start(&bare_name(raw), shape, image),
            TileKind::End => self.end(&tag_name(&raw[2..]).to_ascii_lowercase()),
            TileKind::Comment | TileKind::Bogus if self.open.is_empty() => self.mark(false),
            TileKind::Comment | TileKind::Bogus => self.mark_late(false),
            TileKind::Doctype if raw.eq_ignore_ascii_case("<!doctype html>") => self.run.push_str(raw),
            _ => {}
        }
    }

    fn mark(&mut self, as_text: bool) {
        let (text, comment) = (self.mark.as_text(), self.mark.comment.as_str());
        // Text opens formatting again, in a browser; a comment in its place would not.
        if as_text && text != comment && self.run.ends_with(comment) {
            self.run.truncate(self.run.len() - comment.len());
        }
        if !self.run.ends_with(text) && !self.run.ends_with(comment) {
            self.run.push_str(if as_text { text } else { comment });
        }
    }

    /// A piece of text; blanks round a text stay.
    fn text(&mut self, raw: &str) {
        let is_blank = |c: char| c.is_ascii_whitespace();
        let words = raw.trim_matches(is_blank);
        if !self.open.is_empty() {
            if !words.is_empty() {
                self.mark_late(true);
            }
            return;
        }
        match (&mut self.blanks, words.is_empty()) {
            (Some(blanks), true) => blanks.push_str(raw),
            (None, true) => self.run.push_str(raw),
            (Some(blanks), false) => raw[raw.trim_end_matches(is_blank).len()..].clone_into(blanks),
            (None, false) => {
                self.run.push_str(&raw[..raw.len() - raw.trim_start_matches(is_blank).len()]);
                self.mark(true);
                self.blanks = Some(raw[raw.trim_end_matches(is_blank).len()..].to_owned());
            }
        }
    }

    fn end_text(&mut self) {
        self.run.push_str(&self.blanks.take().unwrap_or_default());
    }

    fn start(&mut self, name: &str, shape: Shape, image: Option<String>) {
        let foreign = shape.foreign;
        self.end_implied(name);
        // HTML in svg may end it.
        let breaks_out = foreign == Foreign::No && self.open.last().is_some_and(|open| open.foreign);
        let element = tag_name(name);
        let is_inside = !self.open.is_empty();
        let may_go = is_inside && !breaks_out && !shape.is_mark && self.may_go(element, shape);
        if !may_go {
            // It stays, and what follows may stand elsewhere than in what is open.
            self.open.clear();
        }
        if foreign == Foreign::SelfClosing || foreign == Foreign::No && html::is_void(name) {
            if !may_go {
                self.leaf(name, foreign, image);
            }
            return;
        }
        let at = self.run.len();
        if !may_go && !is_inside && mark_in(element, foreign) == Some(MarkIn::Before) {
            self.mark(false);
        }
        self.run.extend(["<", name, ">"]);
        let mark_at = (!may_go && is_inside).then_some(self.run.len());
        if !may_go && !is_inside {
            let mark = self.mark_inside(element, foreign).to_owned();
            self.run.push_str(&mark);
        }
        let foreign = foreign != Foreign::No || matches!(element, "svg" | "math");
        if element != "html" {
            self.open.push(Open { name: element.to_owned(), at, foreign, mark_at });
        }
    }

    /// The mark of an element.
    fn mark_inside(&self, name: &str, foreign: Foreign) -> &str {
        match mark_in(name, foreign) {
            Some(MarkIn::Text) if matches!(name, "title" | "textarea" | "option") => &self.mark.text,
            Some(MarkIn::Text) => self.mark.as_text(),
            Some(MarkIn::Comment) => &self.mark.comment,
            Some(MarkIn::Before) | None => "",
        }
    }

    /// Puts the mark into an element that stays for what it does alone, now that there is something in it: text, or a
    /// comment, which only a mark that is a comment stands for.
    fn mark_late(&mut self, is_text: bool) {
        let Some(root) = self.open.first() else { return };
        let Some(at) = root.mark_at else { return };
        let mark = self.mark_inside(&root.name, if root.foreign { Foreign::Yes } else { Foreign::No }).to_owned();
        if !is_text && mark != self.mark.comment {
            return;
        }
        self.open[0].mark_at = None;
        self.run.insert_str(at, &mark);
        for open in &mut self.open[1..] {
            open.at += mark.len();
        }
    }

    /// An element that contains nothing.
    fn leaf(&mut self, name: &str, foreign: Foreign, image: Option<String>) {
        if let Some(image) = image {
            self.run.push_str(&image);
            return;
        }
        self.run.extend(["<", name, if foreign == Foreign::SelfClosing { "/>" } else { ">" }]);
        if matches!(name, "img" | "embed") {
            self.mark(true);
            self.blanks = Some(String::new());
        }
    }

    fn end(&mut self, name: &str) {
        let found = self.open.iter().rposition(|open| open.name == name);
        let found = found.filter(|at| self.open[at + 1..].iter().all(|inner| is_ended_by(&inner.name, name)));
        match found {
            Some(0) => {
                self.run.extend(["</", name, ">"]);
                self.open.clear();
            }
            Some(at) => {
                self.run.truncate(self.open[at].at);
                self.open.truncate(at);
            }
            None => {
                // Who knows what it ends: what follows may stand elsewhere.
                self.run.extend(["</", name, ">"]);
                self.open.clear();
            }
        }
    }

    /// A start tag ends what HTML ends with it, as far as it is part of the run.
    fn end_implied(&mut self, name: &str) {
        if html::is_heading(name) && self.open.last().is_some_and(|open| html::is_heading(&open.name)) {
            let last = self.open.pop();
            if let Some(last) = last.filter(|_| !self.open.is_empty()) {
                self.run.truncate(last.at);
            }
            return;
        }
        let (over, within): (&[&str], &[&str]) = match name {
            "li" => (&["p", "li"], &["ul", "ol", "menu", "dir"]),
            "dd" | "dt" => (&["p", "dd", "dt"], &["dl"]),
            "option" | "optgroup" => (&["option", "optgroup"], &["select", "datalist"]),
            "td" | "th" => (&["p", "td", "th"], &["tr"]),
            "tr" => (&["p", "td", "th", "tr"], &["table", "tbody", "thead", "tfoot"]),
            "tbody" | "thead" | "tfoot" | "caption" | "colgroup" => (&TABLE_PARTS, &["table"]),
            _ if closes_paragraphs(name) => (&["p"], &[]),
            _ => return,
        };
        let stays = self.open.iter().rposition(|open| !over.contains(&open.name.as_str()));
        let Some(stays) = stays else { return self.open.clear() };
        if !within.is_empty() && !within.contains(&self.open[stays].name.as_str()) {
            return;
        }
        if let Some(first) = self.open.get(stays + 1) {
            self.run.truncate(first.at);
            self.open.truncate(stays + 1);
        }
    }

    /// Whether an element inside another one may go without anybody outside noticing.
    fn may_go(&self, name: &str, shape: Shape) -> bool {
        let parent = self.open.last().map_or("", |open| open.name.as_str());
        match name {
            _ if self.open.iter().any(|open| matches!(open.name.as_str(), "select" | "template")) => false,
            "a" if shape.in_link => false,
            "title" if shape.foreign != Foreign::No => false,
            "hr" => self.holds_paragraphs(),
            "col" => parent == "colgroup",
            "rb" | "rt" | "rp" | "rtc" => parent == "ruby",
            // These have a memory beyond their element.
            "input" | "keygen" | "select" | "textarea" | "nobr" | "button" | "form" | "html" | "head" | "body"
            | "frameset" | "plaintext" => false,
            // HTML may stand in these.
            "foreignobject" | "desc" | "annotation-xml" | "mi" | "mo" | "mn" | "ms" | "mtext" => false,
            "li" => matches!(parent, "ul" | "ol" | "menu" | "dir"),
            "dd" | "dt" => parent == "dl",
            "option" | "optgroup" => matches!(parent, "optgroup" | "datalist"),
            "td" | "th" => parent == "tr",
            "tr" => matches!(parent, "table" | "tbody" | "thead" | "tfoot"),
            "tbody" | "thead" | "tfoot" | "caption" | "colgroup" => parent == "table",
            // It ends a table that it stands in, and outside of a cell.
            "table" => matches!(parent, "td" | "th" | "caption"),
            // Of too many that are the same HTML forgets the first.
            _ if html::is_formatting(name) => self.open.iter().all(|open| open.name != name),
            _ => !closes_paragraphs(name) || self.holds_paragraphs(),
        }
    }

    /// Whether no paragraph outside the run can be ended by what comes.
    fn holds_paragraphs(&self) -> bool {
        let holds = |name: &str| name != "p" && closes_paragraphs(name);
        self.open.iter().any(|open| holds(&open.name) || matches!(open.name.as_str(), "td" | "th" | "caption"))
    }
}

/// The name of a start tag; with an attribute, where HTML goes by there being one.
fn bare_name(raw: &str) -> String {
    let name = tag_name(&raw[1..]).to_ascii_lowercase();
    let rest = raw[1 + name.len()..].to_ascii_lowercase();
    let ends_svg = name == "font" && ["color", "face", "size"].iter().any(|attribute| rest.contains(attribute));
    if ends_svg { name + " color" } else { name }
}

/// What is to be known of a tile.
#[derive(Clone, Copy, Debug)]
struct Shape {
    kind: TileKind,
    foreign: Foreign,
    is_mark: bool,
    /// A link is open round it, which another one would end.
    in_link: bool,
}

impl Shape {
    fn of(judged: &Judged<'_>, links: &mut OpenLinks) -> Self {
        let tile = judged.tile();
        Self {
            kind: tile.kind(),
            foreign: Foreign::of(tile),
            is_mark: judged.is_region_mark(),
            in_link: links.pass(tile),
        }
    }
}

/// How many links are open, by their tags alone: rather too many than too few.
#[derive(Debug, Default)]
struct OpenLinks(u32);

impl OpenLinks {
    /// Whether one was open before the tile.
    fn pass(&mut self, tile: &Tile<'_>) -> bool {
        let before = self.0;
        if tile.name() == "a" {
            self.0 = match tile.kind() {
                TileKind::Start => before + 1,
                _ => before.saturating_sub(1),
            };
        }
        before > 0
    }
}

/// Whether a tag is one of svg or `MathML`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    No,
    Yes,
    SelfClosing,
}

impl Foreign {
    fn of(tile: &Tile<'_>) -> Self {
        match (tile.is_foreign(), tile.is_self_closing()) {
            (false, _) => Self::No,
            (true, false) => Self::Yes,
            (true, true) => Self::SelfClosing,
        }
    }
}

/// How a mark stands in an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkIn {
    Text,
    Comment,
    /// As a comment before it: what it contains is no markup.
    Before,
}

fn mark_in(name: &str, foreign: Foreign) -> Option<MarkIn> {
    Some(match name {
        _ if foreign != Foreign::No => MarkIn::Comment,
        "html" | "plaintext" => return None,
        "table" | "tbody" | "thead" | "tfoot" | "tr" | "colgroup" | "select" | "optgroup" | "datalist" | "head"
        | "frameset" | "template" | "picture" | "video" | "audio" | "svg" | "math" => MarkIn::Comment,
        // Its end tag leaves formatting open that text in it has opened.
        "form" => MarkIn::Comment,
        "script" | "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => MarkIn::Before,
        _ => MarkIn::Text,
    })
}

const TABLE_PARTS: [&str; 9] = ["p", "td", "th", "tr", "tbody", "thead", "tfoot", "caption", "colgroup"];

/// Whether an element's end is implied by the end of one round it.
fn is_ended_by(inner: &str, outer: &str) -> bool {
    match inner {
        "p" | "li" | "dd" | "dt" | "option" | "optgroup" | "rb" | "rp" | "rt" | "rtc" => true,
        "td" | "th" | "tr" | "tbody" | "thead" | "tfoot" | "caption" | "colgroup" => {
            outer == "table" || TABLE_PARTS.contains(&outer)
        }
        _ => false,
    }
}

/// Whether a start tag ends a paragraph that is open.
fn closes_paragraphs(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "center"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dd"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "plaintext"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "ul"
            | "xmp"
    )
}

/// What stays of an image that bears `noarchive` itself.
type Image = Vec<(&'static str, String)>;

fn image(tile: &Tile<'_>) -> Image {
    let stays = ["class", "src", "srcset", "sizes", "width", "height"];
    stays.into_iter().filter_map(|name| Some((name, tile.attribute(name)?.into_owned()))).collect()
}

/// Its tag: it is fetched from the publisher's site.
fn image_tag(image: &Image, base: &Url) -> String {
    let mut tag = "<img".to_owned();
    for (name, value) in image {
        let value = match *name {
            "src" => absolute(value, base),
            "srcset" => sources(value, base),
            _ => value.clone(),
        };
        tag.extend([" ", name, "=\"", &escaped(&value), "\""]);
    }
    tag + ">"
}

fn absolute(address: &str, base: &Url) -> String {
    base.join(address.trim()).map_or_else(|_| address.to_owned(), String::from)
}

/// The candidates of a `srcset`, each an address and what it is for.
fn sources(value: &str, base: &Url) -> String {
    let mut rest = value.trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
    let mut sources = Vec::new();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let address = rest[..end].trim_end_matches(',');
        let ends_here = address.len() < end;
        rest = &rest[end..];
        let descriptor = if ends_here { "" } else { rest.split(',').next().unwrap_or_default() };
        rest = rest[descriptor.len()..].trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
        sources.push(format!("{} {}", absolute(address, base), descriptor.trim()).trim_end().to_owned());
    }
    sources.join(", ")
}

/// The page itself, and what of it may have to go.
#[derive(Debug, Default)]
pub(crate) struct Source {
    text: String,
    /// The tiles that some verdict is about.
    parts: Vec<Part>,
    /// Where something can be put into the head, and what was seen to say so.
    head: (usize, u8),
    is_transcoded: bool,
    /// Text would forbid its frames.
    has_frames: bool,
    has_text: bool,
    links: OpenLinks,
}

#[derive(Debug)]
struct Part {
    start: usize,
    end: usize,
    verdict: VerdictId,
    shape: Shape,
    /// What stays of it for those to whom its own tag alone denies it.
    image: Option<(BotSet, BotSet, Image)>,
}

impl Sink for Source {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        let start = self.text.len();
        self.text.push_str(tile.raw());
        let end = self.text.len();
        self.watch_head(tile, end);
        let is_blank = |c: char| c.is_ascii_whitespace() || c == '\0';
        let is_body = tile.kind() == TileKind::Start && tile.name() == "body";
        self.has_text |= is_body || judged.is_visible_text() && !tile.raw().chars().all(is_blank);
        let shape = Shape::of(judged, &mut self.links);
        if judged.id() != 0 {
            let alone = judged.alone();
            let image = (!alone.is_empty()).then(|| (alone, judged.denied(Facet::Archive), image(tile)));
            self.parts.push(Part { start, end, verdict: judged.id(), shape, image });
        }
        Ok(())
    }
}

impl Source {
    pub(crate) fn is_transcoded(&mut self) {
        self.is_transcoded = true;
    }

    fn watch_head(&mut self, tile: &Tile<'_>, end: usize) {
        self.has_frames |= tile.kind() == TileKind::Start && tile.name() == "frameset" && !self.has_text;
        let rank = match (tile.kind(), tile.name()) {
            (TileKind::Doctype, _) => 1,
            (TileKind::Start, "html") => 2,
            (TileKind::Start, "head") => 3,
            _ => return,
        };
        if rank > self.head.1 && self.head.1 < 3 {
            self.head = (end, rank);
        }
    }

    /// The snapshot for a bot: nothing if the page as a whole may not be kept.
    pub(crate) fn snapshot(&self, outcome: &Outcome, bot: usize, base: &Url, dressing: &Dressing) -> Option<String> {
        let denied = |verdict: VerdictId| outcome.verdict(verdict).denied(Facet::Archive);
        if denied(0).contains(bot) {
            return None;
        }
        let mark = if self.has_frames { dressing.mark.comments_only() } else { dressing.mark.clone() };
        let mut elider = Elider::new(mark);
        let mut cut = Cut { text: &self.text, out: String::with_capacity(self.text.len()), done: 0 };
        if self.is_transcoded && !self.text.is_ascii() {
            // It outranks the character set that the page declares.
            cut.out.push('\u{FEFF}');
        }
        let head = dressing.head(base);
        if !head.is_empty() {
            cut.keep(self.head.0, &mut elider);
            cut.out.push_str(&head);
        }
        for part in self.parts.iter().filter(|part| denied(part.verdict).contains(bot)) {
            if part.start > cut.done {
                cut.keep(part.start, &mut elider);
            }
            let image =
                part.image.as_ref().filter(|(alone, then, _)| alone.contains(bot) && *then == denied(part.verdict));
            let image = image.map(|(.., image)| image_tag(image, base));
            elider.withhold(part.shape, &self.text[part.start..part.end], image);
            cut.done = part.end;
        }
        cut.keep(self.text.len(), &mut elider);
        cut.out.push_str(&dressing.foot());
        Some(cut.out)
    }
}

/// The copying of a page.
struct Cut<'a> {
    text: &'a str,
    out: String,
    /// How much of it has been copied or withheld.
    done: usize,
}

impl Cut<'_> {
    fn keep(&mut self, to: usize, elider: &mut Elider) {
        self.out.push_str(&elider.end_run());
        self.out.push_str(&self.text[self.done..to]);
        self.done = to;
    }
}

/// How a snapshot is made: its mark, and what is put into it besides; nothing, if nothing is said.
#[derive(Clone, Debug, Default)]
pub struct Dressing {
    mark: CutMark,
    base: bool,
    no_scripts: bool,
    banner: Option<String>,
}

impl Dressing {
    /// Another mark.
    pub fn mark(mut self, mark: CutMark) -> Self {
        self.mark = mark;
        self
    }

    /// A `base`, so that links and pictures lead to the publisher's site.
    pub fn base(mut self) -> Self {
        self.base = true;
        self
    }

    /// A policy that lets no script run.
    pub fn no_scripts(mut self) -> Self {
        self.no_scripts = true;
        self
    }

    /// A line at the lower edge of the window that says where the page is from: this text.
    pub fn banner(mut self, text: &str) -> Self {
        self.banner = Some(text.to_owned());
        self
    }

    /// What goes into the head. A copy that differs from its page says also what it is encoded in.
    fn head(&self, base: &Url) -> String {
        if !self.base && !self.no_scripts && self.banner.is_none() {
            return String::new();
        }
        let mut head = "<meta charset=\"utf-8\">".to_owned();
        if self.no_scripts {
            head.push_str(
                "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'; object-src 'none'\">",
            );
        }
        if self.base {
            head.extend(["<base href=\"", &escaped(base.as_str()), "\">"]);
        }
        head
    }

    fn foot(&self) -> String {
        let style = "position:fixed;left:0;right:0;bottom:0;z-index:2147483647;margin:0;padding:.4em 1em;\
            font:14px/1.4 sans-serif;color:#111;background:#ffd;border-top:1px solid #998;text-align:left";
        let banner = self.banner.as_ref();
        banner.map_or_else(String::new, |text| format!("<div style=\"{style}\">{}</div>", escaped(text)))
    }
}

/// Writes a page as it goes by, without what may not be archived, in bounded memory.
///
/// **What is written is not final**: a late statement may forbid it all. Whoever uses this must throw away what was
/// written if [`Snapshot::is_void`] says so at the end, or if the pass fails. [`Page::snapshot`](crate::Page::snapshot)
/// waits for the end instead.
///
/// ```
/// use heedful::{Bot, CutMark, Dialects, Filter, Snapshot};
///
/// let filter = Filter::new(Bot::new("FooBot")?).dialects(Dialects::parse("web,+profile-undeclared")?);
/// let url = url::Url::parse("https://example.com/").unwrap();
/// let mut pass = filter.open_with(url.as_str(), Snapshot::new(Vec::new(), &url, CutMark::default()))?;
/// pass.write(b"<p>kept <b class=robots-noarchive>withheld</b>")?;
/// let snapshot = pass.into_sink()?;
/// assert!(!snapshot.is_void());
/// assert_eq!(snapshot.into_inner(), b"<p>kept <b>[...]</b>");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Snapshot<W> {
    out: W,
    bot: usize,
    base: Url,
    has_base: bool,
    elider: Elider,
    links: OpenLinks,
    is_void: bool,
}

impl<W: Write> Snapshot<W> {
    /// Writes to `out` the page at `url` as the first bot of the pass may keep it.
    pub fn new(out: W, url: &Url, mark: CutMark) -> Self {
        let elider = Elider::new(mark);
        Self { out, bot: 0, base: url.clone(), has_base: false, elider, links: OpenLinks::default(), is_void: false }
    }

    /// As the bot with this number, from 0, may keep it.
    pub fn for_bot(mut self, number: usize) -> Self {
        self.bot = number;
        self
    }

    /// Whether the page turned out to be one that may not be kept: what was written must go. Known at the end.
    pub fn is_void(&self) -> bool {
        self.is_void
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let written = self.out.write_all(text.as_bytes());
        written.map_err(|source| ErrorKind::Io { what: "the snapshot".to_owned(), source }.into())
    }

    fn watch_base(&mut self, tile: &Tile<'_>) {
        if !self.has_base
            && tile.kind() == TileKind::Start
            && tile.name() == "base"
            && let Some(href) = tile.attribute("href")
        {
            self.has_base = true;
            self.base = self.base.join(href.trim()).unwrap_or_else(|_| self.base.clone());
        }
    }
}

impl<W: Write> Sink for Snapshot<W> {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        self.watch_base(tile);
        let shape = Shape::of(judged, &mut self.links);
        if !judged.denied(Facet::Archive).contains(self.bot) {
            let run = self.elider.end_run();
            self.write(&run)?;
            return self.write(tile.raw());
        }
        let image = judged.alone().contains(self.bot).then(|| image_tag(&image(tile), &self.base));
        self.elider.withhold(shape, tile.raw(), image);
        if self.elider.is_held_too_long() {
            let run = self.elider.end_run();
            self.write(&run)?;
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &Outcome) -> Result<()> {
        let run = self.elider.end_run();
        self.write(&run)?;
        let denied = |facet| outcome.denied(facet).or(outcome.verdict(0).denied(facet)).contains(self.bot);
        self.is_void = denied(Facet::Archive) || denied(Facet::Index);
        Ok(())
    }
}
