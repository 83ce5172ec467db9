//! Where html5ever's tree builder is behind the HTML standard, and what it is told so that its tree is the standard's.
//!
//! The builder keeps the open elements itself and decides by their names, which it asks of its sink each time. So the
//! sink's answers can correct it, and nothing of it is copied here. Corrected by them (sections of the standard):
//! * 13.2.4.2 The stack of open elements: `MathML`'s `mi mo mn ms mtext annotation-xml`, svg's `foreignObject desc title`
//!   and HTML's `search` are *special*, and `isindex` is not; `annotation-xml` bounds every *scope* but a table's.
//! * 13.2.6.5 Foreign content: an `annotation-xml` with HTML in it is left by no `</p>`, no `</br>` and no HTML tag.
//! * 13.2.6.4.13 In table body: a `thead` that stands in no table, but in a template, is ended by what begins another part.
//! * 13.2.6.4.1 The initial insertion mode: a public identifier of Silmaril's means quirks.
//!
//! An answer is a *stand-in*: an HTML name that has the wanted property and none besides, as far as the token at hand is
//! concerned. It relies on the order in which html5ever 0.39 asks: whose turn it is in foreign content first, then, for
//! an end tag there, each open element down to the nearest HTML one, and only then by the rules for HTML. Tests that
//! compare whole trees (html5lib's, and a browser's) fail where another version asks otherwise. What it never does:
//! decide what a mark means, or keep a tree.

use std::cell::Cell;

use html5ever::interface::QualName;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token};
use html5ever::{ExpandedName, LocalName, expanded_name, local_name, ns};

/// What the builder must be told of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its name.
    #[default]
    Ordinary,
    /// A place where HTML begins again inside svg or `MathML`: it is special and bounds scope.
    Point,
    /// An `annotation-xml` that holds no HTML: special, and it bounds scope, but tags pass through it.
    Fence,
    /// A `search`: special.
    Search,
    /// An `isindex`: not special.
    Isindex,
    /// A `thead`: a part of a table like `tbody`.
    Thead,
}

impl Role {
    /// The role of an element; `holds_html` tells what the `encoding` of an `annotation-xml` says.
    pub(crate) fn of(name: ExpandedName<'_>, holds_html: bool) -> Self {
        match name {
            expanded_name!(html "search") => Self::Search,
            expanded_name!(html "isindex") => Self::Isindex,
            expanded_name!(html "thead") => Self::Thead,
            expanded_name!(mathml "annotation-xml") if !holds_html => Self::Fence,
            expanded_name!(mathml "annotation-xml")
            | expanded_name!(mathml "mi")
            | expanded_name!(mathml "mo")
            | expanded_name!(mathml "mn")
            | expanded_name!(mathml "ms")
            | expanded_name!(mathml "mtext")
            | expanded_name!(svg "foreignObject")
            | expanded_name!(svg "desc")
            | expanded_name!(svg "title") => Self::Point,
            _ => Self::Ordinary,
        }
    }
}

/// How the questions about one token are answered.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// By names alone: nothing that is asked depends on a role.
    Names,
    /// By the rules for HTML, but a fence is passed through.
    Through,
    /// The builder looks for the element that an end tag ends in foreign content, by names.
    Seeking,
    /// By the rules for HTML.
    Rules,
}

/// What the builder is told when it asks for a name.
#[derive(Debug)]
pub(crate) struct Answers {
    phase: Cell<Phase>,
    /// The token names the first of two stand-ins: so the second is told.
    names_first: Cell<bool>,
    /// The token names an element of this role.
    named: Cell<Role>,
    /// The token ends the part of a table that is open.
    ends_part: Cell<bool>,
    /// Special names that bound scope.
    bounding: [QualName; 2],
    /// Special names that do not.
    special: [QualName; 2],
    plain: QualName,
    part: QualName,
}

