//! The uses of a page that an index stores.

use std::time::SystemTime;

use heedful::{Page, Use, Uses};

/// The uses that an index stores for a page besides `index`. Their order is part of the stored
/// form.
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

/// The uses to which an indexed page may be put, as far as the index stores them.
///
/// It stores what the page denies as a whole, and the other uses for which a search does not find
/// it. It does not store the statement that decided, nor how much of the text it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageUses {
    pub(super) denied: Uses,
    pub(super) in_part: Uses,
    pub(super) max_snippet: Option<u64>,
    pub(super) expires: Option<SystemTime>,
}

impl PageUses {
    /// The uses that the page as a whole denies. [`Use::Index`] is never among them.
    pub fn denied(&self) -> Uses {
        self.denied
    }

    /// The uses that only a part of the page denies. For `archive`, `image`, `translate` and
    /// `train` this is exact; for the others the index does not know.
    pub fn in_part(&self) -> Uses {
        self.in_part
    }

    /// The maximum characters of a snippet.
    pub fn max_snippet(&self) -> Option<u64> {
        self.max_snippet
    }

    /// The moment from which on the page is not found.
    pub fn expires(&self) -> Option<SystemTime> {
        self.expires
    }
}

/// The uses of these bits.
pub(super) fn uses_from_bits(bits: u64) -> Uses {
    let mut uses = Uses::NONE;
    for usage in KEPT {
        if bits & use_bit(usage) != 0 {
            uses = uses.union(Uses::new(&[usage]));
        }
    }
    uses
}

/// True if a page is found when this use is needed. A hit contains only text that may be shown or
/// given to a model. So for these two a part of the page is enough. Any other use must be allowed
/// for the whole page.
pub(super) fn satisfies_need(page: &Page, usage: Use) -> bool {
    match usage {
        Use::Archive | Use::Train | Use::Translate | Use::Image => page.allows_throughout(usage),
        _ => page.policy().allows(usage),
    }
}

/// The stored uses that the page as a whole denies, as bits.
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
