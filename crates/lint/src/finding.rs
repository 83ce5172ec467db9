//! A finding: a problem, with its rule and place.

use heedful::{Directive, Place};
use heedful_base::address::Key;

use super::rules::{self, LintRule};

/// A problem in a page or in a robots.txt that its publisher would want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub(super) rule: &'static LintRule,
    pub(super) place: Option<Place>,
    pub(super) message: String,
    /// The number of further findings of its rule that are not listed one by one; 0 for a single
    /// finding.
    pub(super) left_out: usize,
}

impl Finding {
    pub(super) fn new(rule: &'static str, place: Option<Place>, message: String) -> Self {
        Self {
            rule: rules::by_id(rule),
            place,
            message,
            left_out: 0,
        }
    }

    /// The rule that it breaks.
    pub fn rule(&self) -> &'static LintRule {
        self.rule
    }

    /// The place in the page, or the line of a robots.txt; None for a header, and for a
    /// finding that sums up several.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// The message that explains the problem.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The number of problems it reports. It is one, except for the last finding of a rule that is
    /// found too often to list each.
    pub fn count(&self) -> usize {
        self.left_out.max(1)
    }
}

/// The result of checking a page.
#[derive(Clone, Debug, Default)]
pub struct Linted {
    pub(super) findings: Vec<Finding>,
    pub(super) canonical: Option<(Key<'static>, Place)>,
    /// The reason why the page may not be indexed.
    pub(super) noindex: Option<String>,
}

impl Linted {
    /// Returns true if the page names another page as the canonical one.
    pub fn names_a_canonical_page(&self) -> bool {
        self.canonical.is_some()
    }

    /// The findings, in the order of the page. Those about headers come first, those that only
    /// count others last.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Describes a directive for a message.
pub(super) fn describe(directive: &Directive) -> String {
    match directive.place() {
        Some(place) => format!("`{}` in line {}", directive.text(), place.line()),
        None => format!("`{}`", directive.text()),
    }
}
