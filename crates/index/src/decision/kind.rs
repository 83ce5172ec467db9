//! The kinds of decisions.

use serde::{Deserialize, Serialize};

/// What was decided on: what an entry of a log records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A page that was read, and what it may be used for.
    Page,
    /// A page that is unchanged: what was said of it without its bytes.
    Unchanged,
    /// A URL that is no page, or no longer one.
    Gone,
    /// The kept copy of a page was removed; the page stays.
    Copy,
    /// A record that could not be read: everything is denied.
    Unknown,
}

heedful_base::display!(EntryKind);

impl EntryKind {
    /// All kinds. Their order is part of the stored form of logs.
    #[doc(hidden)]
    pub const ALL: [Self; 5] = [
        Self::Page,
        Self::Unchanged,
        Self::Gone,
        Self::Copy,
        Self::Unknown,
    ];

    /// The name, in lower case.
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
