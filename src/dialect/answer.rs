//! An answer of a record, a header or a META to one question about the use of a page.

use crate::policy::{Extent, Says, Use, Uses};

use super::ear::{StatementCollector, Whom};

pub(super) const USE: &str = "use";

/// One answer: its dialect, its word, the facet, and whether it denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UseAnswer {
    pub(super) dialect: &'static str,
    /// The word. Answers of different words about one facet do not replace each other.
    pub(super) key: &'static str,
    pub(super) facet: Use,
    pub(super) denies: bool,
}

impl UseAnswer {
    /// Hears it as one answer of a line. An allowance lifts nothing, and is only recorded. It is
    /// not even recorded if it is from `use`, or another word of the line denies its facet.
    pub(super) fn hear(&self, line: &[Self], extent: Extent, ear: &mut StatementCollector<'_>) {
        let is_denied =
            |other: &Self| other.denies && other.facet == self.facet && other.key != self.key;
        let facets = Uses::of(&[self.facet]);
        let says = if self.denies {
            Says::Deny(facets)
        } else {
            Says::Allow(facets)
        };
        if self.denies || self.key != USE && !line.iter().any(is_denied) {
            ear.hear(says, Whom::Bots(ear.bots.all()), extent, self.dialect);
        }
    }

    pub(super) fn is_rival(&self, other: &Self) -> bool {
        (self.dialect, self.key, self.facet) == (other.dialect, other.key, other.facet)
    }
}
