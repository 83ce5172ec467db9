//! Reduces the withheld tokens of a snapshot to bare tags and marks.
//!
//! A run is a sequence of withheld tokens. The tags of its outermost elements are written, without
//! attributes. Inside an outermost element, text is dropped, and so are comments and pairs of tags.
//! A tag inside is written only if it has no partner, or if HTML gives it an effect outside of its
//! element. A mark is inserted into each outermost element, and in place of withheld text. If a
//! mark of text would change the tree, the mark is a comment, or one more tag is written.

use crate::html;
use crate::lex::{Token, TokenKind, tag_name};
use crate::walk::Judged;

use super::dressing::CutMark;

/// Maximum number of bytes that are buffered for one run of withheld tokens in a streamed snapshot.
/// The buffer holds the bare tags and the marks that replace these tokens.
const HELD: usize = 64 << 10;

/// Reduces the tokens that may not be archived to bare tags and marks. A bare tag has no
/// attributes. A mark, such as `[...]`, shows that something is left out.
#[derive(Debug)]
pub(super) struct Elider {
    mark: CutMark,
    /// Bare tags and marks that replace the current run: the withheld tokens since the last token
    /// that may be archived.
    run: String,
    /// Open elements whose start tag is in the current run of withheld tokens, outermost first. The
    /// tags of the first element are written. Every other element is dropped with its content if
    /// the element ends within the run.
    open: Vec<OpenTag>,
    /// White space after withheld text that a mark, such as `[...]`, already replaces. If more
    /// withheld text follows, the same mark stands for both texts, and this white space is dropped.
    /// `None` if `run` does not end with a mark for text.
    blanks: Option<String>,
}

/// An open element whose start tag is in the current run of withheld tokens.
#[derive(Debug)]
struct OpenTag {
    name: String,
    /// Byte offset in [`Elider::run`] at which the element starts.
    at: usize,
    foreign: bool,
    /// Byte offset in [`Elider::run`] at which a mark, such as `[...]`, may be inserted. The mark
    /// is inserted when withheld content follows in the element. `None` if the element needs no
    /// mark, or has one already.
    mark_at: Option<usize>,
}

impl Elider {
    pub(super) fn new(mark: CutMark) -> Self {
        Self {
            mark,
            run: String::new(),
            open: Vec::new(),
            blanks: None,
        }
    }

    /// Ends the current run of withheld tokens. Returns the bare tags and marks to write in place
    /// of these tokens.
    pub(super) fn end_run(&mut self) -> String {
        self.end_text();
        self.open.clear();
        std::mem::take(&mut self.run)
    }

    pub(super) fn is_held_too_long(&self) -> bool {
        self.run.len() > HELD
    }

    /// Adds a token to the current run of withheld tokens. `raw` is the token's source. Sometimes
    /// only an image's own tag denies archiving, and no region or element around the image. For
    /// such an image, `image` is the tag to write. With this tag, browsers load the image from the
    /// publisher's site. For any other token, `image` is `None`.
    pub(super) fn withhold(&mut self, shape: TagShape, raw: &str, image: Option<String>) {
        match shape.kind {
            // Without the mark that ends it, a region would continue.
            TokenKind::Comment if shape.is_mark => {
                self.end_text();
                self.run.push_str(raw);
                self.open.clear();
                return;
            }
            TokenKind::Text => return self.text(raw),
            // A comment between two texts is covered by the mark that stands for both.
            TokenKind::Comment | TokenKind::Bogus | TokenKind::Other if self.blanks.is_some() => {
                return;
            }
            _ => self.end_text(),
        }
        match shape.kind {
            TokenKind::Start => match bare_name(raw) {
                // HTML reads `image` as `img`.
                name if name == "image" && shape.foreign == Foreign::No => {
                    self.start("img", shape, image);
                }
                name => self.start(&name, shape, image),
            },
            TokenKind::End => self.end(&tag_name(&raw[2..]).to_ascii_lowercase()),
            TokenKind::Comment | TokenKind::Bogus if self.open.is_empty() => self.mark(false),
            TokenKind::Comment | TokenKind::Bogus => self.mark_late(false),
            TokenKind::Doctype if raw.eq_ignore_ascii_case("<!doctype html>") => {
                self.run.push_str(raw);
            }
            _ => {}
        }
    }

