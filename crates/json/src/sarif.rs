//! Converts findings of lint to SARIF 2.1.0, which code hosts show beside the source.
//!
//! Each SARIF log has one run. The run lists all rules of lint, even those without findings. A
//! finding without a position is reported in line 1, column 1.

use serde_json::{Value, json};

use heedful_lint::{Finding, Level, RULES};

/// Returns a SARIF log of one run. Each pair of `findings` has the file or URL of a page, and a
/// finding on that page.
///
/// # Examples
///
/// ```
/// let log = heedful_json::sarif(&[]);
/// assert_eq!(log["version"], "2.1.0");
/// assert_eq!(log["runs"][0]["tool"]["driver"]["name"], "heedful");
/// assert!(log["runs"][0]["results"].as_array().unwrap().is_empty());
/// ```
pub fn sarif(findings: &[(String, Finding)]) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id(),
                "shortDescription": { "text": rule.title() },
                "fullDescription": { "text": format!("{}. {}", rule.title(), rule.help()) },
                "help": { "text": rule.help() },
                "defaultConfiguration": { "level": level(rule.level()) },
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "heedful", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(|(file, finding)| result(file, finding)).collect::<Vec<_>>(),
        }],
    })
}

/// Returns the name that SARIF has for a level of lint.
fn level(level: Level) -> &'static str {
    match level {
        Level::Hint => "note",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

/// Converts `finding`, which is on the page in `file`, to a SARIF result.
fn result(file: &str, finding: &Finding) -> Value {
    let rule = finding.rule();
    let index = RULES.iter().position(|other| other.id() == rule.id());
    let (line, column) = match finding.place() {
        Some(place) => (place.line(), place.column()),
        None => (1, 1),
    };
    json!({
        "ruleId": rule.id(),
        "ruleIndex": index,
        "level": level(rule.level()),
        "message": { "text": plain_text(finding.message()) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(file) },
                "region": { "startLine": line, "startColumn": column },
            },
        }],
    })
}

/// Escapes the characters that make links in a plain text message (SARIF 2.1.0, section 3.11.6). So
/// words of a page that the message quotes cannot become a link.
fn plain_text(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for c in message.chars() {
        if matches!(c, '[' | ']' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// Encodes a file path or a URL as a URI reference (RFC 3986).
fn uri(file: &str) -> String {
    let file = file.replace('\\', "/");
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    let is_url = file
        .split_once("://")
        .is_some_and(|(scheme, _)| is_scheme(scheme));
    let scheme = if file.starts_with('/') { "file://" } else { "" };
    let mut uri = scheme.to_owned();
    for byte in file.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/:?#[]@!$&'()*+,;=%".contains(&byte);
        if is_plain && (is_url || !b"%?#:[]".contains(&byte)) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("site/a b.html"), "site/a%20b.html");
        assert_eq!(uri("/srv/50%?.html"), "file:///srv/50%25%3F.html");
        assert_eq!(
            uri("https://site.example/a?b=%20"),
            "https://site.example/a?b=%20"
        );
        assert_eq!(uri("a:b#c/d:e.html"), "a%3Ab%23c/d%3Ae.html");
        assert_eq!(uri("a#b/c://d?e"), "a%23b/c%3A//d%3Fe");
    }

    #[test]
    fn words_of_a_page_are_no_links() {
        assert_eq!(
            plain_text(r"`[click](javascript:alert(1)), a\` is no directive"),
            r"`\[click\](javascript:alert(1)), a\\` is no directive"
        );
    }
}
