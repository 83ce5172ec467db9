//! The result of comparing two readings of a page: the number of compared characters, and the
//! differences.

use crate::oracle;
use heedful::Use;

/// Iterates over the characters of a text that are compared. White space and U+FFFD are left out,
/// because HTML parsers insert and drop them.
pub(super) fn counted_characters(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '\u{FFFD}')
}

/// A text or link of a page on which two readings differ.
#[derive(Clone, Debug)]
pub struct Mismatch {
    pub(crate) usage: Use,
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) source: String,
}

impl Mismatch {
    /// Creates a difference without a position in the page: the two readings have different
    /// characters or links. `text` is a message.
    pub(crate) fn of_reading(text: String) -> Self {
        Self {
            usage: Use::Index,
            text,
            line: 0,
            column: 0,
            source: String::new(),
        }
    }

    /// Returns the use that only one of the two readings denies.
    pub fn usage(&self) -> Use {
        self.usage
    }

    /// Returns the text on which the readings differ. For a link, returns its target. For a
    /// difference without a position, returns a message.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line of the text or link in the page's source, or 0 if unknown.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the column of the text or link in the page's source, or 0 if unknown.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// Returns the source of the page directly before the text or link. It usually has at least a
    /// hundred bytes.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// Result of comparing the verdicts on the texts and links of a page. The verdicts of the streaming
/// filter are compared with those of a finished HTML tree.
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
    /// Returns the texts and links that the streaming filter emits and the finished tree denies.
    pub fn leaks(&self) -> &[Mismatch] {
        &self.leaks
    }

    /// Returns the texts and links that the streaming filter withholds and the finished tree
    /// allows.
    pub fn over_exclusions(&self) -> &[Mismatch] {
        &self.over
    }

    /// True if the streaming filter has noted a reason to withhold texts or links that the finished
    /// tree allows. An example is content that HTML moves within the tree.
    pub fn is_explained(&self) -> bool {
        self.explained
    }

    /// True if both readings of the page have the same text characters and the same links. Each of
    /// them must be in the same field of the page, such as the title or the body.
    pub fn same_characters(&self) -> bool {
        self.same_characters
    }

    /// Returns the number of characters of the page's text, without white space.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// Returns the number of text characters whose indexing the finished tree denies to at least
    /// one bot.
    pub fn withheld(&self) -> usize {
        self.withheld
    }
}

impl Comparison {
    /// Joins the comparisons of the streaming filter with two other readers, for the same page. The
    /// result has the leaks of both comparisons. If only one comparison has over-exclusions, the
    /// result has none, since the filter agrees with one reader. If both comparisons have
    /// over-exclusions, the result has the over-exclusions of `self`.
    pub(super) fn join(mut self, other: Self) -> Self {
        self.leaks.extend(other.leaks);
        if other.over.is_empty() {
            self.over.clear();
        }
        self
    }

    /// True if the tree contains all texts and links of the page, and no difference was found.
    /// Callers then also compare the filtered page of each bot with the content of the tree for the
    /// same bot.
    pub(super) fn is_complete_match(&self, tree: &oracle::OracleTree) -> bool {
        let none = self.leaks.is_empty() && self.over.is_empty();
        none && self.same_characters && tree.items.iter().all(|item| item.is_placed)
    }
}
