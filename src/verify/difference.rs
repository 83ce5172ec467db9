//! What is told of two readings of a page: how far they agree, and where they do not.

use crate::oracle;
use crate::policy::Facet;

/// The characters that count: not blanks, nor what HTML puts and drops on its own account.
pub(super) fn counted(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace() && *c != '\u{FFFD}')
}

/// A part of a page on which stream and tree do not agree.
#[derive(Clone, Debug)]
pub struct Difference {
    pub(crate) facet: Facet,
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) source: String,
}

impl Difference {
    /// The two do not even read the same.
    pub(crate) fn of_reading(text: String) -> Self {
        Self { facet: Facet::Index, text, line: 0, column: 0, source: String::new() }
    }

    /// In which way.
    pub fn facet(&self) -> Facet {
        self.facet
    }

    /// The text, or the link's target.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line where it stands.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The column where it stands.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// The page's source before it.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// How stream and tree agree on a page.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub(crate) leaks: Vec<Difference>,
    pub(crate) over: Vec<Difference>,
    pub(crate) explained: bool,
    pub(crate) same_characters: bool,
    pub(crate) characters: usize,
    pub(crate) withheld: usize,
}

impl Comparison {
    /// What the stream lets through and the tree denies.
    pub fn leaks(&self) -> &[Difference] {
        &self.leaks
    }

    /// What the stream withholds and the tree allows.
    pub fn over_exclusions(&self) -> &[Difference] {
        &self.over
    }

    /// Whether the stream says in a note that it withholds more, and why.
    pub fn is_explained(&self) -> bool {
        self.explained
    }

    /// Whether both take the same characters and links for what a reader sees.
    pub fn same_characters(&self) -> bool {
        self.same_characters
    }

    /// Characters of text, blanks apart.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// Those of them that the tree denies for indexing.
    pub fn withheld(&self) -> usize {
        self.withheld
    }
}

impl Comparison {
    /// The leaks of both, and what both withhold too much.
    #[cfg(feature = "browser")]
    pub(super) fn joined(mut self, other: Self) -> Self {
        self.leaks.extend(other.leaks);
        if other.over.is_empty() {
            self.over.clear();
        }
        self
    }

    /// Whether all was compared, and nothing found: then the page made of it must be the same as well.
    pub(super) fn is_whole(&self, tree: &oracle::Tree) -> bool {
        let none = self.leaks.is_empty() && self.over.is_empty();
        none && self.same_characters && tree.items.iter().all(|item| item.is_placed)
    }
}
