//! The sink of lint: collects facts about a page that are not in its directives. These facts are
//! canonical links, markers that no engine reads, and the elements around regions.

use std::collections::HashMap;

use url::Url;

use heedful::internals::html;
use heedful::{Judged, PageEnd, Place, Sink, Token, TokenKind};
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::unread::unread_marker;

/// Sink of the pass that [`open`](super::open) returns. [`end`](super::end) makes a
/// [`Linted`](super::Linted) of the facts that the sink has collected.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter, Pass};
/// use heedful_lint::LintSink;
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass: Pass<LintSink> = heedful_lint::open(&filter, "https://example.com/")?;
/// pass.write(b"<p norobots>Rye <nosnippet>bread</nosnippet>")?;
/// let linted = heedful_lint::end(pass, "https://example.com/", [])?;
/// assert_eq!(linted.findings()[0].rule().id(), "unread-marker");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct LintSink {
    pub(super) canonical: Option<(Key<'static>, Place)>,
    /// Positions of markers that no engine reads, each with a message.
    pub(super) unread: Vec<(Place, String)>,
    /// Position of the first comment that opens or closes a region.
    pub(super) first_mark: Option<Place>,
    /// Byte position of the last visible word or link in the page.
    pub(super) last_content: u64,
    elements: Elements,
    /// Innermost element around each region marker, as the serial number and the name of the
    /// element. Each marker has two entries. Their keys are the byte positions at which the marker
    /// begins and ends.
    pub(super) mark_elements: HashMap<u64, (u32, String)>,
}

impl LintSink {
    pub(super) fn new() -> Self {
        Self {
            canonical: None,
            unread: Vec::new(),
            first_mark: None,
            last_content: 0,
            elements: Elements::default(),
            mark_elements: HashMap::new(),
        }
    }

    /// If `token` is the page's first canonical link, stores the target and position of this link.
    fn start(&mut self, token: &Token<'_>, base: &Url) {
        if token.name() != "link" || self.canonical.is_some() {
            return;
        }
        let rel = token.attribute("rel").unwrap_or_default();
        let is_canonical = rel
            .split_ascii_whitespace()
            .any(|word| word.eq_ignore_ascii_case("canonical"));
        if is_canonical
            && let Some(href) = token.attribute("href")
            && let Ok(target) = base.join(href.trim())
        {
            self.canonical = Some((Key::of_url(&target).into_owned(), token.place()));
        }
    }
}

impl Sink for LintSink {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let token = judged.token();
        if judged.is_region_mark() && token.kind() == TokenKind::Comment {
            self.first_mark = self.first_mark.or(Some(token.place()));
            let (number, name) = self.elements.innermost();
            let around = (number, name.to_owned());
            self.mark_elements.insert(token.start(), around.clone());
            self.mark_elements.insert(token.end(), around);
        }
        if !judged.is_region_mark()
            && let Some(message) = unread_marker(token)
        {
            self.unread.push((token.place(), message));
        }
        if is_content(judged) {
            self.last_content = token.start();
        }
        self.elements.pass(token);
        if judged.is_page_element() && !token.is_foreign() {
            self.start(token, judged.base());
        }
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

/// True if a piece of the page (`judged`) is a link or has visible text with a letter or digit.
fn is_content(judged: &Judged<'_>) -> bool {
    let token = judged.token();
    let is_link = token.kind() == TokenKind::Start && matches!(token.name(), "a" | "area");
    is_link || judged.is_visible_text() && has_word(token)
}

/// True if the text of `token` has a letter or digit.
fn has_word(token: &Token<'_>) -> bool {
    if token.is_blank() {
        return false;
    }
    // Only what follows a `&` may have to be decoded.
    let plain = token.raw().split('&').next().unwrap_or_default();
    plain.contains(char::is_alphanumeric) || token.text().contains(char::is_alphanumeric)
}

/// Open elements of the page. Only the tags in the source open and close elements. The parsing
/// rules by which browsers repair HTML are not applied. Elements with optional end tags are
/// ignored.
#[derive(Debug, Default)]
struct Elements {
    open: Vec<OpenElement>,
    /// Index in `names` of each element name that has occurred in the page so far.
    numbers: HashMap<String, usize>,
    names: Vec<ElementName>,
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct OpenElement {
    /// Serial number of the element among the elements of the page, counted from 1.
    number: u32,
    /// Index of the element's name in [`Elements::names`].
    name: usize,
}

#[derive(Debug)]
struct ElementName {
    name: String,
    /// Number of open elements with this name. If it is 0, an end tag with this name is ignored
    /// without a search.
    open: usize,
}

impl Elements {
    /// Returns the serial number and the name of the innermost open element. Outside of all
    /// elements, returns 0 and an empty name.
    fn innermost(&self) -> (u32, &str) {
        match self.open.last() {
            Some(element) => (element.number, &self.names[element.name].name),
            None => (0, ""),
        }
    }

    fn pass(&mut self, token: &Token<'_>) {
        let name = token.name();
        match token.kind() {
            TokenKind::Start
                if !has_optional_end_tag(name)
                    && !html::is_void(name)
                    && !token.is_self_closing() =>
            {
                let name = self.number(name);
                self.count += 1;
                self.names[name].open += 1;
                self.open.push(OpenElement {
                    number: self.count,
                    name,
                });
            }
            TokenKind::End => self.close(name),
            _ => {}
        }
    }

    /// Returns the index of `name` in the field `names`. A new name is added first.
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len();
        self.numbers.insert(name.to_owned(), number);
        self.names.push(ElementName {
            name: name.to_owned(),
            open: 0,
        });
        number
    }

    /// Returns the index of `name` in the field `names` if an element with this name is open;
    /// otherwise `None`. The innermost element is checked first, because it usually has this name.
    fn open_name(&self, name: &str) -> Option<usize> {
        let innermost = self.open.last()?.name;
        if self.names[innermost].name == name {
            return Some(innermost);
        }
        if has_optional_end_tag(name) {
            return None;
        }
        let number = *self.numbers.get(name)?;
        (self.names[number].open > 0).then_some(number)
    }

    /// Closes the innermost open element with the name `name`, and all elements inside it.
    fn close(&mut self, name: &str) {
        let Some(closed) = self.open_name(name) else {
            return;
        };
        while let Some(innermost) = self.open.pop() {
            self.names[innermost.name].open -= 1;
            if innermost.name == closed {
                return;
            }
        }
    }
}

/// True if the end tag of the element `name` is optional, as that of `p` is.
fn has_optional_end_tag(name: &str) -> bool {
    matches!(
        name,
        "html"
            | "head"
            | "body"
            | "p"
            | "li"
            | "dt"
            | "dd"
            | "option"
            | "optgroup"
            | "tr"
            | "td"
            | "th"
            | "thead"
            | "tbody"
            | "tfoot"
            | "colgroup"
            | "rt"
            | "rp"
            | "caption"
    )
}
