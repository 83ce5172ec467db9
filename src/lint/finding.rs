//! A finding: a problem, with its rule and place.

use crate::address::Key;
use crate::place::Place;
use crate::policy::Directive;

use super::rules::{self, Rule};

/// A problem in a page or in a robots.txt that its publisher would want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub(super) rule: &'static Rule,
    pub(super) place: Option<Place>,
    pub(super) message: String,
}

impl Finding {
    pub(super) fn new(rule: &'static str, place: Option<Place>, message: String) -> Self {
        Self { rule: rules::named(rule), place, message }
    }

    /// The rule that it breaks.
    pub fn rule(&self) -> &'static Rule {
        self.rule
    }

    /// The place in the page, or the line of a robots.txt; None for a header.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// The message that says what is wrong.
    pub fn message(&self) -> &str {
        &self.message
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

    /// The findings, in the order of the page; those about headers come first.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// A directive as messages name it.
pub(super) fn named(directive: &Directive) -> String {
    match directive.place() {
        Some(place) => format!("`{}` in line {}", directive.text(), place.line()),
        None => format!("`{}`", directive.text()),
    }
}
