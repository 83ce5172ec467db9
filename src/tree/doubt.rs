//! Finds a token about which browsers build different trees, before the tree builder gets it.
//!
//! In each case a browser differs from the standard. If no browser is named, it is Chromium (156).
//! * Chromium does not count `search` as *special*, so an end tag, `li`, `dd` or `dt` may end an
//!   element outside of a `search`. Firefox (153) counts `dialog` as *special*, which by the
//!   standard it is not.
//! * In a template, Chromium treats `</form>` like the end tag of any other name, so a special
//!   element in a form prevents it from ending the form. In a template, Chromium also makes an
//!   element of a form in a table.
//! * In svg only, Chromium gives the name of an end tag svg's spelling (`foreignObject`). The
//!   standard ignores the case of names. So in Chromium an end tag in `MathML` ends no svg element
//!   whose name has capitals, and an end tag of such a name in svg ends no HTML element.
//! * Chromium treats an empty system identifier like a missing one. So some doctypes mean quirks
//!   mode, in which a table does not end a paragraph.
//! * `WebKitGTK` (2.50) reads a `select` by the standard of 2024: it ignores most tags in it, and
//!   other tags end it. `WebKitGTK` and the standard agree about the content outside of the
//!   `select`, unless a tag ends the `select` in one of them alone, or a formatting element is left
//!   open in it. In `WebKitGTK` an option in another element of the `select` does not end with that
//!   element.
//! * Firefox does not read `</p>` and `</br>` as the standard does where svg or `MathML` may hold
//!   HTML.
//! * By the standard a `template` in the head keeps a later `frameset` from taking the place of the
//!   body. In Chromium it does not.
//! * Chromium drops a NUL in text, and the NUL has no effect. By the standard a NUL before the body
//!   begins the body, so a later doctype, `head` or element of the head comes too late.
//!
//! After such a token all content may be in other elements, to the end of the page. So the caller
//! refuses the page.

use html5ever::{LocalName, ns};

use crate::html::{self, Facts, Tag};
use crate::standard::{self, Role};

use super::doctype;
use super::node::{Handle, Node};

/// Features of a page, as flags. If a page has none of these features, all browsers build the same
/// tree of the page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Features {
    disputed_special: bool,
    template: bool,
    foreign: bool,
    /// True if a `select` may be open.
    select: bool,
    table: bool,
    /// True if the doctype means quirks mode in some browsers only.
    disputed: bool,
}

impl Features {
    pub(super) fn doctype(&mut self, raw: &str) {
        self.disputed |= standard::is_disputed(&doctype::parse(raw));
    }

    /// Records the feature that a start tag adds to the page. Returns true if browsers may build
    /// different trees at the tag, by the features of the page so far.
    #[inline]
    pub(super) fn add_start_tag(&mut self, tag: Tag, is_marked: bool) -> bool {
        match tag {
            tag if tag.has(Facts::DISPUTED_SPECIAL) => self.disputed_special = true,
            Tag::TEMPLATE => self.template = true,
            Tag::SVG | Tag::MATH => self.foreign = true,
            Tag::SELECT => return std::mem::replace(&mut self.select, true),
            Tag::INPUT | Tag::KEYGEN | Tag::TEXTAREA => return self.select,
            Tag::COL | Tag::COLGROUP => return self.select && self.table,
            Tag::OPTION | Tag::OPTGROUP => return self.select && is_marked,
            Tag::HTML => return self.select && self.foreign && is_marked,
            Tag::TABLE => {
                self.table = true;
                return self.disputed || self.select;
            }
            Tag::FORM | Tag::FRAMESET => return self.template,
            Tag::LI | Tag::DD | Tag::DT | Tag::A | Tag::NOBR => return self.disputed_special,
            _ => {}
        }
        false
    }

    /// Records an end tag. Returns true if browsers may build different trees at the tag, by the
    /// features of the page so far.
    #[inline]
    pub(super) fn add_end_tag(&mut self, name: &str) -> bool {
        let was_in_select = self.select;
        self.select &= name != "select";
        was_in_select
            || self.disputed_special && !html::ends_by_scope(name)
            || self.template && name == "form"
            || self.foreign && (ends_paragraph(name) || svg_spelling(name).is_some())
    }
}

/// True if a start tag of this name does not begin the body, so that the tag may come before the
/// body.
pub(super) fn may_be_before_body(name: &str) -> bool {
    name == "frameset" || Tag::from_name(name).has(Facts::ALLOWED_IN_HEAD)
}

