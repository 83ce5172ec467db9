//! Inserts a number at every token that the streaming filter reads in a page, so that each token
//! can be found in a browser's tree.
//!
//! The number of a text token is inserted before its first character that is not white space. The
//! number of a start tag is an attribute of the tag, or a comment after the tag if attributes
//! matter to the tree. The numbers do not change the structure of the tree.

use std::collections::HashSet;
use std::fmt::Write;

use crate::oracle::{BEGIN, END, Event, GrownTree, NUMBER, NodeKind, numbers};
use heedful::internals::html;
use heedful::{Judged, PageEnd, Sink, Token, TokenKind};
use heedful_base::error::Result;

/// Sink of a filter pass that produces a copy of the page with a number at each token.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    pub(super) page: String,
    events: Vec<Event>,
}

impl Stamps {
    /// Returns the tokenizer events that the streaming filter has read. A comment in the page that
    /// the browser does not parse as a comment becomes [`Event::Nothing`].
    pub(super) fn events(&self, grown: &GrownTree) -> Vec<Event> {
        let found: HashSet<usize> = grown.nodes.iter().flat_map(comment_numbers).collect();
        let mut events = self.events.clone();
        for (number, event) in events.iter_mut().enumerate() {
            if let Event::Comment(text) = event
                && !text.is_empty()
                && !found.contains(&number)
            {
                *event = Event::Nothing;
            }
        }
        events
    }

    /// Returns the numbers of the template tags that made shadow roots. The browser's tree does not
    /// contain these templates.
    pub(super) fn roots(&self, grown: &GrownTree) -> HashSet<usize> {
        let kept: HashSet<usize> = grown.nodes.iter().filter_map(own_number).collect();
        let mut roots = HashSet::new();
        for (number, event) in self.events.iter().enumerate() {
            if let Event::Start { name, .. } = event
                && name == "template"
                && !kept.contains(&number)
            {
                roots.insert(number);
            }
        }
        roots
    }

    /// Returns the texts, comments and attributes of the browser's tree that the streaming filter
    /// has read differently. Each is returned as a description for a message.
    pub(super) fn strays(&self, grown: &GrownTree) -> Vec<String> {
        let nodes = grown.nodes.iter();
        nodes.filter_map(|node| self.stray(&node.kind)).collect()
    }

    /// True if `text`, a text in the browser's tree, contains the number of a token other than a
    /// text. The browser then reads as text what the streaming filter read as another kind of
    /// token. Also true if `text` contains a number that no token has.
    fn has_no_text(&self, text: &str) -> bool {
        numbers(text).any(|number| !matches!(self.events.get(number), Some(Event::Text(_))))
    }

    /// True if `comment`, a comment in the browser's tree, contains the number of a text token. The
    /// browser then reads as a comment what the streaming filter read as text. Also true if
    /// `comment` contains a number that no token has.
    fn has_text(&self, comment: &str) -> bool {
        numbers(comment)
            .any(|number| matches!(self.events.get(number), None | Some(Event::Text(_))))
    }

    fn stray(&self, kind: &NodeKind) -> Option<String> {
        match kind {
            NodeKind::Text(text) => {
                let unstamped = text.split(BEGIN).next().unwrap_or_default();
                let is_solid = unstamped
                    .chars()
                    .any(|c| !c.is_whitespace() && c != '\u{FFFD}');
                if !is_solid && !self.has_no_text(text) {
                    return None;
                }
                Some(format!("text to a browser: {text:?}"))
            }
            NodeKind::Comment(text) => {
                if !is_foreign_comment(text) && !self.has_text(text) {
                    return None;
                }
                Some(format!("a comment to a browser: {text:?}"))
            }
            NodeKind::Element { attributes, .. } => {
                // A character reference of the page itself may produce a stamp's delimiter.
                for (name, value) in attributes {
                    if numbers(value).next().is_some() {
                        return Some(format!("an attribute to a browser: {name}={value:?}"));
                    }
                }
                None
            }
            NodeKind::Root => None,
        }
    }

    fn number(&mut self, event: Event) -> usize {
        self.events.push(event);
        self.events.len() - 1
    }

