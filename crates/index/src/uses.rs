//! The uses whose denials an index stores with each page.

use std::time::SystemTime;

use heedful::{Page, Use, Uses};

/// Uses whose denials are stored with each page. The order of the uses determines the bits of the
/// stored bitmask. `index` is not in this list, because a page that denies `index` is not indexed.
pub(super) const KEPT: [Use; 8] = [
    Use::Follow,
    Use::Anchor,
    Use::Archive,
    Use::Snippet,
    Use::Input,
    Use::Train,
    Use::Translate,
    Use::Image,
];

/// Restrictions on the use of a page, as an index stores them.
///
/// The restrictions include the uses that the page denies as a whole. They also include some uses
/// that only a part of the page denies. The index stores neither the denying statements nor the
/// amount of affected text.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter, Use};
/// use heedful_index::Index;
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// let html = b"<meta name=robots content='noarchive, max-snippet:20'><p>Rye";
/// writer.add(&filter.page("https://example.com/", &[], html)?)?;
/// writer.commit()?;
///
/// let uses = index.search()?.uses("https://example.com/", None)?.unwrap();
/// assert!(uses.denied().contains(Use::Archive) && !uses.denied().contains(Use::Snippet));
/// assert_eq!(uses.max_snippet(), Some(20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageUses {
    pub(super) denied: Uses,
    pub(super) in_part: Uses,
    pub(super) max_snippet: Option<u64>,
    pub(super) expires: Option<SystemTime>,
}

impl PageUses {
    /// Uses that the page denies as a whole. [`Use::Index`] is never among them.
    pub fn denied(&self) -> Uses {
        self.denied
    }

    /// Uses that only a part of the page denies. For `archive`, `image`, `translate`
    /// and `train` the set is exact. Other uses are never in the set, because the index does not
    /// store their partial denials.
    pub fn in_part(&self) -> Uses {
        self.in_part
    }

    /// Maximum number of characters in a snippet. None if the page sets no maximum.
    pub fn max_snippet(&self) -> Option<u64> {
        self.max_snippet
    }

    /// Time at which the page expires and is no longer found. None if the page does not expire.
    pub fn expires(&self) -> Option<SystemTime> {
        self.expires
    }
}

/// Decodes a set of uses from the stored bitmask of a page.
pub(super) fn uses_from_bits(bits: u64) -> Uses {
    let mut uses = Uses::NONE;
    for usage in KEPT {
        if bits & use_bit(usage) != 0 {
            uses = uses.union(Uses::new(&[usage]));
        }
    }
    uses
}

/// True if a query that needs `usage` may find the page. A hit contains only text that may be shown
/// or given to a model. So for `snippet` and `input` one allowed part of the page suffices.
/// `archive`, `train`, `translate` and `image` must be allowed for all parts of the page. Any other
/// use must be allowed for the page as a whole.
pub(super) fn satisfies_need(page: &Page, usage: Use) -> bool {
    match usage {
        Use::Archive | Use::Train | Use::Translate | Use::Image => page.allows_throughout(usage),
        _ => page.policy().allows(usage),
    }
}

/// Returns a bitmask of the uses that the page denies as a whole. Each use in [`KEPT`] has one bit,
/// in the order of that list.
pub(super) fn denied(page: &Page) -> u64 {
    let mut bits = 0;
    for usage in KEPT {
        if !page.policy().allows(usage) {
            bits |= use_bit(usage);
        }
    }
    bits
}

pub(super) fn use_bit(usage: Use) -> u64 {
    match KEPT.iter().position(|kept| *kept == usage) {
        Some(place) => 1 << place,
        None => 0,
    }
}
