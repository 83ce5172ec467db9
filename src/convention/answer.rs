//! The answer of a record, a header or a META to one question about the use of a page. In a
//! robots.txt several answers to one question may compete (`record`).

use crate::policy::{Extent, Says, Use, Uses};

use super::collector::{Recipients, StatementCollector};

pub(super) const USE: &str = "use";

/// One answer: the convention, the word of the question, the use, and whether the answer denies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UseAnswer {
    pub(super) convention: &'static str,
    /// Word of the question. Answers to different words about one use do not replace each other.
    pub(super) key: &'static str,
    pub(super) usage: Use,
    pub(super) denies: bool,
}

impl UseAnswer {
    /// Adds the answer to the statements of a line. An allowance lifts nothing, and is only
    /// recorded. It is not even recorded if it comes from `use`, or if another word of the line
    /// denies the same use.
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
