//! The uses that were forbidden, and those given back, since an entry of a log of evidence: a feed
//! of changes, for others who have copies of a corpus.
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

/// The directive that denies a use to a bot, by the last decision that does: a later one may be
/// about another use.
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
