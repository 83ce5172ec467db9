//! The user's own conventions: regions between two comments, elements by a small selector, and
//! pages by URL (docs/semantics.md, sections 4.4 to 4.6). This file only stores the denials by URL,
//! since conventions do not know a page's URL.
//!
//! Comparisons ignore ASCII case, which withholds more than CSS would. A selector describes one
//! element by itself. It is refused, rather than guessed, if it depends on the elements around or
//! before that element. A selector that cannot be matched reliably is refused too, such as `tbody`
//! alone, since HTML makes that element also without a tag.

use crate::html::Sieve;
use crate::policy::Uses;
use heedful_base::error::{Error, Result};
use heedful_base::lenient::Shape;

use super::folded::compared;
use super::mark::{RegionKind, RegionMark};
use super::view::Element;

/// Name of the convention that consists of the user's own regions and elements.
pub(crate) const CUSTOM: &str = "custom";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Custom {
    regions: Vec<Region>,
    elements: Vec<CustomElements>,
    pages: Vec<PageFilter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Region {
    open: String,
    close: String,
    denies: Uses,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct CustomElements {
    selector: Selector,
    /// Selector as the user wrote it.
    written: String,
    denies: Uses,
}

/// Denial of uses on all pages whose URL matches a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PageFilter {
    /// URL pattern as the user wrote it, without blanks at either end.
    pattern: String,
    denies: Uses,
}

impl Region {
    fn rule(&self) -> String {
        format!("{}={}...{}", self.denies, self.open, self.close)
    }
}

impl CustomElements {
    fn rule(&self) -> String {
        format!("{}={}", self.denies, self.written)
    }
}

impl PageFilter {
    fn rule(&self) -> String {
        format!("{}={}", self.denies, self.pattern)
    }
}

impl Custom {
    pub(super) fn region(&mut self, open: &str, close: &str, denies: Uses) -> Result<()> {
        let open = comment(open)?;
        let close = comment(close)?;
        if open == close {
            return Err(Error::setting("a region needs two comments that differ"));
        }
        self.regions.push(Region {
            open,
            close,
            denies,
        });
        Ok(())
    }

    pub(crate) fn element(&mut self, selectors: &str, denies: Uses) -> Result<()> {
        for selector in selectors.split(',') {
            let read =
                Selector::read(selector.trim()).ok_or_else(|| invalid_selector(selector.trim()))?;
            read.check(selector.trim())?;
            self.elements.push(CustomElements {
                selector: read,
                written: selector.trim().to_owned(),
                denies,
            });
        }
        Ok(())
    }

    pub(super) fn page(&mut self, pattern: &str, denies: Uses) -> Result<()> {
        self.pages.push(PageFilter {
            pattern: url_pattern(pattern)?.to_owned(),
            denies,
        });
        Ok(())
    }

    /// Returns the user's own regions. A region has three values: its denied uses, the text of its
    /// opening comment, and the text of its closing comment.
    pub(super) fn regions(&self) -> impl Iterator<Item = (Uses, &str, &str)> {
        self.regions
            .iter()
            .map(|region| (region.denies, region.open.as_str(), region.close.as_str()))
    }

    /// Returns the user's own rules for elements. Each has its denied uses, and its selector in the
    /// original spelling.
    pub(super) fn elements(&self) -> impl Iterator<Item = (Uses, &str)> {
        self.elements
            .iter()
            .map(|element| (element.denies, element.written.as_str()))
    }

    /// Returns the user's denials by URL. Each has its denied uses, and its URL pattern.
    pub(super) fn pages(&self) -> impl Iterator<Item = (Uses, &str)> {
        self.pages
            .iter()
            .map(|PageFilter { pattern, denies }| (*denies, pattern.as_str()))
    }

    /// Returns the user's own rules as they are written on the command line. Rules for regions come
    /// first, then rules for elements. The number of a rule is its index in this list.
    pub(super) fn rules(&self) -> impl Iterator<Item = String> {
        let regions = self.regions.iter().map(Region::rule);
        regions.chain(self.elements.iter().map(CustomElements::rule))
    }

    /// Returns the denials by URL, each as it is written on the command line.
    pub(super) fn page_rules(&self) -> impl Iterator<Item = String> {
        self.pages.iter().map(PageFilter::rule)
    }

    /// True if the user has added no rule for regions and no rule for elements. Denials by URL do
    /// not count, since they are not part of the convention [`CUSTOM`].
    pub(super) fn is_empty(&self) -> bool {
        self.regions.is_empty() && self.elements.is_empty()
    }

    pub(super) fn has_regions(&self) -> bool {
        !self.regions.is_empty()
    }

    pub(super) fn has_elements(&self) -> bool {
        !self.elements.is_empty()
    }

    /// Returns the attributes that the user's selectors name. The `bool` is true if reports may
    /// quote the value of the attribute. Other values are never quoted, since they may be text of
    /// the page.
    pub(super) fn quoted(&self) -> Vec<(&str, bool)> {
        let mut quoted = Vec::new();
        for CustomElements { selector, .. } in &self.elements {
            if !selector.classes.is_empty() {
                quoted.push(("class", true));
            }
            for AttributeCondition { name, .. } in &selector.attributes {
                quoted.push((name.as_str(), matches!(name.as_str(), "id" | "class")));
            }
        }
        quoted.sort_unstable();
        quoted.dedup();
        quoted
    }

    /// Returns an opening mark for each of the user's own regions whose opening comment is `text`.
    /// `text` is folded: in lower case, trimmed, with single blanks.
    pub(super) fn opened_by(&self, text: &str) -> Vec<RegionMark> {
        let mut marks = Vec::new();
        for (pair, region) in self.regions.iter().enumerate() {
            if region.open == text {
                marks.push(RegionMark::open(kind(pair), region.denies));
            }
        }
        marks
    }

    /// Returns the kind of each of the user's own regions whose closing comment is `text`. `text`
    /// is folded: in lower case, trimmed, with single blanks.
    pub(super) fn closed_by(&self, text: &str) -> Vec<RegionKind> {
        let mut kinds = Vec::new();
        for (pair, region) in self.regions.iter().enumerate() {
            if region.close == text {
                kinds.push(kind(pair));
            }
        }
        kinds
    }

    /// Returns the texts of all comments that open or close one of the user's regions. The texts
    /// are folded: in lower case, trimmed, with single blanks.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.regions
            .iter()
            .flat_map(|region| [region.open.as_str(), &region.close])
    }

    /// True if one of the user's selectors may match an element. The test is quick, so it may be
    /// true although no selector matches.
    pub(super) fn may_match(&self, element: &impl Element) -> bool {
        self.elements
            .iter()
            .any(|rule| rule.selector.may_match(element))
    }

    /// Returns the denials by the user's rules whose selectors match an element. A denial has the
    /// number of its rule, and the denied uses of the element and its content.
    pub(super) fn denials(&self, element: &impl Element) -> impl Iterator<Item = (usize, Uses)> {
        let rules = self
            .elements
            .iter()
            .enumerate()
            .filter(|(_, rule)| rule.selector.matches(element));
        rules.map(|(at, rule)| (self.regions.len() + at, rule.denies))
    }
}

