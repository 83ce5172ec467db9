//! Reads a page a second time, as slowly and reliably as possible. It tokenizes the page with
//! html5ever and builds the finished tree. Only then does it find the element that contains each
//! text and link.
//!
//! The oracle shares with the streaming filter the parsing of statements (`convention`), the choice
//! among them (`scope`, `policy`) and the decoding of bytes. It does not share the tokens, the tree
//! or the state of the document. Because of this independence an error is unlikely to occur in
//! both. The oracle needs the whole page in memory, so it is for checks alone.
//!
//! The oracle departs from the streaming filter in two ways. Text and links that the tree drops
//! have no position in the tree, so they have no verdict. Allowances that docs/semantics.md calls
//! provisional are judged by the finished tree, so the streaming filter may be stricter.

mod blocks;
mod content;
mod dom;
mod grown;
mod sink;
mod stamp;
mod statements;
mod tag;

use std::collections::HashSet;

use url::Url;

use heedful::internals::charset::Charset;
use heedful::internals::convention::comment::{RegionKind, RegionMark};
use heedful::internals::convention::{self, Declaration, Element, Recipients};
use heedful::internals::html;
use heedful::internals::scope::{PassTerms, Script};
use heedful::{Directive, DirectiveId, Extent, Place, Policy, StatementContent, Uses, Verdict};
use heedful_base::bot::BotId;
use heedful_base::error::{Error, Result};

pub(crate) use blocks::{BlockLook, BlockRun, TreeBlocks};
use content::Content;
pub(crate) use content::OracleField;
use dom::NodeMap;
pub(crate) use grown::{GrownNode, GrownTree, NUMBER, NodeKind};
pub(crate) use stamp::{BEGIN, END, Event, numbers};
pub use statements::Surroundings;
use statements::TreeStatements;
use tag::TagElement;

/// The texts and links of a page in its finished tree, with the verdicts on them.
#[derive(Debug)]
pub(crate) struct OracleTree {
    /// Directives about the whole page.
    pub(crate) page_wide: Vec<Directive>,
    /// Base URL for relative addresses of the page.
    pub(crate) base: Url,
    pub(crate) items: Vec<OracleItem>,
}

/// A text or a link of a page with its verdict. Denials for the whole page are not part of this
/// verdict.
#[derive(Debug)]
pub(crate) struct OracleItem {
    /// Number of the token that has the text or the link.
    number: usize,
    pub(crate) kind: ItemKind,
    pub(crate) verdict: Verdict,
    /// True if the finished tree contains the text, or the element of the link.
    pub(crate) is_placed: bool,
    /// True if the item is the text of a title or a description. A mark in the body may deny
    /// everything outside of its element. Such a mark does not affect these texts.
    is_apart: bool,
}

#[derive(Debug)]
pub(crate) enum ItemKind {
    Text {
        text: String,
        field: OracleField,
        is_heading: bool,
        link: usize,
    },
    Link {
        kind: String,
        target: String,
        number: usize,
        is_visible: bool,
    },
}

impl OracleItem {
    /// Returns the field of the page that contains a text. For a link, returns `Body` if people who
    /// view the page see the link, and otherwise `Nowhere`.
    pub(crate) fn field(&self) -> OracleField {
        match &self.kind {
            ItemKind::Text { field, .. } => *field,
            ItemKind::Link {
                is_visible: true, ..
            } => OracleField::Body,
            ItemKind::Link { .. } => OracleField::Nowhere,
        }
    }
}

/// Decodes a page in the same way as the streaming filter, and parses it to a tree. Returns the
/// texts and links of the tree with their verdicts.
pub(crate) fn read(
    terms: &PassTerms,
    url: &Url,
    page: &[u8],
    around: &Surroundings<'_>,
) -> Result<OracleTree> {
    let text = Charset::from_headers(around.headers, around.is_utf8).decode_page(page);
    if text.len() as u64 > terms.limits.page_bytes {
        return Err(Error::limit("page_bytes", terms.limits.page_bytes));
    }
    let (events, grown) = stamp::parse(&text, true);
    Ok(judge(terms, url, &grown, &events, around))
}

