//! Finds out how moved elements change the marks round what was read before.

use std::rc::Rc;

use super::marks::{MarkId, MovedMarks};
use super::node::{Handle, NodeBody};

/// A change of the tree, with the state before it.
#[derive(Debug)]
pub(super) enum TreeChange {
    /// An element left its parent.
    Element { node: Handle, from: Rc<NodeBody> },
    /// The children of an element were given to another.
    Children { body: Rc<NodeBody>, from: Handle },
}

/// The effect of a token's changes on elements that were there before it: their serial numbers are
/// below `first_serial`.
pub(super) fn moved_marks(changes: &[TreeChange], first_serial: u64) -> Vec<MovedMarks> {
    let top = top(changes);
    let shift_of = |change: &TreeChange| {
        let (was_in, is_in) = match change {
            TreeChange::Element { node, from } if node.serial < first_serial => {
                (former_owner(changes, from), node.parent())
            }
            TreeChange::Children { body, from } if from.serial < first_serial => {
                (from.clone(), Some(body.owner()))
            }
            _ => return None,
        };
        let before = marks(Some(was_in), top.as_ref(), |node| {
            former_parent(changes, node)
        });
        let after = marks(is_in, top.as_ref(), |node| node.parent());
        difference(&before, &after)
    };
    changes.iter().filter_map(shift_of).collect()
}

/// The element that contains all changes, if it is known. The adoption algorithm puts all that it
/// moves into one element. If it goes on, it does so further inside.
fn top(changes: &[TreeChange]) -> Option<Handle> {
    let adopted = changes
        .iter()
        .position(|change| matches!(change, TreeChange::Children { .. }))?;
    let last = changes[..adopted]
        .iter()
        .rev()
        .find_map(|change| match change {
            TreeChange::Element { node, .. } => Some(node),
            TreeChange::Children { .. } => None,
        });
    last?.parent()
}

/// The marks round a place, innermost first, each with its kin.
type ChangedMarks = Vec<(MarkId, u128)>;

/// The marks of an element and those round it, below `top`.
fn marks(
    mut next: Option<Handle>,
    top: Option<&Handle>,
    outer: impl Fn(&Handle) -> Option<Handle>,
) -> ChangedMarks {
    let mut marks = Vec::new();
    while let Some(node) = next.filter(|node| top.is_none_or(|top| !Rc::ptr_eq(top, node))) {
        marks.extend(node.mark.map(|mark| (mark, node.kin)));
        next = outer(&node);
    }
    marks
}

/// The parent that an element had before these changes.
fn former_parent(changes: &[TreeChange], node: &Handle) -> Option<Handle> {
    let former = changes.iter().find_map(|change| match change {
        TreeChange::Element { node: moved, from } if Rc::ptr_eq(moved, node) => Some(from.clone()),
        _ => None,
    });
    let former = former.or_else(|| node.parent.borrow().clone());
    former.map(|body| former_owner(changes, &body))
}

/// The element that a body belonged to before these changes.
fn former_owner(changes: &[TreeChange], body: &Rc<NodeBody>) -> Handle {
    let mut body = body.clone();
    loop {
        let given_away = changes.iter().find_map(|change| match change {
            TreeChange::Children { body: moved, from } if Rc::ptr_eq(moved, &body) => {
                Some(from.clone())
            }
            _ => None,
        });
        if let Some(node) = given_away {
            return node;
        }
        match body.next() {
            Ok(node) => return node,
            Err(next) => body = next,
        }
    }
}

/// The difference between two chains, without the marks that are outermost in both in the same
/// order.
fn difference(before: &ChangedMarks, after: &ChangedMarks) -> Option<MovedMarks> {
    let same = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take_while(|(b, a)| b.1 == a.1)
        .count();
    let (before, after) = (&before[..before.len() - same], &after[..after.len() - same]);
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let was_inside = |kin: u128| before.iter().any(|(_, k)| *k == kin);
    Some(MovedMarks {
        left: before.iter().map(|(mark, _)| *mark).collect(),
        entered: after
            .iter()
            .filter(|(_, kin)| !was_inside(*kin))
            .map(|(mark, _)| *mark)
            .collect(),
    })
}