/// Returns one text with all `rules`, sorted, and with a blank before each rule. Two lists of the
/// same rules give the same text, even if the user added the rules in another order.
pub(super) fn sorted_rules(rules: impl Iterator<Item = String>) -> String {
    let mut rules: Vec<_> = rules.map(|rule| format!(" {rule}")).collect();
    rules.sort_unstable();
    rules.concat()
}

/// Folds the text of a comment that the user gave for a region. The result is in lower case and
/// trimmed, with single blanks. The given text is bare, or between `<!--` and `-->`. Returns an
/// error if the text is empty, too long, or impossible in an HTML comment.
pub(super) fn comment(comment: &str) -> Result<String> {
    match compared(inner_text(comment)?) {
        Some(text) => Ok(text),
        None => Err(Error::setting(
            "a comment of a region is empty, or too long to be one",
        )),
    }
}

/// Returns the text of a comment, without `<!--` and `-->` if it has them. Returns an error if no
/// HTML comment can have this text. A rule with such a text would never match.
fn inner_text(comment: &str) -> Result<&str> {
    let comment = comment.trim();
    let text = comment
        .strip_prefix("<!--")
        .and_then(|rest| rest.strip_suffix("-->"))
        .unwrap_or(comment);
    if ["<!--", "-->", "--!>"]
        .iter()
        .any(|delimiter| text.contains(delimiter))
    {
        let message = format!(
            "`{comment}` is not the text of one comment: write `quiet` or `<!-- quiet -->`"
        );
        return Err(Error::setting(message));
    }
    Ok(text)
}

