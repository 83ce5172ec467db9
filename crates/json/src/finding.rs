//! Findings and rules of lint as JSON, one per line.

use serde::Serialize;

use heedful_lint::{Finding, LintRule};

/// A finding as JSON.
#[derive(Debug, Serialize)]
pub struct FindingJson<'a> {
    file: &'a str,
    url: &'a str,
    rule: &'static str,
    level: &'static str,
    line: Option<u32>,
    column: Option<u32>,
    message: &'a str,
}

impl<'a> FindingJson<'a> {
    /// A finding on the page at a URL. `file` is the file of the page, or else the URL.
    pub fn new(file: &'a str, url: &'a str, finding: &'a Finding) -> Self {
        let rule = finding.rule();
        let place = finding.place();
        Self {
            file,
            url,
            rule: rule.id(),
            level: rule.level().name(),
            line: place.map(|place| place.line()),
            column: place.map(|place| place.column()),
            message: finding.message(),
        }
    }
}

/// A rule as JSON.
#[derive(Debug, Serialize)]
pub struct RuleJson {
    id: &'static str,
    level: &'static str,
    title: &'static str,
    help: &'static str,
}

impl RuleJson {
    /// A rule of the list of lint.
    pub fn new(rule: &LintRule) -> Self {
        Self {
            id: rule.id(),
            level: rule.level().name(),
            title: rule.title(),
            help: rule.help(),
        }
    }
}