/// Reads a page like [`read`], and finds the blocks of its body text in the finished tree. The tree
/// is never built in quirks mode, since the rules for blocks do not know this mode.
pub(crate) fn read_blocks(
    terms: &PassTerms,
    url: &Url,
    page: &[u8],
    around: &Surroundings<'_>,
) -> TreeBlocks {
    let text = Charset::from_headers(around.headers, around.is_utf8).decode_page(page);
    let (events, grown) = stamp::parse_without_quirks(&text);
    let judged = judge(terms, url, &grown, &events, around);
    let body_text = |item: &'_ OracleItem| match &item.kind {
        ItemKind::Text {
            text,
            field: OracleField::Body,
            ..
        } if !text.trim().is_empty() => Some((item.number, text.clone())),
        _ => None,
    };
    let texts = judged.items.iter().filter_map(body_text).collect();
    TreeBlocks::new(&grown, &texts)
}

/// Judges the tokens of a page by their positions in the page's finished tree.
pub(crate) fn judge(
    terms: &PassTerms,
    url: &Url,
    grown: &GrownTree,
    events: &[Event],
    around: &Surroundings<'_>,
) -> OracleTree {
    let map = NodeMap::new(grown, events, terms);
    let mut reader = TreeReader {
        terms,
        map,
        roots: &grown.roots,
        content: Content::default(),
        regions: Vec::new(),
        statements: TreeStatements::new(terms, url, around),
        pending: Vec::new(),
        noscript: None,
        script: None,
        described: false,
        is_description: false,
        is_of_pagefind: terms.is_of_pagefind(url),
        is_begun: !events.is_empty(),
        switched: false,
        denied_before: None,
        page: OracleTree {
            page_wide: Vec::new(),
            base: url.clone(),
            items: Vec::new(),
        },
    };
    reader.statements.surroundings(url, around);
    for (number, event) in events.iter().enumerate() {
        reader.event(number, event);
    }
    reader.finish()
}

/// State while the tokens of a page are read in source order.
struct TreeReader<'a> {
    terms: &'a PassTerms,
    map: NodeMap,
    roots: &'a HashSet<usize>,
    content: Content,
    /// Regions that are open at the current token. A region has its kind, the denied uses, and the
    /// number of the comment that opened it.
    regions: Vec<(RegionKind, Uses, usize)>,
    statements: TreeStatements<'a>,
    /// For each text and link, the data by which it is judged again at the end of the page. The
    /// first value is the number of its chain: the marks of the elements around it. The second
    /// value has the statements about the text or link itself.
    pending: Vec<(usize, Vec<(StatementContent, Recipients)>)>,
    noscript: Option<String>,
    /// The script that contains the current token. It is set only for a script whose text may have
    /// statements.
    script: Option<Script>,
    described: bool,
    /// True while the current tag is a META tag with a description.
    is_description: bool,
    /// True if the page is on a site that marks its content for the search tool Pagefind.
    is_of_pagefind: bool,
    is_begun: bool,
    /// True after the first [`RegionMark::Switch`], a comment that allows or denies uses up to the
    /// next such comment.
    switched: bool,
    /// Denial of everything before the first [`RegionMark::Switch`], if this comment allows uses.
    /// The values are the number of texts and links before the comment, and the denied uses. `None`
    /// if the page has no such comment so far. Also `None` if the first comment of this kind denies
    /// uses.
    denied_before: Option<(usize, Uses)>,
    page: OracleTree,
}

