//! What a comment or a tag marks, and what it marks beyond doubt where it is not written so (docs/semantics.md, section 3.1).
//!
//! What is opened by repair is of a kind of its own. A close that is written rightly closes both kinds; one that is heard by
//! repair closes only what was opened by repair. So nothing comes out that would not come out without any repair.

use std::borrow::Cow;

use crate::policy::Facets;
use crate::quotes;

/// Which regions belong together: those of one row of a convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionKind {
    pub(crate) dialect: &'static str,
    pub(super) pair: usize,
}

/// What a mark does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Opens a region that denies these facets (none is possible: the region still counts for pairing).
    Open { kind: RegionKind, denies: Facets, unknown: Vec<String> },
    /// Closes, for each of these groups, the innermost open region of its kinds; but where one of the kind `alone` is
    /// open, that alone.
    Close { groups: Vec<Vec<RegionKind>>, alone: Option<RegionKind> },
    /// From here on these facets are denied, or not; where the first such mark is one that lets in, they are denied
    /// before it.
    Switch { kind: RegionKind, denies: Facets, lets_in: bool },
    /// Begins a section that denies these facets, or ends it; another one of its kind ends it, too.
    Section { kind: RegionKind, denies: Facets, begins: bool },
    /// Says something of the page.
    Page { dialect: &'static str, denies: Facets, is_repaired: bool },
}

/// The row of what nobody knows.
pub(super) const NOBODYS: usize = 1 << 15;
const REPAIRED: usize = 1 << 16;

impl RegionKind {
    fn repaired(self) -> Self {
        Self { pair: self.pair | REPAIRED, ..self }
    }

    fn is_repaired(self) -> bool {
        self.pair & REPAIRED != 0
    }
}

impl Mark {
    pub(crate) fn dialect(&self) -> &'static str {
        match self {
            Self::Open { kind, .. } | Self::Switch { kind, .. } | Self::Section { kind, .. } => kind.dialect,
            Self::Close { groups, .. } => groups.iter().flatten().next().map_or("", |kind| kind.dialect),
            Self::Page { dialect, .. } => dialect,
        }
    }

    /// Whether it is heard though it is not written so.
    pub(crate) fn is_repaired(&self) -> bool {
        match self {
            Self::Open { kind, .. } => kind.is_repaired(),
            Self::Close { groups, .. } => groups.iter().flatten().all(|kind| kind.is_repaired()),
            Self::Switch { .. } | Self::Section { .. } => false,
            Self::Page { is_repaired, .. } => *is_repaired,
        }
    }

    /// It closes what was opened by repair, too.
    pub(super) fn close_repaired(&mut self) {
        if let Self::Close { groups, .. } = self {
            for kinds in groups {
                let repaired: Vec<_> = kinds.iter().map(|kind| kind.repaired()).collect();
                kinds.extend(repaired);
            }
        }
    }

    fn denies(&self) -> Facets {
        match self {
            Self::Open { denies, .. } | Self::Page { denies, .. } => *denies,
            Self::Close { .. } | Self::Switch { .. } | Self::Section { .. } => Facets::NONE,
        }
    }

    /// Whether it closes what somebody knows.
    fn closes(&self) -> bool {
        let is_known = |kind: &RegionKind| kind.pair & NOBODYS == 0;
        matches!(self, Self::Close { groups, .. } if groups.iter().flatten().any(is_known))
    }

    /// The same by repair, without what is denied anyway. A switch lets in, a section is a tag: neither is one.
    fn repaired(self, known: Facets) -> Option<Self> {
        match self {
            Self::Open { kind, denies, unknown } => {
                let denies = denies.without(known);
                (!denies.is_empty()).then(|| Self::Open { kind: kind.repaired(), denies, unknown })
            }
            Self::Close { ref groups, .. } if self.closes() => {
                let of_repaired =
                    |kinds: &Vec<RegionKind>| kinds.iter().copied().filter(|kind| kind.is_repaired()).collect();
                Some(Self::Close { groups: groups.iter().map(of_repaired).collect(), alone: None })
            }
            Self::Page { dialect, denies, .. } => Some(Self::Page { dialect, denies, is_repaired: true }),
            Self::Close { .. } | Self::Switch { .. } | Self::Section { .. } => None,
        }
    }
}

/// A comment without hyphens round it, which HTML leaves in it where three or more begin or end it.
pub(super) fn bare(text: &str) -> &str {
    text.trim_matches(|sign: char| sign == '-' || sign.is_whitespace())
}

/// What a comment means, if that is not what it says: without hyphens round it, and without quotes round a value.
pub(super) fn mended<'a>(text: &str, bare: &'a str) -> Option<Cow<'a, str>> {
    let value = bare.find(['=', ':']).unwrap_or(bare.len());
    let plain = match quotes::without(&bare[value..]) {
        Cow::Borrowed(_) => Cow::Borrowed(bare),
        Cow::Owned(plain) => Cow::Owned([&bare[..value], &plain].concat()),
    };
    (plain.len() < text.len()).then_some(plain)
}

/// What is marked by what is written, and by what is meant besides.
pub(super) fn with_repaired(exact: Vec<Mark>, meant: Vec<Mark>) -> Vec<Mark> {
    let known = exact.iter().fold(Facets::NONE, |known, mark| known.with(mark.denies()));
    if exact.iter().any(Mark::closes) {
        return exact;
    }
    let repaired: Vec<_> = meant.into_iter().filter_map(|mark| mark.repaired(known)).collect();
    match known.is_empty() && !repaired.is_empty() {
        true => repaired,
        false => exact.into_iter().chain(repaired).collect(),
    }
}
