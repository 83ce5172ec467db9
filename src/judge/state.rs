//! What the judge knows at a place of the page, and what it must judge again at the end.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ledger::{Ledger, Lift, VerdictId};
use crate::locate::{TokenScope, Transition};
use crate::scope::{Follow, MarkStatement, Marks, PassTerms};
use crate::tree::MarkId;
use heedful_base::bot::BotSet;

use super::basis::VerdictBasis;

/// The third stage, for one page.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(super) terms: Arc<PassTerms>,
    pub(super) marks: Marks,
    pub(super) page_wide: PageWideMarks,
    pub(super) known: KnownVerdicts,
    /// The bases of the verdicts that may still become stricter.
    pub(super) bases: Vec<(VerdictId, VerdictBasis)>,
    /// The denials that allowances lifted when a verdict was made, if they are asked for.
    pub(super) lifts: Option<Vec<(VerdictId, Lift)>>,
}

/// Statements about everything in the page.
#[derive(Debug, Default)]
pub(super) struct PageWideMarks {
    /// The marks of a late `html` tag: it is around everything, and outermost.
    pub(super) root: Vec<MarkId>,
    /// The denials that follow from elements that let in: by their conventions, content outside of all
    /// of them is out.
    pub(super) outside: Vec<MarkId>,
    /// The first `html` tag has directives of its own.
    pub(super) root_speaks: bool,
    /// Statements about elements that turned out to be about the whole page.
    pub(super) late: Vec<MarkStatement>,
}

/// Earlier judgements that still hold.
#[derive(Debug, Default)]
pub(super) struct KnownVerdicts {
    /// The last place, if there is no directive about a node alone there.
    pub(super) last: Option<(TokenScope, VerdictId)>,
    /// The verdicts of places inside marked elements, and the allowances to follow links there.
    pub(super) placed: HashMap<TokenScope, (VerdictId, Follow)>,
    /// The bots for which a phrase ends at each mark. This is no vector, since a vector would be
    /// filled anew up to the last mark whenever everything is forgotten.
    pub(super) breaks: HashMap<MarkId, BotSet>,
    /// The basis of some verdicts has changed since they were made.
    pub(super) is_stale: bool,
}

impl Judge {
    pub(crate) fn new(terms: Arc<PassTerms>) -> Self {
        Self {
            marks: Marks::default(),
            page_wide: PageWideMarks::default(),
            known: KnownVerdicts {
                is_stale: terms.is_thorough,
                ..KnownVerdicts::default()
            },
            bases: Vec::new(),
            lifts: None,
            terms,
        }
    }

    /// Records the denials that allowances lift, to return them at the end. No verdict needs them.
    pub(crate) fn record_lifts(&mut self) {
        self.lifts = Some(Vec::new());
    }

    /// The mark of an element with statements about its content.
    pub(crate) fn mark(&mut self, content: Vec<MarkStatement>) -> Option<MarkId> {
        (!content.is_empty()).then(|| self.marks.add(content))
    }

    /// Forgets earlier judgements, since marks have changed: no verdict so far is final.
    pub(crate) fn invalidate(&mut self) {
        self.known = KnownVerdicts {
            is_stale: true,
            ..KnownVerdicts::default()
        };
    }

    /// Ends the reach of the elements that ended with the last token.
    pub(crate) fn end_elements(&self, transition: &Transition, ledger: &mut Ledger) {
        let at = ledger.length();
        for mark in &transition.ended {
            for statement in self.marks.statements(*mark) {
                ledger.extend_reach(statement.directive, at);
            }
        }
    }
}
