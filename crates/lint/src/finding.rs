//! Findings of lint: mistakes with their rule, position and message.

use heedful::{Directive, Place};
use heedful_base::address::Key;

use super::rules::{self, LintRule};

/// A mistake in a page or robots.txt that its publisher should correct.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = heedful_lint::open(&filter, "https://example.com/")?;
/// pass.write(b"<p>one\n<!--noindex--> two")?;
/// let linted = heedful_lint::end(pass, "https://example.com/", [])?;
///
/// let finding = &linted.findings()[0];
/// assert_eq!(finding.rule().id(), "unclosed-region");
/// assert_eq!(finding.place().map(|place| place.line()), Some(2));
/// assert_eq!(finding.count(), 1);
/// assert!(!finding.message().is_empty());
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub(super) rule: &'static LintRule,
    pub(super) place: Option<Place>,
    pub(super) message: String,
    /// Number of findings of the same rule that this finding summarizes. The summarized findings
    /// are not listed. 0 for an ordinary finding.
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

    /// Returns the lint rule that reports this mistake.
    pub fn rule(&self) -> &'static LintRule {
        self.rule
    }

    /// Returns the position of the mistake in the page, or its line in a robots.txt. Returns None
    /// for a finding about a header, and for a finding that summarizes others.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Returns a sentence that explains the mistake.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the number of mistakes that this finding reports. It is 1 for an ordinary finding.
    /// If a rule has too many findings to list, its last finding summarizes the rest.
    pub fn count(&self) -> usize {
        self.left_out.max(1)
    }
}

/// Result of checking one page with lint.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = heedful_lint::open(&filter, "https://example.com/b")?;
/// pass.write(b"<link rel=canonical href=/a><p>Rye")?;
/// let linted = heedful_lint::end(pass, "https://example.com/b", [])?;
/// assert!(linted.names_a_canonical_page());
/// assert!(linted.findings().iter().all(|finding| finding.rule().id() != "unclosed-region"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Linted {
    pub(super) findings: Vec<Finding>,
    pub(super) canonical: Option<(Key<'static>, Place)>,
    /// Reason why no bot may index the page. None if at least one bot may index it.
    pub(super) noindex: Option<String>,
}

impl Linted {
    /// True if the page has a canonical link. Whether its target may be indexed is checked by
    /// [`SitePages`](super::SitePages).
    pub fn names_a_canonical_page(&self) -> bool {
        self.canonical.is_some()
    }

    /// Returns the findings in the order of their positions in the page. Findings about headers are
    /// first. Findings that summarize others are last.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Formats a directive as a quotation with its line number, for the message of a finding.
pub(super) fn describe(directive: &Directive) -> String {
    match directive.place() {
        Some(place) => format!("`{}` in line {}", directive.text(), place.line()),
        None => format!("`{}`", directive.text()),
    }
}
