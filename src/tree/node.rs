//! An element that knows only its parent.
//!
//! An element's children point at its *body*, not at the element. So all of them can be given to another element at
//! once, without a list of them. The old body then leads on to the other one. A node is freed when nothing points at it
//! any more. One thread at a time has the tree; locks and atomics are there so that another one may have it next.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use html5ever::LocalName;
use html5ever::interface::QualName;

use crate::standard::Role;

use super::chains::ChainId;
use super::marks::MarkId;

pub(super) type Handle = Arc<Node>;

/// An element, the document, or a comment.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: QualName,
    pub(super) role: Role,
    /// The names of its attributes; only for `html` and `body`.
    pub(super) attributes: Option<Box<Mutex<HashSet<LocalName>>>>,
    pub(super) is_integration_point: bool,
    has_root: AtomicBool,
    pub(super) mark: Option<MarkId>,
    /// The kin: equal for marks that mean the same, as those of the copies that HTML makes of an element.
    pub(super) kin: u128,
    /// The serial number, in the order in which elements are made.
    pub(super) serial: u64,
    depth: AtomicU32,
    parent: Mutex<Option<Arc<Body>>>,
    /// Counts it among the formatting elements in use.
    pub(super) formatting: Option<Counted>,
    /// The body, kept alive by the children.
    body: Mutex<Weak<Body>>,
    /// The chain, as a number.
    chain: AtomicU32,
    /// The age of the tree at which the chain was found, plus 1; 0 if it is not known.
    chain_age: AtomicU64,
}

/// Adds one to a count as long as it is alive.
#[derive(Debug)]
pub(super) struct Counted(Arc<AtomicU64>);

impl Counted {
    pub(super) fn new(count: &Arc<AtomicU64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The object that children point at.
#[derive(Debug)]
pub(super) struct Body(Mutex<Owner>);

#[derive(Debug)]
pub(super) enum Owner {
    Here(Handle),
    /// The children were given away.
    Moved(Arc<Body>),
}

/// Locks what only this thread has: it never waits.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Body {
    pub(super) fn of(node: &Handle) -> Arc<Self> {
        let mut known = locked(&node.body);
        known.upgrade().unwrap_or_else(|| {
            let body = Arc::new(Self(Mutex::new(Owner::Here(node.clone()))));
            *known = Arc::downgrade(&body);
            body
        })
    }

    /// Gives all children of a node to another. Returns their former body.
    pub(super) fn give_away(node: &Handle, to: &Handle) -> Arc<Self> {
        let body = Self::of(node);
        *locked(&node.body) = Weak::new();
        *locked(&body.0) = Owner::Moved(Self::of(to));
        body
    }

    /// The owner, or the body that the children were given to.
    pub(super) fn next(&self) -> Result<Handle, Arc<Self>> {
        match &*locked(&self.0) {
            Owner::Here(node) => Ok(node.clone()),
            Owner::Moved(body) => Err(body.clone()),
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
            has_root: AtomicBool::new(false),
            mark,
            kin,
            serial,
            depth: AtomicU32::new(0),
            parent: Mutex::new(None),
            formatting: None,
            body: Mutex::default(),
            chain: AtomicU32::new(0),
            chain_age: AtomicU64::new(0),
        }
    }

    pub(super) fn parent(&self) -> Option<Handle> {
        locked(&self.parent).as_ref().map(|body| body.owner())
    }

    /// What its parent's children point at.
    pub(super) fn parent_body(&self) -> Option<Arc<Body>> {
        locked(&self.parent).clone()
    }

    /// Puts it into another parent. Returns the former one's body.
    pub(super) fn put_into(&self, parent: Option<Arc<Body>>) -> Option<Arc<Body>> {
        std::mem::replace(&mut *locked(&self.parent), parent)
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }

    pub(super) fn set_depth(&self, depth: u32) {
        self.depth.store(depth, Ordering::Relaxed);
    }

    /// Gives it a shadow root. Returns false if it has one.
    pub(super) fn take_root(&self) -> bool {
        !self.has_root.swap(true, Ordering::Relaxed)
    }

    /// The chain, if it was found at this age of the tree.
    pub(super) fn chain_at(&self, age: u64) -> Option<ChainId> {
        let is_known = self.chain_age.load(Ordering::Relaxed) == age + 1;
        is_known.then(|| ChainId::of_number(self.chain.load(Ordering::Relaxed)))
    }

    pub(super) fn set_chain(&self, age: u64, chain: ChainId) {
        self.chain.store(chain.number(), Ordering::Relaxed);
        self.chain_age.store(age + 1, Ordering::Relaxed);
    }
}
