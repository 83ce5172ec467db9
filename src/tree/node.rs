//! A tree node with a pointer only to its parent.
//!
//! The children of an element point at the element's *body*, not at the element itself. So all of
//! them can be moved to another element at once, without a list of them. The old body then refers
//! to the new one. A node is freed when no pointer to it is left.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::{Rc, Weak};

use html5ever::LocalName;
use html5ever::interface::QualName;

use crate::standard::Role;

use super::chains::ChainId;
use super::marks::MarkId;

pub(super) type Handle = Rc<Node>;

/// An element, the document, or a comment.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: QualName,
    pub(super) role: Role,
    /// Names of the attributes of an `html` or `body`. `None` for any other node.
    pub(super) attributes: Option<Box<RefCell<HashSet<LocalName>>>>,
    pub(super) is_integration_point: bool,
    pub(super) has_root: Cell<bool>,
    pub(super) mark: Option<MarkId>,
    /// Kin of the mark: a number that is equal for the copies that HTML makes of one element.
    pub(super) kin: u128,
    /// Serial number, in the order in which nodes are made.
    pub(super) serial: u64,
    pub(super) depth: Cell<u32>,
    pub(super) parent: RefCell<Option<Rc<NodeBody>>>,
    /// Guard that counts the node among the formatting elements in use. `None` for other elements.
    pub(super) formatting: Option<NodeCount>,
    /// Object that the children of the node point to. The children own it.
    body: RefCell<Weak<NodeBody>>,
    /// Age of the tree at which the chain inside the node was computed, and this chain.
    pub(super) chain: Cell<Option<(u64, ChainId)>>,
}

/// Guard that adds one to a count until it is dropped.
#[derive(Debug)]
pub(super) struct NodeCount(Rc<Cell<u64>>);

impl NodeCount {
    pub(super) fn new(count: &Rc<Cell<u64>>) -> Self {
        count.set(count.get() + 1);
        Self(count.clone())
    }
}

impl Drop for NodeCount {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// Object that the children of a node point to, in place of the node itself.
#[derive(Debug)]
pub(super) struct NodeBody(RefCell<NodeOwner>);

#[derive(Debug)]
pub(super) enum NodeOwner {
    Here(Handle),
    /// The children were moved to the node that owns this other body.
    Moved(Rc<NodeBody>),
}

impl NodeBody {
    pub(super) fn ensure(node: &Handle) -> Rc<Self> {
        let body = node.body.borrow().upgrade();
        body.unwrap_or_else(|| {
            let body = Rc::new(Self(RefCell::new(NodeOwner::Here(node.clone()))));
            node.body.replace(Rc::downgrade(&body));
            body
        })
    }

    /// Moves all children of `node` to the node `to`. Returns the former body of `node`, which the
    /// moved children still point to.
    pub(super) fn give_away(node: &Handle, to: &Handle) -> Rc<Self> {
        let body = Self::ensure(node);
        node.body.take();
        *body.0.borrow_mut() = NodeOwner::Moved(Self::ensure(to));
        body
    }

    /// Returns the node that owns the children of this body. If they were moved, the error is the
    /// body to which they were moved.
    pub(super) fn next(&self) -> Result<Handle, Rc<Self>> {
        match &*self.0.borrow() {
            NodeOwner::Here(node) => Ok(node.clone()),
            NodeOwner::Moved(body) => Err(body.clone()),
        }
    }

    /// Returns the node that owns the children of this body now, after all moves.
    pub(super) fn owner(&self) -> Handle {
        let mut next = self.next();
        loop {
            match next {
                Ok(node) => return node,
                Err(body) => next = body.next(),
            }
        }
    }
}

impl Node {
    pub(super) fn new(name: QualName, (mark, kin): (Option<MarkId>, u128), serial: u64) -> Self {
        Self {
            name,
            role: Role::Ordinary,
            attributes: None,
            is_integration_point: false,
            has_root: Cell::new(false),
            mark,
            kin,
            serial,
            depth: Cell::new(0),
            parent: RefCell::new(None),
            formatting: None,
            body: RefCell::default(),
            chain: Cell::new(None),
        }
    }

    pub(super) fn parent(&self) -> Option<Handle> {
        self.parent.borrow().as_ref().map(|body| body.owner())
    }

    /// Returns the chain directly inside the node, if it was computed at this age of the tree.
    pub(super) fn known_chain(&self, age: u64) -> Option<ChainId> {
        match self.chain.get() {
            Some((found_at, chain)) if found_at == age => Some(chain),
            _ => None,
        }
    }
}
