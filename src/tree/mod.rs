//! Finds the elements that contain a token, exactly as in a browser's tree.
//!
//! html5ever's tree builder is driven with tokens, and stores no tree here. An element has a
//! pointer only to its parent (see `node`), so finished elements are freed. The caller gives
//! numbers, *marks*, to the elements that it wants to find again. For each token this folder
//! returns the chain of the marks around it. The tree is the one that a browser builds with
//! scripting on, by the HTML standard as html5ever implements it.
//!
//! The tree may change after a text was read. A change of the marks around this text is reported as
//! [`MovedMarks`], and the caller then withholds more. If builder and tokenizer disagree on raw
//! text, the page is [`ErrorKind::Ambiguous`]. There are two limits: for the depth of the tree, and
//! for the number of elements that HTML adds. This folder never decides what a mark means, or what
//! is text.

mod builder;
mod chains;
mod changes;
mod doctype;
mod doubt;
mod keeper;
mod likeness;
mod log;
mod marks;
mod node;
mod step;

use std::sync::LazyLock;

use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token as HtmlToken, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{LocalName, ns};

use crate::html::{self, Facts};
use crate::lex::Token;
use crate::standard;
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits::Limits;

use builder::SendBuilder;
pub(crate) use chains::ChainId;
use chains::Chains;
use doubt::DoubtCondition;
use keeper::Keeper;
use likeness::Likeness;
pub(crate) use log::TagLog;
pub use marks::MarkId;
pub(crate) use marks::{MarkIds, MovedMarks};
use node::Handle;
use step::{Beginning, Start, Step, StepKind, Steps};

/// Effect of a token on the tree, and the elements around the token.
#[derive(Debug)]
pub(crate) struct TreeAnswer {
    /// Chain of the marks (IDs of elements with directives) around the token. For a start tag, the
    /// chain includes the mark of the tag's own element.
    pub(crate) chain: ChainId,
    pub(crate) result: TagResult,
}

/// Effect of a start tag on the tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TagResult {
    /// The tag made an element. Tokens other than start tags also have this result, even if they
    /// make no element.
    Element,
    /// The tag made an element with directives in a `select`. Some browsers make no element there.
    ElementInSelect,
    /// The tag's attributes with these names were merged into the earlier `html` or `body`.
    Merged(Vec<String>),
    /// HTML ignores the tag at this place.
    Ignored,
}

/// Tree of one page, reduced to open elements and chains.
pub(crate) struct Tree {
    builder: SendBuilder,
    chains: Chains,
    /// Chain of the marks at the place in the tree that the tokens so far have reached.
    current: ChainId,
    starts: u64,
    comparisons: u64,
    /// True if an element of the page has a mark (the ID of an element with directives).
    has_marks: bool,
    /// Line number of NULs about which browsers differ. By the standard, these NULs have begun the
    /// body. In browsers that drop NULs, the body has not begun yet. 0 if there are no such NULs.
    early_nulls: u32,
    /// True if a `select` may be open.
    may_be_in_select: bool,
    steps: Steps,
    limits: Limits,
}

impl Tree {
    pub(crate) fn new(limits: &Limits) -> Self {
        let options = TreeBuilderOpts {
            drop_doctype: true,
            ..TreeBuilderOpts::default()
        };
        Self {
            builder: SendBuilder::new(
                Keeper::new(u32::try_from(limits.depth).unwrap_or(u32::MAX)),
                options,
            ),
            chains: Chains::default(),
            current: ChainId::default(),
            starts: 0,
            comparisons: 0,
            has_marks: false,
            early_nulls: 0,
            may_be_in_select: false,
            steps: Steps::default(),
            limits: limits.clone(),
        }
    }

    /// Builds a tree from the steps in `log`.
    pub(crate) fn from_log(log: TagLog, limits: &Limits) -> Result<Self> {
        let mut tree = Self::new(limits);
        tree.steps = log.replay(|step| tree.step(step, None).map(drop))?;
        Ok(tree)
    }

