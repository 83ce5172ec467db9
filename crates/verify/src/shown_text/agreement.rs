//! Measures how far two lists of lines or landmarks agree, and describes their differences.

use super::common::common;

/// Agreement of two lists of lines or landmarks: the lengths of the lists, and how much they have
/// in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Number of lines or landmarks in heedful's list.
    pub ours: usize,
    /// Number of lines or landmarks in the browser's list.
    pub browser: usize,
    /// Length of the longest common subsequence of the two lists.
    pub common: usize,
}

/// Subject of a difference between two readings of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The text of the page, and its division into lines.
    Line,
    /// The landmark that contains a text.
    Landmark,
}

/// A difference between heedful's reading of a page and the browser's reading.
#[derive(Debug)]
pub struct TextDifference {
    pub(super) subject: Subject,
    pub(super) kind: String,
    pub(super) reason: Option<&'static str>,
    pub(super) example: String,
}

impl Agreement {
    /// Returns the agreement as a share, from 0 to 1. The share of two empty lists is 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        match self.ours + self.browser {
            0 => 1.0,
            both => 2.0 * self.common as f64 / both as f64,
        }
    }

    /// True if the list of heedful and the list of the browser have the same entries in the same
    /// order.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.common == self.ours && self.common == self.browser
    }

    pub(super) fn of_lines(ours: &[String], browser: &[String]) -> Self {
        Self {
            ours: ours.len(),
            browser: browser.len(),
            common: common(&references(ours), &references(browser)).len(),
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.ours += other.ours;
        self.browser += other.browser;
        self.common += other.common;
    }
}

fn references(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

impl TextDifference {
    /// Returns the subject of the difference: lines or landmarks.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    /// Returns the name of the kind of difference. For example, the name is `text: not shown, <p>`
    /// for text in a `p` element that the browser does not show.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the reason why the specification (docs/semantics.md) demands the difference. Returns
    /// `None` if it does not: the difference is then a fault, or an open question.
    pub fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// Returns the text of the page around the difference.
    pub fn example(&self) -> &str {
        &self.example
    }
}