impl TreeReader<'_> {
    fn event(&mut self, number: usize, event: &Event) {
        let place = self.map.place(number);
        let is_foreign = place.is_some_and(|place| place.is_foreign);
        self.content
            .pass(event, is_foreign, self.roots.contains(&number));
        if let Event::Start { name, .. } = event {
            let is_element = place.is_some_and(|place| place.is_element);
            self.content.has_frames |=
                name.eq_ignore_ascii_case("frameset") && !is_foreign && is_element;
        }
        match event {
            Event::Start {
                name, attributes, ..
            } => {
                self.end_raw_text();
                let mut tag = TagElement {
                    name: name.to_ascii_lowercase(),
                    attributes,
                };
                if tag.name == "image" && !is_foreign {
                    // HTML renames `image` to `img`.
                    "img".clone_into(&mut tag.name);
                }
                self.is_description = html::is_description(&tag.name, |name| tag.attribute(name));
                self.tag(number, &tag, is_foreign);
                self.is_description = false;
                self.tag_mark(number, &tag, true);
                let is_searched = tag.name == "noscript" && !is_foreign;
                self.noscript = is_searched.then(String::new);
                self.script = Script::begin(&tag, is_foreign, &self.terms.conventions);
            }
            Event::Text(text) => {
                if let Some(inner) = &mut self.noscript {
                    inner.push_str(text);
                }
                if let Some(script) = &mut self.script {
                    script.read(text);
                }
                let kind = ItemKind::Text {
                    text: text.clone(),
                    field: self.content.field(),
                    is_heading: self.content.is_heading(),
                    link: self.content.link(),
                };
                self.item(number, kind, Vec::new());
            }
            Event::Comment(text) => {
                for mark in convention::comment::marks(text, &self.terms.conventions) {
                    self.mark(number, mark);
                }
            }
            Event::End(name) => {
                self.end_raw_text();
                let tag = TagElement {
                    name: name.to_ascii_lowercase(),
                    attributes: &[],
                };
                self.tag_mark(number, &tag, false);
            }
            Event::Nothing => self.end_raw_text(),
        }
    }

    fn tag(&mut self, number: usize, tag: &TagElement<'_>, is_foreign: bool) {
        let is_visible = self.content.is_made(&tag.name);
        let is_own = is_visible && !self.content.in_any_template();
        let node = self.statements(
            number,
            tag,
            is_visible && (is_own || !html::speaks_for_page(&tag.name)),
        );
        if tag.name == "base" && is_own && !is_foreign {
            self.statements.set_base(tag.attribute("href").as_deref());
        }
        if let Some((kind, target)) = link(tag) {
            let has_text = kind == "a" && self.content.field() == OracleField::Body;
            let of_text = if has_text { self.content.link() } else { 0 };
            let is_visible = is_visible && !is_foreign;
            self.item(
                number,
                ItemKind::Link {
                    kind,
                    target,
                    number: of_text,
                    is_visible,
                },
                node.clone(),
            );
        }
        self.attribute_text(number, tag, is_visible, node);
    }

    /// Adds the text in an attribute of a tag to the items of the page. An example is the `alt` of
    /// an `img`.
    fn attribute_text(
        &mut self,
        number: usize,
        tag: &TagElement<'_>,
        is_visible: bool,
        node: Vec<(StatementContent, Recipients)>,
    ) {
        let (name, field) = match tag.name.as_str() {
            "img" | "area" => ("alt", OracleField::Alternative),
            "image" => ("alt", OracleField::Nowhere),
            "input"
                if tag
                    .attribute("type")
                    .is_some_and(|t| t.eq_ignore_ascii_case("image")) =>
            {
                ("alt", OracleField::Alternative)
            }
            "meta" if self.is_description => ("content", OracleField::Description),
            _ => return,
        };
        let text = tag.attribute(name).unwrap_or_default().into_owned();
        let is_later = field == OracleField::Description && self.described;
        let field = if is_visible && !is_later {
            field
        } else {
            OracleField::Nowhere
        };
        self.described |= field == OracleField::Description && !text.trim().is_empty();
        let link = if field == OracleField::Alternative {
            self.content.link()
        } else {
            0
        };
        self.item(
            number,
            ItemKind::Text {
                text,
                field,
                is_heading: false,
                link,
            },
            node,
        );
    }

    /// Records the statements of a tag that apply to the whole page. Returns the statements that
    /// apply to the element of the tag.
    fn statements(
        &mut self,
        number: usize,
        tag: &TagElement<'_>,
        is_own: bool,
    ) -> Vec<(StatementContent, Recipients)> {
        let mut collector = self.terms.collector();
        convention::element(tag, &mut collector);
        if !is_own {
            collector.keep_page_denials();
        }
        let node = self.statements.page_statements(&collector);
        let is_ignored_head =
            tag.name == "head" && !self.map.place(number).is_some_and(|place| place.is_element);
        for declaration in collector
            .declarations
            .into_iter()
            .filter(|_| !is_ignored_head)
        {
            self.declare(declaration);
        }
        node
    }

    fn declare(&mut self, declaration: Declaration) {
        self.statements.profile.declare(
            declaration,
            &self.terms.bots,
            &self.terms.profile,
            &self.statements.base,
            Place::default(),
        );
    }

    fn item(&mut self, number: usize, kind: ItemKind, node: Vec<(StatementContent, Recipients)>) {
        let place = self.map.place(number);
        let chain = place.map_or(0, |place| place.chain);
        let mut verdict = Verdict::default();
        for (_, denies, _) in &self.regions {
            for usage in denies.iter() {
                verdict.deny(DirectiveId::nth(0), usage, self.terms.bots.all());
            }
        }
        let is_title = matches!(
            kind,
            ItemKind::Text {
                field: OracleField::Title,
                ..
            }
        );
        let is_apart = is_title || self.is_description;
        self.judge(chain, &node, is_apart, &mut verdict);
        self.page.items.push(OracleItem {
            number,
            kind,
            verdict,
            is_placed: place.is_some(),
            is_apart,
        });
        self.pending.push((chain, node));
    }

    fn judge(
        &self,
        chain: usize,
        node: &[(StatementContent, Recipients)],
        is_apart: bool,
        verdict: &mut Verdict,
    ) {
        let mut marks = self.map.chain(chain);
        if !is_apart {
            marks.extend(self.map.outside());
        }
        let follow = self
            .map
            .marks
            .fold(&marks, &self.statements.profile, verdict)
            .follow
            .bots();
        for (says, whom) in node {
            let bots = whom.remaining(self.statements.profile.bots(*whom, true), follow);
            if let StatementContent::Deny(uses) = says {
                for usage in uses.iter() {
                    verdict.deny(DirectiveId::nth(0), usage, bots);
                }
            }
        }
    }

    fn tag_mark(&mut self, number: usize, tag: &TagElement<'_>, is_start: bool) {
        if let Some(mark) = convention::tag(tag, is_start, &self.terms.conventions) {
            self.mark(number, mark);
        }
    }

    fn mark(&mut self, number: usize, mark: RegionMark) {
        match mark {
            RegionMark::Open { kind, denies, .. } => self.regions.push((kind, denies, number)),
            RegionMark::Close { groups, alone } => {
                if let Some(kind) = alone
                    && self.regions.iter().any(|(open, ..)| kind.applies_to(*open))
                {
                    self.close(&[kind]);
                } else {
                    for kinds in groups {
                        self.close(&kinds);
                    }
                }
            }
            RegionMark::Switch {
                kind,
                denies,
                allows,
            } => {
                let is_first = !std::mem::replace(&mut self.switched, true);
                self.close(&[kind]);
                if !allows {
                    self.regions.push((kind, denies, number));
                } else if is_first {
                    self.denied_before = Some((self.page.items.len(), denies));
                }
            }
            RegionMark::Section {
                kind,
                denies,
                begins,
            } => {
                self.close(&[kind]);
                if begins {
                    self.regions.push((kind, denies, number));
                }
            }
            RegionMark::Page { denies, .. } => {
                self.statements.deny_for_all_bots(denies, Extent::Page);
            }
        }
    }

    fn close(&mut self, kinds: &[RegionKind]) {
        // A closing mark ends all regions of these kinds that the same token opened.
        let is_met = |open: RegionKind| kinds.iter().any(|kind| kind.applies_to(open));
        let mut regions = self.regions.iter().rev();
        if let Some(&(_, _, opener)) = regions.find(|(open, ..)| is_met(*open)) {
            self.regions
                .retain(|(open, _, number)| *number != opener || !is_met(*open));
        }
    }

    /// Ends a raw text, such as a script, and reads the statements in it.
    fn end_raw_text(&mut self) {
        self.end_noscript();
        match self.script.take() {
            Some(Script::JsonLd(script)) => {
                let mut collector = self.terms.collector();
                script.end(&mut collector);
                self.statements.page_statements(&collector);
            }
            Some(Script::Licence(licence)) => {
                self.statements.add_licence(&licence.end(), Extent::Page);
            }
            None => {}
        }
    }

    /// Reads the denials of META robots tags in a `noscript` that has ended. Allowances there have
    /// no effect.
    fn end_noscript(&mut self) {
        let Some(inner) = self.noscript.take() else {
            return;
        };
        if inner.len() as u64 > self.terms.limits.noscript_bytes {
            self.statements
                .deny_for_all_bots(convention::PAGE, Extent::Page);
            return;
        }
        for event in stamp::parse(&inner, false).0 {
            if let Event::Start {
                name, attributes, ..
            } = event
                && name == "meta"
            {
                let mut collector = self.terms.collector();
                convention::element(
                    &TagElement {
                        name,
                        attributes: &attributes,
                    },
                    &mut collector,
                );
                collector.keep_page_denials();
                self.statements.page_statements(&collector);
            }
        }
    }

    fn finish(mut self) -> OracleTree {
        self.end_raw_text();
        if self.is_of_pagefind
            && self.is_begun
            && !self.map.has_inclusive_mark(convention::PAGEFIND_BODY)
        {
            self.statements
                .deny_for_all_bots(convention::INDEX, Extent::Page);
        }
        let mut items = std::mem::take(&mut self.page.items);
        for (number, (item, (chain, node))) in items.iter_mut().zip(&self.pending).enumerate() {
            self.judge(*chain, node, item.is_apart, &mut item.verdict);
            if let Some((first, denies)) = self.denied_before
                && number < first
                && !item.is_apart
            {
                for usage in denies.iter() {
                    item.verdict
                        .deny(DirectiveId::nth(0), usage, self.terms.bots.all());
                }
            }
        }
        OracleTree {
            items,
            page_wide: self.statements.page_wide,
            base: self.statements.base,
        }
    }
}

/// Returns the link that a tag makes, as its kind and target. Returns `None` if the tag makes no
/// link.
fn link(tag: &TagElement<'_>) -> Option<(String, String)> {
    if tag.name == "meta" {
        let target = html::refresh(&tag.attribute("http-equiv")?, &tag.attribute("content")?)?;
        return Some(("refresh".to_owned(), target));
    }
    let name = if tag.name == "image" {
        "img"
    } else {
        &tag.name
    };
    let target = tag.attribute(html::link_attribute(name)?)?;
    Some((name.to_owned(), target.into_owned()))
}

impl OracleTree {
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (DirectiveId, &Directive)> + Clone {
        self.page_wide
            .iter()
            .enumerate()
            .map(|(at, directive)| (DirectiveId::nth(at), directive))
    }

    /// Returns the policy of the page as a whole for one bot.
    pub(crate) fn policy(&self, bot: BotId) -> Policy {
        Policy::from_page_wide(self.numbered(), bot, None)
    }
}

#[cfg(test)]
mod html5lib;
