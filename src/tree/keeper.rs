//! Sink of html5ever's tree builder: it makes elements and records their parents. It stores none of
//! the elements.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use html5ever::interface::{Attribute, ElementFlags, NodeOrText, QualName, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::Token;
use html5ever::{ExpandedName, LocalName, local_name, ns};

use crate::html;
use crate::standard::{NameAnswers, Role};

use super::chains::{ChainId, Chains};
use super::changes::{self, TreeChange};
use super::doubt::DoubtCondition;
use super::likeness::Likeness;
use super::marks::{MarkId, MovedMarks};
use super::node::{Handle, Node, NodeCount, SharedParent};

#[derive(Debug)]
pub(super) struct Keeper {
    /// Name of the attribute by which the builder passes on an element's mark (the ID of an element
    /// with directives). The name is in capitals. Attribute names of a page are in lower case, so
    /// no page has this attribute.
    pub(super) mark: LocalName,
    /// Name of the attribute by which the builder passes on a formatting element's *likeness*: a
    /// hash of the element's name and attributes.
    pub(super) likeness: LocalName,
    document: Handle,
    /// The one node that represents all comments.
    comment: Handle,
    deepest: u32,
    too_deep: Cell<bool>,
    created: Cell<u64>,
    formatting: Rc<Cell<u64>>,
    /// Number of marked elements (elements with directives) that may get further content. Such an
    /// element is open, contains an open element, or may be opened again.
    marked: Rc<Cell<u64>>,
    /// For each likeness, the latest mark that a formatting element of this likeness got. A
    /// *likeness* is a hash of a tag's name and attributes. A mark is the ID of an element with
    /// directives.
    latest: RefCell<HashMap<Likeness, MarkId>>,
    /// Number of changes of the tree so far that made the stored chains of all nodes invalid.
    age: Cell<u64>,
    moved_marks: RefCell<Vec<MovedMarks>>,
    token: RefCell<TokenEffects>,
    answers: NameAnswers,
    /// Condition on the open elements, to be checked at the next token. The condition mostly tells
    /// whether browsers build different trees at the token.
    condition: RefCell<Option<DoubtCondition>>,
    /// True if `reported_name` must be called when the tree builder asks for an element's name.
    /// There are three possible reasons:
    /// - the builder searches svg or `MathML` for the element that an end tag ends,
    /// - the field `condition` is set, which `reported_name` checks,
    /// - an element has a role other than [`Role::Ordinary`], so `reported_name` may return a
    ///   substitute for the element's name.
    listens: Cell<bool>,
    has_roles: Cell<bool>,
    /// True if there is a `body`, or a `frameset` in place of it.
    has_body: Cell<bool>,
    /// True if the last check of `condition` found the condition met. This mostly means that
    /// browsers build different trees at the token.
    is_doubtful: Cell<bool>,
}

/// Effects of one token on the tree.
#[derive(Debug, Default)]
struct TokenEffects {
    first_serial: u64,
    elements: Vec<Handle>,
    text: Option<Handle>,
    comment: Option<Handle>,
    merged: Option<Vec<String>>,
    changes: Vec<TreeChange>,
}

impl Keeper {
    pub(super) fn new(deepest: u32) -> Self {
        let nameless = || {
            Rc::new(Node::new(
                QualName::new(None, ns!(), LocalName::from("")),
                (None, 0),
                0,
            ))
        };
        Self {
            mark: LocalName::from("MARK"),
            likeness: LocalName::from("LIKE"),
            document: nameless(),
            comment: nameless(),
            deepest,
            too_deep: Cell::new(false),
            created: Cell::new(0),
            formatting: Rc::default(),
            marked: Rc::default(),
            latest: RefCell::default(),
            age: Cell::new(0),
            moved_marks: RefCell::default(),
            token: RefCell::default(),
            answers: NameAnswers::default(),
            condition: RefCell::default(),
            listens: Cell::new(false),
            has_roles: Cell::new(false),
            has_body: Cell::new(false),
            is_doubtful: Cell::new(false),
        }
    }

    pub(super) fn begin(&self, next: &Token) {
        let is_seeking = self.answers.begin(next);
        self.listens
            .set(is_seeking || self.has_roles.get() || self.condition.borrow().is_some());
        let mut token = self.token.borrow_mut();
        token.elements.clear();
        token.changes.clear();
        (token.text, token.comment, token.merged) = (None, None, None);
        token.first_serial = self.created.get() + 1;
    }

