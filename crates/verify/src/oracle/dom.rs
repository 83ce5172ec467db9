//! Maps the tokens of a page to their positions in the finished tree. For each position it collects
//! the statements of the elements around it.

use std::collections::HashMap;

use heedful::internals::convention::{self, Statement};
use heedful::internals::scope::{MarkStatement, Marks, PassTerms};
use heedful::internals::tree::MarkId;
use heedful::{DirectiveId, StatementContent};

use super::grown::{GrownTree, NUMBER, NodeKind};
use super::stamp::{self, Event};
use super::tag::TagElement;

/// Position of a token of the page in the finished tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DomPlace {
    /// Number of the token's chain in [`NodeMap::chains`]: the marks of the elements that contain
    /// the token. The chain of a start tag includes the mark of its own element.
    pub(super) chain: usize,
    /// True if the token is a start tag whose element is in the tree.
    pub(super) is_element: bool,
    /// True if the token is a start tag whose element is in the tree, and the element is of svg or
    /// `MathML`.
    pub(super) is_foreign: bool,
}

/// Positions of all tokens of a page in the finished tree, and the marks of the tree's elements.
#[derive(Debug, Default)]
pub(super) struct NodeMap {
    pub(super) marks: Marks,
    /// Chains: lists of the marks of all marked elements around a token. An entry has the mark of
    /// one element, and the number of the chain around this element. Chains are numbered from 1; 0
    /// is the empty chain.
    chains: Vec<(MarkId, usize)>,
    places: HashMap<usize, DomPlace>,
    /// Conventions by which a page includes only certain elements, such as the convention of
    /// Pagefind. An entry has the name of a convention, and a mark. The mark denies everything
    /// outside of the included elements.
    inclusive: Vec<(&'static str, MarkId)>,
}

/// An element of the finished tree, in the form in which conventions read it.
struct FoundElement<'a> {
    name: &'a str,
    is_foreign: bool,
    attributes: &'a [(String, String)],
    /// True if the element was made by a start tag with its own name.
    is_own: bool,
}

impl NodeMap {
    pub(super) fn new(tree: &GrownTree, events: &[Event], terms: &PassTerms) -> Self {
        let mut map = Self::default();
        let first = tree.first_children();
        // Number of the chain for the content of each node.
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

    /// Adds positions of tokens in the finished tree. If a token already has a position, its new
    /// positions are ignored.
    fn add_places(&mut self, found: impl IntoIterator<Item = (usize, DomPlace)>) {
        for (number, place) in found {
            self.places.entry(number).or_insert(place);
        }
    }

    /// Returns the position in the finished tree of the token with this number. Returns `None` if
    /// the tree dropped the token.
    pub(super) fn place(&self, number: usize) -> Option<DomPlace> {
        self.places.get(&number).copied()
    }

    /// Returns the marks of the chain with this number. The mark of the innermost element comes
    /// first.
    pub(super) fn chain(&self, mut chain: usize) -> Vec<MarkId> {
        let mut marks = Vec::new();
        while chain != 0 {
            let (mark, outer) = self.chains[chain - 1];
            marks.push(mark);
            chain = outer;
        }
        marks
    }

    /// Returns the marks of conventions by which a page includes only certain elements. Such a mark
    /// denies everything outside of the included elements.
    pub(super) fn outside(&self) -> impl Iterator<Item = MarkId> {
        self.inclusive.iter().map(|(_, mark)| *mark)
    }

    /// True if an element of the tree has an inclusive mark of this convention. Such a mark
    /// includes its element, and everything outside of the included elements is denied.
    pub(super) fn has_inclusive_mark(&self, convention: &str) -> bool {
        self.inclusive.iter().any(|(own, _)| *own == convention)
    }

    /// Reads a comment of the tree, and adds the position of the token whose number the comment
    /// contains. Adds nothing if the comment contains no number.
    ///
    /// A comment with the number of a start tag was inserted directly after this tag. If the tag
    /// made an element, the comment is the first child of the element. `place` has the index of the
    /// comment, and the index of the first child of the comment's parent.
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

    /// Adds an element of the tree and its marks. `outer` is the number of the chain around the
    /// element. Returns the number of the chain that applies to the element's content.
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
        // A late tag can add attributes to the root of the page. These do not make a page
        // inclusive.
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
            if let StatementContent::Allow(uses) = said.says
                && (!is_root || found.is_own)
                && statement(said).is_inclusive()
                && !self
                    .inclusive
                    .iter()
                    .any(|(convention, _)| *convention == said.convention)
            {
                let denial = MarkStatement {
                    says: StatementContent::Deny(uses),
                    ..statement(said)
                };
                self.inclusive
                    .push((said.convention, self.marks.add(vec![denial])));
            }
        }
        // A browser drops a template that makes a shadow root, and with it the template's
        // allowances.
        let is_dropped = found.name == "template" && !found.is_foreign;
        let counts =
            |said: &&Statement| !is_dropped || !matches!(said.says, StatementContent::Allow(_));
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

/// True if an element was made by a start tag with the element's own name, `name`. `first` is the
/// index of the element's first child.
///
/// A comment with the number of the tag was inserted after each start tag of a formatting element,
/// `html` or `body`. If the tag made the element, this comment is the element's first child.
/// Returns false for all other elements, since they have no such comment.
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