    /// Updates the tree with a token. `mark` is the ID of the element that a start tag makes. It is
    /// `None` if this element has no directives, or if the token is no start tag.
    pub(crate) fn token(&mut self, token: &Token<'_>, mark: Option<MarkId>) -> Result<TreeAnswer> {
        let step = self.steps.step(token, mark.is_some());
        self.step(&step, mark)
    }

    fn step(&mut self, step: &Step<'_>, mark: Option<MarkId>) -> Result<TreeAnswer> {
        let chain = match step.kind {
            StepKind::Start(start) => return self.start(step, start, mark),
            StepKind::Text(beginning) => self.text(&[beginning], 0)?,
            StepKind::Odd(odd) => self.text(&odd.beginnings(step.text), odd.line)?,
            StepKind::End(line) => self.end(step, line)?,
            StepKind::Comment => self.probe()?,
            StepKind::Doctype => {
                self.begin_before_body(true)?;
                self.feed(HtmlToken::DoctypeToken(standard::correct_doctype(
                    doctype::parse(step.text),
                )))?;
                self.current
            }
            StepKind::Nothing => self.current,
            StepKind::Unclear(line) => return Err(ErrorKind::Ambiguous { line }.into()),
        };
        Ok(TreeAnswer {
            chain,
            result: TagResult::Element,
        })
    }

    /// Returns the marks (IDs of elements with directives) in a chain, innermost first.
    pub(crate) fn marks(&self, chain: ChainId) -> impl Iterator<Item = MarkId> {
        self.chains.marks(chain)
    }

    /// True if an element with directives may be open, or may be opened again.
    pub(crate) fn has_marked(&self) -> bool {
        self.builder.sink.has_marked()
    }

    pub(crate) fn has_moved_marks(&self) -> bool {
        self.builder.sink.has_moved_marks()
    }

    /// Returns and clears the records of content that was moved in the tree after the content was
    /// read. Each record has the marks of the elements that the content has left or entered.
    pub(crate) fn take_moved_marks(&mut self) -> Vec<MovedMarks> {
        self.builder.sink.take_moved_marks()
    }

    /// Adds a shadow root to the innermost open element. Returns false if this element may not have
    /// a shadow root, or has one already.
    pub(crate) fn begin_root(&mut self) -> Result<bool> {
        self.builder.sink.check_doubt(DoubtCondition::Root);
        self.probe()?;
        Ok(self.builder.sink.take_doubt())
    }

    fn start(&mut self, step: &Step<'_>, start: Start, mark: Option<MarkId>) -> Result<TreeAnswer> {
        self.starts += 1;
        self.has_marks |= mark.is_some();
        if self.early_nulls > 0 && step.text != "html" {
            self.begin_before_body(doubt::may_be_before_body(step.text))?;
        }
        let name = local_name(step.tag, step.text);
        let tag = Tag {
            kind: TagKind::StartTag,
            name: name.clone(),
            self_closing: start.has_slash,
            attrs: self.attributes(step, mark),
            had_duplicate_attributes: false,
        };
        self.count_comparisons(step.tag)?;
        if start.is_parting {
            self.builder
                .sink
                .check_doubt(DoubtCondition::for_start_tag(&name));
        }
        let result = self.feed(HtmlToken::TagToken(tag))?;
        let own = self.builder.sink.own_element(&name);
        let has_parted = start.is_parting
            && self.builder.sink.take_doubt()
            && (own.is_none() || step.text != "form");
        if has_parted || result != start.begins_raw_text() {
            return Err(ErrorKind::Ambiguous { line: start.line }.into());
        }
        if self.builder.sink.created()
            > self
                .starts
                .saturating_mul(8)
                .saturating_add(self.limits.clones)
        {
            return Err(Error::limit("clones", self.limits.clones));
        }
        if let Some(own) = own {
            self.may_be_in_select |= step.tag == html::Tag::SELECT;
            let is_in_select = mark.is_some() && self.may_be_in_select && doubt::is_in_select(&own);
            let chain = self.chain(&own)?;
            let is_html = own.name.ns == ns!(html);
            let is_empty = if is_html {
                // HTML makes an `img` of an `image`.
                step.tag.has(Facts::VOID) || step.tag == html::Tag::IMAGE
            } else {
                start.has_slash
            };
            self.current = if is_empty {
                self.chains.outer(chain, own.mark)
            } else {
                chain
            };
            let result = if is_in_select {
                TagResult::ElementInSelect
            } else {
                TagResult::Element
            };
            return Ok(TreeAnswer { chain, result });
        }
        let result = self
            .builder
            .sink
            .take_merged()
            .map_or(TagResult::Ignored, TagResult::Merged);
        Ok(TreeAnswer {
            chain: self.probe()?,
            result,
        })
    }

