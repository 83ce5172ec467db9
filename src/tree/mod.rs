//! Whose content is this? Which elements contain what stands at a place, exactly as in a browser's tree.
//!
//! html5ever's tree builder is driven with tiles and keeps no tree here: an element knows its parent and nothing else
//! (see `node`), so what is over is forgotten. The caller gives numbers, *marks*, to the elements it wants to find
//! again; the answer for a tile is the chain of the marks round it. The tree is the one a browser builds with
//! scripting on, by the HTML standard as html5ever has it.
//!
//! The tree may change after a text has gone by. What that changes in a chain is told as a [`Shift`]; the caller errs
//! on the side of less. Where builder and tokenizer disagree on what is raw text, the page is
//! [`ErrorKind::Ambiguous`]. Two bounds are held: the depth of the tree, and how many elements HTML may make of its own.
//! What it never does: decide what a mark means, or what is text.

mod beginning;
mod chains;
mod changes;
mod doctype;
mod keeper;
mod node;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, ns};

use crate::error::{Error, ErrorKind, Result};
use crate::html;
use crate::lex::{Tile, TileKind};
use crate::limits::Limits;

use beginning::Beginning;
use chains::Chains;
use keeper::Keeper;
use node::Handle;

/// A number, from 1, that the caller gives to an element.
pub(crate) type Mark = u32;

/// The marks of all elements round a place, by number; 0 is no mark at all.
pub(crate) type ChainId = u32;

/// What is known of a tile.
#[derive(Debug)]
pub(crate) struct Told {
    /// The marks round it. A start tag's own element is one of those round it.
    pub(crate) chain: ChainId,
    pub(crate) fate: Fate,
}

/// What became of a start tag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// An element; also what is no start tag.
    Element,
    /// It gave these attributes to the `html` or `body` that was there before.
    Merged(Vec<String>),
    /// HTML ignores it here.
    Ignored,
}

/// A late change of the tree: what stood inside these marks now stands elsewhere.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shift {
    /// Marks that some content has left, or whose order round it has changed.
    pub(crate) left: Vec<Mark>,
    /// Marks that some content has come to stand in.
    pub(crate) entered: Vec<Mark>,
}

/// The tree of one page, as far as it matters.
pub(crate) struct Tree {
    builder: TreeBuilder<Handle, Keeper>,
    chains: Chains,
    /// The chain of the last place that is known.
    current: ChainId,
    starts: u64,
    comparisons: u64,
    in_raw_text: bool,
    /// The last text ended with CR.
    after_return: bool,
    limits: Limits,
}

impl Tree {
    pub(crate) fn new(limits: &Limits) -> Self {
        let options = TreeBuilderOpts { drop_doctype: true, ..TreeBuilderOpts::default() };
        Self {
            builder: TreeBuilder::new(Keeper::new(limits.depth), options),
            chains: Chains::default(),
            current: 0,
            starts: 0,
            comparisons: 0,
            in_raw_text: false,
            after_return: false,
            limits: limits.clone(),
        }
    }

    /// Follows a tile; a start tag's element may be given a mark.
    pub(crate) fn tile(&mut self, tile: &Tile<'_>, mark: Option<Mark>) -> Result<Told> {
        self.after_return &= tile.kind() == TileKind::Text;
        let chain = match tile.kind() {
            TileKind::Start => return self.start(tile, mark),
            TileKind::Text => self.text(tile)?,
            TileKind::End => self.end(tile)?,
            TileKind::Comment => self.probe()?,
            TileKind::Doctype => {
                self.feed(Token::DoctypeToken(doctype::parse(tile.raw())))?;
                self.current
            }
            TileKind::Bogus | TileKind::Other => self.current,
        };
        Ok(Told { chain, fate: Fate::Element })
    }

    /// The marks of a chain, innermost first.
    pub(crate) fn marks(&self, chain: ChainId) -> impl Iterator<Item = Mark> {
        self.chains.marks(chain)
    }

    /// What has changed since this was last asked.
    pub(crate) fn shifts(&mut self) -> Vec<Shift> {
        self.builder.sink.shifts()
    }

    fn start(&mut self, tile: &Tile<'_>, mark: Option<Mark>) -> Result<Told> {
        self.starts += 1;
        let name = local_name(tile.name());
        let tag = Tag {
            kind: TagKind::StartTag,
            name: name.clone(),
            self_closing: tile.has_slash(),
            attrs: self.attributes(tile, mark),
            had_duplicate_attributes: false,
        };
        self.count_comparisons(tile.name())?;
        let result = self.feed(Token::TagToken(tag))?;
        if result != (!tile.is_foreign() && html::switches_text(tile.name())) {
            return Err(ErrorKind::Ambiguous { line: tile.place().line() }.into());
        }
        self.in_raw_text = result;
        if self.builder.sink.created() > self.starts.saturating_mul(8).saturating_add(self.limits.clones) {
            return Err(Error::limit("clones", self.limits.clones));
        }
        if let Some(own) = self.builder.sink.own_element(&name) {
            let chain = self.chain(&own)?;
            let is_empty = html::is_void(tile.name()) || tile.is_self_closing();
            self.current = if is_empty { self.chains.outer(chain, own.mark) } else { chain };
            return Ok(Told { chain, fate: Fate::Element });
        }
        let fate = self.builder.sink.take_merged().map_or(Fate::Ignored, Fate::Merged);
        Ok(Told { chain: self.probe()?, fate })
    }

    /// The builder compares a formatting element with all others that it may have to open again.
    fn count_comparisons(&mut self, name: &str) -> Result<()> {
        if html::is_formatting(name) {
            self.comparisons += self.builder.sink.formatting();
            if self.comparisons > self.starts.saturating_mul(64).saturating_add(self.limits.comparisons) {
                return Err(Error::limit("comparisons", self.limits.comparisons));
            }
        }
        Ok(())
    }

