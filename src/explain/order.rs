//! The order in which an explanation lists directives.

use crate::policy::DirectiveId;

/// Index of each directive in source order, by the directive's number.
#[derive(Debug, Default)]
pub(super) struct Order(pub(super) Vec<usize>);

impl Order {
    pub(super) fn index(&self, id: DirectiveId) -> usize {
        self.0.get(id.index()).copied().unwrap_or_default()
    }
}
