//! Computes the uses that are allowed for a URL after a sequence of recorded decisions.
//!
//! A decision that a URL is a page, or no longer one, replaces what was allowed before. A decision
//! that a page is unchanged, or that its copy was removed, can only deny more uses.

use heedful::{Use, Uses};
use heedful_base::error::Result;
use heedful_index::decision::{BotAnswer, EntryKind};

use super::log::{FoundEntry, Log, RecordedDecision};

/// Uses of a URL that are allowed to one bot. They are computed from the URL's recorded decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct UrlUses {
    pub allowed: Uses,
    pub captured: Option<i64>,
}

impl Log {
    /// Returns an empty list if no decision about the URL `url` is new. Otherwise returns all
    /// decisions about it, new and old, the oldest first. A decision is new if its entry has the
    /// number `since` or a greater number. Decisions with erased records are left out.
    #[doc(hidden)]
    pub fn history_since(&self, url: &str, since: u64) -> Result<Vec<RecordedDecision>> {
        let found = self.entries_of_url(url)?;
        if found.last().is_none_or(|last| last.number < since) {
            return Ok(Vec::new());
        }
        Ok(found.into_iter().map(FoundEntry::decision).collect())
    }
}

impl RecordedDecision {
    fn answer(&self, bot: &str) -> Option<&BotAnswer> {
        self.bots.iter().find(|answer| answer.bot == bot)
    }

    /// Returns the reason why this decision denies the use `usage` to the bot named `bot`. It is
    /// the text of the directive that decided. If no directive is recorded, it is made from
    /// [`reason`](Self::reason) and [`why`](Self::why), and may be empty.
    #[doc(hidden)]
    pub fn denial(&self, bot: &str, usage: Use) -> String {
        if let Some(answer) = self.answer(bot) {
            for (own, why) in &answer.why.0 {
                if *own == usage {
                    return why.directive.clone();
                }
            }
        }
        let reasons = [&self.reason, &self.why].into_iter().flatten();
        reasons.cloned().collect::<Vec<_>>().join(": ")
    }
}

impl UrlUses {
    /// Computes which uses of a URL are allowed to the bot named `bot`. `decisions` are the
    /// decisions about the URL, oldest first. Returns `None` if no decision concerns this bot.
    #[doc(hidden)]
    pub fn from_decisions<'a>(
        decisions: impl IntoIterator<Item = &'a RecordedDecision>,
        bot: &str,
    ) -> Option<Self> {
        let mut uses: Option<Self> = None;
        for decision in decisions {
            let Some(answer) = decision.answer(bot) else {
                continue;
            };
            let allow = answer.allow;
            match decision.kind {
                EntryKind::Page | EntryKind::Gone | EntryKind::Unknown => {
                    uses = Some(Self {
                        allowed: allow.allowed,
                        captured: decision.captured,
                    });
                }
                EntryKind::Unchanged | EntryKind::Copy => {
                    if let Some(uses) = &mut uses {
                        let denied = allow.asked.without(allow.allowed);
                        uses.allowed = uses.allowed.without(denied);
                        uses.captured = decision.captured.or(uses.captured);
                    }
                }
            }
        }
        uses
    }
}