/// Checks a URL pattern, and returns it without blanks at either end. A pattern begins with `/` or
/// `*`, or contains `://`. Returns an error for any other text.
pub(crate) fn url_pattern(pattern: &str) -> Result<&str> {
    let text = pattern.trim();
    if text.starts_with(['/', '*']) || text.contains("://") {
        return Ok(text);
    }
    let message = format!(
        "`{text}` is no URL pattern: it begins with / for a path, is whole, as https://..., or begins with * for any start"
    );
    Err(Error::setting(message))
}

fn kind(pair: usize) -> RegionKind {
    RegionKind::new(CUSTOM, pair)
}

impl RegionKind {
    /// Returns the number of the user's own rule that opens regions of this kind. Returns `None` if
    /// the kind belongs to another convention.
    pub(crate) fn own_rule(self) -> Option<usize> {
        (self.convention == CUSTOM).then_some(self.pair)
    }
}

fn invalid_selector(selector: &str) -> Error {
    if selector.is_empty() {
        return Error::setting("a selector is empty: a comma stands between two of them");
    }
    Error::setting(format!(
        "`{selector}` is no selector of one element: tag, .class, #id, [attribute] and [attribute=value] are known, \
         written together without blanks. A value that holds blanks stands in quotes, and case never counts"
    ))
}

/// Conditions that one element must meet: its tag name, HTML classes and attributes. All names are
/// in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Selector {
    tag: Option<String>,
    classes: Vec<String>,
    attributes: Vec<AttributeCondition>,
}

/// Attribute that an element must have. If `value` is given, the attribute must have this value,
/// ignoring ASCII case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AttributeCondition {
    name: String,
    value: Option<String>,
}

impl AttributeCondition {
    fn matches(&self, element: &impl Element) -> bool {
        let Some(found) = element.attribute(&self.name) else {
            return false;
        };
        self.value
            .as_ref()
            .is_none_or(|value| found.trim().eq_ignore_ascii_case(value))
    }
}

impl Selector {
    fn read(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let (tag, mut rest) = lower.split_at(name_end(&lower));
        let mut selector = Self::default();
        if !tag.is_empty() {
            selector.tag = Some(tag.to_owned());
        } else if let Some(after) = rest.strip_prefix('*')
            && !after.is_empty()
        {
            rest = after;
        }
        while let Some(sign) = rest.chars().next() {
            rest = match sign {
                '.' => {
                    let (class, rest) = word(&rest[1..])?;
                    selector.classes.push(class);
                    rest
                }
                '#' => {
                    let (id, rest) = word(&rest[1..])?;
                    selector.attributes.push(AttributeCondition {
                        name: "id".to_owned(),
                        value: Some(id),
                    });
                    rest
                }
                '[' => {
                    let (inner, rest) = rest[1..].split_once(']')?;
                    selector.attributes.push(attribute(inner)?);
                    rest
                }
                _ => return None,
            };
        }
        (selector != Self::default()).then_some(selector)
    }

    fn conditions(&self) -> usize {
        self.classes.len() + self.attributes.len()
    }

    /// Returns an error for two kinds of selectors that cannot be matched reliably. The first kind
    /// is a tag name alone, if HTML also makes that element without a tag in the source. The second
    /// kind has several conditions on `html` or `body`, since a later tag may add attributes to
    /// these elements. The error quotes `written`, the selector as the user wrote it.
    fn check(&self, written: &str) -> Result<()> {
        let Some(tag) = self.tag.as_deref() else {
            return Ok(());
        };
        let message = match self.conditions() {
            0 if IMPLIED.contains(&tag) => {
                "is an element that HTML makes also where no tag says so"
            }
            2.. if ROOT.contains(&tag) => {
                "is asked for more than one thing, and HTML gathers its attributes from several tags"
            }
            _ => return Ok(()),
        };
        Err(Error::setting(format!("`{written}`: <{tag}> {message}")))
    }

    /// True if the element has the selector's tag name, and may have the selector's attributes.
    /// Attribute names are only looked up in a [`Sieve`], so the result may be true although an
    /// attribute is missing.
    fn may_match(&self, element: &impl Element) -> bool {
        self.matches_tag(element)
            && self
                .attributes
                .iter()
                .all(|attribute| may_have(element, &attribute.name))
            && (self.classes.is_empty() || may_have(element, "class"))
    }

    fn matches_tag(&self, element: &impl Element) -> bool {
        self.tag.as_ref().is_none_or(|tag| element.name() == tag)
    }