    fn mark(&mut self, as_text: bool) {
        let text = self.mark.as_text();
        let comment = self.mark.comment.as_str();
        // A browser opens formatting elements again at text, and not at a comment.
        if as_text && text != comment && self.run.ends_with(comment) {
            self.run.truncate(self.run.len() - comment.len());
        }
        if !self.run.ends_with(text) && !self.run.ends_with(comment) {
            self.run.push_str(if as_text { text } else { comment });
        }
    }

    /// Adds a piece of text to the current run of withheld tokens. If no element of the run is
    /// open, white space around the text is kept.
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
                self.run
                    .push_str(&raw[..raw.len() - raw.trim_start_matches(is_blank).len()]);
                self.mark(true);
                self.blanks = Some(raw[raw.trim_end_matches(is_blank).len()..].to_owned());
            }
        }
    }

    fn end_text(&mut self) {
        self.run.push_str(&self.blanks.take().unwrap_or_default());
    }

    fn start(&mut self, name: &str, shape: TagShape, image: Option<String>) {
        let foreign = shape.foreign;
        self.end_implied(name);
        // HTML in svg may end the svg.
        let breaks_out =
            foreign == Foreign::No && self.open.last().is_some_and(|open| open.foreign);
        let element = tag_name(name);
        let is_inside = !self.open.is_empty();
        let may_go = is_inside && !breaks_out && !shape.is_mark && self.may_go(element, shape);
        if !may_go {
            // The tag stays, and the open elements may not contain the tokens after it.
            self.open.clear();
        }
        if foreign == Foreign::SelfClosing || foreign == Foreign::No && html::is_void(name) {
            if !may_go {
                self.leaf(name, foreign, image);
            }
            return;
        }
        let at = self.run.len();
        if !may_go && !is_inside && mark_form(element, foreign) == Some(MarkForm::Before) {
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
            self.open.push(OpenTag {
                name: element.to_owned(),
                at,
                foreign,
                mark_at,
            });
        }
    }

    /// Returns the mark to insert into an element with this name. A mark shows that the snapshot
    /// leaves out content. The mark is text, such as `[...]`, if HTML allows text in the element,
    /// and otherwise a comment. Empty if no mark may be inserted into the element.
    fn mark_inside(&self, name: &str, foreign: Foreign) -> &str {
        match mark_form(name, foreign) {
            Some(MarkForm::Text) if matches!(name, "title" | "textarea" | "option") => {
                &self.mark.text
            }
            Some(MarkForm::Text) => self.mark.as_text(),
            Some(MarkForm::Comment) => &self.mark.comment,
            Some(MarkForm::Before) | None => "",
        }
    }

    /// Inserts a mark, such as `[...]`, into the outermost open element of the current run of
    /// withheld tokens. Does nothing if this element needs no mark, or has one already. Called when
    /// content of this element is dropped. `is_text` is false if the content is a comment. A mark
    /// that is text is not inserted for a comment.
    fn mark_late(&mut self, is_text: bool) {
        let Some(root) = self.open.first() else {
            return;
        };
        let Some(at) = root.mark_at else { return };
        let mark = self
            .mark_inside(
                &root.name,
                if root.foreign {
                    Foreign::Yes
                } else {
                    Foreign::No
                },
            )
            .to_owned();
        if !is_text && mark != self.mark.comment {
            return;
        }
        self.open[0].mark_at = None;
        self.run.insert_str(at, &mark);
        for open in &mut self.open[1..] {
            open.at += mark.len();
        }
    }

    /// Writes the bare tag of an element that never has content, such as `br`. If `image` is given,
    /// writes `image` instead.
    fn leaf(&mut self, name: &str, foreign: Foreign, image: Option<String>) {
        if let Some(image) = image {
            self.run.push_str(&image);
            return;
        }
        self.run.extend([
            "<",
            name,
            if foreign == Foreign::SelfClosing {
                "/>"
            } else {
                ">"
            },
        ]);
        if matches!(name, "img" | "embed") {
            self.mark(true);
            self.blanks = Some(String::new());
        }
    }

    fn end(&mut self, name: &str) {
        if let Some(at) = self.ended_element(name)
            && at > 0
        {
            self.run.truncate(self.open[at].at);
            self.open.truncate(at);
            return;
        }
        // The element that the tag ends is not known, so later tokens may be elsewhere in the tree.
        self.run.extend(["</", name, ">"]);
        self.open.clear();
    }

    /// Returns the index in `open` of the element that an end tag `name` ends. All open elements
    /// inside this element end too. Returns `None` if the end tag ends no element in `open`.
    fn ended_element(&self, name: &str) -> Option<usize> {
        let at = self.open.iter().rposition(|open| open.name == name)?;
        let mut inner = self.open[at + 1..].iter();
        let is_ended = inner.all(|open| is_ended_by(&open.name, name));
        is_ended.then_some(at)
    }

    /// Ends the open elements that a start tag `name` ends by the rules of HTML. For example, a `p`
    /// tag ends an open `p`. Only elements whose start tag is in the current run of withheld tokens
    /// are ended.
    fn end_implied(&mut self, name: &str) {
        if html::is_heading(name)
            && self
                .open
                .last()
                .is_some_and(|open| html::is_heading(&open.name))
        {
            if let Some(last) = self.open.pop()
                && !self.open.is_empty()
            {
                self.run.truncate(last.at);
            }
            return;
        }
        let (over, within): (&[&str], &[&str]) = match name {
            "li" => (&["p", "li"], &["ul", "ol", "menu", "dir"]),
            "dd" | "dt" => (&["p", "dd", "dt"], &["dl"]),
            "option" | "optgroup" => (&["option", "optgroup"], &["select", "datalist"]),
            "td" | "th" => (&["p", "td", "th"], &["tr"]),
            "tr" => (
                &["p", "td", "th", "tr"],
                &["table", "tbody", "thead", "tfoot"],
            ),
            "tbody" | "thead" | "tfoot" | "caption" | "colgroup" => (&TABLE_PARTS, &["table"]),
            _ if closes_paragraphs(name) => (&["p"], &[]),
            _ => return,
        };
        let stays = self
            .open
            .iter()
            .rposition(|open| !over.contains(&open.name.as_str()));
        let Some(stays) = stays else {
            return self.open.clear();
        };
        if !within.is_empty() && !within.contains(&self.open[stays].name.as_str()) {
            return;
        }
        if let Some(first) = self.open.get(stays + 1) {
            self.run.truncate(first.at);
            self.open.truncate(stays + 1);
        }
    }

    /// True if both tags of an element with this name can be dropped without any effect outside of
    /// the element. Call this only if an element around this element is open in the current run
    /// (sequence of withheld tokens).
    fn may_go(&self, name: &str, shape: TagShape) -> bool {
        let parent = self.open.last().map_or("", |open| open.name.as_str());
        match name {
            _ if self
                .open
                .iter()
                .any(|open| matches!(open.name.as_str(), "select" | "template")) =>
            {
                false
            }
            "a" if shape.in_link => false,
            "title" if shape.foreign != Foreign::No => false,
            "hr" => self.holds_paragraphs(),
            "col" => parent == "colgroup",
            "rb" | "rt" | "rp" | "rtc" => parent == "ruby",
            // These tags change state of the parser that outlives their element.
            "input" | "keygen" | "select" | "textarea" | "nobr" | "button" | "form" | "html"
            | "head" | "body" | "frameset" | "plaintext" => false,
            // These may contain HTML.
            "foreignobject" | "desc" | "annotation-xml" | "mi" | "mo" | "mn" | "ms" | "mtext" => {
                false
            }
            "li" => matches!(parent, "ul" | "ol" | "menu" | "dir"),
            "dd" | "dt" => parent == "dl",
            "option" | "optgroup" => matches!(parent, "optgroup" | "datalist"),
            "td" | "th" => parent == "tr",
            "tr" => matches!(parent, "table" | "tbody" | "thead" | "tfoot"),
            "tbody" | "thead" | "tfoot" | "caption" | "colgroup" => parent == "table",
            // A table ends a table around it, unless it is in a cell.
            "table" => matches!(parent, "td" | "th" | "caption"),
            // HTML opens at most three equal formatting elements again, and forgets the first of
            // four.
            _ if html::is_formatting(name) => self.open.iter().all(|open| open.name != name),
            _ => !closes_paragraphs(name) || self.holds_paragraphs(),
        }
    }

    /// True if a tag at this point cannot end a `p` that began before the current run of withheld
    /// tokens. This is so inside a table cell or caption whose tag is in the run. It is also so if
    /// an open element of the run, such as a `div`, has already ended this `p`.
    fn holds_paragraphs(&self) -> bool {
        self.open.iter().any(|open| match open.name.as_str() {
            "td" | "th" | "caption" => true,
            "p" => false,
            name => closes_paragraphs(name),
        })
    }
}

