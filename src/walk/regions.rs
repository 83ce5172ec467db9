//! The regions that are open, in source order (docs/semantics.md, section 3).
//!
//! Opens of one dialect are counted: an inner close never ends the outer region.

use crate::place::Place;
use crate::policy::DirectiveId;

use super::VerdictId;

#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) dialect: &'static str,
    pub(super) directive: Option<DirectiveId>,
    pub(super) place: Place,
    /// The verdict that held before it was opened.
    pub(super) before: VerdictId,
}

#[derive(Debug, Default)]
pub(super) struct Regions(Vec<Region>);

impl Regions {
    pub(super) fn push(&mut self, region: Region) {
        self.0.push(region);
    }

    /// Closes the innermost region of the dialect; says whether it was the last that was opened.
    pub(super) fn close(&mut self, dialect: &str) -> Option<(Region, bool)> {
        let at = self.0.iter().rposition(|region| region.dialect == dialect)?;
        let last = at + 1 == self.0.len();
        Some((self.0.remove(at), last))
    }

    /// Sets what held before the region at `at`; returns its directive.
    pub(super) fn reopen(&mut self, at: usize, before: VerdictId) -> Option<DirectiveId> {
        self.0[at].before = before;
        self.0[at].directive
    }

    pub(super) fn open(&self) -> &[Region] {
        &self.0
    }
}