/// Condition on the open elements under which browsers build different trees at the next token. The
/// condition is checked when the tree builder gets the token, before the tree changes.
///
/// Each variant is the condition for one kind of token. Only `Root` is about something else: it
/// tells whether an element may get a shadow root.
#[derive(Debug)]
pub(super) enum DoubtCondition {
    /// The token is an end tag of this name. The condition holds if browsers differ on which
    /// elements the tag ends.
    End(LocalName),
    /// The token is a start tag of this name, `a` or `nobr`. The tag ends an open element of the
    /// same name. The condition holds if this element contains an open element that only some
    /// browsers count as *special*.
    Formatting(LocalName),
    /// The token is the start tag of a list item (`li`, `dd` or `dt`). The field has the names of
    /// the open items that the tag may end. The condition holds if the tag ends the innermost of
    /// these items in some browsers only.
    Item(&'static [&'static str]),
    /// The token is a start tag of this name, which may end an open `select`. The condition holds
    /// if browsers differ on the end of the `select`.
    SelectEnd(LocalName),
    /// The token is the start tag of an `option` or `optgroup` with directives. The condition holds
    /// if an element other than `option` and `optgroup` is open in a `select`.
    Option,
    /// The token is the start tag of an `html` with directives. The condition holds if the
    /// innermost open element belongs to svg or `MathML` and is in a `select`. `WebKitGTK` ignores
    /// the tags of svg and `MathML` there, and takes this tag for the `html` of the whole page.
    Html,
    /// The token is the start tag of a table column (`col` or `colgroup`). The condition holds if a
    /// `select` is open.
    Column,
    /// The token is the start tag of a `frameset`, on a page with an earlier template. The
    /// condition always holds.
    Frameset,
    /// The token is the start tag of a `form`. The condition holds if a template is open. Browsers
    /// differ only if the tree builder then ignores the tag, as it does in a table. If the tag
    /// makes an element, the caller must disregard the condition.
    IgnoredForm,
    /// The token is the start tag of a table. The condition holds if a paragraph is open that the
    /// table ends outside of quirks mode. The condition also holds if a `select` is open in a
    /// table.
    Table,
    /// The condition holds if the innermost open element may have a shadow root and has none yet.
    /// The check also gives the element a root. A caller checks this condition to add a root, not
    /// to find a difference between browsers.
    Root,
}

impl DoubtCondition {
    pub(super) fn for_start_tag(name: &LocalName) -> Self {
        match &**name {
            "table" => Self::Table,
            "form" => Self::IgnoredForm,
            "frameset" => Self::Frameset,
            "li" => Self::Item(&["li"]),
            "dd" | "dt" => Self::Item(&["dd", "dt"]),
            "select" | "input" | "keygen" | "textarea" => Self::SelectEnd(name.clone()),
            "option" | "optgroup" => Self::Option,
            "html" => Self::Html,
            "col" | "colgroup" => Self::Column,
            _ => Self::Formatting(name.clone()),
        }
    }

    pub(super) fn for_end_tag(name: &LocalName) -> Self {
        Self::End(name.clone())
    }

    /// True if the condition holds at a token. `open` is the innermost open element before the
    /// token.
    pub(super) fn holds(&self, open: &Handle) -> bool {
        match self {
            Self::End(name) => differs_on_end_tag(open, name),
            Self::Item(names) => {
                let keeps_in =
                    |name: &str| html::is_special(name) && !matches!(name, "address" | "div" | "p");
                through_disputed(open, names, keeps_in)
            }
            Self::Formatting(name) => disputed_is_inside(open, name),
            Self::IgnoredForm => ancestors(open).any(|node| html_name(&node) == Some("template")),
            Self::SelectEnd(name) => leaves_select(open, name),
            Self::Option => is_inside_in_select(open),
            Self::Html => html_name(open).is_none() && in_select(open).is_some(),
            Self::Column => in_select(open).is_some(),
            Self::Frameset => true,
            Self::Table => is_in_paragraph(open) || check_table_in_select(open),
            Self::Root => {
                html_name(open).is_some_and(html::may_host_root) && !open.has_root.replace(true)
            }
        }
    }
}

/// Returns the element `open` and all elements around it, innermost first.
fn ancestors(open: &Handle) -> impl Iterator<Item = Handle> {
    std::iter::successors(Some(open.clone()), |node| node.parent())
}

/// Returns the name of an HTML element, or `None` for an element of svg or `MathML`.
fn html_name(node: &Node) -> Option<&str> {
    (node.name.ns == ns!(html)).then_some(&*node.name.local)
}

/// True if some browsers count elements of this name as *special*, and other browsers do not. Most
/// end tags inside a *special* element close no element around it.
fn is_disputed_special(name: &str) -> bool {
    Tag::from_name(name).has(Facts::DISPUTED_SPECIAL)
}

fn is_border(node: &Node) -> bool {
    matches!(node.role, Role::Point | Role::Fence)
}

