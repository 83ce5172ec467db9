//! Records the withheld ranges of a page, each with the directive that withholds it.
//!
//! While tokens arrive, this sink records only their verdicts. The directives that decide are known
//! at the page's end.

use crate::ledger::{PageEnd, VerdictId};
use crate::policy::{Verdict, Winner};
use crate::walk::Judged;
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, Result};

use super::receiver::Sink;

/// Byte range of the page that is withheld from some bots for one use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithheldRange {
    pub(crate) winner: Winner,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// Byte offset at which a run of tokens with one verdict begins. The run ends where the next one
/// begins.
#[derive(Clone, Copy, Debug)]
struct TokenRun {
    verdict: VerdictId,
    start: u64,
}

/// Sink that records the withheld ranges of one page.
#[derive(Debug, Default)]
pub(crate) struct AuditSink {
    most: usize,
    runs: Vec<TokenRun>,
    open: Vec<WithheldRange>,
    pub(crate) closed: Vec<WithheldRange>,
}

impl AuditSink {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// At byte offset `at`, ends the ranges of the directives that no longer decide, and begins the
    /// ranges of those that decide from there on by `verdict`. This is done bot by bot, since a
    /// directive may continue to decide for some bots.
    fn change_verdict(&mut self, verdict: &Verdict, at: u64) {
        let winners = verdict.winners();
        let before = std::mem::take(&mut self.open);
        for WithheldRange { winner, start, .. } in before {
            let same = bots_of_same(winner, winners.iter());
            add_range(
                &mut self.closed,
                winner,
                winner.bots.without(same),
                start,
                at,
            );
            add_range(&mut self.open, winner, winner.bots.and(same), start, at);
        }
        for winner in winners {
            let same = bots_of_same(*winner, self.open.iter().map(|open| &open.winner));
            add_range(&mut self.open, *winner, winner.bots.without(same), at, at);
        }
    }
}

/// Returns the bots for which one of `others` denies the same use by the same directive as
/// `winner`.
fn bots_of_same<'a>(winner: Winner, others: impl Iterator<Item = &'a Winner>) -> BotSet {
    let mut bots = BotSet::NONE;
    for other in others {
        if other.usage == winner.usage && other.directive == winner.directive {
            bots = bots.or(other.bots);
        }
    }
    bots
}

/// Appends to `ranges` the range in which `winner` decides for `bots`, unless `bots` is empty.
fn add_range(ranges: &mut Vec<WithheldRange>, winner: Winner, bots: BotSet, start: u64, end: u64) {
    if !bots.is_empty() {
        ranges.push(WithheldRange {
            winner: Winner { bots, ..winner },
            start,
            end,
        });
    }
}

impl Sink for AuditSink {
    #[inline]
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let verdict = judged.id();
        let before = match self.runs.last() {
            Some(run) => run.verdict,
            None => VerdictId::default(),
        };
        if before != verdict {
            if self.runs.len() >= self.most {
                return Err(Error::limit("exclusions", self.most as u64));
            }
            self.runs.push(TokenRun {
                verdict,
                start: judged.token().start(),
            });
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &PageEnd) -> Result<()> {
        // An `html` tag that follows content may deny the page from its first byte, before the
        // first token's range.
        self.change_verdict(outcome.verdict(VerdictId::default()), 0);
        for run in std::mem::take(&mut self.runs) {
            self.change_verdict(outcome.verdict(run.verdict), run.start);
        }
        self.change_verdict(&Verdict::default(), outcome.length);
        self.closed.retain(|withheld| withheld.start < withheld.end);
        self.closed
            .sort_by_key(|withheld| (withheld.start, withheld.end, withheld.winner.usage));
        Ok(())
    }
}
