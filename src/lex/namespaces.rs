//! Tracks where the tokenizer assumes svg and `MathML`, and where a browser may disagree.
//!
//! Where the tokenizer and a browser may disagree, the page is in doubt. A page in doubt is refused
//! as ambiguous at the first markup that the two may read differently.

use crate::html;

use super::context::LexContext;

/// Copy of the state that the tokenizer `lol_html` has for svg and `MathML`, computed by its own
/// rules.
///
/// By these rules, svg ends only at `</svg>`, or at an HTML tag that svg cannot contain. A browser
/// may also end svg at the end tag of an element around the svg, or may keep svg open. If
/// `lol_html` and a browser may differ, this state is *in doubt*. If raw text begins while the
/// state is in doubt, the page is ambiguous. The reason is that one of the two may read this text
/// as markup.
///
/// An *integration point* is an element of svg or `MathML` whose content is HTML, such as svg's
/// `title`.
#[derive(Debug, Default)]
pub(super) struct Namespaces {
    /// Open namespaces, outermost first. HTML around the first svg or `MathML` is not in the list.
    open: Vec<Namespace>,
    /// Names of the open elements, outermost first. The first is the outermost open `svg` or
    /// `math`.
    elements: Vec<String>,
    /// Positions in `elements` of the open integration points (elements of svg or `MathML` whose
    /// content is HTML).
    points: Vec<usize>,
    doubt: Doubt,
}

/// Maximum number of open elements in drawings (svg, `MathML`). If more are open, the state is in
/// doubt, since a search through them at each end tag would take too long.
const DEEPEST: usize = 512;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Doubt {
    #[default]
    None,
    /// A browser may have closed an svg or `MathML` that is still open for `lol_html`. The doubt
    /// ends when `lol_html` has closed it too.
    UntilLeft,
    ForGood,
}

/// Effect of a start tag on the namespaces (svg, `MathML`, HTML) that are open for `lol_html`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Enter(Namespace),
    /// The tag ends the innermost svg or `MathML`.
    Leave,
    Stay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    Svg,
    MathMl,
    /// HTML inside an integration point (an element of svg or `MathML` whose content is HTML).
    Html,
}

impl Namespace {
    fn is_foreign(self) -> bool {
        self != Self::Html
    }

    /// True if an element of this name in this namespace has HTML content.
    fn is_integration_point(self, name: &str) -> bool {
        match self {
            Self::Svg => matches!(name, "foreignobject" | "desc" | "title"),
            Self::MathMl => matches!(name, "mi" | "mo" | "mn" | "ms" | "mtext" | "annotation-xml"),
            Self::Html => false,
        }
    }
}

