//! A page once more, read as slowly and surely as can be: html5ever's own tokenizer, the finished tree, and only then
//! the question what stands in what.
//!
//! It shares with the stream what publishers say (`dialect`), which of two statements counts (`scope`, `policy`) and the
//! decoding of bytes; not the tokens, not the tree, not the state of the document. Its value is that independence: what
//! both agree on is hardly wrong in both. It needs the whole page in memory and is for checking, not for use. Where it
//! departs: text and links that the tree drops have no place, so nothing is said of them; allowances that the law
//! calls provisional are judged by the finished tree, where the stream may be stricter.

mod content;
mod dom;
mod stamp;

use std::borrow::Cow;
use std::sync::Arc;

use url::Url;

use crate::bot::BotSet;
use crate::charset::{Charset, charset_parameter};
use crate::dialect::comment::{Kind as RegionKind, Mark as RegionMark};
use crate::dialect::{self, Declaration, Ear, Element, Whom};
use crate::error::{Error, Result};
use crate::html;
use crate::place::Place;
use crate::policy::{Directive, Extent, Facet, Facets, Policy, Says, Verdict};
use crate::robots_txt::RobotsTxt;
use crate::scope::{Profile, Terms};

use content::Content;
pub(crate) use content::Field;
use dom::Map;
use stamp::Event;

/// A page as the finished tree has it.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) ceiling: Vec<Directive>,
    pub(crate) base: Option<String>,
    pub(crate) items: Vec<Item>,
}

/// A text or a link, with what is withheld of it. What the page denies as a whole comes on top.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    pub(crate) verdict: Verdict,
    /// The tree has it.
    pub(crate) is_placed: bool,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Text { text: String, field: Field, is_heading: bool, link: usize },
    Link { kind: String, target: String, number: usize, is_visible: bool },
}

impl Item {
    /// What it is a part of; nothing, where no reader sees it.
    pub(crate) fn field(&self) -> Field {
        match &self.kind {
            Kind::Text { field, .. } => *field,
            Kind::Link { is_visible: true, .. } => Field::Body,
            Kind::Link { .. } => Field::Nowhere,
        }
    }
}

/// What comes with a page.
#[derive(Debug, Default)]
pub(crate) struct Surroundings<'a> {
    pub(crate) robots: &'a [&'a RobotsTxt],
    pub(crate) headers: &'a [(String, String)],
    pub(crate) is_utf8: bool,
}

/// Reads a page. Its bytes are decoded as the stream decodes them.
pub(crate) fn read(terms: &Arc<Terms>, url: &Url, page: &[u8], around: &Surroundings<'_>) -> Result<Tree> {
    let text = decode(page, around)?;
    if text.len() as u64 > terms.limits.page_bytes {
        return Err(Error::limit("page_bytes", terms.limits.page_bytes));
    }
    let (events, dom) = stamp::parse(&text);
    let map = Map::of(&dom, &events, terms);
    let mut reader = Reader {
        terms,
        map,
        content: Content::default(),
        regions: Vec::new(),
        profile: Profile::new(&terms.bots, &terms.dialects),
        base: url.clone(),
        pending: Vec::new(),
        noscript: None,
        page: Tree { ceiling: Vec::new(), base: None, items: Vec::new() },
    };
    reader.surroundings(url, around);
    for (number, event) in events.iter().enumerate() {
        reader.event(number, event);
    }
    Ok(reader.finish())
}

fn decode(page: &[u8], around: &Surroundings<'_>) -> Result<String> {
    let mut charset = Charset::new();
    if around.is_utf8 {
        charset.set_utf8();
    }
    for (name, value) in around.headers {
        if name.trim().eq_ignore_ascii_case("content-type")
            && let Some(label) = charset_parameter(value.as_bytes())
        {
            charset.declare(&String::from_utf8_lossy(label));
        }
    }
    let mut text = String::new();
    let mut append = |decoded: &str| -> Result<()> {
        text.push_str(decoded);
        Ok(())
    };
    charset.write(page, &mut append)?;
    charset.end(&mut append)?;
    Ok(text)
}

/// Goes through the tokens.
struct Reader<'a> {
    terms: &'a Arc<Terms>,
    map: Map,
    content: Content,
    /// The open regions, and what each denies.
    regions: Vec<(RegionKind, Facets)>,
    profile: Profile,
    base: Url,
    /// Where each item stands and what is said of it alone, to be judged once more when all is known.
    pending: Vec<(usize, Vec<(Says, Whom)>)>,
    noscript: Option<String>,
    page: Tree,
}

