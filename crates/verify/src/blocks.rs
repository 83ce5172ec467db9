//! Compares the blocks of a page in two readings: that of the streaming filter, and that of a
//! finished tree. The comparison covers line breaks, kinds, levels, table rows and landmarks.
//!
//! Nothing of the page is withheld for this comparison. A difference is no leak: it means that a
//! line break or a landmark is at a wrong place. A difference is an error if the tree builder had
//! nothing to repair. Otherwise the filter may read differently (docs/semantics.md, section 5).

use url::Url;

use crate::oracle::{self, BlockLook, BlockRun, Surroundings};
use heedful::{BlockKind, Conventions, Filter, Landmark, NoteKind, Page};
use heedful_base::bot::Bot;
use heedful_base::error::{Error, Result};

use super::difference::counted_characters;

/// Result of comparing the blocks of a page in two readings. One reading is by the streaming
/// filter, the other by the finished HTML tree.
#[derive(Clone, Debug, Default)]
pub struct BlockComparison {
    runs: usize,
    is_repaired: bool,
    is_moved: bool,
    differences: Vec<BlockDifference>,
}

/// A text of a page that the streaming filter reads differently from the finished HTML tree. The
/// difference is in the characters of the text, or in a property such as the kind of its block.
#[derive(Clone, Debug)]
pub struct BlockDifference {
    what: &'static str,
    text: String,
}

impl BlockDifference {
    /// Returns the property in which the readings differ: `text`, `space`, `block`, `kind`,
    /// `level`, `row` or `landmark`.
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// Returns a description of the difference: the text, and its properties in each of the two
    /// readings.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl BlockComparison {
    /// Returns the number of texts in the finished tree that were compared. A block is divided into
    /// texts at its line breaks.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// True if the tree builder had to repair the page: to ignore, move, copy or insert something.
    pub fn is_repaired(&self) -> bool {
        self.is_repaired
    }

    /// True if the readings cannot be compared. There are three possible reasons: The tree lacks
    /// some text. The tree has texts in another order than the page's source. The filter does not
    /// read some content, and says so with the note `out-of-order`.
    pub fn is_moved(&self) -> bool {
        self.is_moved
    }

    /// Returns the differences between the two readings of the page, in source order.
    pub fn differences(&self) -> &[BlockDifference] {
        &self.differences
    }
}

/// Compares the blocks of a page's body text in two readings. One reading is by the streaming
/// filter, the other by the oracle, a finished HTML tree of html5ever. If `is_utf8` is true, the
/// page is decoded as UTF-8, even if the page declares another encoding.
///
/// # Errors
/// Fails if the streaming filter refuses the page, as [`Filter::page`] does.
pub fn compare_blocks(page: &[u8], is_utf8: bool) -> Result<BlockComparison> {
    let url = Url::parse("https://site.example/").map_err(|_| Error::url(""))?;
    let filter = Filter::new(Bot::new("FooBot")?).conventions(Conventions::parse("none")?);
    let mut pass = filter.open(url.as_str())?;
    if is_utf8 {
        pass.assume_utf8();
    }
    pass.write(page)?;
    let ours = pass.end()?;
    let is_unread = ours.notes().any(|note| note.kind() == NoteKind::OutOfOrder);
    let around = Surroundings {
        is_utf8,
        ..Surroundings::default()
    };
    let tree = oracle::read_blocks(&filter.terms, &url, page, &around);
    let mut comparison = BlockComparison {
        runs: tree.runs.len(),
        is_repaired: tree.is_repaired,
        is_moved: tree.is_moved || is_unread,
        differences: Vec::new(),
    };
    if !comparison.is_moved {
        comparison.differences = differences(&runs(&ours), &tree.runs);
    }
    Ok(comparison)
}

