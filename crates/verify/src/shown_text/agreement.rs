//! How far two lists of lines or landmarks agree, and where they differ.

use super::common::common;

/// How many entries two lists have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Number of heedful's entries.
    pub ours: usize,
    /// Number of the browser's entries.
    pub browser: usize,
    /// Length of the longest common subsequence.
    pub common: usize,
}

/// What a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The text, and how it is divided into lines.
    Line,
    /// The landmark that a text stands in.
    Landmark,
}

/// A difference between heedful's reading of a page and a browser's.
#[derive(Debug)]
pub struct TextDifference {
    pub(super) subject: Subject,
    pub(super) kind: String,
    pub(super) reason: Option<&'static str>,
    pub(super) example: String,
}

impl Agreement {
    /// Returns the agreement as a share, from 0 to 1. Two empty lists agree.
    #[must_use]
    pub fn share(&self) -> f64 {
        match self.ours + self.browser {
            0 => 1.0,
            both => 2.0 * self.common as f64 / both as f64,
        }
    }

    /// True if both lists are the same.
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
    /// Returns what the difference is about.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    /// Returns the kind of the difference: where it stands, or which tags it stands at.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns why the difference is as the law has it. Returns `None` if it is a fault, or open.
    pub fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// Returns the text at the difference.
    pub fn example(&self) -> &str {
        &self.example
    }
}
