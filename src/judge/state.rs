//! The state of the third stage: marks, verdicts that can be reused, and verdicts to judge again at
//! the end of the page.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ledger::{Ledger, Lift, VerdictId};
use crate::locate::{TokenScope, Transition};
use crate::scope::{Follow, MarkStatement, Marks, PassTerms};
use crate::tree::MarkId;
use heedful_base::bot::BotSet;

use super::basis::VerdictBasis;

/// Third stage of the walk: finds the verdict of each token of one page.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(super) terms: Arc<PassTerms>,
    pub(super) marks: Marks,
    pub(super) page_wide: PageWideMarks,
    pub(super) known: KnownVerdicts,
    /// Bases of the verdicts that may still become stricter.
    pub(super) bases: Vec<(VerdictId, VerdictBasis)>,
    /// Denials that allowances lifted when a verdict was made. `None` if they are not recorded.
    pub(super) lifts: Option<Vec<(VerdictId, Lift)>>,
}

/// Marks whose statements are about everything in the page.
#[derive(Debug, Default)]
pub(super) struct PageWideMarks {
    /// Marks of an `html` tag that follows content. HTML gives its attributes to the root element,
    /// so they count as outermost around every token.
    pub(super) root: Vec<MarkId>,
    /// Marks without an element of their own. Each has a statement that denies all content outside
    /// of the inclusive elements of one convention, as this convention demands.
    pub(super) outside: Vec<MarkId>,
    /// True if the first `html` tag has directives of its own.
    pub(super) root_speaks: bool,
    /// Statements about the whole page that became known after content was judged. Some are of an
    /// `html` or `body` tag that follows content: HTML merges its attributes into the element that
    /// is there. Others are of an element into which HTML moves earlier content.
    pub(super) late_statements: Vec<MarkStatement>,
}

/// Cache of verdicts and phrase ends that are still valid.
#[derive(Debug, Default)]
pub(super) struct KnownVerdicts {
    /// Place and verdict of the last token. `None` if directives about that token alone changed its
    /// verdict.
    pub(super) last: Option<(TokenScope, VerdictId)>,
    /// Verdicts of places inside marked elements, each with the allowances to follow links at this
    /// place.
    pub(super) placed: HashMap<TokenScope, (VerdictId, Follow)>,
    /// For each mark, the bots for which a phrase ends where the mark's element begins or ends.
    /// This is a map: a vector would be filled again up to the last mark after each
    /// [`Judge::invalidate`].
    pub(super) breaks: HashMap<MarkId, BotSet>,
    /// True if the basis of some verdict has changed since the verdict was made.
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

    /// Starts recording the denials that allowances lift. [`Judge::end`] returns them. No verdict
    /// depends on this record.
    pub(crate) fn record_lifts(&mut self) {
        self.lifts = Some(Vec::new());
    }

    /// Adds the statements about an element's content. Returns the element's mark, or `None` if
    /// there are no statements.
    pub(crate) fn mark(&mut self, content: Vec<MarkStatement>) -> Option<MarkId> {
        (!content.is_empty()).then(|| self.marks.add(content))
    }

    /// Forgets the verdicts computed so far, since marks have changed. They are all judged again at
    /// the end of the page.
    pub(crate) fn invalidate(&mut self) {
        self.known = KnownVerdicts {
            is_stale: true,
            ..KnownVerdicts::default()
        };
    }

    /// Ends the reach of the directives about elements that ended with the last token.
    pub(crate) fn end_elements(&self, transition: &Transition, ledger: &mut Ledger) {
        let at = ledger.length();
        for mark in &transition.ended {
            for statement in self.marks.statements(*mark) {
                ledger.extend_reach(statement.directive, at);
            }
        }
    }
}