    fn end(&mut self, tile: &Tile<'_>) -> Result<ChainId> {
        let tag = Tag {
            kind: TagKind::EndTag,
            name: local_name(tile.name()),
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        };
        self.feed(Token::TagToken(tag))?;
        self.in_raw_text = false;
        let ended = self.current;
        if ended != 0 {
            self.probe()?;
        }
        Ok(ended)
    }

    /// Of a text the builder is told what it asks for: the blanks and NULs it begins with, and that there is more.
    fn text(&mut self, tile: &Tile<'_>) -> Result<ChainId> {
        let beginning = self.beginning(tile)?;
        for token in beginning.before {
            self.feed(token)?;
        }
        if !beginning.is_solid {
            if let Some(place) = self.builder.sink.take_text() {
                self.current = self.chain(&place)?;
            }
            return Ok(self.current);
        }
        self.feed(Token::CharacterTokens(StrTendril::from("x")))?;
        if let Some(place) = self.builder.sink.take_text() {
            self.current = self.chain(&place)?;
            return Ok(self.current);
        }
        // The builder keeps text of a table back until it sees what follows.
        self.feed(Token::CommentToken(StrTendril::new()))?;
        match self.builder.sink.take_text() {
            Some(place) => self.current = self.chain(&place)?,
            None => return self.probe(),
        }
        Ok(self.current)
    }

    fn beginning(&mut self, tile: &Tile<'_>) -> Result<Beginning> {
        let mut raw = tile.raw();
        // CR LF is one end of a line, also where it was cut in two.
        if std::mem::replace(&mut self.after_return, raw.ends_with('\r')) {
            raw = raw.strip_prefix('\n').unwrap_or(raw);
        }
        let solid = raw.trim_start_matches(|c| html::is_blank(c) || c == '\0');
        let decodes = tile.has_references() && solid.starts_with('&');
        if decodes && html::begins_with_long_reference(solid) {
            // It may stand for a blank, and may be cut anywhere.
            return Err(ErrorKind::Ambiguous { line: tile.place().line() }.into());
        }
        // NUL stays NUL here, unlike in what is indexed.
        let text = if decodes { html::decode_references(raw) } else { Cow::Borrowed(raw) };
        Ok(Beginning::of(&text, self.in_raw_text))
    }

    /// Where the builder would put a comment: the current node.
    fn probe(&mut self) -> Result<ChainId> {
        self.feed(Token::CommentToken(StrTendril::new()))?;
        if let Some(place) = self.builder.sink.take_comment() {
            self.current = self.chain(&place)?;
        }
        Ok(self.current)
    }

    /// Gives the builder a token; says whether it asks for raw text.
    fn feed(&mut self, token: Token) -> Result<bool> {
        self.builder.sink.begin();
        let result = self.builder.process_token(token, 1);
        self.builder.sink.settle();
        if self.builder.sink.is_too_deep() {
            return Err(Error::limit("depth", u64::from(self.limits.depth)));
        }
        Ok(matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext))
    }

    fn chain(&mut self, node: &Handle) -> Result<ChainId> {
        let chain = self.builder.sink.chain(node, &mut self.chains);
        if self.chains.len() > self.limits.directives {
            return Err(Error::limit("directives", self.limits.directives as u64));
        }
        Ok(chain)
    }

    /// The attributes that the builder gets to see: those that it reads itself, those that `html` and `body` merge,
    /// and what tells formatting elements apart, for it keeps at most three equal ones open. All of them depend on the
    /// tag alone, but for a mark, which only the other elements are given in this way.
    fn attributes(&self, tile: &Tile<'_>, mark: Option<Mark>) -> Vec<Attribute> {
        let given = |name: &str, value: &str| Attribute {
            name: QualName::new(None, ns!(), LocalName::from(name)),
            value: StrTendril::from(value),
        };
        let mut attributes = Vec::new();
        let name = tile.name();
        if matches!(name, "html" | "body") {
            attributes.extend(tile.attributes().map(|(name, _)| given(&name, "")));
        }
        for read in read_by_builder(name) {
            attributes.extend(tile.attribute(read).map(|value| given(read, &value)));
        }
        if html::is_formatting(name) && tile.attributes().next().is_some() {
            let likeness = likeness(tile);
            if let Some(mark) = mark {
                self.builder.sink.remember(likeness, mark);
            }
            attributes.push(given(keeper::LIKENESS, &likeness.to_string()));
        } else if let Some(mark) = mark {
            attributes.push(given(keeper::MARK, &mark.to_string()));
        }
        attributes
    }
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree").field("starts", &self.starts).finish_non_exhaustive()
    }
}

fn read_by_builder(name: &str) -> &'static [&'static str] {
    match name {
        "input" => &["type"],
        "font" => &["color", "face", "size"],
        "annotation-xml" => &["encoding"],
        _ => &[],
    }
}

/// The same for all tags with equal names and attributes, in any order.
fn likeness(tile: &Tile<'_>) -> u128 {
    let mut attributes: Vec<_> = tile.attributes().collect();
    // Of two with one name the first counts: the sort is stable.
    attributes.sort_by(|one, other| one.0.cmp(&other.0));
    attributes.dedup_by(|later, earlier| later.0 == earlier.0);
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, tile.name(), &attributes).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

fn local_name(name: &str) -> LocalName {
    if name.contains('\0') { LocalName::from(name.replace('\0', "\u{FFFD}")) } else { LocalName::from(name) }
}