/// Returns the name of the start tag `raw`, in lower case. If the tree of the page depends on an
/// attribute, the attribute is appended. An example is `color` of a `font` in svg.
fn bare_name(raw: &str) -> String {
    let name = tag_name(&raw[1..]).to_ascii_lowercase();
    let rest = raw[1 + name.len()..].to_ascii_lowercase();
    let ends_svg = name == "font"
        && ["color", "face", "size"]
            .iter()
            .any(|attribute| rest.contains(attribute));
    match name.as_str() {
        _ if ends_svg => name + " color",
        "annotation-xml" if holds_html(&raw[1 + name.len()..]) => name + " encoding=text/html",
        _ => name,
    }
}

/// True if the content of an `annotation-xml` with these attributes is HTML. `attributes` is the
/// source of the tag after the name.
fn holds_html(attributes: &str) -> bool {
    let mut encoding = None;
    html::attributes(attributes.as_bytes(), 0, |name, value| {
        if attributes[name].eq_ignore_ascii_case("encoding") && encoding.is_none() {
            encoding = Some(html::decode_value(&attributes[value]));
        }
    });
    let Some(encoding) = encoding else {
        return false;
    };
    encoding.eq_ignore_ascii_case("text/html")
        || encoding.eq_ignore_ascii_case("application/xhtml+xml")
}

