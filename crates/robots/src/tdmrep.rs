//! Parses tdmrep.json, which names the pages of a site that are reserved from text and data mining.
//!
//! The specification of tdmrep.json is the TDM Reservation Protocol (W3C Community Group, final
//! report), section 4.1. The file is an array of rules. A rule has a `location` (a path, as in
//! robots.txt), a `tdm-reservation` of 0 or 1, and perhaps a `tdm-policy`. The first rule that
//! matches a URL decides. Each rule becomes a record like those of a robots.txt. The record's line
//! number is the number of the rule.
//!
//! This parser departs from the protocol in several points, all of which reserve more. It accepts
//! keys in other spellings, the values `"1"` and `true` in place of 1, and a rule outside of an
//! array. A rule without a location is for all pages. If the JSON breaks off, the rules before the
//! break are valid. If the text after the break still reserves something, everything is reserved. A
//! `0` is accepted only if it is spelt as specified. An array item that is no rule becomes a record
//! for all pages.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::matching;
use super::site_file::READ;

/// Maximum number of rules in a tdmrep.json. A file with more rules reserves everything.
const RULES: usize = 10_000;
/// Maximum length, in bytes, of a rule's path, and of the URL of a rule's policy. A longer path or
/// URL is treated as missing.
const LONGEST: usize = 8 << 10;

/// Converts a tdmrep.json to records of a robots.txt, one line for each rule.
pub(super) fn records(bytes: &[u8]) -> String {
    let is_whole = bytes.len() <= READ;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(READ)]);
    let text = text.trim_start_matches('\u{FEFF}').trim();
    let mut rules = Rules::default();
    if !text.starts_with(['[', '{']) {
        if reserves(text) {
            return all("it is no JSON");
        }
        // Some sites answer each request for a missing file with a page.
        if text.starts_with('<') || text.is_empty() {
            return String::new();
        }
        return unread("it is no JSON");
    }
    let mut read = serde_json::Deserializer::from_str(text);
    let trouble = Rules::read(&mut rules, &mut read)
        .and_then(|()| read.end())
        .err();
    let mut records: String = rules.found.iter().map(record).collect();
    if rules.found.len() > RULES || !is_whole {
        records += &all("it is too long");
    } else if let Some(error) = trouble {
        let why = format!("it breaks off as JSON in line {}", error.line());
        // A brace in a string may hide the start of the unread rule. So reservations are counted in
        // the whole text, too.
        let read = rules
            .found
            .iter()
            .filter(|rule| matches!(rule.reservation, Some(Reserved::Yes { .. })))
            .count();
        let is_reserved = reserves(rest_after(text, &error)) || reservations(text) > read;
        records += &if is_reserved { all(&why) } else { unread(&why) };
    } else if rules.found.iter().all(|rule| rule.reservation.is_none()) && reserves(text) {
        records += &all("its rules are not where rules stand");
    }
    records
}

/// Formats the record that reserves all pages, as a line of a robots.txt. The rules of a
/// tdmrep.json are converted to this form too. `why` is the reason, for people.
pub(super) fn all(why: &str) -> String {
    format!("TDM-Reservation: / 1 ?{}\n", escaped(why))
}

/// Formats a record that reserves no page, as a line of a robots.txt. The rules of a tdmrep.json
/// are converted to this form too. The record stands for a tdmrep.json that is not valid JSON.
/// `why` tells people what is wrong with the file.
fn unread(why: &str) -> String {
    format!("TDM-Reservation: / - ?{}\n", escaped(why))
}

/// True if `text` has at least one reservation, such as `"tdm-reservation": 1`. `text` may be
/// broken JSON.
fn reserves(text: &str) -> bool {
    reservations(text) > 0
}

/// Counts the reservations in `text`, such as `"tdm-reservation": 1`. Only letters, digits and
/// colons are compared, so `text` may be broken JSON.
fn reservations(text: &str) -> usize {
    let letters: String = text
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ':')
        .collect();
    let letters = letters.to_ascii_lowercase();
    let mut count = 0;
    for value in letters.split("tdmreservation:").skip(1) {
        if value.starts_with('1') || value.starts_with("true") || value.starts_with("yes") {
            count += 1;
        }
    }
    count
}

/// Returns the part of a tdmrep.json that the JSON parser could not convert to rules, because it
/// stopped at `error`. The part begins at the last `{` before the error.
fn rest_after<'a>(text: &'a str, error: &serde_json::Error) -> &'a str {
    let start: usize = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    // The rule in which the JSON breaks off may begin on an earlier line, so the part begins at the
    // last brace before the error.
    let at = text.floor_char_boundary((start + error.column()).min(text.len()));
    &text[text[..at].rfind('{').unwrap_or(at)..]
}

