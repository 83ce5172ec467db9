//! An answer of a record, a header or a META to one question about the use of a page.

use crate::policy::{Extent, Says, Use, Uses};

use super::collector::{Recipients, StatementCollector};

pub(super) const USE: &str = "use";

/// One answer: its convention, its word, the use, and whether it denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UseAnswer {
    pub(super) convention: &'static str,
    /// The word. Answers of different words about one use do not replace each other.
    pub(super) key: &'static str,
    pub(super) usage: Use,
    pub(super) denies: bool,
}

impl UseAnswer {
    /// Reports it as one answer of a line. An allowance lifts nothing, and is only recorded. It is
    /// not even recorded if it is from `use`, or another word of the line denies its use.
    pub(super) fn report(
        &self,
        line: &[Self],
        extent: Extent,
        collector: &mut StatementCollector<'_>,
    ) {
        let is_denied =
            |other: &Self| other.denies && other.usage == self.usage && other.key != self.key;
        let uses = Uses::new(&[self.usage]);
        let says = if self.denies {
            Says::Deny(uses)
        } else {
            Says::Allow(uses)
        };
        if self.denies || self.key != USE && !line.iter().any(is_denied) {
            collector.add(
                says,
                Recipients::Bots(collector.bots.all()),
                extent,
                self.convention,
            );
        }
    }

    pub(super) fn is_rival(&self, other: &Self) -> bool {
        (self.convention, self.key, self.usage) == (other.convention, other.key, other.usage)
    }
}
