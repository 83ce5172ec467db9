//! The order in which an explanation lists directives.

use crate::policy::DirectiveId;

/// Maps the number of each directive in the pass to the directive's index in an explanation, which
/// lists directives in source order.
#[derive(Debug, Default)]
pub(super) struct Order(pub(super) Vec<usize>);

impl Order {
    pub(super) fn index(&self, id: DirectiveId) -> usize {
        self.0.get(id.index()).copied().unwrap_or_default()
    }
}
