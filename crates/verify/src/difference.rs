//! The result of a comparison of two readings of a page: how far they agree, and their differences.

use crate::oracle;
use heedful::Use;

/// The characters that count: neither white space nor what HTML itself adds and drops.
pub(super) fn counted_characters(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '\u{FFFD}')
}

/// A part of a page on which stream and tree disagree.
#[derive(Clone, Debug)]
pub struct Mismatch {
    pub(crate) usage: Use,
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) source: String,
}

impl Mismatch {
    /// A difference in the characters or links themselves.
    pub(crate) fn of_reading(text: String) -> Self {
        Self {
            usage: Use::Index,
            text,
            line: 0,
            column: 0,
            source: String::new(),
        }
    }

    /// The use that is denied.
    pub fn usage(&self) -> Use {
        self.usage
    }

    /// The text, or the target of the link.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line of the part.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The column of the part.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// The source of the page before the part.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// The result of comparing stream and tree on a page.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub(crate) leaks: Vec<Mismatch>,
    pub(crate) over: Vec<Mismatch>,
    pub(crate) explained: bool,
    pub(crate) same_characters: bool,
    pub(crate) characters: usize,
    pub(crate) withheld: usize,
}

impl Comparison {
    /// The parts that the stream lets through and the tree denies.
    pub fn leaks(&self) -> &[Mismatch] {
        &self.leaks
    }

    /// The parts that the stream withholds and the tree allows.
    pub fn over_exclusions(&self) -> &[Mismatch] {
        &self.over
    }

    /// Returns true if a note of the stream explains why it withholds more.
    pub fn is_explained(&self) -> bool {
        self.explained
    }

    /// Returns true if both see the same characters and links as visible to a reader.
    pub fn same_characters(&self) -> bool {
        self.same_characters
    }

    /// The number of characters of text, white space excluded.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// The number of characters that the tree denies for indexing.
    pub fn withheld(&self) -> usize {
        self.withheld
    }
}

impl Comparison {
    /// The leaks of either comparison; over-exclusions only if both have some.
    pub(super) fn join(mut self, other: Self) -> Self {
        self.leaks.extend(other.leaks);
        if other.over.is_empty() {
            self.over.clear();
        }
        self
    }

    /// Returns true if everything was compared and no difference found: then the finished page must
    /// be the same as well.
    pub(super) fn is_whole(&self, tree: &oracle::OracleTree) -> bool {
        let none = self.leaks.is_empty() && self.over.is_empty();
        none && self.same_characters && tree.items.iter().all(|item| item.is_placed)
    }
}
