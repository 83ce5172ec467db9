//! Which Parquet tables an export has, in builds with and without the feature `parquet`.

/// A Parquet table of an export.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    /// The table of pages. `has_blocks` is true if it has a column of their blocks.
    Pages { has_blocks: bool },
    /// The table of deleted URLs.
    Gone,
}
