//! Region marks: comments and tags that open or close a region, and the kinds of regions
//! (docs/semantics.md, sections 3.1 and 4.4).
//!
//! A mark is found in the exact form of a text, or in a lenient form of it. A lenient mark has an
//! effect only if it withholds more, or if it closes a region. An exact closing mark closes regions
//! that were opened exactly or leniently. A lenient closing mark closes only regions that were
//! opened leniently. So lenient forms never allow anything that the exact forms withhold.

use crate::policy::Uses;

/// Form of a comment's text in which a region mark was found: exact or lenient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkReading {
    /// The mark was found in the text exactly as the page has it.
    Exact,
    /// The mark was found only in a lenient form of the text, which the page's author may have
    /// meant.
    Lenient,
}

/// Kind of a region, which decides which marks can close the region. Each pair of marks of a
/// convention has two kinds. One kind is for regions that an exact mark opens. The other is for
/// regions that a misspelt mark (a lenient form) opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionKind {
    pub(crate) convention: &'static str,
    pub(super) pair: usize,
    reading: MarkReading,
}

/// Value of [`RegionKind::pair`] for regions that unknown flags of a convention open, as in
/// `googleoff: foo`. Such a region denies nothing.
const UNKNOWN_FLAG: usize = usize::MAX;

impl RegionKind {
    pub(super) fn new(convention: &'static str, pair: usize) -> Self {
        Self {
            convention,
            pair,
            reading: MarkReading::Exact,
        }
    }

    /// Returns the kind of the regions that unknown flags of a convention open, such as `foo` in
    /// `googleoff: foo`. Such a region denies nothing.
    pub(super) fn unknown(convention: &'static str) -> Self {
        Self::new(convention, UNKNOWN_FLAG)
    }

    fn lenient(self) -> Self {
        Self {
            reading: MarkReading::Lenient,
            ..self
        }
    }

    /// True if a mark of this kind applies to a region of the kind `open`: the mark closes the
    /// region, or opens one more such region. The two kinds must belong to the same pair of marks.
    /// A misspelt mark (a lenient form) does not apply to a region that a correctly spelt mark
    /// opened.
    #[doc(hidden)]
    pub fn applies_to(self, open: Self) -> bool {
        (self.convention, self.pair) == (open.convention, open.pair)
            && (self.reading == MarkReading::Exact || open.reading == MarkReading::Lenient)
    }
}

/// Region mark: a comment or tag that opens or closes a region, or denies uses of the whole page.
/// Each variant is one effect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum RegionMark {
    /// Opens a region that denies the uses `denies`. The region is opened even if `denies` is
    /// empty. Otherwise its closing mark would close another region. `unknown` has the unknown
    /// words of the mark.
    Open {
        kind: RegionKind,
        denies: Uses,
        unknown: Vec<String>,
    },
    /// Closes open regions. If a region of the kind `alone` is open, only the innermost region of
    /// this kind is closed. Otherwise one region is closed for each list of kinds in `groups`: the
    /// innermost open region whose kind is in the list.
    Close {
        groups: Vec<Vec<RegionKind>>,
        alone: Option<RegionKind>,
    },
    /// Allows or denies some uses in the text up to the next mark of this kind. If `allows` is
    /// true, the uses are allowed. If `allows` is false, the uses are denied. In both cases, the
    /// field `denies` has these uses. If the first such mark in a page allows the uses, they are
    /// denied in the text before that mark.
    Switch {
        kind: RegionKind,
        denies: Uses,
        allows: bool,
    },
    /// Ends the open section of the kind `kind`. If `begins` is true, the mark also begins a new
    /// section, which denies the uses `denies`.
    Section {
        kind: RegionKind,
        denies: Uses,
        begins: bool,
    },
    /// Denies the uses `denies` for the whole page.
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

    /// Creates a mark that closes the innermost open region whose kind is in `kinds`.
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

    /// Returns the form of the comment's text, exact or lenient, in which the mark was found.
    pub(crate) fn reading(&self) -> MarkReading {
        self.kind().map_or(MarkReading::Exact, |kind| kind.reading)
    }

    pub(super) fn denies(&self) -> Uses {
        match self {
            Self::Open { denies, .. } | Self::Page { denies, .. } => *denies,
            Self::Close { .. } | Self::Switch { .. } | Self::Section { .. } => Uses::NONE,
        }
    }

    /// True if the mark closes regions that can deny uses. False for a closing mark that has only
    /// unknown flags, as in `googleon: foo`. Also false for all marks that are no closing marks.
    pub(super) fn closes(&self) -> bool {
        matches!(self, Self::Close { groups, .. } if closes(groups))
    }

    /// Converts a mark from a lenient form of a text (a text that the page's author may have
    /// meant). An opening mark loses the uses in `denied`, which the exact form of the text denies
    /// already.
    ///
    /// Returns `None` in these cases:
    /// - An opening mark has no uses left to deny.
    /// - A closing mark has only unknown flags, as in `googleon: foo`. Such a mark closes only
    ///   regions that deny nothing.
    /// - The mark is a switch. Lenient forms must not allow content, as a switch can.
    /// - The mark begins or ends a section. Sections have no lenient forms.
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
    groups
        .iter()
        .flatten()
        .any(|kind| kind.pair != UNKNOWN_FLAG)
}