    /// Ends the processing of a token. If the token moved earlier content into or out of elements,
    /// records the marks of these elements.
    pub(super) fn finish_token(&self) {
        let token = self.token.borrow();
        if token.changes.is_empty() {
            return;
        }
        let moved = changes::moved_marks(&token.changes, token.first_serial);
        if !moved.is_empty() {
            self.moved_marks.borrow_mut().extend(moved);
            self.age.set(self.age.get() + 1);
        }
    }

    pub(super) fn has_moved_marks(&self) -> bool {
        !self.moved_marks.borrow().is_empty()
    }

    pub(super) fn take_moved_marks(&self) -> Vec<MovedMarks> {
        self.moved_marks.take()
    }

    pub(super) fn is_too_deep(&self) -> bool {
        self.too_deep.get()
    }

    pub(super) fn created(&self) -> u64 {
        self.created.get()
    }

    /// Returns the approximate number of formatting elements that are open or may be opened again.
    pub(super) fn formatting(&self) -> u64 {
        self.formatting.get()
    }

    /// True if an element with directives may be open, or may be opened again.
    pub(super) fn has_marked(&self) -> bool {
        self.marked.get() > 0
    }

    /// True if there is a `body`, or a `frameset` in place of it.
    pub(super) fn has_body(&self) -> bool {
        self.has_body.get()
    }

    /// Returns the element named `name` that the last token has made. Returns `None` if the token
    /// has made no element with this name.
    pub(super) fn own_element(&self, name: &LocalName) -> Option<Handle> {
        let token = self.token.borrow();
        let is_own = |local: &LocalName| {
            local.eq_ignore_ascii_case(name) || &**name == "image" && &**local == "img"
        };
        token
            .elements
            .iter()
            .rev()
            .find(|node| is_own(&node.name.local))
            .cloned()
    }

    pub(super) fn take_merged(&self) -> Option<Vec<String>> {
        self.token.borrow_mut().merged.take()
    }

    /// True if the last token inserted text.
    pub(super) fn has_text(&self) -> bool {
        self.token.borrow().text.is_some()
    }

    /// Returns the element into which the last token inserted text. Returns `None` if the token
    /// inserted no text, and at every further call for this token.
    pub(super) fn take_text(&self) -> Option<Handle> {
        self.token.borrow_mut().text.take()
    }

    /// Returns the element into which the last token inserted a comment. Returns `None` if the
    /// token inserted no comment, and at every further call for this token.
    pub(super) fn take_comment(&self) -> Option<Handle> {
        self.token.borrow_mut().comment.take()
    }

    /// Sets a condition on the open elements, to be checked when the builder gets the next token.
    pub(super) fn check_doubt(&self, condition: DoubtCondition) {
        self.condition.replace(Some(condition));
    }

    /// Returns the name of the element `asked` for the tree builder: the element's real name, or a
    /// substitute.
    ///
    /// The first call for a token also checks the condition set by [`Keeper::check_doubt`]. At this
    /// call, `asked` is the innermost open element, which the condition is about. The check does
    /// not affect the returned name.
    fn reported_name<'a>(&'a self, asked: &'a Handle) -> ExpandedName<'a> {
        let own = asked.name.expanded();
        if let Some(condition) = self.condition.take() {
            self.is_doubtful.set(condition.holds(asked));
        }
        let is_seeking = self.answers.is_seeking_beyond(own);
        self.listens.set(is_seeking || self.has_roles.get());
        if asked.role == Role::Ordinary {
            own
        } else {
            self.answers.name(own, asked.role)
        }
    }

    /// True if the condition set by [`Keeper::check_doubt`] was met. False if there was no
    /// condition, or no open element.
    pub(super) fn take_doubt(&self) -> bool {
        self.condition.take();
        self.is_doubtful.take()
    }

    /// Sets the mark of all formatting elements with this likeness (hash of name and attributes)
    /// that are made from now on.
    pub(super) fn remember(&self, likeness: Likeness, mark: MarkId) {
        self.latest.borrow_mut().insert(likeness, mark);
    }

