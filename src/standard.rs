//! Corrects the tree builder of html5ever where it departs from the HTML standard, so that the tree
//! is the one that the standard describes.
//!
//! The tree builder of html5ever keeps the open elements itself, and decides by their names.
//! Whenever it needs the name of an element, it asks its sink. So the sink can correct the builder
//! by the names that it returns, and no code of the builder is copied here. The corrections, by
//! sections of the HTML standard:
//! * 13.2.4.2 The stack of open elements: `MathML`'s `mi mo mn ms mtext annotation-xml`, svg's
//!   `foreignObject desc title` and HTML's `search` are *special*, and `isindex` is not. An
//!   `annotation-xml` bounds every *scope* except a table's.
//! * 13.2.6.5 Foreign content: if the content of an `annotation-xml` is HTML, no `</p>`, no `</br>`
//!   and no HTML tag in that content leaves the element.
//! * 13.2.6.4.13 In table body: a `thead` in a template, outside of any table, is ended by a tag
//!   that begins another part of a table.
//! * 13.2.6.4.1 The initial insertion mode: a public identifier that begins with Silmaril's (see
//!   `SILMARIL`) means quirks.
//!
//! A corrected name is a *substitute*: an HTML name that has the wanted property, and no other
//! property that matters for the current token. This relies on the order in which html5ever 0.39
//! asks for names. The builder first asks which rules apply to the token, those of HTML or those of
//! foreign content. For an end tag in foreign content, it then asks for each open element down to
//! the nearest HTML element. Only then it applies the rules for HTML. Tests that compare whole
//! trees (html5lib's, and a browser's) fail if another version of html5ever asks in another order.
//! This file gives no markup a meaning for conventions, and stores no tree.

use std::cell::Cell;

use html5ever::interface::QualName;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token};
use html5ever::{ExpandedName, LocalName, expanded_name, local_name, ns};

use crate::html::begins_with;

/// Kind of an element: the kind decides whether html5ever's tree builder gets a substitute for the
/// element's name. The builder gets a substitute where the element's real name would make the
/// builder deviate from the HTML standard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// An element of any other kind. The tree builder always gets the element's real name, and
    /// never a substitute.
    #[default]
    Ordinary,
    /// An integration point: an element of svg or `MathML` whose content is HTML. The HTML standard
    /// calls this element *special*. The element bounds every *scope* except a table's.
    Point,
    /// An `annotation-xml` whose content is not HTML. While an end tag is processed, this element
    /// is *special* and bounds *scope*. While a start tag, a text, `</p>` or `</br>` is processed,
    /// the element is not *special* and bounds no *scope*.
    Fence,
    /// A `search` element, which is *special* in the HTML standard, but not in html5ever.
    Search,
    /// An `isindex` element, which is *special* in html5ever, but not in the HTML standard.
    Isindex,
    /// A `thead` element. While the tree builder processes a tag that ends an open `thead`, the
    /// element has the substitute name `tbody`.
    Thead,
}

impl Role {
    /// Returns the role of an element by its name. `holds_html` matters only for an
    /// `annotation-xml`: it is true if the attribute `encoding` makes the element's content HTML.
    #[doc(hidden)]
    pub fn from_name(name: ExpandedName<'_>, holds_html: bool) -> Self {
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

/// Phase in the processing of one token. The phase decides which names the tree builder gets for
/// some open elements of svg and `MathML`. The builder gets either the real name or a substitute.
/// The substitute is the name of an HTML element that is *special* and bounds *scope*.
///
/// The phase matters for elements whose content is HTML ([`Role::Point`]). It also matters for an
/// `annotation-xml` whose content is not HTML ([`Role::Fence`]).
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The token is a start tag `mglyph` or `malignmark`, or is neither tag nor text. The tree
    /// builder gets the real names of all open elements of svg and `MathML`.
    Names,
    /// The token is a start tag other than `mglyph` and `malignmark`, a text, `</p>` or `</br>`.
    /// For open elements of svg and `MathML` whose content is HTML ([`Role::Point`]), the tree
    /// builder gets a substitute. For all other elements of svg and `MathML`, the builder gets the
    /// real names.
    StartOrText,
    /// The token is an end tag other than `</p>` and `</br>`. The tree builder searches the open
    /// elements of svg and `MathML` for the element that the tag ends. The builder gets the real
    /// names of all these elements.
    Seeking,
    /// The token is an end tag other than `</p>` and `</br>`. The search of the phase
    /// [`Phase::Seeking`] has reached an HTML element, so the tree builder applies the rules for
    /// HTML. For elements of svg and `MathML` whose content is HTML ([`Role::Point`]), the builder
    /// gets a substitute. It also gets a substitute for an `annotation-xml` whose content is not
    /// HTML ([`Role::Fence`]).
    Rules,
}

/// Chooses the names that html5ever's tree builder gets for open elements: real names or
/// substitutes. The choice depends on the token that the tree builder processes.
#[derive(Debug)]
pub struct NameAnswers {
    phase: Cell<Phase>,
    /// True if the current tag is named `applet` or `hgroup`, like the first names in `bounding`
    /// and `special`. The tag must not match a substitute, so the second names are then the
    /// substitutes. For any other tag, the first names are the substitutes.
    names_first: Cell<bool>,
    /// [`Role::Search`] if the current token is a tag `search`, [`Role::Isindex`] if it is a tag
    /// `isindex`. The tree builder then gets the real names of open elements with this role, so
    /// that the tag can match these elements. [`Role::Ordinary`] for any other token. This value
    /// has no effect.
    named_role: Cell<Role>,
    /// True if the current token is a tag that ends an open `thead`, `tbody` or `tfoot`.
    ends_part: Cell<bool>,
    /// Two names of HTML elements that are *special* and bound *scope*. The first name is the
    /// substitute for names of svg and `MathML` ([`Role::Point`] and [`Role::Fence`]). If
    /// `names_first` is true, the second name is the substitute.
    bounding: [QualName; 2],
    /// Two names of HTML elements that are *special* and do not bound *scope*. The first name is
    /// the substitute for the name `search`. If `names_first` is true, the second name is the
    /// substitute.
    special: [QualName; 2],
    plain: QualName,
    part: QualName,
}

impl Default for NameAnswers {
    fn default() -> Self {
        let html = |name| QualName::new(None, ns!(html), name);
        Self {
            phase: Cell::new(Phase::Names),
            names_first: Cell::new(false),
            named_role: Cell::default(),
            ends_part: Cell::new(false),
            bounding: [local_name!("applet"), local_name!("marquee")].map(html),
            special: [local_name!("hgroup"), local_name!("summary")].map(html),
            plain: html(LocalName::from("PLAIN")),
            part: html(local_name!("tbody")),
        }
    }
}

impl NameAnswers {
    /// Prepares the names of open elements for `token`, which the tree builder processes next. If
    /// this returns true, the caller must call [`Self::is_seeking_beyond`] with each name that the
    /// tree builder asks for.
    #[doc(hidden)]
    pub fn begin(&self, token: &Token) -> bool {
        self.names_first.set(false);
        self.named_role.set(Role::Ordinary);
        self.ends_part.set(false);
        let phase = match token {
            Token::TagToken(tag) => self.tag(tag),
            Token::CharacterTokens(_) | Token::NullCharacterToken => Phase::StartOrText,
            _ => Phase::Names,
        };
        self.phase.set(phase);
        matches!(phase, Phase::Seeking)
    }

