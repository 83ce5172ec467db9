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

/// Third stage of the walk over a page's tokens: finds the verdict of each token.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(super) terms: Arc<PassTerms>,
    pub(super) marks: Marks,
    pub(super) page_wide: PageWideMarks,
    pub(super) known: KnownVerdicts,
    /// The basis of each verdict that may still become stricter: the data from which the verdict
    /// was made.
    pub(super) bases: Vec<(VerdictId, VerdictBasis)>,
    /// Denials that allowances cancelled. Each denial has the ID of the verdict in which it was
    /// cancelled. `None` if cancelled denials are not recorded.
    pub(super) lifts: Option<Vec<(VerdictId, Lift)>>,
}

/// Marks (IDs of elements with statements) whose statements are about everything in the page.
#[derive(Debug, Default)]
pub(super) struct PageWideMarks {
    /// Marks (IDs of elements with statements) of `html` tags that follow content. HTML gives the
    /// attributes of such a tag to the root element. So these marks count as the outermost marks
    /// around every token.
    pub(super) root: Vec<MarkId>,
    /// Marks that stand for no element. Each of these marks has one statement of a convention. This
    /// statement denies all content outside of the elements that the convention allows.
    pub(super) outside: Vec<MarkId>,
    /// True if the first `html` tag has directives of its own.
    pub(super) root_speaks: bool,
    /// Statements that became known after content was judged. Their denials apply to the whole
    /// page. Some statements are of an `html` or `body` tag that follows content: HTML merges the
    /// attributes of this tag into the existing element. Others are of elements with statements
    /// into which the tree builder has moved content that was read before.
    pub(super) late_statements: Vec<MarkStatement>,
}

/// Cache of results that are still valid: verdicts, and the bots to which an element denies
/// indexing.
#[derive(Debug, Default)]
pub(super) struct KnownVerdicts {
    /// Scope and verdict of the last token. `None` if the verdict must not be reused for the next
    /// token, because directives that apply only to the last token changed it.
    pub(super) last: Option<(TokenScope, VerdictId)>,
    /// Verdicts of scopes inside marked elements (elements with statements), each with the
    /// allowances to follow links in this scope.
    pub(super) placed: HashMap<TokenScope, (VerdictId, Follow)>,
    /// For each mark (ID of an element) that was looked up, the bots to which its element denies
    /// indexing. For these bots, a phrase (a run of text that may be indexed) ends at the element's
    /// start and end. [`Judge::invalidate`] empties this cache.
    pub(super) breaks: HashMap<MarkId, BotSet>,
    /// True if statements may have changed since a verdict was made from them. All verdicts are
    /// then judged again at the end of the page.
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

    /// Starts recording the denials that allowances cancel. [`Judge::end`] returns these denials.
    /// No verdict depends on this record.
    pub(crate) fn record_lifts(&mut self) {
        self.lifts = Some(Vec::new());
    }

    /// Adds the statements about an element's content. Returns the mark of the element (the ID of
    /// its statements), or `None` if there are no statements.
    pub(crate) fn mark(&mut self, content: Vec<MarkStatement>) -> Option<MarkId> {
        (!content.is_empty()).then(|| self.marks.add(content))
    }

    /// Forgets the verdicts computed so far, since the statements of marked elements have changed.
    /// All verdicts are judged again at the end of the page.
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
