//! Computes how elements that were moved in the tree change the marks around content that was read
//! before.

use std::rc::Rc;

use super::marks::{MarkId, MovedMarks};
use super::node::{Handle, SharedParent};

/// A change of the tree in which elements lose their parent. The change records this former parent.
#[derive(Debug)]
pub(super) enum TreeChange {
    /// The element `node` was removed from its parent. The object `from` leads to this former
    /// parent.
    Element {
        node: Handle,
        from: Rc<SharedParent>,
    },
    /// All children of the element `from` were moved to another element. `shared` is the object
    /// that the children point to in place of their parent.
    Children {
        shared: Rc<SharedParent>,
        from: Handle,
    },
}

/// Finds the earlier content that one token has moved in the tree. For each move, returns the marks
/// (IDs of elements with directives) of the elements that the content has left or entered.
/// `changes` are the changes of the tree that the token has caused. Elements with serial numbers
/// below `first_serial` existed before the token.
pub(super) fn moved_marks(changes: &[TreeChange], first_serial: u64) -> Vec<MovedMarks> {
    let top = top(changes);
    let mut moved = Vec::new();
    for change in changes {
        let (former, present) = match change {
            TreeChange::Element { node, from } if node.serial < first_serial => {
                (resolve_former(changes, from), node.parent())
            }
            TreeChange::Children { shared, from } if from.serial < first_serial => {
                (from.clone(), Some(shared.resolve()))
            }
            _ => continue,
        };
        let before = marks(Some(former), top.as_ref(), |node| {
            former_parent(changes, node)
        });
        let after = marks(present, top.as_ref(), |node| node.parent());
        moved.extend(difference(&before, &after));
    }
    moved
}

/// Returns the element that contains all changes, if the adoption algorithm of the HTML standard
/// has made them. This algorithm first moves everything into one element, and then works inside
/// this element. Returns `None` for other changes.
fn top(changes: &[TreeChange]) -> Option<Handle> {
    let adopted = changes
        .iter()
        .position(|change| matches!(change, TreeChange::Children { .. }))?;
    for change in changes[..adopted].iter().rev() {
        if let TreeChange::Element { node, .. } = change {
            return node.parent();
        }
    }
    None
}

/// Marks of the elements around a place in the tree, innermost first. Each mark is paired with the
/// `copy_group` of its element: a number that an element shares with its copies.
type ChangedMarks = Vec<(MarkId, u128)>;

/// Returns the marks of the element `next` and of the elements around it, innermost first. Stops
/// before the element `top`, if `top` is given. `outer` returns the parent of an element.
fn marks(
    mut next: Option<Handle>,
    top: Option<&Handle>,
    outer: impl Fn(&Handle) -> Option<Handle>,
) -> ChangedMarks {
    let mut marks = Vec::new();
    while let Some(node) = next {
        if let Some(top) = top
            && Rc::ptr_eq(top, &node)
        {
            break;
        }
        if let Some(mark) = node.mark {
            marks.push((mark, node.copy_group));
        }
        next = outer(&node);
    }
    marks
}

/// Returns the parent that an element had before `changes` were made.
fn former_parent(changes: &[TreeChange], node: &Handle) -> Option<Handle> {
    for change in changes {
        if let TreeChange::Element { node: moved, from } = change
            && Rc::ptr_eq(moved, node)
        {
            return Some(resolve_former(changes, from));
        }
    }
    let shared = node.parent.borrow().clone()?;
    Some(resolve_former(changes, &shared))
}

/// Returns the element that a [`SharedParent`] led to before `changes` were made.
fn resolve_former(changes: &[TreeChange], shared: &Rc<SharedParent>) -> Handle {
    let mut shared = shared.clone();
    loop {
        if let Some(node) = former_giver(changes, &shared) {
            return node;
        }
        match shared.resolve_once() {
            Ok(node) => return node,
            Err(next) => shared = next,
        }
    }
}

/// Returns the element that was the parent of the children of `shared` before `changes`. Returns
/// `None` if no change has moved these children.
fn former_giver(changes: &[TreeChange], shared: &Rc<SharedParent>) -> Option<Handle> {
    for change in changes {
        if let TreeChange::Children {
            shared: moved,
            from,
        } = change
            && Rc::ptr_eq(moved, shared)
        {
            return Some(from.clone());
        }
    }
    None
}

/// Compares the marks around some content before a move in the tree (`before`) and after it
/// (`after`). Returns the marks of the elements that the content has left or entered. Outermost
/// marks that `before` and `after` share are left out. Returns `None` if the move changed no marks.
fn difference(before: &ChangedMarks, after: &ChangedMarks) -> Option<MovedMarks> {
    let same = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take_while(|(b, a)| b.1 == a.1)
        .count();
    let before = &before[..before.len() - same];
    let after = &after[..after.len() - same];
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let mut entered = Vec::new();
    for (mark, copy_group) in after {
        if !before.iter().any(|(_, known)| known == copy_group) {
            entered.push(*mark);
        }
    }
    Some(MovedMarks {
        left: before.iter().map(|(mark, _)| *mark).collect(),
        entered,
    })
}