/// Returns the body text of a filtered page, divided at the limits of blocks and at line breaks.
fn runs(page: &Page) -> Vec<BlockRun> {
    let mut runs: Vec<BlockRun> = Vec::new();
    let text = page.text();
    let mut rest = text.chars();
    for block in page.blocks() {
        if block.kind() == BlockKind::Alternative {
            continue;
        }
        let look = BlockLook {
            kind: block.kind().name(),
            level: block.level(),
            row: block.row(),
            landmark: block.landmark().map(Landmark::name),
        };
        let mut begins = true;
        for character in block.phrases().flat_map(counted_characters) {
            let before = rest.by_ref().take_while(|other| *other != character);
            let space: String = before.filter(|sign| matches!(sign, '\n' | '\t')).collect();
            match runs.last_mut() {
                Some(last) if !begins && space.is_empty() => last.text.push(character),
                _ => runs.push(BlockRun {
                    space,
                    begins,
                    look: look.clone(),
                    text: character.into(),
                }),
            }
            begins = false;
        }
    }
    // White space before the first text of the page separates nothing.
    if let Some(first) = runs.first_mut() {
        first.space.clear();
    }
    runs
}

fn differences(ours: &[BlockRun], theirs: &[BlockRun]) -> Vec<BlockDifference> {
    let (mut ours, mut theirs) = (Pieces::new(ours), Pieces::new(theirs));
    let mut found = Vec::new();
    loop {
        let (Some(mine), Some(other)) = (ours.piece(), theirs.piece()) else {
            if ours.piece().is_some() || theirs.piece().is_some() {
                found.push(difference("text", &ours, &theirs));
            }
            return found;
        };
        let length = mine.text.len().min(other.text.len());
        if mine.text[..length] != other.text[..length] {
            found.push(difference("text", &ours, &theirs));
            return found;
        }
        let what = if mine.space != other.space {
            "space"
        } else if mine.look.kind != other.look.kind {
            "kind"
        } else if mine.look.level != other.look.level {
            "level"
        } else if mine.look.row != other.look.row {
            "row"
        } else if mine.look.landmark != other.look.landmark {
            "landmark"
        } else if mine.begins != other.begins {
            "block"
        } else {
            ""
        };
        if !what.is_empty() {
            found.push(difference(what, &ours, &theirs));
        }
        ours.pass(length);
        theirs.pass(length);
    }
}

/// The rest of a run of text, which was not compared yet.
#[derive(Debug)]
struct Piece<'a> {
    space: &'a str,
    begins: bool,
    look: &'a BlockLook,
    text: &'a [u8],
}

/// Iterates over runs of text in pieces, whose lengths the caller chooses.
struct Pieces<'a> {
    runs: &'a [BlockRun],
    at: usize,
}

impl<'a> Pieces<'a> {
    fn new(runs: &'a [BlockRun]) -> Self {
        Self { runs, at: 0 }
    }

    fn piece(&self) -> Option<Piece<'a>> {
        let run = self.runs.first()?;
        let is_first = self.at == 0;
        Some(Piece {
            space: if is_first { &run.space } else { "" },
            begins: is_first && run.begins,
            look: &run.look,
            text: &run.text.as_bytes()[self.at..],
        })
    }

    fn pass(&mut self, length: usize) {
        self.at += length;
        if let Some(run) = self.runs.first()
            && self.at >= run.text.len()
        {
            self.at = 0;
            self.runs = &self.runs[1..];
        }
    }
}

fn difference(what: &'static str, ours: &Pieces<'_>, theirs: &Pieces<'_>) -> BlockDifference {
    let shown = |pieces: &Pieces<'_>| match pieces.piece() {
        Some(piece) => {
            let text = String::from_utf8_lossy(piece.text);
            let text: String = text.chars().take(30).collect();
            let begins = if piece.begins { "begins " } else { "" };
            format!("{:?} {begins}{:?} {text:?}", piece.space, piece.look)
        }
        None => "nothing".to_owned(),
    };
    BlockDifference {
        what,
        text: format!("{}, by the tree {}", shown(ours), shown(theirs)),
    }
}
