//! An element that knows its parent, and no more.
//!
//! An element's children point at its *body*, not at the element, so that all of them can be given to another element
//! at once without being known: the old body then leads on to the other one. What nothing points at any more is freed.

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
    /// The names of its attributes, of `html` and `body` alone.
    pub(super) attributes: Option<Box<RefCell<HashSet<LocalName>>>>,
    pub(super) is_integration_point: bool,
    pub(super) mark: Option<MarkId>,
    /// The same for marks that mean the same: the copies that HTML makes of an element.
    pub(super) kin: u128,
    /// Its number in the order in which elements are made.
    pub(super) serial: u64,
    pub(super) depth: Cell<u32>,
    pub(super) parent: RefCell<Option<Rc<Body>>>,
    /// Counts it among the formatting elements that are in use.
    pub(super) formatting: Option<Counted>,
    /// Kept alive by the children.
    body: RefCell<Weak<Body>>,
    /// Its chain, and the age of the tree in which it was found.
    pub(super) chain: Cell<Option<(u64, ChainId)>>,
}

/// Counts as long as it is alive.
#[derive(Debug)]
pub(super) struct Counted(Rc<Cell<u64>>);

impl Counted {
    pub(super) fn new(count: &Rc<Cell<u64>>) -> Self {
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
pub(super) enum Owner {
    Here(Handle),
    /// Its children were given away.
    Moved(Rc<Body>),
}

impl Body {
    pub(super) fn of(node: &Handle) -> Rc<Self> {
        let body = node.body.borrow().upgrade();
        body.unwrap_or_else(|| {
            let body = Rc::new(Self(RefCell::new(Owner::Here(node.clone()))));
            node.body.replace(Rc::downgrade(&body));
            body
        })
    }

    /// Gives all children of a node to another; returns the body that they had.
    pub(super) fn give_away(node: &Handle, to: &Handle) -> Rc<Self> {
        let body = Self::of(node);
        node.body.take();
        *body.0.borrow_mut() = Owner::Moved(Self::of(to));
        body
    }

    /// To whom it was given, if it was.
    pub(super) fn next(&self) -> Result<Handle, Rc<Self>> {
        match &*self.0.borrow() {
            Owner::Here(node) => Ok(node.clone()),
            Owner::Moved(body) => Err(body.clone()),
        }
    }

    /// Whose children these are.
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
}
