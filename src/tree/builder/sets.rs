//! Sets of elements, by the names that the sink tells for them.

use html5ever::{ExpandedName, expanded_name, local_name, ns};

/// True if a name is one of these, of HTML.
macro_rules! is_one {
    ($name:expr, $($tag:tt)|+) => { matches!($name, $(expanded_name!(html $tag))|+) };
}

pub(super) fn default_scope(name: ExpandedName<'_>) -> bool {
    is_one!(name, "applet" | "caption" | "html" | "table" | "td" | "th" | "marquee" | "object" | "select" | "template")
        || is_mathml_text_point(name)
        || is_svg_point(name)
}

pub(super) fn list_item_scope(name: ExpandedName<'_>) -> bool {
    is_one!(name, "ol" | "ul") || default_scope(name)
}

pub(super) fn button_scope(name: ExpandedName<'_>) -> bool {
    is_one!(name, "button") || default_scope(name)
}

pub(super) fn table_scope(name: ExpandedName<'_>) -> bool {
    is_one!(name, "html" | "table" | "template")
}

pub(super) fn table_body_context(name: ExpandedName<'_>) -> bool {
    is_one!(name, "tbody" | "tfoot" | "thead" | "template" | "html")
}

pub(super) fn table_row_context(name: ExpandedName<'_>) -> bool {
    is_one!(name, "tr" | "template" | "html")
}

/// The elements of a table from which what is not for it is put before the table.
pub(super) fn fosters(name: ExpandedName<'_>) -> bool {
    is_one!(name, "table" | "tbody" | "tfoot" | "thead" | "tr")
}

/// html5ever has no `thead` among them: `standard` corrects it.
pub(super) fn parts_of_table(name: ExpandedName<'_>) -> bool {
    is_one!(name, "table" | "tbody" | "tfoot")
}

pub(super) fn is_cell(name: ExpandedName<'_>) -> bool {
    is_one!(name, "td" | "th")
}

pub(super) fn is_heading(name: ExpandedName<'_>) -> bool {
    is_one!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// The elements whose end tags are implied.
pub(super) fn is_implied(name: ExpandedName<'_>) -> bool {
    is_one!(name, "dd" | "dt" | "li" | "option" | "optgroup" | "p" | "rb" | "rp" | "rt" | "rtc")
}

/// The elements whose end tags are implied by that of a template.
pub(super) fn is_implied_thoroughly(name: ExpandedName<'_>) -> bool {
    is_one!(name, "caption" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr") || is_implied(name)
}

/// The *special* elements.
#[rustfmt::skip]
pub(super) fn is_special(name: ExpandedName<'_>) -> bool {
    is_one!(
        name,
        "address" | "applet" | "area" | "article" | "aside" | "base" | "basefont" | "bgsound" | "blockquote" | "body"
            | "br" | "button" | "caption" | "center" | "col" | "colgroup" | "dd" | "details" | "dir" | "div" | "dl"
            | "dt" | "embed" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "frame" | "frameset" | "h1"
            | "h2" | "h3" | "h4" | "h5" | "h6" | "head" | "header" | "hgroup" | "hr" | "html" | "iframe" | "img"
            | "input" | "isindex" | "li" | "link" | "listing" | "main" | "marquee" | "menu" | "meta" | "nav"
            | "noembed" | "noframes" | "noscript" | "object" | "ol" | "p" | "param" | "plaintext" | "pre" | "script"
            | "section" | "select" | "source" | "style" | "summary" | "table" | "tbody" | "td" | "template"
            | "textarea" | "tfoot" | "th" | "thead" | "title" | "tr" | "track" | "ul" | "wbr" | "xmp"
    )
}

/// The special elements that keep a list item from ending one outside of them.
pub(super) fn keeps_item_in(name: ExpandedName<'_>) -> bool {
    !is_one!(name, "address" | "div" | "p") && is_special(name)
}

pub(super) fn is_mathml_text_point(name: ExpandedName<'_>) -> bool {
    matches!(
        name,
        expanded_name!(mathml "mi")
            | expanded_name!(mathml "mo")
            | expanded_name!(mathml "mn")
            | expanded_name!(mathml "ms")
            | expanded_name!(mathml "mtext")
    )
}

pub(super) fn is_svg_point(name: ExpandedName<'_>) -> bool {
    matches!(name, expanded_name!(svg "foreignObject") | expanded_name!(svg "desc") | expanded_name!(svg "title"))
}
