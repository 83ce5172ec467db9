//! Applies the effects of the tree on marked elements: HTML may ignore a tag, merge its attributes
//! into another element, or move content out of an element. If a page has inclusive elements, all
//! content outside of them is denied.

use std::borrow::Cow;

use crate::convention::{self, Element};
use crate::extract::{quote_tag, shortened_copy};
use crate::html;
use crate::ledger::Ledger;
use crate::lex::{Token, TokenKind};
use crate::locate::Locator;
use crate::note::NoteKind;
use crate::policy::{Extent, Origin, StatementContent};
use crate::scope::MarkStatement;
use crate::tree::{ChainId, MarkId, TagResult, TreeAnswer};
use heedful_base::error::Result;

use super::state::Judge;

impl Judge {
    /// Updates the elements with statements after a token has changed the tree. `answer` tells what
    /// the token has changed, and `mark` is the mark of its tag. The token may also have moved
    /// earlier content.
    pub(crate) fn apply_tree_answer(
        &mut self,
        token: &Token<'_>,
        answer: &TreeAnswer,
        mark: Option<MarkId>,
        locator: &mut Locator,
        ledger: &mut Ledger,
    ) -> Result<()> {
        if let Some(mark) = mark {
            self.apply_tag_result(token, &answer.result, mark, ledger)?;
        }
        self.apply_moved_marks(locator, ledger);
        if token.kind() == TokenKind::Bogus && html::is_placeholder(token.raw()) {
            self.void_around_placeholder(token, answer.chain, locator, ledger);
        }
        Ok(())
    }

    /// Applies the result of a tag with the mark `mark`: HTML makes an element of the tag, or
    /// ignores it, or merges its attributes into an earlier element.
    fn apply_tag_result(
        &mut self,
        token: &Token<'_>,
        result: &TagResult,
        mark: MarkId,
        ledger: &mut Ledger,
    ) -> Result<()> {
        match result {
            TagResult::Element => {
                self.page_wide.root_speaks |= token.name() == "html";
                self.deny_outside(token, mark, ledger)?;
                if token.name() == "template" && !token.is_foreign() {
                    let message = "a browser may drop this template and keep its content: what it allows is void";
                    self.void_element(token, mark, message, ledger);
                }
            }
            TagResult::ElementInSelect => {
                self.deny_outside(token, mark, ledger)?;
                let message =
                    "a browser may drop this element, as it is in a select: what it allows is void";
                self.void_element(token, mark, message, ledger);
            }
            TagResult::Ignored => {
                let message = format!(
                    "HTML ignores this {} here, and so what it says",
                    tag_in_brackets(token)
                );
                ledger.note_for_all(NoteKind::IgnoredElement, None, Some(token.place()), message);
            }
            TagResult::Merged(names) => self.apply_merged_attributes(token, names, mark, ledger),
        }
        Ok(())
    }

    /// Voids the allowances of an element that a browser may drop. A browser may drop a `template`
    /// with a shadow root, or an element in a `select`, and keep the element's content. If the
    /// element had allowances, adds a note with the text `message`.
    fn void_element(
        &mut self,
        token: &Token<'_>,
        mark: MarkId,
        message: &str,
        ledger: &mut Ledger,
    ) {
        if self.marks.void_allowances(mark) == Some(true) {
            let message = message.to_owned();
            ledger.note_for_all(NoteKind::MovedContent, None, Some(token.place()), message);
            self.invalidate();
        }
    }

    /// Adds a note if `token` begins a frameset on a page where content is allowed only in marked
    /// elements. A browser drops all content before a frameset, including these elements. The note
    /// says that content outside of such elements is still denied.
    pub(crate) fn note_frameset(&self, token: &Token<'_>, ledger: &mut Ledger) {
        if token.kind() == TokenKind::Start
            && token.name() == "frameset"
            && !self.page_wide.outside.is_empty()
        {
            let message = "HTML drops what stands before a frameset: that only marked elements are in still holds";
            ledger.note_for_all(NoteKind::MovedContent, None, Some(token.place()), message);
        }
    }

    /// Voids the allowances of the elements around a placeholder such as `<?marker?>`. A browser
    /// may insert other content at a placeholder, or replace the content after it.
    fn void_around_placeholder(
        &mut self,
        token: &Token<'_>,
        chain: ChainId,
        locator: &Locator,
        ledger: &mut Ledger,
    ) {
        let message = "a browser may put other content here: what elements round it allow is void";
        ledger.note_for_all(NoteKind::OutOfOrder, None, Some(token.place()), message);
        for mark in locator.marks(chain) {
            if self.marks.void_allowances(mark).is_some() {
                self.invalidate();
            }
        }
    }

