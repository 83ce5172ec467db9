//! The order in which an explanation lists directives.

use crate::policy::DirectiveId;

/// For each directive's number in the pass, the index of this directive in source order.
#[derive(Debug, Default)]
pub(super) struct Order(pub(super) Vec<usize>);

impl Order {
    pub(super) fn index(&self, id: DirectiveId) -> usize {
        self.0.get(id.index()).copied().unwrap_or_default()
    }
}
