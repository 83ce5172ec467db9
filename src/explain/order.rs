//! The order in which directives are reported.

use crate::policy::DirectiveId;

/// The indexes of directives in source order, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Order(pub(super) Vec<usize>);

impl Order {
    pub(super) fn index(&self, id: DirectiveId) -> usize {
        self.0.get(id.index()).copied().unwrap_or_default()
    }
}
