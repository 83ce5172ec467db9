//! The marks of a comment or a tag, as written or by repair. Repair reads a miswritten mark whose meaning is beyond
//! doubt (docs/semantics.md, section 3.1).
//!
//! A region that is opened by repair has a kind of its own. A correctly written close closes both kinds; a close that
//! is heard by repair closes only the repaired kind. So repair never lets out anything that would be withheld without
//! it.

use crate::policy::Facets;

/// The kind of a region. Regions of one row of a convention belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionKind {
    pub(crate) dialect: &'static str,
    pub(super) pair: usize,
}

/// The effect of a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Opens a region that denies these facets. There may be none: the region still counts for pairing.
    Open { kind: RegionKind, denies: Facets, unknown: Vec<String> },
    /// Closes the innermost open region of each group's kinds. If a region of the kind `alone` is open, only that is
    /// closed.
    Close { groups: Vec<Vec<RegionKind>>, alone: Option<RegionKind> },
    /// From here on these facets are allowed (`lets_in`) or denied. If the first such mark lets in, they are denied
    /// before it.
    Switch { kind: RegionKind, denies: Facets, lets_in: bool },
    /// Begins or ends a section that denies these facets. Another section of its kind ends it too.
    Section { kind: RegionKind, denies: Facets, begins: bool },
    /// A denial of these facets for the whole page.
    Page { dialect: &'static str, denies: Facets, is_repaired: bool },
}

/// The row number for unknown flags.
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

    /// True if it is heard by repair only.
    pub(crate) fn is_repaired(&self) -> bool {
        match self {
            Self::Open { kind, .. } => kind.is_repaired(),
            Self::Close { groups, .. } => groups.iter().flatten().all(|kind| kind.is_repaired()),
            Self::Switch { .. } | Self::Section { .. } => false,
            Self::Page { is_repaired, .. } => *is_repaired,
        }
    }

    /// Makes a close also close the regions that were opened by repair.
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

    /// True if it closes a region of a known kind.
    fn closes(&self) -> bool {
        let is_known = |kind: &RegionKind| kind.pair & NOBODYS == 0;
        matches!(self, Self::Close { groups, .. } if groups.iter().flatten().any(is_known))
    }

    /// This mark as it is heard by repair, without the facets in `known`. A switch lets in and a section is a tag, so
    /// neither is repaired.
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

/// Joins the marks of the text as written with those of the text as meant.
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
