//! An element that knows only its parent.
//!
//! An element's children point at its *body*, not at the element. So all of them can be given to
//! another element at once, without a list of them. The old body then leads on to the other one. A
//! node is freed when nothing points at it any more.

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
    /// The names of its attributes; only for `html` and `body`.
    pub(super) attributes: Option<Box<RefCell<HashSet<LocalName>>>>,
    pub(super) is_integration_point: bool,
    pub(super) has_root: Cell<bool>,
    pub(super) mark: Option<MarkId>,
    /// The kin: equal for marks that mean the same, as those of the copies that HTML makes of an
    /// element.
    pub(super) kin: u128,
    /// The serial number, in the order in which elements are made.
    pub(super) serial: u64,
    pub(super) depth: Cell<u32>,
    pub(super) parent: RefCell<Option<Rc<NodeBody>>>,
    /// Counts it among the formatting elements in use.
    pub(super) formatting: Option<NodeCount>,
    /// The body, kept alive by the children.
    body: RefCell<Weak<NodeBody>>,
    /// The chain, and the age of the tree at which it was found.
    pub(super) chain: Cell<Option<(u64, ChainId)>>,
}

/// Adds one to a count as long as it is alive.
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

/// The object that children point at.
#[derive(Debug)]
pub(super) struct NodeBody(RefCell<NodeOwner>);

#[derive(Debug)]
pub(super) enum NodeOwner {
    Here(Handle),
    /// The children were given away.
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

    /// Gives all children of a node to another. Returns their former body.
    pub(super) fn give_away(node: &Handle, to: &Handle) -> Rc<Self> {
        let body = Self::ensure(node);
        node.body.take();
        *body.0.borrow_mut() = NodeOwner::Moved(Self::ensure(to));
        body
    }

    /// The owner, or the body that the children were given to.
    pub(super) fn next(&self) -> Result<Handle, Rc<Self>> {
        match &*self.0.borrow() {
            NodeOwner::Here(node) => Ok(node.clone()),
            NodeOwner::Moved(body) => Err(body.clone()),
        }
    }

    /// The element whose children these are.
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

    /// The chain right inside it, if it was found when the tree had this age.
    pub(super) fn known_chain(&self, age: u64) -> Option<ChainId> {
        match self.chain.get() {
            Some((found_at, chain)) if found_at == age => Some(chain),
            _ => None,
        }
    }
}
