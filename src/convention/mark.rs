//! The marks of a comment or a tag, and the kinds of the regions that they open and close
//! (docs/semantics.md, sections 3.1 and 4.4).
//!
//! A mark is of the reading of a text in which it is found. Of a lenient reading such marks are
//! kept that withhold more. A close of the exact reading ends regions of both; a lenient close ends
//! none but those that were opened so. So a lenient reading never lets out anything that would be
//! withheld without it.

use crate::policy::Uses;

/// A way to read a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkReading {
    /// As it is written.
    Exact,
    /// As its author may have meant it.
    Lenient,
}

/// The kind of a region. Regions of one row of a convention belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionKind {
    pub(crate) convention: &'static str,
    pub(super) pair: usize,
    reading: MarkReading,
}

/// The row number for unknown flags.
const NOBODYS: usize = usize::MAX;

impl RegionKind {
    pub(super) fn new(convention: &'static str, pair: usize) -> Self {
        Self {
            convention,
            pair,
            reading: MarkReading::Exact,
        }
    }

    /// The kind of regions that are opened by unknown words.
    pub(super) fn unknown(convention: &'static str) -> Self {
        Self::new(convention, NOBODYS)
    }

    fn lenient(self) -> Self {
        Self {
            reading: MarkReading::Lenient,
            ..self
        }
    }

    /// True if a mark of this kind counts for regions of that kind.
    #[doc(hidden)]
    pub fn applies_to(self, open: Self) -> bool {
        (self.convention, self.pair) == (open.convention, open.pair)
            && (self.reading == MarkReading::Exact || open.reading == MarkReading::Lenient)
    }
}

/// The effect of a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum RegionMark {
    /// Opens a region that denies these uses. There may be none: the region still counts for
    /// pairing.
    Open {
        kind: RegionKind,
        denies: Uses,
        unknown: Vec<String>,
    },
    /// Closes the innermost open region of each group's kinds. If a region of the kind `alone` is
    /// open, only that is closed.
    Close {
        groups: Vec<Vec<RegionKind>>,
        alone: Option<RegionKind>,
    },
    /// From here on these uses are allowed (`lets_in`) or denied. If the first such mark lets in,
    /// they are denied before it.
    Switch {
        kind: RegionKind,
        denies: Uses,
        lets_in: bool,
    },
    /// Begins or ends a section that denies these uses. Another section of its kind ends it too.
    Section {
        kind: RegionKind,
        denies: Uses,
        begins: bool,
    },
    /// A denial of these uses for the whole page.
    Page { kind: RegionKind, denies: Uses },
}

impl RegionMark {
    pub(super) fn open(kind: RegionKind, denies: Uses) -> Self {
        Self::Open {
            kind,
            denies,
            unknown: Vec::new(),
        }
    }

    /// A close of the innermost region of these kinds.
    pub(super) fn close(kinds: Vec<RegionKind>) -> Self {
        Self::Close {
            groups: vec![kinds],
            alone: None,
        }
    }

    fn kind(&self) -> Option<RegionKind> {
        match self {
            Self::Open { kind, .. }
            | Self::Switch { kind, .. }
            | Self::Section { kind, .. }
            | Self::Page { kind, .. } => Some(*kind),
            Self::Close { groups, .. } => groups.iter().flatten().next().copied(),
        }
    }

    pub(crate) fn convention(&self) -> &'static str {
        self.kind().map_or("", |kind| kind.convention)
    }

    /// The reading in which it is found.
    pub(crate) fn reading(&self) -> MarkReading {
        self.kind().map_or(MarkReading::Exact, |kind| kind.reading)
    }

    pub(super) fn denies(&self) -> Uses {
        match self {
            Self::Open { denies, .. } | Self::Page { denies, .. } => *denies,
            Self::Close { .. } | Self::Switch { .. } | Self::Section { .. } => Uses::NONE,
        }
    }

    /// True if it closes a region of a known kind.
    pub(super) fn closes(&self) -> bool {
        matches!(self, Self::Close { groups, .. } if closes(groups))
    }

    /// This mark as one of a lenient reading, without the uses that are denied already. A switch
    /// lets in and a section is a tag, so neither has such a reading.
    pub(super) fn into_lenient(self, denied: Uses) -> Option<Self> {
        match self {
            Self::Open {
                kind,
                denies,
                unknown,
            } => {
                let denies = denies.without(denied);
                (!denies.is_empty()).then(|| Self::Open {
                    kind: kind.lenient(),
                    denies,
                    unknown,
                })
            }
            Self::Page { kind, denies } => Some(Self::Page {
                kind: kind.lenient(),
                denies,
            }),
            Self::Close { mut groups, alone } if closes(&groups) => {
                for kind in groups.iter_mut().flatten() {
                    *kind = kind.lenient();
                }
                Some(Self::Close {
                    groups,
                    alone: alone.map(RegionKind::lenient),
                })
            }
            Self::Close { .. } | Self::Switch { .. } | Self::Section { .. } => None,
        }
    }
}

fn closes(groups: &[Vec<RegionKind>]) -> bool {
    groups.iter().flatten().any(|kind| kind.pair != NOBODYS)
}
