//! The tree of a page, from when it matters.
//!
//! As long as no element is marked, the page's bytes are kept and nothing else is done; with the first mark they are
//! read again through the tree alone, and from then on the tree is followed live. A page too long to be kept is
//! followed from there on. Where the tree had to be given up before any mark was seen, that is an error only when a
//! mark comes.

use crate::error::{Error, Result};
use crate::lex::{Lexer, Tile};
use crate::limits::Limits;
use crate::tree::{ChainId, Fate, Mark, Shift, Told, Tree};

/// What is known of where things stand.
#[derive(Debug)]
pub(super) enum Containment {
    /// No dialect in force asks.
    Off,
    /// The page so far, in which nothing is marked.
    Kept(String),
    Live {
        tree: Box<Tree>,
        marked: bool,
    },
    Lost(Option<Error>),
}

const UNMARKED: Told = Told { chain: 0, fate: Fate::Element };

impl Containment {
    pub(super) fn new(is_asked: bool) -> Self {
        if is_asked { Self::Kept(String::new()) } else { Self::Off }
    }

    /// Follows a tile; a start tag's element may be given a mark.
    pub(super) fn tile(&mut self, tile: &Tile<'_>, mark: Option<Mark>, limits: &Limits) -> Result<Told> {
        if let Self::Kept(kept) = self {
            if mark.is_none() && kept.len() + tile.raw().len() <= limits.kept_bytes {
                kept.push_str(tile.raw());
                return Ok(UNMARKED);
            }
            *self = match replay(std::mem::take(kept), tile.raw(), limits) {
                Ok(tree) => Self::Live { tree: Box::new(tree), marked: false },
                Err(error) => Self::Lost(Some(error)),
            };
        }
        match self {
            Self::Live { tree, marked } => {
                *marked |= mark.is_some();
                let told = tree.tile(tile, mark);
                match (told, *marked) {
                    (Err(error), false) => {
                        *self = Self::Lost(Some(error));
                        Ok(UNMARKED)
                    }
                    (told, _) => told,
                }
            }
            Self::Lost(error) => match error.take_if(|_| mark.is_some()) {
                Some(error) => Err(error),
                None => Ok(UNMARKED),
            },
            Self::Off | Self::Kept(_) => Ok(UNMARKED),
        }
    }

    /// The marks of a chain, innermost first.
    pub(super) fn marks(&self, chain: ChainId) -> Vec<Mark> {
        match self {
            Self::Live { tree, .. } => tree.marks(chain).collect(),
            _ => Vec::new(),
        }
    }

    /// What the last tiles have changed late.
    pub(super) fn shifts(&mut self) -> Vec<Shift> {
        match self {
            Self::Live { tree, marked: true } => tree.shifts(),
            _ => Vec::new(),
        }
    }
}

/// The tree of what was kept. What comes `next` shows where the last text ends.
fn replay(mut kept: String, next: &str, limits: &Limits) -> Result<Tree> {
    let mut tree = Tree::new(limits);
    let mut lexer = Lexer::new(limits);
    let length = kept.len() as u64;
    kept.push_str(next);
    lexer.write(&kept, &mut |tile| if tile.start() < length { tree.tile(tile, None).map(|_| ()) } else { Ok(()) })?;
    Ok(tree)
}
