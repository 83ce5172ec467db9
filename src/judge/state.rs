//! What the judge knows at a place of the page, and what it must judge again at the end.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bot::BotSet;
use crate::ledger::{Ledger, Lift, VerdictId};
use crate::locate::{Stand, Turn};
use crate::scope::{Follow, Marks, Statement, Terms};
use crate::tree::MarkId;

use super::basis::Basis;

/// What judges one page.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(super) terms: Arc<Terms>,
    pub(super) marks: Marks,
    pub(super) around: Around,
    pub(super) known: Known,
    /// What the verdicts rest on that may still become stricter.
    pub(super) bases: Vec<(VerdictId, Basis)>,
    /// What allowances lifted when a verdict was made, if that is asked for.
    pub(super) lifts: Option<Vec<(VerdictId, Lift)>>,
}

/// What is said of all that stands in the page.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// What a late `html` tag says: it is round all that was ever said, and outermost.
    pub(super) root: Vec<MarkId>,
    /// What follows from elements that let in: by their dialects, what stands in none of them is out.
    pub(super) outside: Vec<MarkId>,
    /// The first `html` tag says something itself.
    pub(super) root_speaks: bool,
    /// Statements about elements that turned out to be about the whole page.
    pub(super) late: Vec<Statement>,
}

/// What was judged before, and still holds.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The last place, if nothing is said there of a node alone.
    pub(super) last: Option<(Stand, VerdictId)>,
    /// The verdicts of places inside marked elements, and whom they let follow.
    pub(super) placed: HashMap<Stand, (VerdictId, Follow)>,
    /// The bots for which a phrase ends at each mark. No vector: it would be made anew up to the last mark whenever all is forgotten.
    pub(super) breaks: HashMap<MarkId, BotSet>,
    /// What some verdicts rest on has changed since they were made.
    pub(super) is_stale: bool,
}

impl Known {
    pub(super) fn breaks(&mut self, mark: MarkId, judged: impl FnOnce() -> BotSet) -> BotSet {
        *self.breaks.entry(mark).or_insert_with(judged)
    }
}

impl Judge {
    pub(crate) fn new(terms: Arc<Terms>) -> Self {
        Self {
            marks: Marks::default(),
            around: Around::default(),
            known: Known { is_stale: terms.is_thorough, ..Known::default() },
            bases: Vec::new(),
            lifts: None,
            terms,
        }
    }

    /// At the end it is wanted to say what allowances have lifted: no verdict needs it.
    pub(crate) fn ask_why(&mut self) {
        self.lifts = Some(Vec::new());
    }

    /// An element says something of what it contains.
    pub(crate) fn mark(&mut self, content: Vec<Statement>) -> Option<MarkId> {
        (!content.is_empty()).then(|| self.marks.add(content))
    }

    /// What was known of marks has changed: no verdict so far is the last one.
    pub(crate) fn forget(&mut self) {
        self.known = Known { is_stale: true, ..Known::default() };
    }

    /// The elements that ended with the last tile reach no further.
    pub(crate) fn leave(&self, turn: &Turn, ledger: &mut Ledger) {
        let at = ledger.length();
        for statement in turn.ended.iter().flat_map(|mark| self.marks.of(*mark)) {
            ledger.reaches(statement.directive, at);
        }
    }
}