    fn start(&mut self, token: &Token<'_>) {
        let name = token.name();
        let mut attributes = Vec::new();
        for (name, value) in token.attributes().written() {
            let value = html::decode_value(value).into_owned();
            attributes.push((name.to_ascii_lowercase(), value));
        }
        let self_closing = token.has_slash();
        let number = self.number(Event::Start {
            name: name.to_owned(),
            attributes,
            self_closing,
        });
        let (head, rest) = token.raw().split_at(token.name_end());
        if html::is_formatting(name) || matches!(name, "html" | "body") {
            self.push(token.raw());
            let _ = write!(self.page, "<!--{number}-->");
            return;
        }
        // Scripts cannot access a closed root. Opening the root changes nothing inside it.
        let is_closed = token
            .attribute("shadowrootmode")
            .is_some_and(|mode| mode.eq_ignore_ascii_case("closed"));
        let opened = if is_closed {
            " shadowrootmode=open"
        } else {
            ""
        };
        let _ = write!(self.page, "{head} {NUMBER}={number}{opened}");
        if !rest.starts_with([' ', '\t', '\n', '\r', '\u{C}', '>']) {
            self.page.push(' ');
        }
        self.push(rest);
    }

    fn text(&mut self, token: &Token<'_>) {
        let number = self.number(Event::Text(token.text().into_owned()));
        let raw = token.raw();
        let (blanks, solid) = raw.split_at(html::blank_beginning(raw, token.has_references()));
        self.push(blanks);
        if !solid.is_empty() {
            let _ = write!(self.page, "{BEGIN}{number}{END}");
        }
        self.push(solid);
    }

    fn comment(&mut self, token: &Token<'_>) {
        let text = token.text();
        let number = self.number(match token.kind() {
            TokenKind::Comment => Event::Comment(text.to_string()),
            _ => Event::Nothing,
        });
        let raw = token.raw();
        let opening = ["<!--", "<!", "</"]
            .into_iter()
            .find(|opening| raw.starts_with(opening))
            .unwrap_or_default();
        if text.is_empty() || opening.is_empty() || raw.starts_with("<![CDATA[") {
            return self.push(raw);
        }
        let _ = write!(self.page, "{opening}{BEGIN}{number}{END}");
        self.push(&raw[opening.len()..]);
    }

    /// Appends source text to the numbered copy of the page. Characters in the text that would
    /// delimit a number are replaced by U+E002.
    fn push(&mut self, raw: &str) {
        for c in raw.chars() {
            self.page.push(match c {
                BEGIN | END => '\u{E002}',
                c => c,
            });
        }
    }
}

/// True if a comment in the browser's tree is unknown to the streaming filter. Known comments are
/// of these kinds:
///
/// - A comment that consists of digits was inserted into the page as the number of a tag.
/// - A comment that begins with a number was read by the filter.
/// - An empty comment, or one that begins with `?` or `[CDATA[`, never gets a number, and counts as
///   read.
fn is_foreign_comment(text: &str) -> bool {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    !is_number && !text.starts_with([BEGIN, '?']) && !text.starts_with("[CDATA[")
}

fn comment_numbers(node: &crate::oracle::GrownNode) -> Vec<usize> {
    match &node.kind {
        NodeKind::Comment(text) => numbers(text).collect(),
        _ => Vec::new(),
    }
}

/// Returns the number of the start tag that made an element. An attribute of the element has this
/// number. Returns `None` if the element has no such attribute.
fn own_number(node: &crate::oracle::GrownNode) -> Option<usize> {
    let NodeKind::Element { attributes, .. } = &node.kind else {
        return None;
    };
    attributes
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(NUMBER))?
        .1
        .parse()
        .ok()
}

impl Sink for Stamps {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let token = judged.token();
        match token.kind() {
            TokenKind::Start => self.start(token),
            TokenKind::Text => self.text(token),
            TokenKind::Comment | TokenKind::Bogus => self.comment(token),
            TokenKind::End => {
                self.number(Event::End(token.name().to_owned()));
                self.push(token.raw());
            }
            TokenKind::Doctype | TokenKind::Other => {
                self.number(Event::Nothing);
                self.push(token.raw());
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}