    /// Returns the chain of marks at a place directly inside `node`.
    pub(super) fn chain(&self, node: &Handle, chains: &mut Chains) -> ChainId {
        let age = self.age.get();
        if let Some(chain) = node.known_chain(age) {
            return chain;
        }
        let parent = node.parent();
        if let Some(parent) = &parent
            && let Some(outer) = parent.known_chain(age)
        {
            let chain = chains.inner(node.mark, outer);
            node.chain.set(Some((age, chain)));
            return chain;
        }
        let mut path = vec![node.clone()];
        let mut chain = ChainId::default();
        let mut next = parent;
        while let Some(node) = next {
            if let Some(outer) = node.known_chain(age) {
                chain = outer;
                break;
            }
            next = node.parent();
            path.push(node);
        }
        for node in path.into_iter().rev() {
            chain = chains.inner(node.mark, chain);
            node.chain.set(Some((age, chain)));
        }
        chain
    }

    /// Inserts `child` into `parent`.
    fn adopt(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let mut token = self.token.borrow_mut();
        match child {
            NodeOrText::AppendText(_) => token.text = Some(parent.clone()),
            NodeOrText::AppendNode(node) if Rc::ptr_eq(&node, &self.comment) => {
                token.comment = Some(parent.clone());
            }
            NodeOrText::AppendNode(node) => {
                let depth = parent.depth.get() + 1;
                if depth > self.deepest {
                    self.too_deep.set(true);
                }
                node.depth.set(depth);
                let old = node.parent.replace(Some(SharedParent::ensure(parent)));
                if let Some(from) = old {
                    token.changes.push(TreeChange::Element {
                        node: node.clone(),
                        from,
                    });
                }
            }
        }
    }
}

impl TreeSink for Keeper {
    type Handle = Handle;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.document.clone()
    }

    #[inline]
    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        // One branch for ordinary pages, since the builder asks for the names of all open elements
        // at each tag.
        if self.listens.get() {
            self.reported_name(target)
        } else {
            target.name.expanded()
        }
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        let serial = self.created.get() + 1;
        self.created.set(serial);
        let value = |name: &LocalName| {
            attributes
                .iter()
                .find(|a| a.name.local == *name)
                .map(|a| &*a.value)
        };
        let likeness = value(&self.likeness).map(Likeness::parse);
        let mark = match likeness {
            Some(likeness) => self.latest.borrow().get(&likeness).copied(),
            None => value(&self.mark)
                .and_then(|value| value.parse().ok())
                .map(MarkId::nth),
        };
        let own = mark.map_or(0, |mark| 1 + mark.index() as u128);
        let copy_group = likeness.map_or(own, |Likeness(copy_group)| copy_group);
        let mut node = Node::new(name, (mark, copy_group), serial);
        node.is_integration_point = flags.mathml_annotation_xml_integration_point;
        node.role = Role::from_name(node.name.expanded(), node.is_integration_point);
        if node.role != Role::Ordinary {
            self.has_roles.set(true);
            self.listens.set(true);
        }
        let local = &node.name.local;
        let is_body = *local == local_name!("body");
        if node.name.ns == ns!(html) && (is_body || *local == local_name!("frameset")) {
            self.has_body.set(true);
        }
        if is_body || *local == local_name!("html") {
            let names = attributes
                .into_iter()
                .map(|attribute| attribute.name.local)
                .collect();
            node.attributes = Some(Box::new(RefCell::new(names)));
        }
        node.marked = mark.map(|_| NodeCount::new(&self.marked));
        node.formatting =
            html::is_formatting(&node.name.local).then(|| NodeCount::new(&self.formatting));
        let node = Rc::new(node);
        self.token.borrow_mut().elements.push(node.clone());
        node
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.comment.clone()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.comment.clone()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.adopt(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        self.adopt(&element.parent().unwrap_or_else(|| previous.clone()), child);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        self.adopt(
            &sibling.parent().unwrap_or_else(|| self.document.clone()),
            child,
        );
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        Rc::ptr_eq(x, y)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        let Some(known) = &target.attributes else {
            return;
        };
        let mut known = known.borrow_mut();
        let fresh: Vec<_> = attributes
            .into_iter()
            .map(|attribute| attribute.name.local)
            .filter(|name| !known.contains(name))
            .collect();
        self.token.borrow_mut().merged = Some(fresh.iter().map(|name| name.to_string()).collect());
        known.extend(fresh);
    }

    fn remove_from_parent(&self, target: &Handle) {
        if let Some(from) = target.parent.take() {
            self.token.borrow_mut().changes.push(TreeChange::Element {
                node: target.clone(),
                from,
            });
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let shared = SharedParent::give_away(node, new_parent);
        self.token.borrow_mut().changes.push(TreeChange::Children {
            shared,
            from: node.clone(),
        });
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        handle.is_integration_point
    }
}
