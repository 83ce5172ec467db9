//! A tree node with a pointer only to its parent.
//!
//! The children of an element point at one [`SharedParent`], not at the element itself. So all of
//! them can be moved to another element at once, without a list of them. The old [`SharedParent`]
//! then refers to that of the other element. A node is freed when no pointer to it is left.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::{Rc, Weak};

use html5ever::LocalName;
use html5ever::interface::QualName;

use crate::standard::Role;

use super::chains::ChainId;
use super::marks::MarkId;

pub(super) type Handle = Rc<Node>;

/// Node of a page's tree: an element, the document, or a comment.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: QualName,
    pub(super) role: Role,
    /// Names of the attributes of an `html` or `body`. `None` for any other node.
    pub(super) attributes: Option<Box<RefCell<HashSet<LocalName>>>>,
    pub(super) is_integration_point: bool,
    pub(super) has_root: Cell<bool>,
    /// True if the node is a `select`, and browsers differ on which elements end with this
    /// `select`.
    pub(super) is_disputed: Cell<bool>,
    pub(super) mark: Option<MarkId>,
    /// Guard that counts the node among the marked nodes (elements with directives) that exist.
    /// `None` for a node without a mark.
    pub(super) marked: Option<NodeCount>,
    /// Number that an element and its copies have in common. HTML may make copies of formatting
    /// elements.
    pub(super) copy_group: u128,
    /// Serial number, in the order in which nodes are made.
    pub(super) serial: u64,
    pub(super) depth: Cell<u32>,
    pub(super) parent: RefCell<Option<Rc<SharedParent>>>,
    /// Guard that counts the node among the formatting elements that exist. `None` for other
    /// elements.
    pub(super) formatting: Option<NodeCount>,
    /// The object that the children of the node point to. The children own it.
    shared_parent: RefCell<Weak<SharedParent>>,
    /// Chain of the marks around content of the node: marks of the node and of the elements around
    /// it. The number in the pair is the age of the tree at which the chain was computed. The age
    /// is the number of changes that made chains invalid. `None` if no chain was computed yet.
    pub(super) chain: Cell<Option<(u64, ChainId)>>,
}

/// Guard that increases a count by one. When the guard is dropped, the count decreases by one
/// again.
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

/// Object that the children of a node point to, in place of the node itself. A single change of
/// this object moves all children to another node.
#[derive(Debug)]
pub(super) struct SharedParent(RefCell<ParentPlace>);

#[derive(Debug)]
pub(super) enum ParentPlace {
    Here(Handle),
    /// The children were moved to another node. They now share the parent object of that node.
    Moved(Rc<SharedParent>),
}

impl SharedParent {
    /// Returns the object that the children of `node` point to. Creates it if there is none.
    pub(super) fn ensure(node: &Handle) -> Rc<Self> {
        let shared = node.shared_parent.borrow().upgrade();
        shared.unwrap_or_else(|| {
            let shared = Rc::new(Self(RefCell::new(ParentPlace::Here(node.clone()))));
            node.shared_parent.replace(Rc::downgrade(&shared));
            shared
        })
    }

    /// Moves all children of `node` to the node `to`. Returns the object through which these
    /// children pointed to `node`. The children still point to this object, which now leads to
    /// `to`.
    pub(super) fn give_away(node: &Handle, to: &Handle) -> Rc<Self> {
        let shared = Self::ensure(node);
        node.shared_parent.take();
        *shared.0.borrow_mut() = ParentPlace::Moved(Self::ensure(to));
        shared
    }

    /// Returns the parent of the children that point to this object. If they were moved, the error
    /// is the object of the node to which they were moved.
    pub(super) fn resolve_once(&self) -> Result<Handle, Rc<Self>> {
        match &*self.0.borrow() {
            ParentPlace::Here(node) => Ok(node.clone()),
            ParentPlace::Moved(shared) => Err(shared.clone()),
        }
    }

    /// Returns the present parent of the children that point to this object. If the children were
    /// moved, this is the node to which they were moved last.
    pub(super) fn resolve(&self) -> Handle {
        let mut next = self.resolve_once();
        loop {
            match next {
                Ok(node) => return node,
                Err(shared) => next = shared.resolve_once(),
            }
        }
    }
}

impl Node {
    pub(super) fn new(
        name: QualName,
        (mark, copy_group): (Option<MarkId>, u128),
        serial: u64,
    ) -> Self {
        Self {
            name,
            role: Role::Ordinary,
            attributes: None,
            is_integration_point: false,
            has_root: Cell::new(false),
            is_disputed: Cell::new(false),
            mark,
            marked: None,
            copy_group,
            serial,
            depth: Cell::new(0),
            parent: RefCell::new(None),
            formatting: None,
            shared_parent: RefCell::default(),
            chain: Cell::new(None),
        }
    }

    pub(super) fn parent(&self) -> Option<Handle> {
        self.parent.borrow().as_ref().map(|shared| shared.resolve())
    }

    /// Returns the chain of the marks around content of the node: marks of the node and of the
    /// elements around it. Returns `None` if this chain was not computed at the age `age` of the
    /// tree. The age is the number of changes that made chains invalid.
    pub(super) fn known_chain(&self, age: u64) -> Option<ChainId> {
        match self.chain.get() {
            Some((found_at, chain)) if found_at == age => Some(chain),
            _ => None,
        }
    }
}