    /// Applies changes of the tree that moved content after the content was judged. If content was
    /// moved out of an element, the allowances of this element become void. If content was moved
    /// into an element, the denials of this element apply to the whole page.
    fn apply_moved_marks(&mut self, locator: &mut Locator, ledger: &mut Ledger) {
        for moved in locator.take_moved_marks() {
            for mark in moved.left {
                let place = match self.marks.statements(mark).next() {
                    Some(first) => ledger.directive(first.directive).place(),
                    None => None,
                };
                let Some(allowed) = self.marks.void_allowances(mark) else {
                    continue;
                };
                let message = if allowed {
                    "HTML moves content out of this element: what it allows is void"
                } else {
                    "HTML moves content out of this element: it stays withheld"
                };
                ledger.note_for_all(NoteKind::MovedContent, None, place, message);
                self.invalidate();
            }
            for mark in moved.entered {
                self.page_wide
                    .late_statements
                    .extend(self.marks.statements(mark).copied());
            }
        }
    }

    /// Checks whether a convention allows the new element of the tag `token`. If so, denies all
    /// content outside of the elements that this convention allows. This denial is added once for
    /// each convention, at the first element that the convention allows. `mark` is the mark (ID) of
    /// the new element. Allowances of the Robot Exclusion Profile cause no such denial.
    fn deny_outside(&mut self, token: &Token<'_>, mark: MarkId, ledger: &mut Ledger) -> Result<()> {
        let statements: Vec<_> = self
            .marks
            .statements(mark)
            .filter(|statement| statement.is_inclusive())
            .copied()
            .collect();
        for MarkStatement {
            convention,
            recipients,
            says,
            ..
        } in statements
        {
            let StatementContent::Allow(uses) = says else {
                continue;
            };
            if self.is_outside_denied(convention) {
                continue;
            }
            let text = shortened_copy(&quote_tag(token, convention, &self.terms.conventions));
            let directive = ledger.deny(
                uses,
                Extent::Subtree,
                convention,
                Origin::Page(token.place()),
                text,
            )?;
            let outside = self.marks.add(vec![MarkStatement {
                directive,
                says: StatementContent::Deny(uses),
                recipients,
                convention,
            }]);
            self.page_wide.outside.push(outside);
            self.invalidate();
        }
        Ok(())
    }

    /// True if everything outside of the elements that `convention` allows is denied already.
    fn is_outside_denied(&self, convention: &str) -> bool {
        let outside = self.page_wide.outside.iter();
        let mut statements = outside.flat_map(|mark| self.marks.statements(*mark));
        statements.any(|statement| statement.convention == convention)
    }

    /// Applies the statements of an `html` or `body` tag that follows content. HTML merges the
    /// attributes of this tag into the existing element.
    fn apply_merged_attributes(
        &mut self,
        token: &Token<'_>,
        names: &[String],
        mark: MarkId,
        ledger: &mut Ledger,
    ) {
        let terms = self.terms.clone();
        let mut collector = terms.collector();
        convention::content(&MergedAttributes { token, names }, &mut collector);
        let merged = |s: &&MarkStatement| {
            collector.statements.iter().any(|h| {
                (h.says, h.recipients, h.convention) == (s.says, s.recipients, s.convention)
            })
        };
        let late: Vec<_> = self
            .marks
            .statements(mark)
            .filter(merged)
            .copied()
            .collect();
        if late.is_empty() {
            return;
        }
        let message = format!(
            "a {} that comes late: what it denies, it denies for the whole page",
            tag_in_brackets(token)
        );
        ledger.note_for_all(NoteKind::LateAttributes, None, Some(token.place()), message);
        if token.name() == "html" && !self.page_wide.root_speaks {
            self.page_wide.root_speaks = true;
            // The allowances would apply to content that was judged before they were known.
            self.marks.void_allowances(mark);
            self.page_wide.root.push(mark);
            self.invalidate();
        } else {
            self.page_wide.late_statements.extend(late);
        }
    }
}

/// A tag reduced to the attributes that HTML merged into an earlier element.
struct MergedAttributes<'a> {
    token: &'a Token<'a>,
    names: &'a [String],
}

impl Element for MergedAttributes<'_> {
    fn name(&self) -> &str {
        self.token.name()
    }

    fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        if self.names.iter().any(|merged| merged == name) {
            self.token.attribute(name)
        } else {
            None
        }
    }

    fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

/// Returns the name of a tag in angle brackets, for messages.
fn tag_in_brackets(token: &Token<'_>) -> String {
    format!("<{}>", token.name())
}