impl Default for Answers {
    fn default() -> Self {
        let html = |name| QualName::new(None, ns!(html), name);
        Self {
            phase: Cell::new(Phase::Names),
            names_first: Cell::new(false),
            named: Cell::default(),
            ends_part: Cell::new(false),
            bounding: [local_name!("applet"), local_name!("marquee")].map(html),
            special: [local_name!("hgroup"), local_name!("summary")].map(html),
            plain: html(LocalName::from("PLAIN")),
            part: html(local_name!("tbody")),
        }
    }
}

impl Answers {
    /// The builder is given a token next. Says whether each name that it asks for must be told to [`Self::is_seeking_beyond`].
    pub(crate) fn begin(&self, token: &Token) -> bool {
        self.names_first.set(false);
        self.named.set(Role::Ordinary);
        self.ends_part.set(false);
        let phase = match token {
            Token::TagToken(tag) => self.tag(tag),
            Token::CharacterTokens(_) | Token::NullCharacterToken => Phase::Through,
            _ => Phase::Names,
        };
        self.phase.set(phase);
        matches!(phase, Phase::Seeking)
    }

    /// The builder asks for this name. Says whether it still looks for what an end tag ends in foreign content.
    pub(crate) fn is_seeking_beyond(&self, own: ExpandedName<'_>) -> bool {
        let is_seeking = matches!(self.phase.get(), Phase::Seeking);
        if is_seeking && *own.ns == ns!(html) {
            self.phase.set(Phase::Rules);
            return false;
        }
        is_seeking
    }

    fn tag(&self, tag: &Tag) -> Phase {
        let is_start = tag.kind == TagKind::StartTag;
        match tag.name {
            local_name!("applet") | local_name!("hgroup") => self.names_first.set(true),
            local_name!("search") => self.named.set(Role::Search),
            local_name!("isindex") => self.named.set(Role::Isindex),
            local_name!("caption") | local_name!("col") | local_name!("colgroup") => self.ends_part.set(is_start),
            local_name!("tbody") | local_name!("tfoot") | local_name!("thead") => self.ends_part.set(is_start),
            local_name!("table") => self.ends_part.set(!is_start),
            _ => {}
        }
        match (tag.kind, &tag.name) {
            (TagKind::StartTag, &local_name!("mglyph") | &local_name!("malignmark")) => Phase::Names,
            (TagKind::StartTag, _) | (_, &local_name!("p") | &local_name!("br")) => Phase::Through,
            _ => Phase::Seeking,
        }
    }

    /// What the builder is told of an element that is not ordinary.
    pub(crate) fn name<'a>(&'a self, own: ExpandedName<'a>, role: Role) -> ExpandedName<'a> {
        let other = usize::from(self.names_first.get());
        match (role, self.phase.get()) {
            _ if role == self.named.get() => own,
            (Role::Search, _) => self.special[other].expanded(),
            (Role::Isindex, _) => self.plain.expanded(),
            (Role::Thead, _) if self.ends_part.get() => self.part.expanded(),
            (Role::Point, Phase::Through | Phase::Rules) | (Role::Fence, Phase::Rules) => {
                self.bounding[other].expanded()
            }
            _ => own,
        }
    }
}

/// A doctype that the builder does not take for what it is.
pub(crate) fn corrected(doctype: Doctype) -> Doctype {
    let is_silmaril = doctype.public_id.as_deref().is_some_and(|public| begins(public, SILMARIL));
    Doctype { force_quirks: doctype.force_quirks || is_silmaril, ..doctype }
}

const SILMARIL: &str = "+//silmaril//dtd html pro v0r11 19970101//";
/// They mean quirks where no system identifier follows.
const LOOSE: [&str; 2] = ["-//w3c//dtd html 4.01 transitional//", "-//w3c//dtd html 4.01 frameset//"];

/// Whether browsers differ about a doctype: to the standard an empty system identifier is one, to Chromium it is none.
pub(crate) fn is_disputed(doctype: &Doctype) -> bool {
    let is_loose = |public: &str| LOOSE.iter().any(|loose| begins(public, loose));
    !doctype.force_quirks
        && doctype.name.as_deref() == Some("html")
        && doctype.system_id.as_deref() == Some("")
        && doctype.public_id.as_deref().is_some_and(is_loose)
}

fn begins(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}