    /// Counts the comparisons that the start tag `tag` causes. Only a formatting element causes
    /// comparisons: the tree builder compares it with all formatting elements that may be opened
    /// again.
    ///
    /// # Errors
    /// Returns an error about the limit `comparisons` if the page causes too many comparisons in
    /// proportion to its start tags.
    fn count_comparisons(&mut self, tag: html::Tag) -> Result<()> {
        if tag.has(Facts::FORMATTING) {
            self.comparisons += self.builder.sink.formatting();
            if self.comparisons
                > self
                    .starts
                    .saturating_mul(64)
                    .saturating_add(self.limits.comparisons)
            {
                return Err(Error::limit("comparisons", self.limits.comparisons));
            }
        }
        Ok(())
    }

    fn end(&mut self, step: &Step<'_>, line: u32) -> Result<ChainId> {
        let tag = Tag {
            kind: TagKind::EndTag,
            name: local_name(step.tag, step.text),
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        };
        if line != 0 {
            self.builder
                .sink
                .check_doubt(DoubtCondition::for_end_tag(&tag.name));
        }
        self.may_be_in_select &= step.tag != html::Tag::SELECT;
        self.feed(HtmlToken::TagToken(tag))?;
        if line != 0 && self.builder.sink.take_doubt() {
            return Err(ErrorKind::Ambiguous { line }.into());
        }
        let ended = self.current;
        if !ended.is_none() {
            self.probe()?;
        }
        Ok(ended)
    }

    /// Refuses the page if browsers differ on whether the next token belongs to the body. By the
    /// standard, NULs before the token have begun the body. In browsers that drop NULs, the body
    /// has not begun. `is_before` is true if the token may come before the body.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Ambiguous`] if the token follows NULs and may come before the body. Any
    /// other token begins the body in all browsers.
    fn begin_before_body(&mut self, is_before: bool) -> Result<()> {
        let line = std::mem::take(&mut self.early_nulls);
        if is_before && line > 0 {
            Err(ErrorKind::Ambiguous { line }.into())
        } else {
            Ok(())
        }
    }

    /// Passes a text to the builder. `beginnings` has the beginning of the text, and of each part
    /// that follows NULs. `of_line` is the line of the text in the page.
    fn text(&mut self, beginnings: &[Beginning], of_line: u32) -> Result<ChainId> {
        for (
            at,
            Beginning {
                line,
                blanks,
                solid,
            },
        ) in beginnings.iter().enumerate()
        {
            if at > 0 {
                if !self.builder.sink.has_body() {
                    self.early_nulls = of_line;
                }
                self.feed(HtmlToken::NullCharacterToken)?;
            }
            let beginning = match (line, blanks) {
                (true, true) => "\n ",
                (true, false) => "\n",
                (false, true) => " ",
                (false, false) => "",
            };
            if !beginning.is_empty() {
                self.feed(HtmlToken::CharacterTokens(StrTendril::from(beginning)))?;
            }
            if *solid {
                self.early_nulls = 0;
                return self.solid_text();
            }
        }
        self.placed_text()
    }

    fn solid_text(&mut self) -> Result<ChainId> {
        self.feed(HtmlToken::CharacterTokens(StrTendril::from("x")))?;
        if self.builder.sink.has_text() {
            return self.placed_text();
        }
        // In a table, the builder holds back text until the next token.
        self.feed(HtmlToken::CommentToken(StrTendril::new()))?;
        if self.builder.sink.has_text() {
            self.placed_text()
        } else {
            self.probe()
        }
    }

