//! Kinds of decisions.

use serde::{Deserialize, Serialize};

/// Kind of a decision about a URL, and of its entry in an evidence log.
///
/// # Examples
/// ```
/// use heedful_index::decision::EntryKind;
///
/// let has_bytes = |kind| match kind {
///     EntryKind::Page => true,
///     EntryKind::Unchanged | EntryKind::Gone | EntryKind::Copy | EntryKind::Unknown => false,
/// };
/// assert!(has_bytes(EntryKind::Page) && !has_bytes(EntryKind::Unchanged));
/// assert_eq!(EntryKind::Unchanged.to_string(), "unchanged");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// The decision is about a page whose bytes were read.
    Page,
    /// The decision is about an unchanged page. Only its headers were received.
    Unchanged,
    /// The decision is that a URL is not indexed or no longer indexed.
    Gone,
    /// The decision is that a page's snapshot is removed. The page stays indexed.
    Copy,
    /// The decision is about a record of the input that could not be read. All uses are denied.
    Unknown,
}

heedful_base::display!(EntryKind);

impl EntryKind {
    /// All kinds of decisions. Their order is part of the stored format of evidence logs.
    #[doc(hidden)]
    pub const ALL: [Self; 5] = [
        Self::Page,
        Self::Unchanged,
        Self::Gone,
        Self::Copy,
        Self::Unknown,
    ];

    /// Returns the name of this kind of decision, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Unchanged => "unchanged",
            Self::Gone => "gone",
            Self::Copy => "copy",
            Self::Unknown => "unknown",
        }
    }
}
