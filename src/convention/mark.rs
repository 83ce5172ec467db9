//! Marks: comments and tags that open or close a region, with the kinds of regions
//! (docs/semantics.md, sections 3.1 and 4.4).
//!
//! A mark belongs to the reading of a text, exact or lenient, in which it was found. A mark of a
//! lenient reading is kept only if it withholds more, or if it closes a region. An exact close ends
//! regions of both readings. A lenient close ends only regions that were opened leniently. So a
//! lenient reading never ends the withholding of anything that the exact reading withholds.

use crate::policy::Uses;

/// Reading of a text: exact or lenient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkReading {
    /// The text as it is written.
    Exact,
    /// The text as its author may have meant it.
    Lenient,
}

/// Kind of a region. All regions of one row of a convention, in one reading, are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionKind {
    pub(crate) convention: &'static str,
    pub(super) pair: usize,
    reading: MarkReading,
}

/// Sentinel in place of a row's number, for regions that unknown flags open.
const NOBODYS: usize = usize::MAX;

impl RegionKind {
    pub(super) fn new(convention: &'static str, pair: usize) -> Self {
        Self {
            convention,
            pair,
            reading: MarkReading::Exact,
        }
    }

    /// Returns the kind of the regions that unknown flags of a convention open.
    pub(super) fn unknown(convention: &'static str) -> Self {
        Self::new(convention, NOBODYS)
    }

    fn lenient(self) -> Self {
        Self {
            reading: MarkReading::Lenient,
            ..self
        }
    }

    /// True if a mark of this kind applies to a region of the kind `open`. A lenient mark applies
    /// only to a region that was opened leniently.
    #[doc(hidden)]
    pub fn applies_to(self, open: Self) -> bool {
        (self.convention, self.pair) == (open.convention, open.pair)
            && (self.reading == MarkReading::Exact || open.reading == MarkReading::Lenient)
    }
}

/// Effect of a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum RegionMark {
    /// Opens a region that denies these uses. A region that denies nothing is opened too, so that
    /// its close does not end another region.
    Open {
        kind: RegionKind,
        denies: Uses,
        unknown: Vec<String>,
    },
    /// Closes the innermost open region of each group of kinds. If a region of the kind `alone` is
    /// open, the mark closes only that region.
    Close {
        groups: Vec<Vec<RegionKind>>,
        alone: Option<RegionKind>,
    },
    /// From here on allows these uses, if `lets_in` is true, or denies them. If the first such mark
    /// of a page allows uses, they are denied before it.
    Switch {
        kind: RegionKind,
        denies: Uses,
        lets_in: bool,
    },
    /// Begins a section that denies these uses, or only ends one if `begins` is false. In both
    /// cases the open section of the same kind ends.
    Section {
        kind: RegionKind,
        denies: Uses,
        begins: bool,
    },
    /// Denies these uses for the whole page.
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

    /// Creates a close of the innermost region of one of these kinds.
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

    /// Returns the reading in which the mark was found.
    pub(crate) fn reading(&self) -> MarkReading {
        self.kind().map_or(MarkReading::Exact, |kind| kind.reading)
    }

    pub(super) fn denies(&self) -> Uses {
        match self {
            Self::Open { denies, .. } | Self::Page { denies, .. } => *denies,
            Self::Close { .. } | Self::Switch { .. } | Self::Section { .. } => Uses::NONE,
        }
    }

    /// True if the mark closes a region of a known kind.
    pub(super) fn closes(&self) -> bool {
        matches!(self, Self::Close { groups, .. } if closes(groups))
    }

    /// Converts the mark to one of a lenient reading, without the uses that are denied already.
    /// Returns `None` if the mark would have no effect then. It also returns `None` for a switch,
    /// which could allow content, and for a section, which has no lenient reading.
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