/// True if browsers differ on which elements the end tag `name` ends. `open` is the innermost open
/// element.
fn differs_on_end_tag(open: &Handle, name: &str) -> bool {
    let by_name = match name {
        "form" => is_kept_in_template(open),
        _ if html::is_formatting(name) => disputed_is_inside(open, name),
        _ if html::ends_by_scope(name) => false,
        _ => is_spelt_otherwise(open, name) || through_disputed(open, &[name], html::is_special),
    };
    by_name || ends_paragraph(name) && is_in_point(open) || check_end_in_select(open, name)
}

/// True for the names `p` and `br`. HTML reads `</p>` and `</br>` as an empty element if there is
/// no element to end.
fn ends_paragraph(name: &str) -> bool {
    matches!(name, "p" | "br")
}

/// True if an open element of svg or `MathML` may contain HTML, and no HTML element is open inside
/// it.
fn is_in_point(open: &Handle) -> bool {
    let mut foreign = ancestors(open).take_while(|node| html_name(node).is_none());
    foreign.any(|node| is_border(&node))
}

/// Returns the innermost open `select`, and the elements that are open in it. These elements are
/// ordered from the innermost outwards. Returns `None` if no `select` is open, or if a template is
/// open inside the `select`.
fn in_select(open: &Handle) -> Option<(Handle, Vec<Handle>)> {
    let mut inside = Vec::new();
    for node in ancestors(open) {
        match html_name(&node) {
            Some("select") => return Some((node, inside)),
            Some("template") => return None,
            _ => inside.push(node),
        }
    }
    None
}

/// True if the element is in a `select`. `WebKitGTK` makes no elements there except options.
pub(super) fn is_in_select(element: &Handle) -> bool {
    let parent = element.parent();
    parent.is_some_and(|parent| in_select(&parent).is_some())
}

fn is_formatting(node: &Node) -> bool {
    html_name(node).is_some_and(html::is_formatting)
}

/// True if a `select` is open, and browsers differ on its end at a tag `name`. This depends on the
/// name, and on the elements that are open in the `select`.
fn leaves_select(open: &Handle, name: &str) -> bool {
    let bounds = |node: &Handle| html_name(node).is_none_or(html::bounds_scope);
    in_select(open).is_some_and(|(select, inside)| {
        matches!(name, "keygen" | "textarea")
            || select.is_disputed.get()
            || inside
                .iter()
                .any(|node| bounds(node) || is_formatting(node))
    })
}

/// True if `name` is `select`, and browsers differ on the end of the open `select` at this end tag.
///
/// Always false for an end tag of another name. Such a tag may end an element inside a `select`
/// before a formatting element in that element has ended. Then the `select` is marked as disputed:
/// browsers differ on which elements end with it.
fn check_end_in_select(open: &Handle, name: &str) -> bool {
    if name == "select" {
        return leaves_select(open, name);
    }
    if let Some((select, inside)) = in_select(open) {
        let ended = inside.iter().position(|node| html_name(node) == Some(name));
        let leaves = |depth: usize| inside[..depth].iter().any(|node| is_formatting(node));
        if ended.is_some_and(leaves) {
            select.is_disputed.set(true);
        }
    }
    false
}

/// True if a `select` is open, and an element other than `option` and `optgroup` is open in it.
fn is_inside_in_select(open: &Handle) -> bool {
    let is_option = |node: &Handle| matches!(html_name(node), Some("option" | "optgroup"));
    in_select(open).is_some_and(|(_, inside)| !inside.iter().all(is_option))
}

/// True if a `select` is open in a table. The start tag of another table then ends the `select` in
/// some browsers only.
///
/// Also marks an open `select` as disputed, whether or not the `select` is in a table. After a
/// table in a `select`, browsers may differ on which elements end with the `select`.
fn check_table_in_select(open: &Handle) -> bool {
    let Some((select, _)) = in_select(open) else {
        return false;
    };
    select.is_disputed.set(true);
    let mut outer = ancestors(&select).take_while(|node| html_name(node) != Some("template"));
    outer.any(|node| html_name(&node) == Some("table"))
}

/// True if a tag ends the innermost open element with one of `names` in some browsers only. In
/// other browsers, an open element inside this element is *special*, and so prevents the end.
/// `keeps_in` is true for the names of elements that prevent the end in all browsers. If such an
/// element is open inside this element, returns false.
fn through_disputed(open: &Handle, names: &[&str], keeps_in: impl Fn(&str) -> bool) -> bool {
    let mut in_disputed = false;
    for node in ancestors(open) {
        match html_name(&node) {
            Some(name) if names.contains(&name) => return in_disputed,
            Some(name) if is_disputed_special(name) => in_disputed = true,
            Some(name) if keeps_in(name) => return false,
            None if is_border(&node) => return false,
            _ => {}
        }
    }
    false
}