    /// Records that the tree builder asks for the name of an open element. `own` is the element's
    /// real name.
    ///
    /// For most end tags, the builder first searches the open elements of svg and `MathML`, up to
    /// the first HTML element. Returns true if this search goes on after the element. The caller
    /// must then call this again for the next name. Returns false if the search has ended, or if
    /// there is none.
    #[doc(hidden)]
    pub fn is_seeking_beyond(&self, own: ExpandedName<'_>) -> bool {
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
            local_name!("search") => self.named_role.set(Role::Search),
            local_name!("isindex") => self.named_role.set(Role::Isindex),
            local_name!("caption") | local_name!("col") | local_name!("colgroup") => {
                self.ends_part.set(is_start);
            }
            local_name!("tbody") | local_name!("tfoot") | local_name!("thead") => {
                self.ends_part.set(is_start);
            }
            local_name!("table") => self.ends_part.set(!is_start),
            _ => {}
        }
        match (tag.kind, &tag.name) {
            (TagKind::StartTag, &local_name!("mglyph") | &local_name!("malignmark")) => {
                Phase::Names
            }
            (TagKind::StartTag, _) | (_, &local_name!("p") | &local_name!("br")) => {
                Phase::StartOrText
            }
            _ => Phase::Seeking,
        }
    }

    /// Returns the name that the tree builder gets for an element with this `role`: the element's
    /// real name `own`, or a substitute.
    #[doc(hidden)]
    pub fn name<'a>(&'a self, own: ExpandedName<'a>, role: Role) -> ExpandedName<'a> {
        let other = usize::from(self.names_first.get());
        match (role, self.phase.get()) {
            _ if role == self.named_role.get() => own,
            (Role::Search, _) => self.special[other].expanded(),
            (Role::Isindex, _) => self.plain.expanded(),
            (Role::Thead, _) if self.ends_part.get() => self.part.expanded(),
            (Role::Point, Phase::StartOrText | Phase::Rules) | (Role::Fence, Phase::Rules) => {
                self.bounding[other].expanded()
            }
            _ => own,
        }
    }
}

/// Sets `force_quirks` if the doctype's public identifier means quirks mode by the HTML standard,
/// and html5ever does not know this identifier. Returns the doctype.
pub fn correct_doctype(mut doctype: Doctype) -> Doctype {
    if let Some(public) = &doctype.public_id {
        doctype.force_quirks |= begins_with(public, SILMARIL);
    }
    doctype
}

const SILMARIL: &str = "+//silmaril//dtd html pro v0r11 19970101//";
/// Beginnings of the public identifiers that mean quirks mode if a doctype has no system
/// identifier.
const LOOSE: [&str; 2] = [
    "-//w3c//dtd html 4.01 transitional//",
    "-//w3c//dtd html 4.01 frameset//",
];

/// True if browsers disagree whether the doctype means quirks mode (the mode for old pages). They
/// disagree if the system identifier is empty: Chromium treats an empty identifier as missing, and
/// the HTML standard does not.
pub(crate) fn is_disputed(doctype: &Doctype) -> bool {
    let is_loose = |public: &str| LOOSE.iter().any(|loose| begins_with(public, loose));
    !doctype.force_quirks
        && doctype.name.as_deref() == Some("html")
        && doctype.system_id.as_deref() == Some("")
        && doctype.public_id.as_deref().is_some_and(is_loose)
}
