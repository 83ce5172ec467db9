//! The source of a page in parts.

use std::ops::Range;

use crate::ledger::VerdictId;

/// A run of the source of one kind and under one verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePart {
    pub(super) range: Range<usize>,
    pub(super) kind: PartKind,
    pub(super) verdict: VerdictId,
}

impl SourcePart {
    /// The range in bytes of the decoded page.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The kind of the part.
    pub fn kind(&self) -> PartKind {
        self.kind
    }

    /// The number of the part's verdict. Two parts with the same number are treated alike.
    pub fn verdict(&self) -> VerdictId {
        self.verdict
    }
}

/// The kinds of parts of the source, as a reader sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// Text that is read: body, title or alternative text.
    Text,
    /// Text that is not read. It is in scripts, styles, templates and second titles, and in
    /// elements that a browser shows only without scripts or frames.
    Inert,
    /// A tag.
    Tag,
    /// A comment, or markup that HTML treats as one.
    Comment,
    /// A doctype, or bytes without a meaning.
    Other,
}
