//! The result of comparing two readings of a page: the counted text, and the differences.

use crate::oracle;
use heedful::Use;

/// Iterates over the characters that are compared: without white space, and without U+FFFD, which
/// HTML itself inserts and drops.
pub(super) fn counted_characters(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '\u{FFFD}')
}

/// A part of a page about which two readings disagree.
#[derive(Clone, Debug)]
pub struct Mismatch {
    pub(crate) usage: Use,
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) source: String,
}

impl Mismatch {
    /// Creates a difference in the characters or links themselves, without a place.
    pub(crate) fn of_reading(text: String) -> Self {
        Self {
            usage: Use::Index,
            text,
            line: 0,
            column: 0,
            source: String::new(),
        }
    }

    /// Returns the use that only one of the readings denies.
    pub fn usage(&self) -> Use {
        self.usage
    }

    /// Returns the text of the part, the target of the link, or a message.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line of the part, or 0 if unknown.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the column of the part, or 0 if unknown.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// Returns the source of the page before the part, about a hundred bytes of it or more.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// Result of comparing the stream's reading of a page with a finished tree's.
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
    /// Returns the parts that the stream emits and the tree denies.
    pub fn leaks(&self) -> &[Mismatch] {
        &self.leaks
    }

    /// Returns the parts that the stream withholds and the tree allows.
    pub fn over_exclusions(&self) -> &[Mismatch] {
        &self.over
    }

    /// True if a note of the stream explains why it withholds more than the tree.
    pub fn is_explained(&self) -> bool {
        self.explained
    }

    /// True if both readings have the same characters and links in the same fields.
    pub fn same_characters(&self) -> bool {
        self.same_characters
    }

    /// Returns the number of characters of text, without white space.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// Returns the number of characters whose indexing the tree denies to any bot.
    pub fn withheld(&self) -> usize {
        self.withheld
    }
}

impl Comparison {
    /// Joins two comparisons: the leaks of both, and over-exclusions only if both have some.
    pub(super) fn join(mut self, other: Self) -> Self {
        self.leaks.extend(other.leaks);
        if other.over.is_empty() {
            self.over.clear();
        }
        self
    }

    /// True if the tree contains everything and no difference was found. Then the finished pages
    /// must be equal too.
    pub(super) fn is_whole(&self, tree: &oracle::OracleTree) -> bool {
        let none = self.leaks.is_empty() && self.over.is_empty();
        none && self.same_characters && tree.items.iter().all(|item| item.is_placed)
    }
}
