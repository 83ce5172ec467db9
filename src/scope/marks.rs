//! The statements of marked elements, by their marks.

use std::collections::HashSet;

use crate::convention::{EarStatement, Whom};
use crate::policy::{DirectiveId, Says, Uses};
use crate::tree::MarkId;

/// One statement about an element.
#[derive(Clone, Copy, Debug)]
pub struct MarkStatement {
    #[doc(hidden)]
    pub directive: DirectiveId,
    #[doc(hidden)]
    pub says: Says,
    #[doc(hidden)]
    pub whom: Whom,
    #[doc(hidden)]
    pub convention: &'static str,
}

impl MarkStatement {
    #[doc(hidden)]
    pub fn new(directive: DirectiveId, said: &EarStatement) -> Self {
        Self {
            directive,
            says: said.says,
            whom: said.whom,
            convention: said.convention,
        }
    }

    pub(crate) fn is_denial(&self) -> bool {
        matches!(self.says, Says::Deny(_))
    }

    /// True if it lets in by a convention other than the profile: content outside of all such elements
    /// is then out.
    #[doc(hidden)]
    pub fn lets_in(&self) -> bool {
        !self.is_denial() && matches!(self.whom, Whom::Bots(_))
    }

    pub(super) fn is_of_one_bot(&self) -> bool {
        matches!(self.whom, Whom::Profile(Some(_)))
    }

    pub(super) fn uses(&self) -> Uses {
        match self.says {
            Says::Deny(uses) | Says::Allow(uses) => uses,
            _ => Uses::NONE,
        }
    }
}

/// The statements of one convention about an element.
#[derive(Debug)]
pub(super) struct ConventionStatements {
    pub(super) convention: &'static str,
    pub(super) uses: Uses,
    pub(super) statements: Vec<MarkStatement>,
}

/// The statements of all marked elements, by mark.
#[derive(Debug, Default)]
pub struct Marks {
    voices: Vec<Vec<ConventionStatements>>,
    /// Marks from which some content was moved out. Their allowances are void.
    pub(super) void: HashSet<MarkId>,
}

impl Marks {
    #[doc(hidden)]
    pub fn add(&mut self, statements: Vec<MarkStatement>) -> MarkId {
        let mut voices: Vec<ConventionStatements> = Vec::new();
        for statement in statements {
            let at = voices
                .iter()
                .position(|voice| voice.convention == statement.convention)
                .unwrap_or_else(|| {
                    voices.push(ConventionStatements {
                        convention: statement.convention,
                        uses: Uses::NONE,
                        statements: Vec::new(),
                    });
                    voices.len() - 1
                });
            voices[at].uses = voices[at].uses.with(statement.uses());
            voices[at].statements.push(statement);
        }
        self.voices.push(voices);
        MarkId::nth(self.voices.len() - 1)
    }

    pub(super) fn by_convention(&self, mark: MarkId) -> &[ConventionStatements] {
        self.voices.get(mark.index()).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn statements(&self, mark: MarkId) -> impl Iterator<Item = &MarkStatement> {
        self.by_convention(mark)
            .iter()
            .flat_map(|voice| &voice.statements)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &MarkStatement> {
        self.voices
            .iter()
            .flatten()
            .flat_map(|voice| &voice.statements)
    }

    /// The directives of the void marks.
    pub(crate) fn void(&self) -> HashSet<DirectiveId> {
        self.void
            .iter()
            .flat_map(|mark| self.statements(*mark))
            .map(|statement| statement.directive)
            .collect()
    }

    /// Voids the allowances of a mark whose content was moved out. The first time, returns whether
    /// it had any.
    pub(crate) fn void_allowances(&mut self, mark: MarkId) -> Option<bool> {
        self.void.insert(mark).then(|| {
            self.statements(mark)
                .any(|statement| !statement.is_denial())
        })
    }
}
