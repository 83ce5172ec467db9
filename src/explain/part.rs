//! The source of a page in parts.

use std::ops::Range;

use crate::ledger::VerdictId;

/// A run of the source that is of one kind and under one verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub(super) range: Range<usize>,
    pub(super) kind: PartKind,
    pub(super) verdict: VerdictId,
}

impl Part {
    /// From where to where, in bytes of the decoded page.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// What it is to a reader.
    pub fn kind(&self) -> PartKind {
        self.kind
    }

    /// The number of its verdict: two parts with the same number are treated alike.
    pub fn verdict(&self) -> VerdictId {
        self.verdict
    }
}

/// What a part of the source is to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// Text that is read, as body, title or alternative text.
    Text,
    /// Text that nobody reads: in scripts, styles and templates, in a second title, and what a browser shows only without
    /// scripts or frames.
    Inert,
    /// A tag.
    Tag,
    /// A comment, and what HTML takes for one.
    Comment,
    /// A doctype, and bytes that mean nothing.
    Other,
}
