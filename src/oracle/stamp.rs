//! From text to tokens and a tree, each token findable in the tree.
//!
//! The tree builder is not given the page's text but its token's number, and start tags have theirs in an attribute; a
//! formatting element, whose attributes matter to the tree, has a comment with its number put into it. Wherever the tree
//! moves them, the numbers move along.

use std::cell::{Cell, RefCell};

use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, TokenizerResult, ns};
use markup5ever_rcdom::Handle;

use crate::html;
use crate::standard;

use super::grown::Grown;
use super::sink::Sink;

/// What the tokenizer found, in order; its number is its place in the list.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Start {
        name: String,
        attributes: Vec<(String, String)>,
        self_closing: bool,
    },
    End(String),
    Text(String),
    /// Of a comment written `<!--`.
    Comment(String),
    Nothing,
}

/// The attribute with a start tag's number. No page has one of this name: those are in lower case.
pub(crate) const NUMBER: &str = "NUMBER";
/// Begins and ends a number in a text.
pub(crate) const BEGIN: char = '\u{E000}';
pub(crate) const END: char = '\u{E001}';

/// The numbers that stand in a text.
pub(crate) fn numbers(text: &str) -> impl Iterator<Item = usize> {
    text.split(BEGIN).skip(1).filter_map(|stamped| stamped.split_once(END)?.0.parse().ok())
}

/// Tokens and tree of a page, as a browser has them with scripting on or off.
pub(super) fn parse(page: &str, scripting_enabled: bool) -> (Vec<Event>, Grown) {
    let options = TreeBuilderOpts { scripting_enabled, ..TreeBuilderOpts::default() };
    let sink = Stamper {
        page,
        fed: Cell::new(0),
        builder: TreeBuilder::new(Sink::default(), options),
        events: RefCell::default(),
    };
    // The mark of the byte order is gone already; what looks like one further on is text.
    let tokenizer = Tokenizer::new(sink, TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() });
    let queue = BufferQueue::default();
    // A comment ends with the piece it ends in: so it is known where.
    for piece in page.split_inclusive('>') {
        tokenizer.sink.fed.set(tokenizer.sink.fed.get() + piece.len());
        queue.push_back(StrTendril::from(piece));
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    }
    tokenizer.end();
    let Stamper { builder, events, .. } = tokenizer.sink;
    (events.into_inner(), Grown::of(&builder.sink.dom))
}

struct Stamper<'a> {
    page: &'a str,
    /// How much of the page was given to the tokenizer.
    fed: Cell<usize>,
    builder: TreeBuilder<Handle, Sink>,
    events: RefCell<Vec<Event>>,
}

impl Stamper<'_> {
    fn build(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        self.builder.sink.begin(&token);
        self.builder.process_token(token, line)
    }

    fn push(&self, event: Event) -> usize {
        let mut events = self.events.borrow_mut();
        events.push(event);
        events.len() - 1
    }

    fn start(&self, mut tag: Tag, line: u64) -> TokenSinkResult<Handle> {
        let attributes = tag.attrs.iter().map(|a| (a.name.local.to_string(), a.value.to_string())).collect();
        let name = tag.name.to_string();
        let is_formatting = html::is_formatting(&name);
        let is_root = matches!(name.as_str(), "html" | "body");
        let number = self.push(Event::Start { name, attributes, self_closing: tag.self_closing });
        let stamp = StrTendril::from(number.to_string());
        if !is_formatting && !is_root {
            tag.attrs
                .push(Attribute { name: QualName::new(None, ns!(), LocalName::from(NUMBER)), value: stamp.clone() });
        }
        let result = self.build(Token::TagToken(tag), line);
        if is_formatting || is_root {
            let _ = self.build(Token::CommentToken(stamp), line);
        }
        result
    }

    fn end(&self, tag: Tag, line: u64) -> TokenSinkResult<Handle> {
        self.push(Event::End(tag.name.to_string()));
        self.build(Token::TagToken(tag), line)
    }

    fn text(&self, text: &str, line: u64) -> TokenSinkResult<Handle> {
        let number = self.push(Event::Text(text.to_owned()));
        let solid = text.trim_start_matches(html::is_blank);
        let mut stamped = text[..text.len() - solid.len()].to_owned();
        if !solid.is_empty() {
            stamped = format!("{stamped}{BEGIN}{number}{END}");
        }
        self.build(Token::CharacterTokens(StrTendril::from(stamped)), line)
    }

    /// Whether the comment that has just ended was written `<!--`.
    fn is_written(&self, text: &str) -> bool {
        let head = &self.page[..self.fed.get()];
        if text.is_empty() && (head.ends_with("<!-->") || head.ends_with("<!--->")) {
            return true;
        }
        let at_end = head.len() == self.page.len();
        let ends: &[&str] = if at_end { &["-->", "--!>", "", "-", "--", "--!"] } else { &["-->", "--!>"] };
        let is_it = |inner: &str| {
            ends.iter().filter_map(|end| inner.strip_suffix(end)).any(|inner| {
                inner == text || inner.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{FFFD}") == text
            })
        };
        // A comment may hold `<!--` itself.
        head.rmatch_indices("<!--").take(64).any(|(at, open)| is_it(&head[at + open.len()..]))
    }
}

impl TokenSink for Stamper<'_> {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => self.start(tag, line),
            Token::TagToken(tag) => self.end(tag, line),
            Token::CharacterTokens(text) => self.text(&text, line),
            Token::CommentToken(text) => {
                let is_written = self.is_written(&text);
                self.push(if is_written { Event::Comment(text.to_string()) } else { Event::Nothing });
                self.build(Token::CommentToken(StrTendril::new()), line)
            }
            Token::DoctypeToken(doctype) => self.build(Token::DoctypeToken(standard::corrected(doctype)), line),
            other => self.build(other, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}
