//! An answer: what a robots.txt record, a header or a META says about one use of a page. In a
//! robots.txt several answers to one question may compete (`record`).

use crate::policy::{Extent, StatementContent, Use, Uses};

use super::collector::{Recipients, StatementCollector};

pub(super) const USE: &str = "use";

/// Answer of a robots.txt record, a header or a META to one question: whether one use of a page is
/// denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UseAnswer {
    pub(super) convention: &'static str,
    /// Name of the answered question in the convention, such as `ai-train`. An answer never
    /// replaces an answer with another key, even if both are about the same use.
    pub(super) key: &'static str,
    pub(super) usage: Use,
    pub(super) denies: bool,
}

impl UseAnswer {
    /// Adds the answer to the statements of `collector`. `line` has all answers of the same line.
    ///
    /// An answer that denies is always added. An answer that allows has no effect, and is added
    /// only for reports. An answer that allows is not added in two cases:
    ///
    /// - Its key is [`USE`].
    /// - An answer in `line` with another key denies the same use.
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
            StatementContent::Deny(uses)
        } else {
            StatementContent::Allow(uses)
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
