//! Where the numbers stand in the finished tree, and what is said of the elements round them.

use std::collections::HashMap;

use html5ever::ns;
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use crate::dialect;
use crate::policy::{DirectiveId, Says};
use crate::scope::{Mark, Marks, Statement, Terms};

use super::TagElement;
use super::stamp::{BEGIN, END, Event, NUMBER};

/// Where a token stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// The marked elements round it, a start tag's own included: an index into [`Map::chains`].
    pub(super) chain: usize,
    /// For a start tag: whether the tree has an element of it, and whether that is svg or `MathML`.
    pub(super) is_element: bool,
    pub(super) is_foreign: bool,
}

/// Where everything stands.
#[derive(Debug, Default)]
pub(super) struct Map {
    pub(super) marks: Marks,
    /// A mark and what is round it; the first is none.
    chains: Vec<(Mark, usize)>,
    places: HashMap<usize, Place>,
    /// The dialects by which some element lets in: what stands in none of those is out.
    inclusive: Vec<(&'static str, Mark)>,
}

impl Map {
    pub(super) fn of(dom: &RcDom, events: &[Event], terms: &Terms) -> Self {
        let mut map = Self { chains: vec![(0, 0)], ..Self::default() };
        let mut open = vec![(dom.document.clone(), 0)];
        while let Some((node, chain)) = open.pop() {
            let inside = map.children(&node, chain, events, terms);
            open.extend(inside);
        }
        map
    }

    /// Where the token with this number stands; nowhere if the tree dropped it.
    pub(super) fn place(&self, number: usize) -> Option<Place> {
        self.places.get(&number).copied()
    }

    /// The marks of a chain, innermost first.
    pub(super) fn chain(&self, mut chain: usize) -> Vec<Mark> {
        let mut marks = Vec::new();
        while chain != 0 {
            let (mark, outer) = self.chains[chain];
            marks.push(mark);
            chain = outer;
        }
        marks
    }

    /// What follows, outside of them, from elements that let in.
    pub(super) fn outside(&self) -> impl Iterator<Item = Mark> {
        self.inclusive.iter().map(|(_, mark)| *mark)
    }

    /// Notes the numbers right inside a node; returns the elements there, each with its chain.
    fn children(&mut self, node: &Handle, chain: usize, events: &[Event], terms: &Terms) -> Vec<(Handle, usize)> {
        let mut inside: Vec<(Handle, usize)> = Vec::new();
        for (at, child) in node.children.borrow().iter().enumerate() {
            match &child.data {
                NodeData::Text { contents } => self.text(&contents.borrow(), chain),
                NodeData::Comment { contents } => {
                    if let Ok(number) = contents.parse::<usize>() {
                        let is_own = at == 0 && is_made_by_its_tag(node, events);
                        let is_foreign = is_own && is_foreign(node);
                        self.places.entry(number).or_insert(Place { chain, is_element: is_own, is_foreign });
                    }
                }
                NodeData::Element { template_contents, attrs, .. } => {
                    let chain = self.element(child, chain, events, terms);
                    let number =
                        attrs.borrow().iter().find(|a| &*a.name.local == NUMBER).and_then(|a| a.value.parse().ok());
                    if let Some(number) = number {
                        let place = Place { chain, is_element: true, is_foreign: is_foreign(child) };
                        self.places.entry(number).or_insert(place);
                    }
                    if let Some(contents) = &*template_contents.borrow() {
                        inside.push((contents.clone(), chain));
                    }
                    inside.push((child.clone(), chain));
                }
                _ => {}
            }
        }
        inside
    }

    fn text(&mut self, text: &str, chain: usize) {
        for stamped in text.split(BEGIN).skip(1) {
            let number = stamped.split(END).next().and_then(|number| number.parse().ok());
            if let Some(number) = number {
                self.places.entry(number).or_insert(Place { chain, ..Place::default() });
            }
        }
    }

    /// The chain inside an element.
    fn element(&mut self, node: &Handle, outer: usize, events: &[Event], terms: &Terms) -> usize {
        let NodeData::Element { name, attrs, .. } = &node.data else { return outer };
        let attributes: Vec<_> =
            attrs.borrow().iter().map(|a| (a.name.local.to_string(), a.value.to_string())).collect();
        let mut ear = terms.ear();
        dialect::content(
            &TagElement { name: name.local.to_ascii_lowercase().to_string(), attributes: &attributes },
            &mut ear,
        );
        if ear.heard.is_empty() {
            return outer;
        }
        let statement = |said| Statement::new(DirectiveId::MAX, said);
        // What a late tag adds to the root of the page makes no page inclusive.
        let is_root = name.ns == ns!(html) && matches!(&*name.local, "html" | "body");
        let is_own = !is_root || is_made_by_its_tag(node, events);
        for said in &ear.heard {
            if let Says::Allow(facets) = said.says
                && is_own
                && statement(said).lets_in()
                && !self.inclusive.iter().any(|(dialect, _)| *dialect == said.dialect)
            {
                let denial = Statement { says: Says::Deny(facets), ..statement(said) };
                self.inclusive.push((said.dialect, self.marks.add(vec![denial])));
            }
        }
        let mark = self.marks.add(ear.heard.iter().map(statement).collect());
        self.chains.push((mark, outer));
        self.chains.len() - 1
    }
}

/// Whether an element stands where a start tag of its name does: that tag's number is the first thing in it.
fn is_made_by_its_tag(node: &Handle, events: &[Event]) -> bool {
    let children = node.children.borrow();
    match children.first().map(|child| &child.data) {
        Some(NodeData::Comment { contents }) => {
            contents.parse().is_ok_and(|number: usize| is_of(node, &events[number]))
        }
        _ => false,
    }
}

/// Whether an element is the one that a start tag made.
fn is_of(node: &Handle, event: &Event) -> bool {
    match (&node.data, event) {
        (NodeData::Element { name: own, .. }, Event::Start { name, .. }) => {
            own.local.eq_ignore_ascii_case(&name.as_str().into())
        }
        _ => false,
    }
}

fn is_foreign(node: &Handle) -> bool {
    matches!(&node.data, NodeData::Element { name, .. } if name.ns != ns!(html))
}
