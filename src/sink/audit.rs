//! What was withheld, from where to where, and by which directive.

use crate::error::Result;
use crate::policy::Winner;
use crate::walk::{Judged, VerdictId};

use super::Sink;

/// A part of the page that was withheld from some bots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Withheld {
    pub(crate) winner: Winner,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// Records the excluded ranges of one page.
#[derive(Debug, Default)]
pub(crate) struct Audit {
    verdict: VerdictId,
    open: Vec<Withheld>,
    pub(crate) closed: Vec<Withheld>,
}

impl Audit {
    /// Ends the ranges whose directive no longer decides and begins those of the directives that do now.
    fn turn(&mut self, judged: &Judged<'_>) {
        let at = judged.tile().start();
        let winners = judged.verdict().winners();
        let (stay, over): (Vec<_>, Vec<_>) = self.open.drain(..).partition(|open| winners.contains(&open.winner));
        self.closed.extend(over.into_iter().map(|open| Withheld { end: at, ..open }));
        self.open = stay;
        for winner in winners {
            if !self.open.iter().any(|open| open.winner == *winner) {
                self.open.push(Withheld { winner: *winner, start: at, end: at });
            }
        }
    }
}

impl Sink for Audit {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        if judged.id() != self.verdict {
            self.turn(judged);
            self.verdict = judged.id();
        }
        let end = judged.tile().end();
        for open in &mut self.open {
            open.end = end;
        }
        Ok(())
    }

    fn finish(&mut self, _: &crate::walk::Outcome) -> Result<()> {
        self.closed.append(&mut self.open);
        self.closed.sort_by_key(|withheld| (withheld.start, withheld.end, withheld.winner.facet));
        Ok(())
    }
}
