//! The builder's sink: elements that know their parent, and no more.
//!
//! An element's children point at its *body*, not at the element, so that all of them can be given to another element
//! at once without being known: the old body then leads on to the other one. What nothing points at any more is freed.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::{Rc, Weak};

use html5ever::interface::{Attribute, ElementFlags, NodeOrText, QualName, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{ExpandedName, LocalName, ns};

use crate::html;

use super::{ChainId, Chains, Mark, Shift};

/// The attribute that carries a mark. No page has one of this name: those are in lower case.
pub(super) const MARK: &str = "MARK";
/// The attribute that carries the likeness of a formatting element.
pub(super) const LIKENESS: &str = "LIKENESS";

pub(super) type Handle = Rc<Node>;

/// An element, the document, or a comment.
#[derive(Debug)]
pub(super) struct Node {
    name: QualName,
    /// The names of its attributes, of `html` and `body` alone.
    attributes: RefCell<HashSet<LocalName>>,
    is_integration_point: bool,
    mark: Mark,
    /// The same for marks that mean the same: the copies that HTML makes of an element.
    kin: u128,
    /// Its number in the order in which elements are made.
    serial: u64,
    depth: Cell<u32>,
    parent: RefCell<Option<Rc<Body>>>,
    /// Counts it among the formatting elements that are in use.
    _formatting: Option<Counted>,
    /// Kept alive by the children.
    body: RefCell<Weak<Body>>,
    /// Its chain, and the age of the tree in which it was found.
    chain: Cell<Option<(u64, ChainId)>>,
}

/// Counts as long as it is alive.
#[derive(Debug)]
struct Counted(Rc<Cell<u64>>);

impl Counted {
    fn new(count: &Rc<Cell<u64>>) -> Self {
        count.set(count.get() + 1);
        Self(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// What children point at.
#[derive(Debug)]
pub(super) struct Body(RefCell<Owner>);

#[derive(Debug)]
enum Owner {
    Here(Handle),
    /// Its children were given away.
    Moved(Rc<Body>),
}

impl Body {
    fn of(node: &Handle) -> Rc<Self> {
        let body = node.body.borrow().upgrade();
        body.unwrap_or_else(|| {
            let body = Rc::new(Self(RefCell::new(Owner::Here(node.clone()))));
            node.body.replace(Rc::downgrade(&body));
            body
        })
    }

    fn owner(&self) -> Handle {
        let mut next = match &*self.0.borrow() {
            Owner::Here(node) => return node.clone(),
            Owner::Moved(body) => body.clone(),
        };
        loop {
            let after = match &*next.0.borrow() {
                Owner::Here(node) => return node.clone(),
                Owner::Moved(body) => body.clone(),
            };
            next = after;
        }
    }
}

impl Node {
    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    fn parent(&self) -> Option<Handle> {
        self.parent.borrow().as_ref().map(|body| body.owner())
    }
}

/// A change of the tree, with what was before.
#[derive(Debug)]
enum Change {
    /// An element left its parent.
    Element { node: Handle, from: Rc<Body> },
    /// The children of an element were given to another.
    Children { body: Rc<Body>, from: Handle },
}

#[derive(Debug)]
pub(super) struct Keeper {
    document: Handle,
    /// Stands for every comment.
    comment: Handle,
    deepest: u32,
    too_deep: Cell<bool>,
    created: Cell<u64>,
    formatting: Rc<Cell<u64>>,
    /// The latest mark of each likeness.
    latest: RefCell<HashMap<u128, Mark>>,
    /// Counts the changes that made chains stale.
    age: Cell<u64>,
    shifts: RefCell<Vec<Shift>>,
    token: RefCell<OneToken>,
}

/// What one token did.
#[derive(Debug, Default)]
struct OneToken {
    first_serial: u64,
    made: Vec<Handle>,
    text: Option<Handle>,
    comment: Option<Handle>,
    merged: Option<Vec<String>>,
    changes: Vec<Change>,
}

impl OneToken {
    /// The element that all changes lie inside of, where that is known: adoption hangs all that it moves into one, and
    /// when it goes on, it does so further in.
    fn top(&self) -> Option<Handle> {
        let adopted = self.changes.iter().position(|change| matches!(change, Change::Children { .. }))?;
        let last = self.changes[..adopted].iter().rev().find_map(|change| match change {
            Change::Element { node, .. } => Some(node),
            Change::Children { .. } => None,
        });
        last?.parent()
    }
}

impl Keeper {
    pub(super) fn new(deepest: u32) -> Self {
        let node = || node(QualName::new(None, ns!(), LocalName::from("")), (0, 0), 0);
        Self {
            document: Rc::new(node()),
            comment: Rc::new(node()),
            deepest,
            too_deep: Cell::new(false),
            created: Cell::new(0),
            formatting: Rc::default(),
            latest: RefCell::default(),
            age: Cell::new(0),
            shifts: RefCell::default(),
            token: RefCell::default(),
        }
    }

    pub(super) fn begin(&self) {
        let mut token = self.token.borrow_mut();
        token.made.clear();
        token.changes.clear();
        (token.text, token.comment, token.merged) = (None, None, None);
        token.first_serial = self.created.get() + 1;
    }

    /// After a token: finds out whose chains it has changed.
    pub(super) fn settle(&self) {
        let token = self.token.borrow();
        if token.changes.is_empty() {
            return;
        }
        let top = token.top();
        let mut changed = false;
        for change in &token.changes {
            let (was_in, is_in) = match change {
                Change::Element { node, from } if node.serial < token.first_serial => {
                    (former_owner(&token.changes, from), node.parent())
                }
                Change::Children { body, from } if from.serial < token.first_serial => {
                    (from.clone(), Some(body.owner()))
                }
                _ => continue,
            };
            let before = marks(Some(was_in), top.as_ref(), |node| former_parent(&token.changes, node));
            let after = marks(is_in, top.as_ref(), |node| node.parent());
            if let Some(shift) = shift(&before, &after) {
                self.shifts.borrow_mut().push(shift);
                changed = true;
            }
        }
        if changed {
            self.age.set(self.age.get() + 1);
        }
    }

    pub(super) fn shifts(&self) -> Vec<Shift> {
        self.shifts.take()
    }

    pub(super) fn is_too_deep(&self) -> bool {
        self.too_deep.get()
    }

    pub(super) fn created(&self) -> u64 {
        self.created.get()
    }

    /// How many formatting elements are in use, about.
    pub(super) fn formatting(&self) -> u64 {
        self.formatting.get()
    }

    /// The element that the last token, a start tag, made of itself.
    pub(super) fn own_element(&self, name: &LocalName) -> Option<Handle> {
        let token = self.token.borrow();
        let is_own = |local: &LocalName| local.eq_ignore_ascii_case(name) || &**name == "image" && &**local == "img";
        token.made.iter().rev().find(|node| is_own(&node.name.local)).cloned()
    }

    pub(super) fn take_merged(&self) -> Option<Vec<String>> {
        self.token.borrow_mut().merged.take()
    }

    /// The element that the last text went into.
    pub(super) fn take_text(&self) -> Option<Handle> {
        self.token.borrow_mut().text.take()
    }

    /// The element that the last comment went into.
    pub(super) fn take_comment(&self) -> Option<Handle> {
        self.token.borrow_mut().comment.take()
    }

    /// The mark of formatting elements of this likeness, from now on.
    pub(super) fn remember(&self, likeness: u128, mark: Mark) {
        self.latest.borrow_mut().insert(likeness, mark);
    }

    /// The chain of what stands right inside an element.
    pub(super) fn chain(&self, node: &Handle, chains: &mut Chains) -> ChainId {
        let age = self.age.get();
        let known = |node: &Node| node.chain.get().filter(|(at, _)| *at == age).map(|(_, chain)| chain);
        if let Some(chain) = known(node) {
            return chain;
        }
        let (mut path, mut chain, mut next) = (vec![node.clone()], 0, node.parent());
        while let Some(node) = next {
            if let Some(outer) = known(&node) {
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

    /// Puts a child into `parent`.
    fn adopt(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let mut token = self.token.borrow_mut();
        match child {
            NodeOrText::AppendText(_) => token.text = Some(parent.clone()),
            NodeOrText::AppendNode(node) if Rc::ptr_eq(&node, &self.comment) => token.comment = Some(parent.clone()),
            NodeOrText::AppendNode(node) => {
                let depth = parent.depth.get() + 1;
                if depth > self.deepest {
                    self.too_deep.set(true);
                }
                node.depth.set(depth);
                let old = node.parent.replace(Some(Body::of(parent)));
                if let Some(from) = old {
                    token.changes.push(Change::Element { node: node.clone(), from });
                }
            }
        }
    }
}

fn node(name: QualName, (mark, kin): (Mark, u128), serial: u64) -> Node {
    Node {
        name,
        attributes: RefCell::default(),
        is_integration_point: false,
        mark,
        kin,
        serial,
        depth: Cell::new(0),
        parent: RefCell::new(None),
        _formatting: None,
        body: RefCell::default(),
        chain: Cell::new(None),
    }
}

/// The marks round a place, innermost first, each with its kin.
type Marks = Vec<(Mark, u128)>;

/// The marks of an element and those round it, below `top`.
fn marks(mut next: Option<Handle>, top: Option<&Handle>, outer: impl Fn(&Handle) -> Option<Handle>) -> Marks {
    let mut marks = Vec::new();
    while let Some(node) = next.filter(|node| top.is_none_or(|top| !Rc::ptr_eq(top, node))) {
        marks.extend((node.mark != 0).then_some((node.mark, node.kin)));
        next = outer(&node);
    }
    marks
}

/// Whose child an element was before these changes.
fn former_parent(changes: &[Change], node: &Handle) -> Option<Handle> {
    let former = changes.iter().find_map(|change| match change {
        Change::Element { node: moved, from } if Rc::ptr_eq(moved, node) => Some(from.clone()),
        _ => None,
    });
    let former = former.or_else(|| node.parent.borrow().clone());
    former.map(|body| former_owner(changes, &body))
}

/// Whose body this was before these changes.
fn former_owner(changes: &[Change], body: &Rc<Body>) -> Handle {
    let mut body = body.clone();
    loop {
        let given_away = changes.iter().find_map(|change| match change {
            Change::Children { body: moved, from } if Rc::ptr_eq(moved, &body) => Some(from.clone()),
            _ => None,
        });
        if let Some(node) = given_away {
            return node;
        }
        let next = match &*body.0.borrow() {
            Owner::Here(node) => return node.clone(),
            Owner::Moved(next) => next.clone(),
        };
        body = next;
    }
}

/// What has changed between two chains, but for what is outside both in the same order.
fn shift(before: &Marks, after: &Marks) -> Option<Shift> {
    let same = before.iter().rev().zip(after.iter().rev()).take_while(|(b, a)| b.1 == a.1).count();
    let (before, after) = (&before[..before.len() - same], &after[..after.len() - same]);
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let was_inside = |kin: u128| before.iter().any(|(_, k)| *k == kin);
    Some(Shift {
        left: before.iter().map(|(mark, _)| *mark).collect(),
        entered: after.iter().filter(|(_, kin)| !was_inside(*kin)).map(|(mark, _)| *mark).collect(),
    })
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

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let serial = self.created.get() + 1;
        self.created.set(serial);
        let value = |name: &str| attributes.iter().find(|a| &*a.name.local == name).map(|a| &*a.value);
        let likeness = value(LIKENESS).and_then(|value| value.parse().ok());
        let mark = match likeness {
            Some(likeness) => self.latest.borrow().get(&likeness).copied(),
            None => value(MARK).and_then(|value| value.parse().ok()),
        };
        let mark = mark.unwrap_or(0);
        let kin = likeness.unwrap_or(u128::from(mark));
        let mut made = node(name, (mark, kin), serial);
        made.is_integration_point = flags.mathml_annotation_xml_integration_point;
        if matches!(&*made.name.local, "html" | "body") {
            made.attributes = RefCell::new(attributes.into_iter().map(|attribute| attribute.name.local).collect());
        }
        made._formatting = html::is_formatting(&made.name.local).then(|| Counted::new(&self.formatting));
        let made = Rc::new(made);
        self.token.borrow_mut().made.push(made.clone());
        made
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

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        self.adopt(&element.parent().unwrap_or_else(|| previous.clone()), child);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        self.adopt(&sibling.parent().unwrap_or_else(|| self.document.clone()), child);
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
        let mut known = target.attributes.borrow_mut();
        let fresh: Vec<_> =
            attributes.into_iter().map(|attribute| attribute.name.local).filter(|name| !known.contains(name)).collect();
        self.token.borrow_mut().merged = Some(fresh.iter().map(|name| name.to_string()).collect());
        known.extend(fresh);
    }

    fn remove_from_parent(&self, target: &Handle) {
        if let Some(from) = target.parent.take() {
            self.token.borrow_mut().changes.push(Change::Element { node: target.clone(), from });
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let body = Body::of(node);
        node.body.take();
        *body.0.borrow_mut() = Owner::Moved(Body::of(new_parent));
        self.token.borrow_mut().changes.push(Change::Children { body, from: node.clone() });
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        handle.is_integration_point
    }
}
