//! What one bot may have of a page, bare of blanks: the finished [`Page`] beside what the tree gives.

use url::Url;

use crate::oracle::{Field, Item, Kind, Tree};
use crate::page::Page;
use crate::policy::{Facet, Policy};

use super::Difference;

/// All that a page gives.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// Title, description, headings, body, alternative texts.
    fields: [String; 5],
    /// Kind, URL, whether it may be followed and credited, its text.
    links: Vec<(String, String, bool, bool, String)>,
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '\u{FFFD}').collect()
}

impl Reading {
    pub(super) fn of_page(page: &Page) -> Self {
        let field = |phrases: &[String]| phrases.iter().map(|phrase| bare(phrase)).collect();
        let link = |link: &crate::page::Link| {
            let kind = link.kind().name().to_owned();
            (kind, link.url().to_owned(), link.may_follow(), link.may_credit(), bare(link.text()))
        };
        Self {
            fields: [page.title(), page.description(), page.headings(), page.phrases(), page.alternative()].map(field),
            links: page.links().iter().map(link).collect(),
        }
    }

    /// The first thing that is not the same, if any.
    pub(super) fn difference(&self, tree: &Self) -> Option<Difference> {
        let text = if self.fields != tree.fields {
            let (ours, theirs) = self.fields.iter().zip(&tree.fields).find(|(ours, theirs)| ours != theirs)?;
            format!("a field of the page is {ours:?}, of the tree {theirs:?}")
        } else {
            let length = self.links.len().max(tree.links.len());
            let at = (0..length).find(|at| self.links.get(*at) != tree.links.get(*at))?;
            format!("a link of the page is {:?}, of the tree {:?}", self.links.get(at), tree.links.get(at))
        };
        Some(Difference { facet: Facet::Index, text, line: 0, column: 0, source: String::new() })
    }

    pub(super) fn of_tree(tree: &Tree, url: &Url, bot: usize) -> Self {
        let policy = tree.policy(bot);
        if !policy.entered() {
            return Self { fields: Default::default(), links: Vec::new() };
        }
        let field = |wanted: Field, only_headings: bool| {
            let is_in = |item: &&Item| matches!(&item.kind, Kind::Text { field, is_heading, .. } if *field == wanted && (*is_heading || !only_headings));
            let items = tree.items.iter().filter(is_in).filter(|item| may(item, &[Facet::Index], &policy, bot));
            items.map(text).collect()
        };
        Self {
            fields: [
                field(Field::Title, false),
                field(Field::Description, false),
                field(Field::Body, true),
                field(Field::Body, false),
                field(Field::Alternative, false),
            ],
            links: tree.items.iter().filter_map(|item| link(tree, item, url, &policy, bot)).collect(),
        }
    }
}

fn may(item: &Item, facets: &[Facet], policy: &Policy, bot: usize) -> bool {
    facets.iter().all(|facet| policy.allows(*facet) && !item.verdict.denied(*facet).contains(bot))
}

fn text(item: &Item) -> String {
    match &item.kind {
        Kind::Text { text, .. } => bare(text),
        Kind::Link { .. } => String::new(),
    }
}

fn link(
    tree: &Tree,
    item: &Item,
    page: &Url,
    policy: &Policy,
    bot: usize,
) -> Option<(String, String, bool, bool, String)> {
    let Kind::Link { kind, target, number, is_visible: true } = &item.kind else { return None };
    let base = tree.base.as_deref().and_then(|base| page.join(base.trim()).ok());
    let url = base.as_ref().unwrap_or(page).join(target.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") && url.scheme() != page.scheme() {
        return None;
    }
    let is_listed = kind != "img" || may(item, &[Facet::Image], policy, bot);
    let credit = is_listed && may(item, &[Facet::Anchor], policy, bot);
    let texts = |wanted: Field| -> String {
        let is_in = |item: &&Item| matches!(&item.kind, Kind::Text { field, link, .. } if *field == wanted && *number != 0 && link == number);
        let items = tree.items.iter().filter(is_in);
        items.filter(|item| may(item, &[Facet::Index, Facet::Anchor], policy, bot)).map(text).collect()
    };
    let text = if credit { texts(Field::Body) + &texts(Field::Alternative) } else { String::new() };
    Some((kind.clone(), url.into(), is_listed && may(item, &[Facet::Follow], policy, bot), credit, text))
}
