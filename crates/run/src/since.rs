//! What became forbidden, and what was given back, since an entry of a log of evidence: a feed of
//! changes, for others who have copies of a corpus.
//!
//! Entries name no URL. So the URLs come from an index, or from a list, and each is looked up. A
//! URL that nothing was decided about before that entry is new, and no change. One that was
//! forgotten is not found: hand on the feed first.

use std::collections::BTreeSet;

use heedful::Use;
use heedful_base::error::Result;
use heedful_evidence::{Log, RecordedDecision, UrlUses};

use super::change::Change;

/// The changes for a URL, for each bot, since the entry of this number.
///
/// # Errors
/// Fails if the log cannot be read.
pub fn changes_since(log: &Log, since: u64, url: &str) -> Result<Vec<Change>> {
    let decisions = log.history_since(url, since)?;
    let bots: BTreeSet<_> = decisions
        .iter()
        .flat_map(|decision| &decision.bots)
        .map(|answer| &answer.bot)
        .collect();
    Ok(bots
        .into_iter()
        .filter_map(|bot| change(url, bot, since, &decisions))
        .collect())
}

fn change(url: &str, bot: &str, since: u64, decisions: &[RecordedDecision]) -> Option<Change> {
    let before = UrlUses::from_decisions(
        decisions.iter().filter(|decision| decision.number < since),
        bot,
    )?;
    let now = UrlUses::from_decisions(decisions, bot)?;
    let date = now
        .captured
        .and_then(|time| jiff::Timestamp::from_second(time).ok())
        .map(|time| time.to_string());
    let why = |usage: Use| {
        // The last one that denies it, since a later one may be about another use.
        let denies = |decision: &&RecordedDecision| {
            decision
                .bots
                .iter()
                .any(|answer| answer.bot == bot && answer.allow.denies(usage))
        };
        let last = decisions.iter().rev().find(denies);
        last.map(|decision| decision.denial(bot, usage))
            .unwrap_or_default()
    };
    Change::between((before.allowed, now.allowed), (url, bot), date, why)
}