/// Properties of a token that decide how it is reduced to bare tags and marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct TagShape {
    kind: TokenKind,
    foreign: Foreign,
    is_mark: bool,
    /// True if a link (`a`) is open around the token. The start tag of another link would end the
    /// open link.
    in_link: bool,
}

impl TagShape {
    pub(super) fn new(judged: &Judged<'_>, links: &mut OpenLinks) -> Self {
        let token = judged.token();
        Self {
            kind: token.kind(),
            foreign: Foreign::from_token(token),
            is_mark: judged.is_region_mark(),
            in_link: links.update(token),
        }
    }
}

/// Upper bound for the number of links (`a`) that are open at a token. It is computed only from the
/// start and end tags of links.
#[derive(Debug, Default)]
pub(super) struct OpenLinks(u32);

impl OpenLinks {
    /// Updates the number of open links if `token` is a tag of a link. Returns true if a link may
    /// have been open before `token`.
    fn update(&mut self, token: &Token<'_>) -> bool {
        let before = self.0;
        if token.name() == "a" {
            self.0 = match token.kind() {
                TokenKind::Start => before + 1,
                _ => before.saturating_sub(1),
            };
        }
        before > 0
    }
}

/// Tells whether a tag is foreign (belongs to svg or `MathML`). For a foreign tag, also tells
/// whether the tag closes itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    No,
    Yes,
    SelfClosing,
}

impl Foreign {
    fn from_token(token: &Token<'_>) -> Self {
        match (token.is_foreign(), token.is_self_closing()) {
            (false, _) => Self::No,
            (true, false) => Self::Yes,
            (true, true) => Self::SelfClosing,
        }
    }
}

/// Form of the mark that shows that content of an element is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkForm {
    Text,
    Comment,
    /// A comment before the element. This form is for an element in which HTML reads no comments,
    /// such as `script`.
    Before,
}

fn mark_form(name: &str, foreign: Foreign) -> Option<MarkForm> {
    Some(match name {
        _ if foreign != Foreign::No => MarkForm::Comment,
        "html" | "plaintext" => return None,
        "table" | "tbody" | "thead" | "tfoot" | "tr" | "colgroup" | "select" | "optgroup"
        | "datalist" | "head" | "frameset" | "template" | "picture" | "video" | "audio" | "svg"
        | "math" => MarkForm::Comment,
        // The end tag of a form leaves formatting elements open that text in it has opened.
        "form" => MarkForm::Comment,
        "script" | "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => {
            MarkForm::Before
        }
        _ => MarkForm::Text,
    })
}

const TABLE_PARTS: [&str; 9] = [
    "p", "td", "th", "tr", "tbody", "thead", "tfoot", "caption", "colgroup",
];

/// True if an open element named `inner` ends when an element named `outer` around it ends.
fn is_ended_by(inner: &str, outer: &str) -> bool {
    match inner {
        "p" | "li" | "dd" | "dt" | "option" | "optgroup" | "rb" | "rp" | "rt" | "rtc" => true,
        "td" | "th" | "tr" | "tbody" | "thead" | "tfoot" | "caption" | "colgroup" => {
            outer == "table" || TABLE_PARTS.contains(&outer)
        }
        _ => false,
    }
}

/// True if a start tag with this name may end an open `p`.
fn closes_paragraphs(name: &str) -> bool {
    html::ends_paragraph(name) || matches!(name, "form" | "table")
}
