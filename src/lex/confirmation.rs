//! Confirms the start tags that the lexer finds: the tokenizer is asked to report them too, and
//! both must find the same, or the page is refused. **Only a thorough pass does this, since it
//! takes much longer.** The checks of our own crates compare each page that they read with a
//! thorough pass.
//!
//! Two tags are the same if they have the same range, the same namespace (HTML or not) and the same
//! `/>`. Names and attributes follow from the range.

use std::ops::Range;

use lol_html::send::Element;

const HTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

/// A start tag as `lol_html` or the lexer has read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StartTag {
    /// Byte range of the tag in the window (the text not yet emitted).
    pub(super) range: Range<usize>,
    /// True if the tag is read as an svg or `MathML` tag.
    pub(super) foreign: bool,
    pub(super) self_closing: bool,
}

impl StartTag {
    /// Converts a start tag that `lol_html` reports. `range` is the tag's byte range in the window.
    pub(super) fn from_element(element: &Element<'_, '_>, range: Range<usize>) -> Self {
        Self {
            range,
            foreign: element.namespace_uri() != HTML_NAMESPACE,
            self_closing: element.is_self_closing(),
        }
    }
}

/// Comparison of the start tags that the lexer finds with those that the tokenizer `lol_html`
/// reports.
#[derive(Debug, Default)]
pub(super) struct Confirmation {
    last: Option<StartTag>,
    /// Number of start tags that the lexer found.
    found: usize,
    /// Number of start tags that `lol_html` reported.
    reported: usize,
    /// Number of start tags that `lol_html` will report next, but that are no part of the page.
    /// They were fed to `lol_html` when it was restarted.
    ignored: usize,
}

impl Confirmation {
    pub(super) fn add(&mut self, found: StartTag) {
        self.found += 1;
        self.last = Some(found);
    }

    /// Counts a start tag that the tokenizer `lol_html` reports. Returns true if two conditions
    /// hold. `reported` must equal the last start tag that the lexer found. The lexer and
    /// `lol_html` must have counted equally many start tags.
    pub(super) fn confirm(&mut self, reported: &StartTag) -> bool {
        self.reported += 1;
        self.is_complete() && self.last.as_ref() == Some(reported)
    }

    /// True if the start tag that `lol_html` now reports is to be ignored. In that case, lowers the
    /// number of start tags to ignore by one.
    pub(super) fn take_ignored(&mut self) -> bool {
        let is_ignored = self.ignored > 0;
        self.ignored -= usize::from(is_ignored);
        is_ignored
    }

    /// True if `lol_html` has reported as many start tags as the lexer has found.
    pub(super) fn is_complete(&self) -> bool {
        self.found == self.reported
    }

    /// Sets how many of `lol_html`'s next start tags are ignored.
    pub(super) fn ignore(&mut self, start_tags: usize) {
        self.ignored = start_tags;
    }
}
