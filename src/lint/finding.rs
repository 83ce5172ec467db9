//! What is found.

use crate::place::Place;
use crate::policy::Directive;

use super::rules::{self, Rule};

/// Something in a page, or in a robots.txt, that its publisher would want to know.
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

    /// The rule.
    pub fn rule(&self) -> &'static Rule {
        self.rule
    }

    /// Where in the page, or in which line of a robots.txt; none for a header.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// A page that was looked through.
#[derive(Clone, Debug, Default)]
pub struct Linted {
    pub(super) findings: Vec<Finding>,
    pub(super) canonical: Option<(String, Place)>,
    /// Why the page may not be indexed.
    pub(super) noindex: Option<String>,
}

impl Linted {
    /// Whether it says that another page is the one to keep.
    pub fn names_a_canonical_page(&self) -> bool {
        self.canonical.is_some()
    }

    /// What was found, in the order of the page; what is about a header comes first.
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