impl Namespaces {
    /// True if no drawing (svg or `MathML`) is open.
    #[inline]
    pub(super) fn are_outside(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the start tags that bring a restarted `lol_html` to the present state of svg and
    /// `MathML`, outermost first.
    pub(super) fn path(&self) -> impl Iterator<Item = String> {
        let mut points = self.points.iter();
        self.open.iter().map(move |namespace| match namespace {
            Namespace::Svg => "<svg>".to_owned(),
            Namespace::MathMl => "<math>".to_owned(),
            // With this encoding the element is an integration point.
            Namespace::Html => {
                let name = points
                    .next()
                    .and_then(|at| self.elements.get(*at))
                    .map_or("desc", String::as_str);
                format!("<{name} encoding=text/html>")
            }
        })
    }

    /// Closes the svg or `MathML` that the last start tag has begun. Called if this tag closes
    /// itself, as `<svg/>` does.
    pub(super) fn close_self_closing(&mut self) {
        self.open.pop();
    }

    pub(super) fn are_in_doubt(&self) -> bool {
        self.doubt != Doubt::None
    }

    /// Marks the rest of the page as in doubt: `lol_html` and a browser may differ about svg and
    /// `MathML`.
    pub(super) fn doubt_for_good(&mut self) {
        self.doubt = Doubt::ForGood;
    }

    /// True if the innermost namespace is HTML inside svg or `MathML`. There `lol_html` takes a
    /// CDATA mark for a comment, and a browser does not.
    pub(super) fn are_in_integration_point(&self) -> bool {
        self.open.last() == Some(&Namespace::Html)
    }

    /// Returns the effect of the start tag `name` on the open namespaces, by `lol_html`'s rules.
    /// `attributes` are the names and values of the tag's attributes, not decoded: `lol_html` does
    /// not decode them either.
    pub(super) fn step<'a>(
        &self,
        name: &str,
        self_closing: bool,
        mut attributes: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Step {
        match name {
            "svg" => return Step::Enter(Namespace::Svg),
            "math" => return Step::Enter(Namespace::MathMl),
            _ => {}
        }
        let innermost = match self.open.last() {
            None | Some(Namespace::Html) => return Step::Stay,
            Some(innermost) => innermost,
        };
        let leaves = match name {
            "font" => attributes.any(|(name, _)| is_font_style(name)),
            _ => breaks_out(name),
        };
        if leaves {
            return Step::Leave;
        }
        let is_point = match name {
            "annotation-xml" => attributes.any(|(name, value)| makes_html(name, value)),
            _ => true,
        };
        if is_point && innermost.is_integration_point(name) && !self_closing {
            return Step::Enter(Namespace::Html);
        }
        Step::Stay
    }

    /// True if `lol_html` reads a start tag as an svg or `MathML` tag. `step` is the tag's effect,
    /// not yet applied to this state.
    pub(super) fn is_foreign_after(&self, step: Step) -> bool {
        let outer = self.open.iter().rev().nth(1);
        let innermost = match step {
            Step::Enter(entered) => Some(entered),
            Step::Leave => outer.copied(),
            Step::Stay => self.open.last().copied(),
        };
        innermost.is_some_and(Namespace::is_foreign)
    }

    /// Updates the state with the start tag of the element `name`, whose [step](Self::step) is
    /// `step`. Returns true if the element is one of svg or `MathML`.
    pub(super) fn start(
        &mut self,
        name: &str,
        step: Step,
        self_closing: bool,
        context: &LexContext,
    ) -> bool {
        match name {
            "svg" | "math" if context.ignores_foreign() => self.doubt = Doubt::ForGood,
            "svg" | "math" if context.in_select() && self.doubt == Doubt::None => {
                self.doubt = Doubt::UntilLeft;
            }
            "template" if context.in_select() || self.are_in_doubt() => self.doubt = Doubt::ForGood,
            _ => {}
        }
        if matches!(name, "mglyph" | "malignmark") && !self.open.is_empty() {
            self.doubt = Doubt::ForGood;
        }
        let foreign = match step {
            Step::Enter(Namespace::Html) => {
                self.open.push(Namespace::Html);
                self.points.push(self.elements.len());
                true
            }
            Step::Enter(drawing) => self.enter(drawing),
            Step::Leave => self.break_out(),
            Step::Stay => self.is_in_foreign(),
        };
        if self.open.is_empty() {
            return foreign;
        }
        if !foreign {
            self.begin_html(name, context);
        }
        let is_ignored = is_part_of_table(name) && !context.may_be_in_table();
        let stays_open = if foreign {
            !self_closing
        } else {
            !html::is_void(name) && name != "image" && !is_ignored
        };
        if stays_open {
            self.elements.push(name.to_owned());
            if self.elements.len() > DEEPEST {
                self.doubt = Doubt::ForGood;
                self.elements.pop();
            }
        }
        foreign
    }

    /// Updates the state with an HTML start tag inside an integration point (an element of svg or
    /// `MathML` whose content is HTML). The tag may end elements inside the integration point. The
    /// tag of a part of a table may also end elements outside of the integration point.
    fn begin_html(&mut self, name: &str, context: &LexContext) {
        let Some(point) = self.points.last().copied() else {
            return;
        };
        let inside = &self.elements[(point + 1).min(self.elements.len())..];
        let is_part = is_part_of_table(name) && context.may_be_in_table();
        if name == "frameset"
            || is_part
                && !inside
                    .iter()
                    .any(|open| open == "table" || open == "template")
        {
            self.doubt = Doubt::ForGood;
        }
        let is_ended =
            |last: &str| last == "p" && html::ends_paragraph(name) || ends_sibling(name, last);
        while self.elements.len() > point + 1
            && self.elements.last().is_some_and(|last| is_ended(last))
        {
            self.elements.pop();
        }
    }

    fn enter(&mut self, namespace: Namespace) -> bool {
        // A browser treats svg inside MathML as MathML, except in annotations, and math inside svg
        // as svg.
        let is_annotation = namespace == Namespace::Svg && self.is_last_element("annotation-xml");
        if let Some(outer) = self.open.last()
            && *outer != Namespace::Html
            && *outer != namespace
            && !is_annotation
        {
            self.doubt = Doubt::ForGood;
        }
        self.open.push(namespace);
        true
    }

    fn is_last_element(&self, name: &str) -> bool {
        self.elements.last().is_some_and(|last| last == name)
    }

    /// Updates the state with an HTML start tag that svg and `MathML` cannot contain, so that it
    /// ends them. The tokenizer `lol_html` ends only the innermost of them. Returns true if an
    /// outer svg or `MathML` is then still open for `lol_html`. In that case, `lol_html` reads the
    /// tag as part of the outer one.
    fn break_out(&mut self) -> bool {
        self.leave();
        // The tokenizer leaves only one namespace, but a browser breaks out of all of them.
        let stays_inside = self.is_in_foreign();
        if stays_inside {
            self.doubt = Doubt::ForGood;
        }
        stays_inside
    }

    fn is_in_foreign(&self) -> bool {
        self.open.last().is_some_and(|last| last.is_foreign())
    }

    pub(super) fn end(&mut self, name: &str, context: &LexContext) {
        if self.open.is_empty() {
            return;
        }
        let ends_point = self
            .points
            .last()
            .is_some_and(|point| point + 1 == self.elements.len());
        self.close(name, context);
        let leaves = match self.open.as_slice() {
            [.., outer, Namespace::Html] => outer.is_integration_point(name),
            [.., Namespace::Svg] => matches!(name, "svg" | "p" | "br"),
            [.., Namespace::MathMl] => matches!(name, "math" | "p" | "br"),
            _ => false,
        };
        if leaves {
            // In a browser the tag may end an element of the same name inside the integration
            // point.
            if self.are_in_integration_point() && !ends_point {
                self.doubt = Doubt::ForGood;
            }
            self.leave();
        }
    }

    /// Updates `elements` with the end tag `name`. Removes the element that the tag ends, and all
    /// elements inside it. If this element is not the innermost open element, a browser may close
    /// other elements. The state may then be in doubt.
    fn close(&mut self, name: &str, context: &LexContext) {
        if self.is_last_element(name) {
            self.elements.pop();
            return;
        }
        if self.close_html(name, context) {
            return;
        }
        if self.open.len() > 1 || self.elements.iter().skip(1).any(|element| element == name) {
            self.doubt = if self.open.len() > 1 {
                Doubt::ForGood
            } else {
                self.doubt
            };
            let at = self
                .elements
                .iter()
                .rposition(|element| element == name)
                .unwrap_or(self.elements.len());
            self.elements.truncate(at);
        } else if self.doubt == Doubt::None && !matches!(name, "svg" | "math" | "p" | "br") {
            self.doubt = Doubt::UntilLeft;
        }
    }

    /// Updates the state with an end tag inside an integration point, if the effect of the tag is
    /// plain. The effect is plain if the tag ends nothing, or ends one HTML element with all
    /// elements inside it. Returns true if the effect is plain. Otherwise returns false and changes
    /// nothing. An *integration point* is an element of svg or `MathML` whose content is HTML.
    fn close_html(&mut self, name: &str, context: &LexContext) -> bool {
        let in_html = self.open.last() == Some(&Namespace::Html);
        let Some(point) = self.points.last().copied().filter(|_| in_html) else {
            return false;
        };
        let (outside, inside) = self.elements.split_at((point + 1).min(self.elements.len()));
        let Some(found) = inside.iter().rposition(|open| open == name) else {
            // The tag ends nothing inside the point. If nothing is open there, it may end the
            // drawing or an element of it.
            let is_outside = || inside.is_empty() && outside.iter().any(|open| open == name);
            // The tokenizer accepts the end tag of any integration point as the end of the
            // innermost.
            let is_points = self
                .open
                .iter()
                .rev()
                .nth(1)
                .is_some_and(|outer| outer.is_integration_point(name));
            let is_other_heading =
                html::is_heading(name) && inside.iter().any(|open| html::is_heading(open));
            let may_end_table = ends_table(name) && context.may_be_in_table();
            return !may_end_table && !is_other_heading && !is_points && !is_outside();
        };
        let above = &inside[found + 1..];
        let is_plain = |open: &String| !html::is_formatting(open) && !html::bounds_scope(open);
        let is_kept_in = !html::ends_block(name) && above.iter().any(|open| html::is_special(open));
        if is_entangled(name) || is_kept_in || !above.iter().all(is_plain) {
            return false;
        }
        self.elements.truncate(point + 1 + found);
        true
    }

    fn leave(&mut self) {
        if self.open.pop() == Some(Namespace::Html) {
            self.points.pop();
        }
        if self.open.is_empty() {
            self.elements.clear();
            if self.doubt == Doubt::UntilLeft {
                self.doubt = Doubt::None;
            }
        }
    }
}

/// True if the end tag `name` may end a table, a part of a table, or a template. Inside an
/// integration point, such a tag may also end elements around that point. An *integration point* is
/// an element of svg or `MathML` whose content is HTML.
fn ends_table(name: &str) -> bool {
    is_part_of_table(name) || matches!(name, "table" | "template")
}

/// True if the end tag `name` may have more effects than to end the nearest open element of this
/// name.
fn is_entangled(name: &str) -> bool {
    ends_table(name)
        || html::is_heading(name)
        || html::is_formatting(name)
        || html::bounds_scope(name)
        || matches!(name, "body" | "form")
}

/// True if `name` is an element inside a table, such as a cell, a row or a caption.
fn is_part_of_table(name: &str) -> bool {
    matches!(
        name,
        "caption" | "col" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr"
    )
}

/// True if the start tag `name` ends an open element `last`. Then both are items of one list, such
/// as two `li`.
fn ends_sibling(name: &str, last: &str) -> bool {
    match name {
        "li" => last == "li",
        "dd" | "dt" => matches!(last, "dd" | "dt"),
        _ => false,
    }
}

/// True if a `font` tag with an attribute of this name ends svg and `MathML`. Without such an
/// attribute, a `font` tag inside them ends nothing.
fn is_font_style(attribute: &str) -> bool {
    ["color", "size", "face"]
        .iter()
        .any(|style| attribute.eq_ignore_ascii_case(style))
}

/// True if this attribute of an `annotation-xml` makes the element's content HTML.
fn makes_html(attribute: &str, value: &str) -> bool {
    attribute.eq_ignore_ascii_case("encoding")
        && (value.eq_ignore_ascii_case("text/html")
            || value.eq_ignore_ascii_case("application/xhtml+xml"))
}

/// True if an HTML start tag `name` ends svg and `MathML`, whatever its attributes. False for
/// `font`, which ends them only with some attributes.
fn breaks_out(name: &str) -> bool {
    html::is_heading(name)
        || matches!(
            name,
            "b" | "big"
                | "blockquote"
                | "body"
                | "br"
                | "center"
                | "code"
                | "dd"
                | "div"
                | "dl"
                | "dt"
                | "em"
                | "embed"
                | "head"
                | "hr"
                | "i"
                | "img"
                | "li"
                | "listing"
                | "menu"
                | "meta"
                | "nobr"
                | "ol"
                | "p"
                | "pre"
                | "ruby"
                | "s"
                | "small"
                | "span"
                | "strong"
                | "strike"
                | "sub"
                | "sup"
                | "table"
                | "tt"
                | "u"
                | "ul"
                | "var"
        )
}
