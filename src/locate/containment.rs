//! Stores the steps of a page's tree until the tree is needed, and then builds it.
//!
//! The tree is built at the first mark, or at the first `template` that may make a shadow root.
//! From then on it is updated token by token. If a page has too many steps to be stored, the tree
//! is built earlier. If building the tree fails before any mark, no later `template` makes a shadow
//! root. The error is returned only at the next mark. The same holds for an error at which no
//! marked element is open, since no later content can be in one of those before it.

use crate::lex::Token;
use crate::tree::{ChainId, MarkId, MarkIds, MovedMarks, TagLog, TagResult, Tree, TreeAnswer};
use heedful_base::error::{Error, Result};
use heedful_base::limits::Limits;

/// State of a page's tree: not needed yet, built, or given up after an error.
#[derive(Debug)]
pub(super) enum Containment {
    /// The tree is not needed yet. The log has the steps of the page so far, from which the tree
    /// can be built.
    Kept(TagLog),
    Live {
        tree: Box<Tree>,
        marked: bool,
    },
    Lost(Option<Error>),
}

fn unmarked() -> TreeAnswer {
    TreeAnswer {
        chain: ChainId::default(),
        result: TagResult::Element,
    }
}

impl Default for Containment {
    fn default() -> Self {
        Self::Kept(TagLog::default())
    }
}

impl Containment {
    /// Updates the tree with a token. `mark` is the ID of the element that a start tag makes. It is
    /// `None` if this element has no directives, or if the token is no start tag.
    pub(super) fn token(
        &mut self,
        token: &Token<'_>,
        mark: Option<MarkId>,
        limits: &Limits,
    ) -> Result<TreeAnswer> {
        if let Self::Kept(kept) = self {
            if mark.is_none() && (kept.bytes() as u64) < limits.kept_bytes {
                kept.token(token);
                return Ok(unmarked());
            }
            self.build(limits);
        }
        match self {
            Self::Live { tree, marked } => {
                *marked |= mark.is_some();
                // The token may end such an element in some browsers only.
                let is_needed = mark.is_some() || tree.has_marked();
                match tree.token(token, mark) {
                    Err(error) if !is_needed => {
                        *self = Self::Lost(Some(error));
                        Ok(unmarked())
                    }
                    answer => answer,
                }
            }
            Self::Lost(error) => match error.take_if(|_| mark.is_some()) {
                Some(error) => Err(error),
                None => Ok(unmarked()),
            },
            Self::Kept(_) => Ok(unmarked()),
        }
    }

    /// Adds a shadow root to the innermost open element. Returns false in three cases: the element
    /// may not have a shadow root, already has one, or the tree was given up after an error.
    pub(super) fn begin_root(&mut self, limits: &Limits) -> Result<bool> {
        self.build(limits);
        let Self::Live { tree, .. } = self else {
            return Ok(false);
        };
        let is_needed = tree.has_marked();
        match tree.begin_root() {
            Err(error) if !is_needed => {
                *self = Self::Lost(Some(error));
                Ok(false)
            }
            answer => answer,
        }
    }

    /// True if the tree was given up after an error.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self, Self::Lost(_))
    }

    /// Builds the tree from the stored steps, unless it is already built or given up.
    fn build(&mut self, limits: &Limits) {
        let Self::Kept(kept) = self else { return };
        *self = match Tree::from_log(std::mem::take(kept), limits) {
            Ok(tree) => Self::Live {
                tree: Box::new(tree),
                marked: false,
            },
            Err(error) => Self::Lost(Some(error)),
        };
    }

    /// Returns the marks (IDs of elements with directives) in a chain, innermost first. Empty if
    /// there is no tree.
    pub(super) fn marks(&self, chain: ChainId) -> MarkIds {
        match self {
            Self::Live { tree, .. } => tree.marks(chain).collect(),
            _ => MarkIds::new(),
        }
    }

    pub(super) fn has_moved_marks(&self) -> bool {
        matches!(self, Self::Live { tree, marked: true } if tree.has_moved_marks())
    }

    /// Returns the records of content, already read, that the tree builder has since moved into or
    /// out of an element with directives. Clears the records.
    pub(super) fn take_moved_marks(&mut self) -> Vec<MovedMarks> {
        match self {
            Self::Live { tree, marked: true } => tree.take_moved_marks(),
            _ => Vec::new(),
        }
    }
}
