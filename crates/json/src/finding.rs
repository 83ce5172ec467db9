//! JSON of lint: its findings and its rules, one object per line.

use serde::Serialize;

use heedful_lint::{Finding, LintRule};

/// JSON of a finding of lint: a mistake in a page or robots.txt, with the position of the mistake.
///
/// # Examples
///
/// ```
/// use heedful::RobotsTxt;
/// use heedful_json::FindingJson;
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisalow: /private/");
/// let findings = heedful_lint::robots_txt(&robots);
/// let url = "https://example.com/robots.txt";
///
/// let value = serde_json::to_value(FindingJson::new(url, url, &findings[0])).unwrap();
/// assert_eq!(value["rule"], "robots-misspelt-line");
/// assert_eq!(value["line"], 2);
/// ```
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
    /// Converts `finding`, which is on the page or robots.txt at `url`. `file` is the file of that
    /// page, or `url` again if the page has no file.
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

/// JSON of a lint rule: a kind of mistake, with its name, level and advice.
///
/// # Examples
///
/// ```
/// use heedful_json::RuleJson;
/// use heedful_lint::RULES;
///
/// let value = serde_json::to_value(RuleJson::new(&RULES[0])).unwrap();
/// assert_eq!(value["id"], RULES[0].id());
/// assert_eq!(value.as_object().unwrap().len(), 4);
/// ```
#[derive(Debug, Serialize)]
pub struct RuleJson {
    id: &'static str,
    level: &'static str,
    title: &'static str,
    help: &'static str,
}

impl RuleJson {
    /// Converts `rule`, one of the rules of lint in [`RULES`](heedful_lint::RULES).
    pub fn new(rule: &LintRule) -> Self {
        Self {
            id: rule.id(),
            level: rule.level().name(),
            title: rule.title(),
            help: rule.help(),
        }
    }
}
