//! The content of a page that one bot may read, without white space. The content is read from the
//! filter's [`Page`], and computed a second time from the finished tree.

use std::collections::HashMap;

use url::Url;

use crate::oracle::{ItemKind, OracleField, OracleItem, OracleTree};
use heedful::{Page, Policy, Use};
use heedful_base::bot::BotId;

use super::difference::{Mismatch, counted_characters};

/// All texts and links of a page that one bot may read. Two such readings can be compared.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageReading {
    /// Texts of the page by field, in this order: title, description, headings, body, and
    /// alternative texts.
    fields: [String; 5],
    /// Links of the page. A link has five values: its kind, its URL, two bools, and its anchor
    /// text. The first bool is true if the link may be followed. The second is true if its target
    /// may be credited.
    links: Vec<(String, String, bool, bool, String)>,
}

fn bare(text: &str) -> String {
    counted_characters(text).collect()
}

impl PageReading {
    pub(super) fn of_page(page: &Page) -> Self {
        let field = |phrases: &[String]| phrases.iter().map(|phrase| bare(phrase)).collect();
        let mut links = Vec::new();
        for link in page.links() {
            links.push((
                link.kind().name().to_owned(),
                link.url().to_owned(),
                link.may_follow(),
                link.may_credit(),
                link.phrases().map(bare).collect(),
            ));
        }
        Self {
            fields: [
                page.title(),
                page.description(),
                page.headings(),
                page.phrases(),
                page.alternative(),
            ]
            .map(field),
            links,
        }
    }

    /// Compares this content, which is from the filter, with the content from the tree. Returns the
    /// first difference, or `None` if they are equal.
    pub(super) fn difference(&self, tree: &Self) -> Option<Mismatch> {
        let text = if self.fields != tree.fields {
            let (ours, theirs) = self
                .fields
                .iter()
                .zip(&tree.fields)
                .find(|(ours, theirs)| ours != theirs)?;
            format!("a field of the page is {ours:?}, of the tree {theirs:?}")
        } else {
            let length = self.links.len().max(tree.links.len());
            let at = (0..length).find(|at| self.links.get(*at) != tree.links.get(*at))?;
            format!(
                "a link of the page is {:?}, of the tree {:?}",
                self.links.get(at),
                tree.links.get(at)
            )
        };
        Some(Mismatch::of_reading(text))
    }

    pub(super) fn of_tree(tree: &OracleTree, url: &Url, bot: BotId) -> Self {
        let policy = tree.policy(bot);
        if !policy.may_fetch() {
            return Self {
                fields: Default::default(),
                links: Vec::new(),
            };
        }
        let field = |wanted: OracleField, only_headings: bool| {
            let is_in = |item: &&OracleItem| match &item.kind {
                ItemKind::Text {
                    field, is_heading, ..
                } => *field == wanted && (*is_heading || !only_headings),
                ItemKind::Link { .. } => false,
            };
            let items = tree
                .items
                .iter()
                .filter(is_in)
                .filter(|item| may(item, &[Use::Index], &policy, bot));
            items.map(text).collect()
        };
        Self {
            fields: [
                field(OracleField::Title, false),
                field(OracleField::Description, false),
                field(OracleField::Body, true),
                field(OracleField::Body, false),
                field(OracleField::Alternative, false),
            ],
            links: links(tree, url, &policy, bot),
        }
    }
}

fn may(item: &OracleItem, uses: &[Use], policy: &Policy, bot: BotId) -> bool {
    uses.iter()
        .all(|usage| policy.allows(*usage) && !item.verdict.denied(*usage).contains(bot))
}

fn text(item: &OracleItem) -> String {
    match &item.kind {
        ItemKind::Text { text, .. } => bare(text),
        ItemKind::Link { .. } => String::new(),
    }
}

/// Returns the links of the tree whose targets a bot can fetch, in the form of
/// [`PageReading::links`]. If the target of a link may not be credited, the anchor text of the link
/// is empty.
fn links(
    tree: &OracleTree,
    page: &Url,
    policy: &Policy,
    bot: BotId,
) -> Vec<(String, String, bool, bool, String)> {
    let texts = link_texts(tree, policy, bot);
    let link = |item: &OracleItem| {
        let ItemKind::Link {
            kind,
            target,
            number,
            is_visible: true,
        } = &item.kind
        else {
            return None;
        };
        let url = tree.base.join(target.trim()).ok()?;
        if !matches!(url.scheme(), "http" | "https") && url.scheme() != page.scheme() {
            return None;
        }
        let is_listed = kind != "img" || may(item, &[Use::Image], policy, bot);
        let credit = is_listed && may(item, &[Use::Anchor], policy, bot);
        let text = match texts.get(number) {
            Some(text) if credit => text.clone(),
            _ => String::new(),
        };
        Some((
            kind.clone(),
            url.into(),
            is_listed && may(item, &[Use::Follow], policy, bot),
            credit,
            text,
        ))
    };
    tree.items.iter().filter_map(link).collect()
}

/// Returns the anchor texts of the links whose targets may be credited. The key is the number of
/// the link. In an anchor text, body text precedes alternative texts.
fn link_texts(tree: &OracleTree, policy: &Policy, bot: BotId) -> HashMap<usize, String> {
    let mut texts: HashMap<usize, String> = HashMap::new();
    for wanted in [OracleField::Body, OracleField::Alternative] {
        for item in &tree.items {
            if let ItemKind::Text {
                text,
                field,
                link: link @ 1..,
                ..
            } = &item.kind
                && *field == wanted
                && may(item, &[Use::Index, Use::Anchor], policy, bot)
            {
                texts
                    .entry(*link)
                    .or_default()
                    .extend(counted_characters(text));
            }
        }
    }
    texts
}