/// True if an element that only some browsers count as *special* is open inside the innermost
/// element named `formatting`. If a tag ends the element `formatting`, only some browsers then move
/// the inner element.
fn disputed_is_inside(open: &Handle, formatting: &str) -> bool {
    let mut in_disputed = false;
    for node in ancestors(open) {
        match html_name(&node) {
            Some(name) if name == formatting => return in_disputed,
            Some(name) if html::bounds_scope(name) => return false,
            Some(name) => in_disputed |= is_disputed_special(name),
            None if is_border(&node) => return false,
            None => {}
        }
    }
    false
}

/// True if browsers differ on which elements a `</form>` ends. They differ if the tag would end a
/// form inside a template, and a *special* element is open in this form.
fn is_kept_in_template(open: &Handle) -> bool {
    let mut is_kept = false;
    for node in ancestors(open) {
        match html_name(&node) {
            Some("form") => {
                return is_kept
                    && ancestors(&node).any(|outer| html_name(&outer) == Some("template"));
            }
            Some("template") => return false,
            Some(name) => is_kept |= html::is_special(name),
            None => is_kept |= is_border(&node),
        }
    }
    false
}

/// True if the end tag `name` ends a different element in Chromium than by the standard. In svg,
/// Chromium changes the tag's name to svg's spelling, such as `clipPath`, before it compares names.
fn is_spelt_otherwise(open: &Handle, name: &str) -> bool {
    let Some(svg_name) = svg_spelling(name) else {
        return false;
    };
    if html_name(open).is_some() {
        return false;
    }
    let is_svg = open.name.ns == ns!(svg);
    let spelt = if is_svg { svg_name } else { name };
    let ours = foreign_depth(open, |own| own.eq_ignore_ascii_case(name));
    let theirs = foreign_depth(open, |own| own == spelt);
    ours != theirs
        || ours.is_none() && is_svg && ancestors(open).any(|node| html_name(&node) == Some(name))
}

/// Returns the depth of the innermost svg or `MathML` element whose name satisfies `is_such`. The
/// depth is the number of elements that are open inside that element. Returns `None` if there is no
/// such element, or if an HTML element is open inside it.
fn foreign_depth(open: &Handle, is_such: impl Fn(&str) -> bool) -> Option<usize> {
    for (depth, node) in ancestors(open).enumerate() {
        if html_name(&node).is_some() {
            return None;
        }
        if is_such(&node.name.local) {
            return Some(depth);
        }
    }
    None
}

/// True if a table directly inside `open` would end a paragraph on a page that is not in quirks
/// mode.
fn is_in_paragraph(open: &Handle) -> bool {
    for node in ancestors(open) {
        match html_name(&node) {
            Some("p") => return true,
            Some(name) if html::bounds_scope(name) || name == "button" => return false,
            None if is_border(&node) => return false,
            _ => {}
        }
    }
    false
}

/// Returns svg's spelling of a name in lower case. `None` if svg's spelling has no capitals.
fn svg_spelling(name: &str) -> Option<&'static str> {
    Some(match name {
        "altglyph" => "altGlyph",
        "altglyphdef" => "altGlyphDef",
        "altglyphitem" => "altGlyphItem",
        "animatecolor" => "animateColor",
        "animatemotion" => "animateMotion",
        "animatetransform" => "animateTransform",
        "clippath" => "clipPath",
        "feblend" => "feBlend",
        "fecolormatrix" => "feColorMatrix",
        "fecomponenttransfer" => "feComponentTransfer",
        "fecomposite" => "feComposite",
        "feconvolvematrix" => "feConvolveMatrix",
        "fediffuselighting" => "feDiffuseLighting",
        "fedisplacementmap" => "feDisplacementMap",
        "fedistantlight" => "feDistantLight",
        "fedropshadow" => "feDropShadow",
        "feflood" => "feFlood",
        "fefunca" => "feFuncA",
        "fefuncb" => "feFuncB",
        "fefuncg" => "feFuncG",
        "fefuncr" => "feFuncR",
        "fegaussianblur" => "feGaussianBlur",
        "feimage" => "feImage",
        "femerge" => "feMerge",
        "femergenode" => "feMergeNode",
        "femorphology" => "feMorphology",
        "feoffset" => "feOffset",
        "fepointlight" => "fePointLight",
        "fespecularlighting" => "feSpecularLighting",
        "fespotlight" => "feSpotLight",
        "fetile" => "feTile",
        "feturbulence" => "feTurbulence",
        "foreignobject" => "foreignObject",
        "glyphref" => "glyphRef",
        "lineargradient" => "linearGradient",
        "radialgradient" => "radialGradient",
        "textpath" => "textPath",
        _ => return None,
    })
}
