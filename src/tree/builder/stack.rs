//! 13.2.4.2 The stack of open elements, and 13.2.6.1 the places of what is put into them.

use html5ever::interface::{ElemName, NodeOrText, QualName, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::Tag;
use html5ever::tree_builder::create_element_with_flags;
use html5ever::{Attribute, ExpandedName, LocalName, Namespace, local_name, ns};

use super::sets::{button_scope, default_scope, fosters, is_implied, is_special};
use super::state::{Builder, Mode, Outcome};

/// The appropriate place for a node.
enum Place<H> {
    Inside(H),
    /// Before a table, or in what is open round it.
    Before {
        table: H,
        outer: H,
    },
}

impl<S: TreeSink> Builder<S>
where
    S::Handle: Clone,
{
    /// The innermost open element.
    pub(super) fn current(&self) -> &S::Handle {
        &self.open[self.open.len() - 1]
    }

    pub(super) fn pop(&mut self) {
        self.open.pop();
    }

    pub(super) fn is_in(&self, node: &S::Handle, set: impl Fn(ExpandedName<'_>) -> bool) -> bool {
        set(self.sink.elem_name(node).expanded())
    }

    /// True for an HTML element of this name.
    pub(super) fn is_named(&self, node: &S::Handle, name: &LocalName) -> bool {
        let own = self.sink.elem_name(node);
        *own.ns() == ns!(html) && own.local_name() == name
    }

    pub(super) fn current_is(&self, name: &LocalName) -> bool {
        self.is_named(self.current(), name)
    }

    /// True if an element of this name is open.
    pub(super) fn is_open(&self, name: &LocalName) -> bool {
        self.open.iter().any(|node| self.is_named(node, name))
    }

    pub(super) fn in_template_element(&self) -> bool {
        self.is_open(&local_name!("template"))
    }

    /// The `body`, if it is open in its place.
    pub(super) fn body(&self) -> Option<S::Handle> {
        self.open.get(1).filter(|node| self.is_named(node, &local_name!("body"))).cloned()
    }

    pub(super) fn has_in(&self, scope: impl Fn(ExpandedName<'_>) -> bool, is_it: impl Fn(&S::Handle) -> bool) -> bool {
        for node in self.open.iter().rev() {
            if is_it(node) {
                return true;
            }
            if self.is_in(node, &scope) {
                return false;
            }
        }
        false
    }

    pub(super) fn has_named_in(&self, scope: impl Fn(ExpandedName<'_>) -> bool, name: &LocalName) -> bool {
        self.has_in(scope, |node| self.is_named(node, name))
    }

    pub(super) fn has_in_scope(&self, name: &LocalName) -> bool {
        self.has_named_in(default_scope, name)
    }

    pub(super) fn remove_from_stack(&mut self, node: &S::Handle) {
        if let Some(at) = self.open.iter().rposition(|open| self.sink.same_node(node, open)) {
            self.open.remove(at);
        }
    }

    pub(super) fn generate_implied_end_tags(&mut self, set: impl Fn(ExpandedName<'_>) -> bool) {
        while self.open.last().is_some_and(|node| self.is_in(node, &set)) {
            self.pop();
        }
    }

    pub(super) fn generate_implied_end_tags_except(&mut self, except: &LocalName) {
        self.generate_implied_end_tags(|name| !(*name.ns == ns!(html) && name.local == except) && is_implied(name));
    }

    /// Pops elements until the innermost one is of the set.
    pub(super) fn pop_until_current(&mut self, set: impl Fn(ExpandedName<'_>) -> bool) {
        while !self.is_in(self.current(), &set) {
            self.pop();
        }
    }

    /// Pops elements up to one of the set, and that one.
    pub(super) fn pop_through(&mut self, set: impl Fn(ExpandedName<'_>) -> bool) {
        while let Some(node) = self.open.pop() {
            if self.is_in(&node, &set) {
                return;
            }
        }
    }

    pub(super) fn pop_through_named(&mut self, name: &LocalName) {
        self.pop_through(|own| *own.ns == ns!(html) && own.local == name);
    }

    pub(super) fn close_paragraph(&mut self) {
        self.generate_implied_end_tags_except(&local_name!("p"));
        self.pop_through_named(&local_name!("p"));
    }

    /// Ends a paragraph that is in button scope.
    pub(super) fn close_any_paragraph(&mut self) {
        if self.has_named_in(button_scope, &local_name!("p")) {
            self.close_paragraph();
        }
    }

    /// An end tag by none of the other rules: 13.2.6.4.7, "any other end tag".
    pub(super) fn end_by_name(&mut self, name: &LocalName) {
        for at in (0..self.open.len()).rev() {
            if self.is_named(&self.open[at], name) {
                self.generate_implied_end_tags_except(name);
                self.open.truncate(at);
                return;
            }
            if self.is_in(&self.open[at], is_special) {
                return;
            }
        }
    }

    fn place(&self, target: Option<S::Handle>) -> Place<S::Handle> {
        let target = target.unwrap_or_else(|| self.current().clone());
        let template = local_name!("template");
        if !(self.is_fostering && self.is_in(&target, fosters)) {
            let is_template = self.is_named(&target, &template);
            return Place::Inside(if is_template { self.sink.get_template_contents(&target) } else { target });
        }
        for (at, node) in self.open.iter().enumerate().rev() {
            if self.is_named(node, &template) {
                return Place::Inside(self.sink.get_template_contents(node));
            }
            if self.is_named(node, &local_name!("table")) {
                let outer = self.open[at.saturating_sub(1)].clone();
                return Place::Before { table: node.clone(), outer };
            }
        }
        Place::Inside(self.open[0].clone())
    }

    /// Puts a node into the appropriate place, by default that in the innermost element.
    pub(super) fn insert(&self, child: NodeOrText<S::Handle>, target: Option<S::Handle>) {
        match self.place(target) {
            Place::Inside(parent) => self.sink.append(&parent, child),
            Place::Before { table, outer } => self.sink.append_based_on_parent_node(&table, &outer, child),
        }
    }

    pub(super) fn insert_text(&self) -> Outcome {
        self.insert(NodeOrText::AppendText(StrTendril::new()), None);
        Outcome::Done
    }

    pub(super) fn insert_comment(&self) -> Outcome {
        self.insert(NodeOrText::AppendNode(self.sink.create_comment(StrTendril::new())), None);
        Outcome::Done
    }

    /// Puts a comment into this node.
    pub(super) fn append_comment(&self, parent: &S::Handle) -> Outcome {
        self.sink.append(parent, NodeOrText::AppendNode(self.sink.create_comment(StrTendril::new())));
        Outcome::Done
    }

    pub(super) fn create(&self, ns: Namespace, name: LocalName, attributes: Vec<Attribute>) -> S::Handle {
        create_element_with_flags(&self.sink, QualName::new(None, ns, name), attributes, false)
    }

    pub(super) fn create_root(&mut self, attributes: Vec<Attribute>) {
        let root = self.create(ns!(html), local_name!("html"), attributes);
        self.open.push(root.clone());
        self.sink.append(&self.document, NodeOrText::AppendNode(root));
    }

    /// Makes an element that is not open, and puts it into its place.
    pub(super) fn insert_new(&self, ns: Namespace, name: LocalName, attributes: Vec<Attribute>) -> S::Handle {
        let node = self.create(ns, name, attributes);
        self.insert(NodeOrText::AppendNode(node.clone()), None);
        node
    }

    /// Makes an element without content.
    pub(super) fn insert_void(&self, tag: Tag) -> S::Handle {
        self.insert_new(ns!(html), tag.name, tag.attrs)
    }

    /// Opens an element.
    pub(super) fn open(&mut self, tag: Tag) -> S::Handle {
        let node = self.insert_void(tag);
        self.open.push(node.clone());
        node
    }

    /// Opens an element without a tag.
    pub(super) fn open_phantom(&mut self, name: LocalName) -> S::Handle {
        let node = self.insert_new(ns!(html), name, Vec::new());
        self.open.push(node.clone());
        node
    }

    /// Opens an element of raw text.
    pub(super) fn open_raw(&mut self, tag: Tag) -> Outcome {
        self.open(tag);
        self.mode_behind = self.mode;
        self.mode = Mode::Text;
        Outcome::Raw
    }
}
