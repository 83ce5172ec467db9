//! Converts the source of a page to tokens and a tree. Each token has a number, by which it is
//! found in the tree.
//!
//! The tree builder gets the number of each text token instead of the text. The number of a start
//! tag is in an attribute of the tag. The attributes of a formatting element matter to the tree, so
//! the number of its tag is in a comment inside the element. When the tree builder moves a node,
//! its number moves too.

use std::cell::{Cell, RefCell};

use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, TokenizerResult, ns};
use markup5ever_rcdom::Handle;

use heedful::internals::{html, standard};

use super::grown::{GrownTree, NUMBER};
use super::sink::DomSink;

/// An event of the tokenizer, such as a tag or a text. The number of an event is its index in the
/// list of all events of the page.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Start {
        name: String,
        attributes: Vec<(String, String)>,
        self_closing: bool,
    },
    End(String),
    Text(String),
    /// A comment that begins with `<!--` in the page's source. The value is its text.
    Comment(String),
    Nothing,
}

/// Character that is inserted into a text before the number of a token. [`END`] follows the number.
pub(crate) const BEGIN: char = '\u{E000}';
/// Character that is inserted into a text after the number of a token. [`BEGIN`] precedes the
/// number.
pub(crate) const END: char = '\u{E001}';

/// Iterates over the token numbers that were inserted into a text, each between [`BEGIN`] and
/// [`END`].
pub(crate) fn numbers(text: &str) -> impl Iterator<Item = usize> {
    text.split(BEGIN)
        .skip(1)
        .filter_map(|stamped| stamped.split_once(END)?.0.parse().ok())
}

/// Parses a page to its tokens and its tree, as a browser does. `scripting_enabled` is true if that
/// browser runs scripts.
pub(super) fn parse(page: &str, scripting_enabled: bool) -> (Vec<Event>, GrownTree) {
    parse_with(
        page,
        TreeBuilderOpts {
            scripting_enabled,
            ..TreeBuilderOpts::default()
        },
    )
}

/// Parses a page like [`parse`] with scripting enabled, but never in quirks mode.
pub(super) fn parse_without_quirks(page: &str) -> (Vec<Event>, GrownTree) {
    parse_with(
        page,
        TreeBuilderOpts {
            scripting_enabled: true,
            iframe_srcdoc: true,
            ..TreeBuilderOpts::default()
        },
    )
}

fn parse_with(page: &str, options: TreeBuilderOpts) -> (Vec<Event>, GrownTree) {
    let sink = Stamper {
        page,
        fed: Cell::new(0),
        builder: TreeBuilder::new(DomSink::default(), options),
        events: RefCell::default(),
    };
    // Decoding has removed the byte order mark; a later one is text.
    let tokenizer = Tokenizer::new(
        sink,
        TokenizerOpts {
            discard_bom: false,
            ..TokenizerOpts::default()
        },
    );
    let queue = BufferQueue::default();
    // The page is passed in pieces, so that the place where a comment ended is known.
    for piece in page.split_inclusive('>') {
        tokenizer
            .sink
            .fed
            .set(tokenizer.sink.fed.get() + piece.len());
        queue.push_back(StrTendril::from(piece));
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    }
    tokenizer.end();
    let Stamper {
        builder, events, ..
    } = tokenizer.sink;
    (
        events.into_inner(),
        GrownTree {
            is_repaired: builder.sink.is_repaired.get(),
            ..GrownTree::new(&builder.sink.dom, builder.sink.roots.take())
        },
    )
}

struct Stamper<'a> {
    page: &'a str,
    /// Number of bytes of the page that were passed to the tokenizer up to now.
    fed: Cell<usize>,
    builder: TreeBuilder<Handle, DomSink>,
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
        let attributes = tag
            .attrs
            .iter()
            .map(|a| (a.name.local.to_string(), a.value.to_string()))
            .collect();
        let name = tag.name.to_string();
        let is_formatting = html::is_formatting(&name);
        let is_root = matches!(name.as_str(), "html" | "body");
        let number = self.push(Event::Start {
            name,
            attributes,
            self_closing: tag.self_closing,
        });
        let stamp = StrTendril::from(number.to_string());
        for mode in tag
            .attrs
            .iter_mut()
            .filter(|attribute| &*attribute.name.local == "shadowrootmode")
        {
            // The builder accepts the value in lower case only.
            mode.value = StrTendril::from(mode.value.to_ascii_lowercase());
        }
        if !is_formatting && !is_root {
            tag.attrs.push(Attribute {
                name: QualName::new(None, ns!(), LocalName::from(NUMBER)),
                value: stamp.clone(),
            });
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

    /// True if the comment that has just ended begins with `<!--` in the page's source. `text` is
    /// the content of the comment.
    fn is_written(&self, text: &str) -> bool {
        let head = &self.page[..self.fed.get()];
        if text.is_empty() && (head.ends_with("<!-->") || head.ends_with("<!--->")) {
            return true;
        }
        let at_end = head.len() == self.page.len();
        let ends: &[&str] = if at_end {
            &["-->", "--!>", "", "-", "--", "--!"]
        } else {
            &["-->", "--!>"]
        };
        let is_it = |inner: &str| {
            ends.iter()
                .filter_map(|end| inner.strip_suffix(end))
                .any(|inner| {
                    inner == text
                        || inner
                            .replace("\r\n", "\n")
                            .replace('\r', "\n")
                            .replace('\0', "\u{FFFD}")
                            == text
                })
        };
        // A comment may contain `<!--`, so several beginnings are tried.
        head.rmatch_indices("<!--")
            .take(64)
            .any(|(at, open)| is_it(&head[at + open.len()..]))
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
                self.push(if is_written {
                    Event::Comment(text.to_string())
                } else {
                    Event::Nothing
                });
                self.build(Token::CommentToken(StrTendril::new()), line)
            }
            Token::DoctypeToken(doctype) => self.build(
                Token::DoctypeToken(standard::correct_doctype(doctype)),
                line,
            ),
            // An error of the tokenizer does not change the tree.
            Token::ParseError(_) => TokenSinkResult::Continue,
            other => self.build(other, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}
