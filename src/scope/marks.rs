//! Stores the statements of marked elements. A mark is the number of such an element.

use std::collections::HashSet;

use crate::convention::{Recipients, Statement};
use crate::policy::{DirectiveId, StatementContent, Uses};
use crate::tree::MarkId;

/// One statement about an element and its content.
#[derive(Clone, Copy, Debug)]
pub struct MarkStatement {
    #[doc(hidden)]
    pub directive: DirectiveId,
    #[doc(hidden)]
    pub says: StatementContent,
    #[doc(hidden)]
    pub recipients: Recipients,
    #[doc(hidden)]
    pub convention: &'static str,
}

impl MarkStatement {
    #[doc(hidden)]
    pub fn new(directive: DirectiveId, said: &Statement) -> Self {
        Self {
            directive,
            says: said.says,
            recipients: said.recipients,
            convention: said.convention,
        }
    }

    pub(crate) fn is_denial(&self) -> bool {
        matches!(self.says, StatementContent::Deny(_))
    }

    /// True if the statement makes its element inclusive. Content outside of all inclusive elements
    /// is denied. Every allowance makes its element inclusive, except an allowance by the Robot
    /// Exclusion Profile.
    #[doc(hidden)]
    pub fn is_inclusive(&self) -> bool {
        !self.is_denial() && matches!(self.recipients, Recipients::Bots(_))
    }

    pub(super) fn is_of_one_bot(&self) -> bool {
        matches!(self.recipients, Recipients::Profile(Some(_)))
    }

    pub(super) fn uses(&self) -> Uses {
        match self.says {
            StatementContent::Deny(uses) | StatementContent::Allow(uses) => uses,
            _ => Uses::NONE,
        }
    }
}

/// Statements of one convention about one marked element.
#[derive(Debug)]
pub(super) struct ConventionStatements {
    pub(super) convention: &'static str,
    pub(super) uses: Uses,
    pub(super) statements: Vec<MarkStatement>,
}

/// Statements of all marked elements (elements with directives). The mark of an element is the ID
/// by which its statements are found.
#[derive(Debug, Default)]
pub struct Marks {
    marks: Vec<Vec<ConventionStatements>>,
    /// Marks of elements whose allowances are void, for example since HTML moved content out of the
    /// element.
    pub(super) void: HashSet<MarkId>,
}

impl Marks {
    #[doc(hidden)]
    pub fn add(&mut self, statements: Vec<MarkStatement>) -> MarkId {
        let mut by_convention: Vec<ConventionStatements> = Vec::new();
        for statement in statements {
            let convention = statement.convention;
            match by_convention
                .iter_mut()
                .find(|known| known.convention == convention)
            {
                Some(known) => {
                    known.uses = known.uses.union(statement.uses());
                    known.statements.push(statement);
                }
                None => by_convention.push(ConventionStatements {
                    convention,
                    uses: statement.uses(),
                    statements: vec![statement],
                }),
            }
        }
        self.marks.push(by_convention);
        MarkId::nth(self.marks.len() - 1)
    }

    pub(super) fn by_convention(&self, mark: MarkId) -> &[ConventionStatements] {
        match self.marks.get(mark.index()) {
            Some(by_convention) => by_convention,
            None => &[],
        }
    }

    pub(crate) fn statements(&self, mark: MarkId) -> impl Iterator<Item = &MarkStatement> {
        let by_convention = self.by_convention(mark).iter();
        by_convention.flat_map(|convention| &convention.statements)
    }

    /// True if a statement about the element with this mark (its ID) allows a use.
    pub(crate) fn has_allowance(&self, mark: MarkId) -> bool {
        self.statements(mark)
            .any(|statement| !statement.is_denial())
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &MarkStatement> {
        let by_convention = self.marks.iter().flatten();
        by_convention.flat_map(|convention| &convention.statements)
    }

    /// Returns the directives of all allowances that are void.
    pub(crate) fn void(&self) -> HashSet<DirectiveId> {
        let mut directives = HashSet::new();
        for mark in &self.void {
            for statement in self.statements(*mark) {
                directives.insert(statement.directive);
            }
        }
        directives
    }

    /// Voids the allowances of the element with this mark. At the first call for a mark, returns
    /// true if the element had any allowances. Returns `None` at later calls.
    pub(crate) fn void_allowances(&mut self, mark: MarkId) -> Option<bool> {
        if !self.void.insert(mark) {
            return None;
        }
        Some(self.has_allowance(mark))
    }
}
