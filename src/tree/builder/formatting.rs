//! 13.2.4.3 The list of active formatting elements, and the adoption agency algorithm (13.2.6.4.7).

use html5ever::interface::{NodeOrText, TreeSink};
use html5ever::tokenizer::Tag;
use html5ever::{LocalName, ns};

use super::entry::{Entry, Formatting};
use super::sets::{default_scope, is_special};
use super::state::Builder;

impl<S: TreeSink> Builder<S>
where
    S::Handle: Clone,
{
    pub(super) fn push_marker(&mut self) {
        self.formatting.push(Entry::Marker);
    }

    pub(super) fn clear_to_marker(&mut self) {
        while let Some(Entry::Element(_)) = self.formatting.pop() {}
    }

    /// The formatting elements behind the last marker, with their places in the list, the last one first.
    fn listed(&self) -> impl Iterator<Item = (usize, &Formatting<S::Handle>)> {
        self.formatting.iter().enumerate().rev().map_while(|(at, entry)| match entry {
            Entry::Element(formatting) => Some((at, formatting)),
            Entry::Marker => None,
        })
    }

    /// The place of an element in the list.
    fn place_in_list(&self, node: &S::Handle) -> Option<usize> {
        let is_it = |entry: &Entry<S::Handle>| match entry {
            Entry::Element(formatting) => self.sink.same_node(&formatting.node, node),
            Entry::Marker => false,
        };
        self.formatting.iter().position(is_it)
    }

    fn is_marker_or_open(&self, entry: &Entry<S::Handle>) -> bool {
        match entry {
            Entry::Marker => true,
            Entry::Element(formatting) => {
                self.open.iter().rev().any(|node| self.sink.same_node(node, &formatting.node))
            }
        }
    }

    /// Opens a formatting element. Of those that are the same, three at most are listed.
    pub(super) fn open_formatting(&mut self, tag: Tag) {
        let same: Vec<usize> = self.listed().filter(|(_, old)| old.is_like(&tag)).map(|(at, _)| at).collect();
        if let [_, _, .., earliest] = same[..] {
            self.formatting.remove(earliest);
        }
        let entry = Formatting::of(&tag);
        let node = self.open(tag);
        self.formatting.push(Entry::Element(entry.with(node)));
    }

    /// Opens formatting elements again that have ended with what is round them.
    pub(super) fn reconstruct_formatting(&mut self) {
        if self.formatting.last().is_none_or(|last| self.is_marker_or_open(last)) {
            return;
        }
        let known = self.formatting.iter().rposition(|entry| self.is_marker_or_open(entry));
        for at in known.map_or(0, |at| at + 1)..self.formatting.len() {
            let Entry::Element(formatting) = &self.formatting[at] else { continue };
            let node = self.insert_new(ns!(html), formatting.name.clone(), formatting.attributes());
            self.open.push(node.clone());
            self.renew(at, node);
        }
    }

    /// Gives an entry another element.
    fn renew(&mut self, at: usize, node: S::Handle) {
        if let Entry::Element(formatting) = &mut self.formatting[at] {
            formatting.node = node;
        }
    }

    /// Ends a formatting element by the adoption agency algorithm.
    pub(super) fn adopt(&mut self, subject: &LocalName) {
        if self.current_is(subject) && self.place_in_list(self.current()).is_none() {
            return self.pop();
        }
        for _ in 0..8 {
            if !self.adopt_once(subject) {
                return;
            }
        }
    }

    /// One round of the algorithm. Returns false if it was the last one. The numbers are those of the standard's steps.
    fn adopt_once(&mut self, subject: &LocalName) -> bool {
        // 3, 4.
        let found = self.listed().find(|(_, formatting)| formatting.name == *subject);
        let Some((list_at, formatting)) = found.map(|(at, formatting)| (at, formatting.clone())) else {
            self.end_by_name(subject);
            return false;
        };
        // 5, 6, 7.
        let Some(stack_at) = self.open.iter().rposition(|node| self.sink.same_node(node, &formatting.node)) else {
            self.formatting.remove(list_at);
            return false;
        };
        if !self.has_in(default_scope, |node| self.sink.same_node(node, &formatting.node)) {
            return false;
        }
        // 8.
        let block = self.open.iter().enumerate().skip(stack_at).find(|(_, node)| self.is_in(node, is_special));
        let Some((block_at, block)) = block.map(|(at, node)| (at, node.clone())) else {
            self.open.truncate(stack_at);
            self.formatting.remove(list_at);
            return false;
        };
        // 9 to 13.
        let ancestor = self.open[stack_at.saturating_sub(1)].clone();
        let (last, bookmark) = self.adopt_inside(&formatting.node, block_at, &block);
        // 14.
        self.sink.remove_from_parent(&last);
        self.insert(NodeOrText::AppendNode(last), Some(ancestor));
        // 15, 16, 17.
        let node = self.create(ns!(html), formatting.name.clone(), formatting.attributes());
        self.sink.reparent_children(&block, &node);
        self.sink.append(&block, NodeOrText::AppendNode(node.clone()));
        // 18.
        let entry = Entry::Element(formatting.clone().with(node.clone()));
        if let Some(behind) = bookmark.and_then(|before| self.place_in_list(&before)) {
            self.formatting.insert(behind + 1, entry);
            if let Some(old) = self.place_in_list(&formatting.node) {
                self.formatting.remove(old);
            }
        } else if let Some(old) = self.place_in_list(&formatting.node) {
            self.formatting[old] = entry;
        }
        // 19.
        self.remove_from_stack(&formatting.node);
        if let Some(at) = self.open.iter().position(|open| self.sink.same_node(open, &block)) {
            self.open.insert(at + 1, node);
        }
        true
    }

    /// Step 13: the elements between the formatting element and the block inside of it. Returns the last node, and the
    /// element behind which the new entry belongs, if that is not the old one's place.
    fn adopt_inside(
        &mut self,
        formatting: &S::Handle,
        block_at: usize,
        block: &S::Handle,
    ) -> (S::Handle, Option<S::Handle>) {
        let (mut last, mut bookmark, mut at, mut rounds) = (block.clone(), None, block_at, 0);
        loop {
            rounds += 1;
            at -= 1;
            let node = self.open[at].clone();
            if self.sink.same_node(&node, formatting) {
                return (last, bookmark);
            }
            let list_at = self.place_in_list(&node);
            let Some(list_at) = list_at.filter(|_| rounds <= 3) else {
                if let Some(list_at) = list_at {
                    self.formatting.remove(list_at);
                }
                self.open.remove(at);
                continue;
            };
            let Entry::Element(entry) = &self.formatting[list_at] else { continue };
            let node = self.create(ns!(html), entry.name.clone(), entry.attributes());
            self.open[at] = node.clone();
            self.renew(list_at, node.clone());
            if self.sink.same_node(&last, block) {
                bookmark = Some(node.clone());
            }
            self.sink.remove_from_parent(&last);
            self.sink.append(&node, NodeOrText::AppendNode(last));
            last = node;
        }
    }

    /// Ends an `a` that is still listed.
    pub(super) fn end_open_link(&mut self, name: &LocalName) {
        let found = self.listed().find(|(_, formatting)| self.is_named(&formatting.node, name));
        let Some(node) = found.map(|(_, formatting)| formatting.node.clone()) else { return };
        self.adopt(name);
        if let Some(at) = self.place_in_list(&node) {
            self.formatting.remove(at);
        }
        self.remove_from_stack(&node);
    }
}
