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

/// Byte range of the decoded page that one directive withholds from some bots for one use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithheldRange {
    pub(crate) winner: Winner,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// Sequence of tokens with one verdict, stored by the byte offset at which it starts. The sequence
/// ends where the next one in [`AuditSink::runs`] starts.
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

    /// Ends and begins withheld ranges at byte offset `at`, from which on `verdict` applies. A
    /// range ends if its directive no longer denies its use. A range begins if its directive did
    /// not deny the use before. Each bot is treated separately, since a directive may go on denying
    /// for some bots only.
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

/// Returns the bots of those denials in `others` that have the use and the directive of `winner`.
fn bots_of_same<'a>(winner: Winner, others: impl Iterator<Item = &'a Winner>) -> BotSet {
    let mut bots = BotSet::NONE;
    for other in others {
        if other.usage == winner.usage && other.directive == winner.directive {
            bots = bots.or(other.bots);
        }
    }
    bots
}

/// Appends to `ranges` the range in which the directive of `winner` denies its use to `bots`. Does
/// nothing if `bots` is empty.
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
