//! Computes how the uses that pages allow have changed since an entry of an evidence log. The
//! changes are for anyone who has copies of a corpus.
//!
//! The entries of an evidence log contain no URL. So the caller passes each URL, from an index or a
//! list, and the log finds its entries by a short hash. A URL without a decision before the given
//! entry is new, which is not a change. A URL that was forgotten is not found, so publish the feed
//! before `evidence forget`.

use std::collections::BTreeSet;

use heedful::Use;
use heedful_base::error::Result;
use heedful_evidence::{Log, RecordedDecision, UrlUses};

use super::change::Change;

/// Returns how the uses that the page at `url` allows have changed. The present uses are compared
/// with the uses before entry number `since` of an evidence log. The result has at most one change
/// per bot.
///
/// # Errors
/// Fails if the evidence log cannot be read.
pub fn changes_since(log: &Log, since: u64, url: &str) -> Result<Vec<Change>> {
    let decisions = log.history_since(url, since)?;
    let mut bots = BTreeSet::new();
    for decision in &decisions {
        bots.extend(decision.bots.iter().map(|answer| &answer.bot));
    }
    let mut changes = Vec::new();
    for bot in bots {
        changes.extend(change(url, bot, since, &decisions));
    }
    Ok(changes)
}

/// Returns the directive that denies a use to a bot. If several of `decisions` deny the use, the
/// last one decides. Returns an empty text if no decision denies the use.
fn denial(bot: &str, usage: Use, decisions: &[RecordedDecision]) -> String {
    let denies = |decision: &&RecordedDecision| {
        let mut bots = decision.bots.iter();
        bots.any(|answer| answer.bot == bot && answer.allow.denies(usage))
    };
    let last = decisions.iter().rev().find(denies);
    last.map_or_else(String::new, |decision| decision.denial(bot, usage))
}

fn change(url: &str, bot: &str, since: u64, decisions: &[RecordedDecision]) -> Option<Change> {
    let before = UrlUses::from_decisions(
        decisions.iter().filter(|decision| decision.number < since),
        bot,
    )?;
    let now = UrlUses::from_decisions(decisions, bot)?;
    let date = match now.captured.map(jiff::Timestamp::from_second) {
        Some(Ok(time)) => Some(time.to_string()),
        _ => None,
    };
    let why = |usage| denial(bot, usage, decisions);
    Change::between(before.allowed, now.allowed, url, bot, date, why)
}