/// Formats one rule of a tdmrep.json as a record of a robots.txt.
fn record(rule: &TdmRule) -> String {
    let TdmRule {
        location,
        reservation,
        policy,
        is_odd,
        ..
    } = rule;
    let mut why = "";
    let value = match reservation {
        Some(Reserved::Yes { is_odd: false }) => "1",
        Some(Reserved::Yes { .. }) => {
            why = "tdm-reservation is not written as 1";
            "1"
        }
        // A rule that reserves nothing counts only if it is spelt as specified.
        Some(Reserved::No) if *is_odd => "-",
        Some(Reserved::No) => match location {
            Some(path) if !path.trim().starts_with(['/', '*']) => {
                why = "a location is a path: this rule reserves nothing, and lets nothing in";
                "-"
            }
            _ => "0",
        },
        Some(Reserved::Other) => {
            why = "tdm-reservation is neither 0 nor 1";
            "-"
        }
        None => {
            why = "a rule has no tdm-reservation";
            "-"
        }
    };
    let location = location
        .as_deref()
        .map(str::trim)
        .filter(|path| !path.is_empty() && path.len() <= LONGEST);
    let path = match location {
        // A whole URL matches pages of its host alone, as in a robots.txt.
        Some(path) if path.starts_with(['/', '*']) || matching::is_url(path.as_bytes()) => {
            path.to_owned()
        }
        Some(path) => format!("/{path}"),
        None if value == "1" => "/".to_owned(),
        // A rule that reserves nothing counts only if it names its pages.
        None => return unread("a rule has no location"),
    };
    if location.is_none() {
        why = "a rule has no location: it is for all pages";
    } else if *is_odd {
        why = "a key is misspelt, or comes twice";
    }
    let policy = match policy {
        Some(policy) if policy.len() <= LONGEST => format!(" {}", escaped(policy)),
        _ => String::new(),
    };
    let why = if why.is_empty() {
        String::new()
    } else {
        format!(" ?{}", escaped(why))
    };
    format!(
        "TDM-Reservation: {} {value}{}{why}\n",
        escaped(&path),
        policy
    )
}

/// Encodes the characters that the value of a robots.txt line may not have. A blank or control
/// character becomes `%20`. A `#` would begin a comment, and becomes `%23`.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' => escaped.push_str("%23"),
            c if c.is_whitespace() || c.is_control() => escaped.push_str("%20"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Meaning of the value of `tdm-reservation` in a rule: 1, 0 or another value.
#[derive(Debug)]
enum Reserved {
    Yes { is_odd: bool },
    No,
    Other,
}

impl Reserved {
    /// Parses the value of `tdm-reservation`.
    fn from_value(value: &Value) -> Self {
        match value {
            Value::Number(number) if number.as_u64() == Some(1) => Self::Yes { is_odd: false },
            Value::Number(number) if number.as_f64() == Some(1.0) => Self::Yes { is_odd: true },
            Value::Number(number) if number.as_u64() == Some(0) => Self::No,
            Value::Bool(true) => Self::Yes { is_odd: true },
            Value::String(text)
                if matches!(&*text.trim().to_ascii_lowercase(), "1" | "true" | "yes") =>
            {
                Self::Yes { is_odd: true }
            }
            _ => Self::Other,
        }
    }
}

/// One rule of a tdmrep.json.
#[derive(Debug, Default)]
struct TdmRule {
    /// Value of `location`: a path or a URL. `None` if the key is missing, occurs twice or has a
    /// value that is no string.
    location: Option<String>,
    /// True if the rule has a key `location`. The value of this key may be unusable.
    has_location: bool,
    /// Value of the rule's `tdm-reservation`. `None` if the rule does not have this key.
    reservation: Option<Reserved>,
    /// URL of a policy, from the rule's key `tdm-policy`. `None` if the key is missing, or if its
    /// value is no string.
    policy: Option<String>,
    /// True if a key of the rule is misspelt or occurs twice.
    is_odd: bool,
}

impl<'de> Deserialize<'de> for TdmRule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(RuleVisitor)
    }
}

/// Visitor of `serde` that parses one rule of a tdmrep.json.
struct RuleVisitor;

impl<'de> Visitor<'de> for RuleVisitor {
    type Value = TdmRule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rule")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TdmRule, A::Error> {
        let mut rule = TdmRule::default();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            let letters: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
            match &*letters.to_ascii_lowercase() {
                "location" => {
                    rule.is_odd |= key != "location" || rule.has_location;
                    // Of two locations either may be meant, so the rule is for all pages.
                    rule.location = match value {
                        Value::String(path) if !rule.has_location => Some(path),
                        _ => None,
                    };
                    rule.has_location = true;
                }
                "tdmreservation" => {
                    rule.is_odd |= key != "tdm-reservation" || rule.reservation.is_some();
                    // If the key is repeated, the value that reserves counts.
                    if !matches!(rule.reservation, Some(Reserved::Yes { .. })) {
                        rule.reservation = Some(Reserved::from_value(&value));
                    }
                }
                "tdmpolicy" => rule.policy = value.as_str().map(str::to_owned),
                _ => {}
            }
        }
        Ok(rule)
    }
}

/// Rules of a tdmrep.json, in the order of the file. If the JSON breaks off, the rules before the
/// break are kept.
#[derive(Default)]
struct Rules {
    found: Vec<TdmRule>,
}

impl Rules {
    /// Parses a tdmrep.json and adds its rules to `rules`. If the JSON breaks off, returns an
    /// error, and `rules` has the rules before the break.
    fn read<'de, D: Deserializer<'de>>(rules: &mut Self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(RulesVisitor(rules))
    }
}

/// Visitor of `serde` that parses a whole tdmrep.json: an array of rules, or one rule.
struct RulesVisitor<'a>(&'a mut Rules);

impl<'de> Visitor<'de> for RulesVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rules")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rules: A) -> Result<(), A::Error> {
        while let Some(rule) = rules.next_element()? {
            if self.0.found.len() <= RULES {
                self.0.found.push(rule);
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.0.found.push(RuleVisitor.visit_map(map)?);
        Ok(())
    }
}
