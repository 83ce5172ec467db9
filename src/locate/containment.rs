//! The tree of a page, from the point where it matters.
//!
//! As long as nothing asks for the tree, the steps for it are only kept. With the first mark, or
//! the first `template` that may make a shadow root, it is built from them, and then followed live.
//! A page that is too long to be kept is followed from that point on. If the tree had to be given
//! up before any mark was seen, that is an error only when a mark comes. No `template` makes a
//! shadow root then.

use crate::lex::Token;
use crate::tree::{ChainId, MarkId, MarkIds, MovedMarks, TagLog, TagResult, Tree, TreeAnswer};
use heedful_base::error::{Error, Result};
use heedful_base::limits::Limits;

/// The state of the tree.
#[derive(Debug)]
pub(super) enum Containment {
    /// The page so far, of which nothing was asked.
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
    /// Follows a token; a start tag's element may be given a mark.
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
                let answer = tree.token(token, mark);
                match (answer, *marked) {
                    (Err(error), false) => {
                        *self = Self::Lost(Some(error));
                        Ok(unmarked())
                    }
                    (answer, _) => answer,
                }
            }
            Self::Lost(error) => match error.take_if(|_| mark.is_some()) {
                Some(error) => Err(error),
                None => Ok(unmarked()),
            },
            Self::Kept(_) => Ok(unmarked()),
        }
    }

    /// Gives the innermost element a shadow root. Returns false if it may have none, or has one.
    #[cold]
    pub(super) fn begin_root(&mut self, limits: &Limits) -> Result<bool> {
        self.build(limits);
        let Self::Live { tree, marked } = self else {
            return Ok(false);
        };
        match tree.begin_root() {
            Err(error) if !*marked => {
                *self = Self::Lost(Some(error));
                Ok(false)
            }
            answer => answer,
        }
    }

    /// Builds the tree of what was kept.
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

    /// The marks of a chain, innermost first.
    pub(super) fn marks(&self, chain: ChainId) -> MarkIds {
        match self {
            Self::Live { tree, .. } => tree.marks(chain).collect(),
            _ => MarkIds::new(),
        }
    }

    pub(super) fn has_moved_marks(&self) -> bool {
        matches!(self, Self::Live { tree, marked: true } if tree.has_moved_marks())
    }

    /// The late changes that the last tokens have made.
    pub(super) fn take_moved_marks(&mut self) -> Vec<MovedMarks> {
        match self {
            Self::Live { tree, marked: true } => tree.take_moved_marks(),
            _ => Vec::new(),
        }
    }
}