    fn matches(&self, element: &impl Element) -> bool {
        if self.conditions() > 1 && ROOT.contains(&element.name()) {
            return false;
        }
        self.matches_tag(element)
            && self
                .attributes
                .iter()
                .all(|attribute| attribute.matches(element))
            && self.classes.iter().all(|class| has_class(element, class))
    }
}

/// True if the element may have an attribute called `name`. False if it certainly has no such
/// attribute.
fn may_have(element: &impl Element, name: &str) -> bool {
    element.may_have(Sieve::from_name(name.as_bytes()))
}

fn has_class(element: &impl Element, class: &str) -> bool {
    let Some(classes) = element.shaped("class", Shape::Classes) else {
        return false;
    };
    classes
        .split_ascii_whitespace()
        .any(|own| own.eq_ignore_ascii_case(class))
}

/// Elements that HTML makes even if the source has no tags for them.
const IMPLIED: [&str; 6] = ["html", "head", "body", "tbody", "tr", "colgroup"];
const ROOT: [&str; 2] = ["html", "body"];

/// Returns the length, in bytes, of the tag, class or attribute name at the start of `text`.
fn name_end(text: &str) -> usize {
    text.find(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'))
        .unwrap_or(text.len())
}

fn word(text: &str) -> Option<(String, &str)> {
    let (word, rest) = text.split_at(name_end(text));
    if word.is_empty() {
        return None;
    }
    Some((word.to_owned(), rest))
}

/// Parses a selector's condition on an attribute: `name` or `name=value`. The value may be in
/// quotes. Returns `None` if name or value is not valid.
fn attribute(text: &str) -> Option<AttributeCondition> {
    let (name, value) = match text.split_once('=') {
        Some((name, written)) => (name, Some(value(written.trim())?.trim().to_owned())),
        None => (text, None),
    };
    let name = name.trim();
    if name.is_empty() || name_end(name) < name.len() {
        return None;
    }
    Some(AttributeCondition {
        name: name.to_owned(),
        value,
    })
}

/// Returns the value in a selector's attribute condition without its quotes. Only a quoted value
/// may contain blanks. Returns `None` for a value with escapes, stray quotes or a flag (the `i` in
/// CSS's `[lang=en i]`). These parts of CSS are not supported.
fn value(written: &str) -> Option<&str> {
    for quote in ['"', '\''] {
        if let Some(inner) = in_quotes(written, quote) {
            return (!inner.contains([quote, '\\'])).then_some(inner);
        }
    }
    let is_odd = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    (!written.contains(is_odd)).then_some(written)
}

fn in_quotes(written: &str, quote: char) -> Option<&str> {
    written.strip_prefix(quote)?.strip_suffix(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors() {
        for good in [
            "nav",
            ".a",
            "*.a",
            "nav.a.b",
            "#id",
            "[hidden]",
            "[a=b]",
            "a[rel=\"x y\"].b",
            "my-tag",
            "[data-x]",
            "[ a = 'b' ]",
        ] {
            assert!(Selector::read(good).is_some(), "{good}");
        }
        for bad in [
            "", "*", ".", "a b", "a>b", "a:hover", "[a", "[]", "[=b]", "[a~=b]", "[a^=b]", "a]",
            "..a", "a + b",
        ] {
            assert!(Selector::read(bad).is_none(), "{bad}");
        }
        // CSS's flags, blanks, escapes and half quotes.
        for bad in [
            "[a=\"x\" i]",
            "[a='x's]",
            "[a=x i]",
            "[a=x y]",
            "[a=x\ty]",
            "[a=\"x]",
            "[a=x']",
            "[a=\"]",
            "[a=x\\y]",
        ] {
            assert!(Selector::read(bad).is_none(), "{bad}");
        }
        for (good, value) in [
            ("[a=\"X y\"]", "x y"),
            ("[a='\"']", "\""),
            ("[a=]", ""),
            ("[a=' ']", ""),
        ] {
            let read = Selector::read(good).map(|selector| selector.attributes);
            assert_eq!(
                read,
                Some(vec![AttributeCondition {
                    name: "a".to_owned(),
                    value: Some(value.to_owned()),
                }]),
                "{good}"
            );
        }
        let accepts = |selector: &str| Custom::default().element(selector, Uses::NONE).is_ok();
        assert!(
            accepts("table, body.x, html[lang], .a.b")
                && !accepts("p, tbody")
                && !accepts("body.x[hidden]")
        );
    }
}
