//! What a URL may be used for after some decisions.
//!
//! A page, or that one is gone, says anew what is allowed. That a page is unchanged, or that its
//! copy was removed, can only take away.

use heedful::{Use, Uses};
use heedful_base::error::Result;
use heedful_index::decision::{BotAnswer, EntryKind, Whys};

use super::history::RecordedDecision;
use super::log::Log;

/// What a URL may be used for after some decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct UrlUses {
    pub allowed: Uses,
    pub captured: Option<i64>,
}

impl Log {
    /// The decisions about a URL, if one of them has this number or a later one.
    #[doc(hidden)]
    pub fn history_since(&self, url: &str, since: u64) -> Result<Vec<RecordedDecision>> {
        let found = self.find_entries(url)?;
        if found.last().is_none_or(|last| last.number < since) {
            return Ok(Vec::new());
        }
        found
            .iter()
            .map(|found| self.read_decision(found))
            .collect()
    }
}

impl RecordedDecision {
    fn answer(&self, bot: &str) -> Option<&BotAnswer> {
        self.bots.iter().find(|answer| answer.bot == bot)
    }

    /// Why a use is denied to a bot, in words.
    #[doc(hidden)]
    pub fn denial(&self, bot: &str, usage: Use) -> String {
        let whys: &[_] = self.answer(bot).map_or(&[], |answer| match &answer.why {
            Whys(whys) => whys,
        });
        let directive = whys
            .iter()
            .find(|(own, _)| *own == usage)
            .map(|(_, why)| why.directive.clone());
        let reason = || {
            [&self.reason, &self.why]
                .into_iter()
                .flatten()
                .cloned()
                .collect::<Vec<_>>()
                .join(": ")
        };
        directive.unwrap_or_else(reason)
    }
}

impl UrlUses {
    /// What a bot may use a URL for after these decisions. None if none of them says so.
    #[doc(hidden)]
    pub fn from_decisions<'a>(
        decisions: impl IntoIterator<Item = &'a RecordedDecision>,
        bot: &str,
    ) -> Option<Self> {
        decisions.into_iter().fold(None, |before, decision| {
            let Some(answer) = decision.answer(bot) else {
                return before;
            };
            let (allow, captured) = (answer.allow, decision.captured);
            let denied = allow.asked.without(allow.allowed);
            match decision.kind {
                EntryKind::Page | EntryKind::Gone | EntryKind::Unknown => Some(Self {
                    allowed: allow.allowed,
                    captured,
                }),
                EntryKind::Unchanged | EntryKind::Copy => before.map(|before: Self| Self {
                    allowed: before.allowed.without(denied),
                    captured: captured.or(before.captured),
                }),
            }
        })
    }
}
