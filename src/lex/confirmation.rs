//! Confirms the start tags that the lexer finds: the tokenizer is asked to report them too, and both
//! must find the same, or the page is refused. **Only a thorough pass does this, since it takes much
//! longer.** The checks of our own crates compare each page that they read with a thorough pass.
//!
//! Two tags are the same if they have the same range, the same namespace (HTML or not) and the same
//! `/>`. Names and attributes follow from the range.

use std::ops::Range;

use lol_html::html_content::Element;

const HTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

/// A start tag as the tokenizer reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StartTag {
    /// Range of the tag in the window.
    pub(super) range: Range<usize>,
    /// True if the tokenizer takes the tag for one of svg or `MathML`.
    pub(super) foreign: bool,
    pub(super) self_closing: bool,
}

impl StartTag {
    /// Returns a start tag as the tokenizer reports it. `range` is the tag's range in the window.
    pub(super) fn from_element(element: &Element<'_, '_>, range: Range<usize>) -> Self {
        Self {
            range,
            foreign: element.namespace_uri() != HTML_NAMESPACE,
            self_closing: element.is_self_closing(),
        }
    }
}

/// The last start tag that the lexer found, and the numbers of tags that both have found.
#[derive(Debug, Default)]
pub(super) struct Confirmation {
    last: Option<StartTag>,
    /// Number of start tags that the lexer found.
    found: usize,
    /// Number of start tags that the tokenizer reported.
    reported: usize,
    /// Number of the tokenizer's next start tags that are no part of the page: they were fed to it
    /// for a restart.
    ignored: usize,
}

impl Confirmation {
    pub(super) fn add(&mut self, found: StartTag) {
        self.found += 1;
        self.last = Some(found);
    }

    /// Compares a start tag that the tokenizer reports with the last that the lexer found. Returns
    /// true if they are the same.
    pub(super) fn confirm(&mut self, reported: &StartTag) -> bool {
        self.reported += 1;
        self.is_complete() && self.last.as_ref() == Some(reported)
    }

    /// Returns true if the tokenizer's next start tag is to be ignored, and counts it.
    pub(super) fn is_ignored(&mut self) -> bool {
        let is_ignored = self.ignored > 0;
        self.ignored -= usize::from(is_ignored);
        is_ignored
    }

    /// True if the tokenizer has reported as many start tags as the lexer has found.
    pub(super) fn is_complete(&self) -> bool {
        self.found == self.reported
    }

    /// Ignores the tokenizer's next start tags.
    pub(super) fn ignore(&mut self, start_tags: usize) {
        self.ignored = start_tags;
    }
}
