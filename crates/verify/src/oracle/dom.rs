//! Finds the token numbers in the finished tree, and the statements of the elements around them.

use std::collections::HashMap;

use heedful::internals::convention::{self, Statement};
use heedful::internals::scope::{MarkStatement, Marks, PassTerms};
use heedful::internals::tree::MarkId;
use heedful::{DirectiveId, Says};

use super::grown::{GrownTree, NUMBER, NodeKind};
use super::stamp::{self, Event};
use super::tag::TagElement;

/// The place of a token.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DomPlace {
    /// The marked elements around the token, a start tag's own included: an index into
    /// [`NodeMap::chains`].
    pub(super) chain: usize,
    /// For a start tag: whether the tree has its element, and whether that is svg or `MathML`.
    pub(super) is_element: bool,
    pub(super) is_foreign: bool,
}

/// The places of all tokens.
#[derive(Debug, Default)]
pub(super) struct NodeMap {
    pub(super) marks: Marks,
    /// Each mark with the chain around it. Chains are numbered from 1; 0 is none.
    chains: Vec<(MarkId, usize)>,
    places: HashMap<usize, DomPlace>,
    /// The conventions in which some element lets in, each with the denial of everything outside of
    /// such elements.
    inclusive: Vec<(&'static str, MarkId)>,
}

/// An element of the tree, and what conventions ask about it.
struct FoundElement<'a> {
    name: &'a str,
    is_foreign: bool,
    attributes: &'a [(String, String)],
    /// True if a start tag of its name made it.
    is_own: bool,
}

impl NodeMap {
    pub(super) fn new(tree: &GrownTree, events: &[Event], terms: &PassTerms) -> Self {
        let mut map = Self::default();
        let first = tree.first_children();
        // The chain inside each node.
        let mut inside: Vec<usize> = Vec::with_capacity(tree.nodes.len());
        let copies = tree.copies();
        let mut copied = Vec::new();
        for (at, node) in tree.nodes.iter().enumerate() {
            let outer = inside.get(node.parent).copied().unwrap_or(0);
            inside.push(match &node.kind {
                NodeKind::Element {
                    name,
                    is_foreign,
                    attributes,
                } => {
                    let is_own = is_made_by_its_tag(tree, first[at], name, events);
                    map.element(
                        &FoundElement {
                            name,
                            is_foreign: *is_foreign,
                            attributes,
                            is_own,
                        },
                        outer,
                        terms,
                    )
                }
                NodeKind::Text(text) => {
                    let place = DomPlace {
                        chain: outer,
                        ..DomPlace::default()
                    };
                    let found = stamp::numbers(text).map(|number| (number, place));
                    if copies[at] {
                        copied.extend(found);
                    } else {
                        map.add_places(found);
                    }
                    outer
                }
                NodeKind::Comment(text) => {
                    map.comment(tree, (at, first[node.parent]), text, outer, events);
                    outer
                }
                NodeKind::Root => outer,
            });
        }
        map.add_places(copied);
        map
    }

    /// Adds places. If a number has two places, the first counts.
    fn add_places(&mut self, found: impl IntoIterator<Item = (usize, DomPlace)>) {
        for (number, place) in found {
            self.places.entry(number).or_insert(place);
        }
    }

    /// The place of the token with this number; None if the tree dropped it.
    pub(super) fn place(&self, number: usize) -> Option<DomPlace> {
        self.places.get(&number).copied()
    }

    /// The marks of a chain, innermost first.
    pub(super) fn chain(&self, mut chain: usize) -> Vec<MarkId> {
        let mut marks = Vec::new();
        while chain != 0 {
            let (mark, outer) = self.chains[chain - 1];
            marks.push(mark);
            chain = outer;
        }
        marks
    }

    /// The denials outside of elements that let in.
    pub(super) fn outside(&self) -> impl Iterator<Item = MarkId> {
        self.inclusive.iter().map(|(_, mark)| *mark)
    }

    /// Returns true if some element lets in by this convention.
    pub(super) fn lets_in(&self, convention: &str) -> bool {
        self.inclusive.iter().any(|(own, _)| *own == convention)
    }

    /// Adds a comment with the number of a start tag. It is directly inside the element that the
    /// tag made, if it made one.
    fn comment(
        &mut self,
        tree: &GrownTree,
        place: (usize, Option<usize>),
        text: &str,
        chain: usize,
        events: &[Event],
    ) {
        let Some(number) = text.parse().ok().or_else(|| stamp::numbers(text).next()) else {
            return;
        };
        let (at, first) = place;
        let (is_element, is_foreign) = match &tree.nodes[tree.nodes[at].parent].kind {
            NodeKind::Element {
                name, is_foreign, ..
            } => {
                let is_own = first == Some(at) && is_made_by_its_tag(tree, first, name, events);
                (is_own, is_own && *is_foreign)
            }
            _ => (false, false),
        };
        self.add_places([(
            number,
            DomPlace {
                chain,
                is_element,
                is_foreign,
            },
        )]);
    }

    /// Adds the element to the chain around it; returns the chain inside.
    fn element(&mut self, found: &FoundElement<'_>, outer: usize, terms: &PassTerms) -> usize {
        let chain = self.add_marks(found, outer, terms);
        let number = found
            .attributes
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(NUMBER));
        if let Some(number) = number.and_then(|(_, value)| value.parse().ok()) {
            let place = DomPlace {
                chain,
                is_element: true,
                is_foreign: found.is_foreign,
            };
            self.add_places([(number, place)]);
        }
        chain
    }

    fn add_marks(&mut self, found: &FoundElement<'_>, outer: usize, terms: &PassTerms) -> usize {
        let name = found.name.to_ascii_lowercase();
        // Attributes that a late tag adds to the root of the page make no page inclusive.
        let is_root = !found.is_foreign && matches!(found.name, "html" | "body");
        let mut ear = terms.collector();
        convention::content(
            &TagElement {
                name,
                attributes: found.attributes,
            },
            &mut ear,
        );
        if ear.statements.is_empty() {
            return outer;
        }
        let statement = |said| MarkStatement::new(DirectiveId::nth(usize::MAX), said);
        for said in &ear.statements {
            if let Says::Allow(uses) = said.says
                && (!is_root || found.is_own)
                && statement(said).lets_in()
                && !self
                    .inclusive
                    .iter()
                    .any(|(convention, _)| *convention == said.convention)
            {
                let denial = MarkStatement {
                    says: Says::Deny(uses),
                    ..statement(said)
                };
                self.inclusive
                    .push((said.convention, self.marks.add(vec![denial])));
            }
        }
        // A browser drops a template that makes a shadow root: its allowances go with it.
        let is_dropped = found.name == "template" && !found.is_foreign;
        let counts = |said: &&Statement| !is_dropped || !matches!(said.says, Says::Allow(_));
        let mark = self.marks.add(
            ear.statements
                .iter()
                .filter(counts)
                .map(statement)
                .collect(),
        );
        self.chains.push((mark, outer));
        self.chains.len()
    }
}

/// Returns true if a start tag of this name made the element: then that tag's number is the first
/// thing in it.
fn is_made_by_its_tag(
    tree: &GrownTree,
    first: Option<usize>,
    name: &str,
    events: &[Event],
) -> bool {
    let Some(NodeKind::Comment(text)) = first.map(|first| &tree.nodes[first].kind) else {
        return false;
    };
    let event = text
        .parse::<usize>()
        .ok()
        .and_then(|number| events.get(number));
    matches!(event, Some(Event::Start { name: own, .. }) if own.eq_ignore_ascii_case(name))
}
