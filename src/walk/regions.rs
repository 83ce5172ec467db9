//! The regions that are open, in source order (docs/semantics.md, section 3).
//!
//! Opens of one dialect are counted: an inner close never ends the outer region.

use crate::place::Place;
use crate::policy::DirectiveId;

#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) dialect: &'static str,
    pub(super) directive: Option<DirectiveId>,
    pub(super) place: Place,
}

#[derive(Debug, Default)]
pub(super) struct Regions(Vec<Region>);

impl Regions {
    pub(super) fn push(&mut self, region: Region) {
        self.0.push(region);
    }

    /// Closes the innermost region of the dialect.
    pub(super) fn close(&mut self, dialect: &str) -> Option<Region> {
        let at = self.0.iter().rposition(|region| region.dialect == dialect)?;
        Some(self.0.remove(at))
    }

    pub(super) fn open(&self) -> &[Region] {
        &self.0
    }
}