    fn placed_text(&mut self) -> Result<ChainId> {
        if let Some(place) = self.builder.sink.take_text() {
            self.current = self.chain(&place)?;
        }
        Ok(self.current)
    }

    /// Returns the chain of the marks around the place where the tree builder would insert a
    /// comment.
    fn probe(&mut self) -> Result<ChainId> {
        self.feed(HtmlToken::CommentToken(StrTendril::new()))?;
        if let Some(place) = self.builder.sink.take_comment() {
            self.current = self.chain(&place)?;
        }
        Ok(self.current)
    }

    /// Passes a token to the tree builder. Returns true if the builder expects raw text next.
    fn feed(&mut self, token: HtmlToken) -> Result<bool> {
        self.builder.sink.begin(&token);
        let result = self.builder.process_token(token, 1);
        self.builder.sink.finish_token();
        if self.builder.sink.is_too_deep() {
            return Err(Error::limit("depth", self.limits.depth));
        }
        Ok(matches!(
            result,
            TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext
        ))
    }

    fn chain(&mut self, node: &Handle) -> Result<ChainId> {
        if !self.has_marks {
            return Ok(ChainId::default());
        }
        let chain = self.builder.sink.chain(node, &mut self.chains);
        if self.chains.len() as u64 > self.limits.directives {
            return Err(Error::limit("directives", self.limits.directives));
        }
        Ok(chain)
    }

    /// Returns the attributes to pass to the tree builder:
    /// - the attributes that the builder itself reads,
    /// - for `html` and `body`, the names of all attributes, since the builder may merge the
    ///   attributes,
    /// - for a formatting element with attributes, its likeness (a hash of name and attributes),
    /// - for any other element with directives, its mark (the ID of the element).
    ///
    /// The builder keeps at most three equal formatting elements open, and compares them by the
    /// likeness. The mark of a formatting element with a likeness is stored under this likeness.
    fn attributes(&self, step: &Step<'_>, mark: Option<MarkId>) -> Vec<Attribute> {
        let name = step.text;
        let written = step.attributes;
        if written.places.is_empty() && mark.is_none() {
            return Vec::new();
        }
        let named = |name, value| Attribute {
            name: QualName::new(None, ns!(), name),
            value,
        };
        let given = |name: &str, value: &str| named(LocalName::from(name), StrTendril::from(value));
        let mut attributes = Vec::new();
        if matches!(name, "html" | "body") {
            attributes.extend(
                written
                    .written()
                    .map(|(name, _)| given(&name.to_ascii_lowercase(), "")),
            );
        }
        for read in step::read_by_builder(name) {
            attributes.extend(written.get(read).map(|value| given(read, &value)));
        }
        if step.tag.has(Facts::FORMATTING) && !written.places.is_empty() {
            let likeness = Likeness::new(name, written);
            if let Some(mark) = mark {
                self.builder.sink.remember(likeness, mark);
            }
            attributes.push(named(
                self.builder.sink.likeness.clone(),
                likeness.to_text(),
            ));
        } else if let Some(mark) = mark {
            attributes.push(named(
                self.builder.sink.mark.clone(),
                StrTendril::from(mark.0.to_string()),
            ));
        }
        attributes
    }
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree")
            .field("starts", &self.starts)
            .finish_non_exhaustive()
    }
}

/// Names of all known elements in html5ever's form, indexed by the number of the tag. With this
/// table, names need not be converted for each tag.
static NAMES: LazyLock<Vec<LocalName>> =
    LazyLock::new(|| html::Tag::all_names().map(LocalName::from).collect());

fn local_name(tag: html::Tag, name: &str) -> LocalName {
    if tag != html::Tag::UNKNOWN {
        NAMES[tag.number()].clone()
    } else if name.contains('\0') {
        LocalName::from(name.replace('\0', "\u{FFFD}"))
    } else {
        LocalName::from(name)
    }
}
