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
    /// Innermost element around each region marker: its number and its name. The key is the byte
    /// position at which the marker begins or ends.
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

    /// Stores the target and position of the page's first canonical link.
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
            let round = self.elements.innermost();
            self.mark_elements.insert(token.start(), round.clone());
            self.mark_elements.insert(token.end(), round);
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
    is_link || judged.is_visible_text() && token.text().contains(char::is_alphanumeric)
}

/// Open elements of the page, tracked by tags alone. Elements with optional end tags are ignored.
#[derive(Debug, Default)]
struct Elements {
    open: Vec<(u32, String)>,
    /// Number of open elements with each name, so that no end tag causes a vain search.
    named: HashMap<String, usize>,
    count: u32,
}

impl Elements {
    /// Returns the number and the name of the innermost open element. Outside of all elements,
    /// returns 0 and an empty name.
    fn innermost(&self) -> (u32, String) {
        self.open.last().cloned().unwrap_or_default()
    }

    fn pass(&mut self, token: &Token<'_>) {
        let name = token.name();
        match token.kind() {
            TokenKind::Start
                if !html::is_void(name) && !token.is_self_closing() && !ends_of_itself(name) =>
            {
                self.count += 1;
                self.open.push((self.count, name.to_owned()));
                *self.named.entry(name.to_owned()).or_default() += 1;
            }
            TokenKind::End if self.named.get(name).is_some_and(|open| *open > 0) => {
                self.close(name);
            }
            _ => {}
        }
    }

    /// Closes the innermost open element with the name `name`, and all elements inside it.
    fn close(&mut self, name: &str) {
        while let Some((_, innermost)) = self.open.pop() {
            if let Some(open) = self.named.get_mut(&innermost) {
                *open -= 1;
            }
            if innermost == name {
                return;
            }
        }
    }
}

/// True if `name` is the name of an element whose end tag is optional, such as `p`.
fn ends_of_itself(name: &str) -> bool {
    const NAMES: [&str; 19] = [
        "html", "head", "body", "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th",
        "thead", "tbody", "tfoot", "colgroup", "rt", "rp", "caption",
    ];
    NAMES.contains(&name)
}