impl Reader<'_> {
    fn surroundings(&mut self, url: &Url, around: &Surroundings<'_>) {
        for (index, bot) in self.terms.bots.list().iter().enumerate() {
            if around.robots.iter().any(|robots| !robots.ruling(bot, url.as_str()).allowed()) {
                self.page.ceiling.push(directive(Says::Deny(Facets::ALL), BotSet::one(index), Extent::Site));
            }
        }
        for (name, value) in around.headers {
            let mut ear = self.terms.ear();
            dialect::header(name, value, &mut ear);
            self.page_statements(&ear);
        }
    }

    /// Keeps what is said of the page; returns what is said of a node.
    fn page_statements(&mut self, ear: &Ear<'_>) -> Vec<(Says, Whom)> {
        let mut node = Vec::new();
        for said in &ear.heard {
            if said.extent.is_ceiling() {
                let bots = self.profile.bots(said.whom, true);
                self.page.ceiling.push(directive(said.says, bots, said.extent));
            } else {
                node.push((said.says, said.whom));
            }
        }
        node
    }

    fn event(&mut self, number: usize, event: &Event) {
        let place = self.map.place(number);
        let is_foreign = place.is_some_and(|place| place.is_foreign);
        self.content.pass(event, is_foreign);
        match event {
            Event::Start { name, attributes, .. } => {
                self.end_noscript();
                let tag = TagElement { name: name.to_ascii_lowercase(), attributes };
                self.tag(number, &tag, is_foreign);
                let is_searched = tag.name == "noscript" && !is_foreign && !self.content.in_template();
                self.noscript = is_searched.then(String::new);
            }
            Event::Text(text) => {
                if let Some(inner) = &mut self.noscript {
                    inner.push_str(text);
                }
                let (field, is_heading, link) = (self.content.field(), self.content.is_heading(), self.content.link());
                self.item(number, Kind::Text { text: text.clone(), field, is_heading, link }, Vec::new());
            }
            Event::Comment(text) => self.comment(text),
            Event::End(_) | Event::Nothing => self.end_noscript(),
        }
    }

    fn tag(&mut self, number: usize, tag: &TagElement<'_>, is_foreign: bool) {
        let is_visible = !self.content.in_template();
        let node = if is_visible { self.statements(number, tag) } else { Vec::new() };
        if tag.name == "base" && is_visible && !is_foreign && self.page.base.is_none() {
            self.page.base = tag.attribute("href").map(String::from);
            if let Some(base) = self.page.base.as_deref().and_then(|base| self.base.join(base.trim()).ok()) {
                self.base = base;
            }
        }
        if let Some((kind, target)) = link(tag) {
            let has_text = kind == "a" && self.content.field() == Field::Body;
            let of_text = if has_text { self.content.link() } else { 0 };
            let is_visible = is_visible && !is_foreign;
            self.item(number, Kind::Link { kind, target, number: of_text, is_visible }, node.clone());
        }
        self.attribute_text(number, tag, is_visible, node);
    }

    /// Texts that stand in attributes.
    fn attribute_text(&mut self, number: usize, tag: &TagElement<'_>, is_visible: bool, node: Vec<(Says, Whom)>) {
        let is = |name: &str, value: &str| tag.attribute(name).is_some_and(|v| v.trim().eq_ignore_ascii_case(value));
        let (name, field) = match tag.name.as_str() {
            "img" | "area" => ("alt", Field::Alternative),
            "input" if tag.attribute("type").is_some_and(|t| t.eq_ignore_ascii_case("image")) => {
                ("alt", Field::Alternative)
            }
            "meta" if is("name", "description") => ("content", Field::Description),
            _ => return,
        };
        let text = tag.attribute(name).unwrap_or_default().into_owned();
        let described = |item: &Item| matches!(&item.kind, Kind::Text { field: Field::Description, text, .. } if !text.trim().is_empty());
        let is_later = field == Field::Description && self.page.items.iter().any(described);
        let field = if is_visible && !is_later { field } else { Field::Nowhere };
        let link = if field == Field::Alternative { self.content.link() } else { 0 };
        self.item(number, Kind::Text { text, field, is_heading: false, link }, node);
    }

    /// What a tag says of the page and of itself; the latter is returned.
    fn statements(&mut self, number: usize, tag: &TagElement<'_>) -> Vec<(Says, Whom)> {
        let mut ear = self.terms.ear();
        dialect::element(tag, &mut ear);
        let node = self.page_statements(&ear);
        let is_ignored_head = tag.name == "head" && !self.map.place(number).is_some_and(|place| place.is_element);
        for declaration in ear.declared.into_iter().filter(|_| !is_ignored_head) {
            self.declare(declaration);
        }
        node
    }

    fn declare(&mut self, declaration: Declaration) {
        let (bots, profile) = (&self.terms.bots, &self.terms.profile);
        self.profile.declare(declaration, bots, profile, &self.base, Place::default());
    }

    fn item(&mut self, number: usize, kind: Kind, node: Vec<(Says, Whom)>) {
        let place = self.map.place(number);
        let chain = place.map_or(0, |place| place.chain);
        let mut verdict = Verdict::default();
        for (_, denies) in &self.regions {
            for facet in denies.iter() {
                verdict.deny(0, facet, self.terms.bots.all());
            }
        }
        self.judge(chain, &node, &mut verdict);
        self.page.items.push(Item { kind, verdict, is_placed: place.is_some() });
        self.pending.push((chain, node));
    }

    fn judge(&self, chain: usize, node: &[(Says, Whom)], verdict: &mut Verdict) {
        let marks = self.map.chain(chain);
        let follow = self.map.marks.fold(&marks, &self.profile, self.terms.bots.all(), verdict);
        for (says, whom) in node {
            let bots = self.profile.bots(*whom, true);
            let bots = if matches!(whom, Whom::Unless(_)) { bots.without(follow) } else { bots };
            if let Says::Deny(facets) = says {
                for facet in facets.iter() {
                    verdict.deny(0, facet, bots);
                }
            }
        }
    }

    fn comment(&mut self, text: &str) {
        match dialect::comment(text, &self.terms.dialects) {
            Some(RegionMark::Open { kind, denies, .. }) => self.regions.push((kind, denies)),
            Some(RegionMark::Close { kinds }) => self.close(&kinds),
            Some(RegionMark::CloseEach { kinds }) => {
                for kind in kinds {
                    self.close(&[kind]);
                }
            }
            Some(RegionMark::Page { denies, .. }) => {
                self.page.ceiling.push(directive(Says::Deny(denies), self.terms.bots.all(), Extent::Page));
            }
            None => {}
        }
    }

    fn close(&mut self, kinds: &[RegionKind]) {
        if let Some(at) = self.regions.iter().rposition(|(open, _)| kinds.contains(open)) {
            self.regions.remove(at);
        }
    }

    /// A META robots inside `noscript` counts when it denies.
    fn end_noscript(&mut self) {
        let Some(inner) = self.noscript.take() else { return };
        if inner.len() > self.terms.limits.noscript_bytes {
            let denies = Facets::of(&[Facet::Index, Facet::Follow, Facet::Archive]);
            self.page.ceiling.push(directive(Says::Deny(denies), self.terms.bots.all(), Extent::Page));
            return;
        }
        let (events, dom) = stamp::parse(&inner);
        let (map, mut content) = (Map::of(&dom, &events, self.terms), Content::default());
        for (number, event) in events.iter().enumerate() {
            content.pass(event, map.place(number).is_some_and(|place| place.is_foreign));
            if let Event::Start { name, attributes, .. } = event
                && name == "meta"
                && !content.in_template()
            {
                let mut ear = self.terms.ear();
                dialect::element(&TagElement { name: name.clone(), attributes }, &mut ear);
                ear.heard.retain(|said| said.extent.is_ceiling() && !matches!(said.says, Says::Allow(_)));
                self.page_statements(&ear);
            }
        }
    }

    fn finish(mut self) -> Tree {
        self.end_noscript();
        let mut items = std::mem::take(&mut self.page.items);
        for (item, (chain, node)) in items.iter_mut().zip(&self.pending) {
            self.judge(*chain, node, &mut item.verdict);
        }
        Tree { items, ..self.page }
    }
}

fn directive(says: Says, bots: BotSet, extent: Extent) -> Directive {
    Directive { says, bots, extent, dialect: "oracle", place: None, text: String::new() }
}

/// A link's kind and target.
fn link(tag: &TagElement<'_>) -> Option<(String, String)> {
    if tag.name == "meta" {
        let target = html::refresh(&tag.attribute("http-equiv")?, &tag.attribute("content")?)?;
        return Some(("refresh".to_owned(), target));
    }
    let target = tag.attribute(html::link_attribute(&tag.name)?)?;
    Some((tag.name.clone(), target.into_owned()))
}

/// A start tag, as dialects read it.
struct TagElement<'a> {
    name: String,
    attributes: &'a [(String, String)],
}

impl Element for TagElement<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        self.attributes
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| Cow::Borrowed(value.as_str()))
    }
}

impl Tree {
    /// What the page as a whole says to one bot.
    pub(crate) fn policy(&self, bot: usize) -> Policy {
        Policy::of(&self.ceiling, bot, None)
    }
}
