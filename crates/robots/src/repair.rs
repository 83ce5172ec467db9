//! Repairs a robots.txt line: parses what its author means beyond doubt, although RFC 9309 has no
//! such line (docs/semantics.md, section 6).
//!
//! A line may have several keys, if line ends were lost. Only denials are repaired: an allowance in
//! a repaired line has no effect. The file is also parsed without repairs, and a bot needs the
//! permission of both results. So no repair can allow anything.

use smallvec::SmallVec;

use heedful_base::lenient::line::{agents, paths, trim};

use super::agents::{is_pattern, is_star};
use super::key::{KeyedLine, LineKey, exact, guess, typo};
use super::records::{RecordKind, may_deny};

/// Meaning of a robots.txt line, or of one key in the line with its value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineMeaning<'a> {
    /// One or more agent lines, for the agents with these names.
    Agents(SmallVec<[&'a [u8]; 2]>),
    /// Rules that deny these paths.
    Paths(SmallVec<[&'a [u8]; 2]>),
    Record {
        kind: RecordKind,
        value: &'a [u8],
    },
    /// Nothing that can deny: an unknown key, an allowance, or a record that only allows.
    Nothing,
}

/// One key of a robots.txt line, and the value after it. The key is `None` if it is unknown.
type LinePart<'a> = (Option<LineKey>, &'a [u8]);

/// Returns the meaning of a line after repair, with one item for each key in the line. `line` is
/// the line with plain characters in place of unusual ones. `found` has the key and value that were
/// parsed without repair. Returns `None` if the repair does not change the meaning, or if the first
/// key is unknown.
pub(super) fn repair_line<'a>(
    line: &'a [u8],
    found: Option<&KeyedLine<'_>>,
) -> Option<SmallVec<[LineMeaning<'a>; 2]>> {
    let first = match found {
        // This key is read in the same way with and without repair.
        Some(KeyedLine {
            key: key @ Some(LineKey::Agent | LineKey::Disallow),
            has_colon: true,
            ..
        }) => (*key, &line[memchr::memchr(b':', line)? + 1..]),
        _ => first_part(line)?,
    };
    if first.0.is_none() && matches!(found, None | Some(KeyedLine { key: None, .. })) {
        return None;
    }
    let meant: SmallVec<[_; 2]> = parts(first)
        .into_iter()
        .map(LineMeaning::from_part)
        .collect();
    let is_same = match (found, &meant[..]) {
        (Some(found), [first]) => says_same(found, first),
        _ => meant.iter().all(|part| *part == LineMeaning::Nothing),
    };
    (!is_same).then_some(meant)
}

/// Moves the agents of a repaired line before its denials, if the line begins with a denial. The
/// denials then apply only to the bots that the line names. Returns true if an agent was moved.
///
/// A line may have a denial before an agent for two reasons. Either a line end was lost after the
/// denial, or the author reversed the order.
///
/// The agent `*` is not moved. If it were moved, the repaired file would deny the paths of the line
/// to every bot. The file without repairs does not.
pub(super) fn put_names_first(parts: &mut [LineMeaning<'_>]) -> bool {
    if !matches!(parts.first(), Some(LineMeaning::Paths(_))) {
        return false;
    }
    let mut from = 0;
    let mut is_changed = false;
    for at in 0..parts.len() {
        let LineMeaning::Agents(names) = &parts[at] else {
            continue;
        };
        if !names.iter().any(|name| is_star(name)) {
            parts[from..=at].rotate_right(1);
            is_changed = true;
        }
        from = at + 1;
    }
    is_changed
}

/// True if a repaired line is a group of its own. Such a line begins with an agent and has more
/// parts.
pub(super) fn is_group(parts: &[LineMeaning<'_>]) -> bool {
    matches!(parts, [LineMeaning::Agents(_), _, ..])
}

/// True if a repair does not change the meaning of a line. `found` has the key and value without
/// repair, and `meant` is the meaning after repair.
fn says_same(found: &KeyedLine<'_>, meant: &LineMeaning<'_>) -> bool {
    match (found.key, meant) {
        (Some(LineKey::Agent), LineMeaning::Agents(names)) => {
            names[..] == [found.value] && !is_pattern(found.value)
        }
        (Some(LineKey::Disallow), LineMeaning::Paths(paths)) => paths[..] == [found.value],
        (Some(LineKey::Record(own)), LineMeaning::Record { kind, value }) => {
            own == *kind && *value == found.value
        }
        (Some(LineKey::Agent | LineKey::Disallow), LineMeaning::Nothing) => false,
        (_, LineMeaning::Nothing) => true,
        _ => false,
    }
}

impl<'a> LineMeaning<'a> {
    /// Returns the meaning of one part of a line: a key with its value.
    fn from_part((key, value): LinePart<'a>) -> Self {
        match key {
            Some(LineKey::Agent) => Self::Agents(agents(value)),
            Some(LineKey::Disallow) => Self::Paths(paths(value)),
            Some(LineKey::Record(kind)) if may_deny(kind) => Self::Record { kind, value },
            Some(LineKey::Allow | LineKey::Purpose | LineKey::Record(_)) | None => Self::Nothing,
        }
    }
}

/// Splits a line into its keys, each with its value. The parameter is the first key of the line,
/// and all text after this key.
fn parts((key, mut rest): LinePart<'_>) -> SmallVec<[LinePart<'_>; 2]> {
    let mut parts = SmallVec::new();
    let mut key = key;
    while let Some((end, next, after)) = next_key(rest) {
        parts.push((key, trim(&rest[..end])));
        key = Some(next);
        rest = after;
    }
    parts.push((key, trim(rest)));
    parts
}

/// Returns the first key of a line, and the text after this key. Tries these ways in turn:
///
/// 1. The text before the first colon is a known key, perhaps misspelt. `Allow` and
///    `User-Agent-Purpose` count as unknown here.
/// 2. The text before the first blank is a key that may deny.
/// 3. The text before the first colon is an unknown key. The key in the result is then `None`.
///
/// If the line has no colon, and way 2 fails too, the whole result is `None`.
fn first_part(line: &[u8]) -> Option<LinePart<'_>> {
    let by_colon = memchr::memchr(b':', line).map(|at| (guess(trim(&line[..at])), &line[at + 1..]));
    if let Some((Some(_), _)) = by_colon {
        return by_colon;
    }
    by_blank(line).or(by_colon)
}

/// Returns the text of `line` before its first blank.
fn first_word(line: &[u8]) -> &[u8] {
    line.split(|byte| matches!(byte, b' ' | b'\t'))
        .next()
        .unwrap_or_default()
}

/// Splits a line at its first blank into a key and the text after it. The key must be one that may
/// deny, such as `Disallow`. Returns `None` for any other line.
fn by_blank(line: &[u8]) -> Option<LinePart<'_>> {
    let name = first_word(line);
    if name.len() == line.len() || !name.is_ascii() {
        return None;
    }
    let value = &line[name.len()..];
    let key = guess(name)?;
    let denies = match key {
        LineKey::Agent | LineKey::Disallow => true,
        LineKey::Record(kind) => may_deny(kind),
        LineKey::Allow | LineKey::Purpose => false,
    };
    denies.then_some((Some(key), value))
}

/// True if the value of a line contains a second key, as in `/a Disallow: /b`.
pub(super) fn has_second_key(value: &[u8]) -> bool {
    next_key(value).is_some()
}

/// Finds a second key inside the value of a line, as in `/a Disallow: /b`. The key must follow a
/// blank, a star or the path `/`. Returns the offset at which the key begins, the key, and the text
/// after the key's colon.
fn next_key(value: &[u8]) -> Option<(usize, LineKey, &[u8])> {
    let begin = value.iter().position(|byte| !byte.is_ascii_whitespace());
    for colon in memchr::memchr_iter(b':', value) {
        let before = value[..colon].trim_ascii_end();
        let sign = before
            .iter()
            .rposition(|byte| !byte.is_ascii_alphabetic() && *byte != b'-');
        let start = match sign {
            Some(sign) => sign + 1,
            None => 0,
        };
        let (before, name) = before.split_at(start);
        let is_apart = match before.last() {
            None | Some(b' ' | b'\t' | b'*') => true,
            Some(b'/') => begin == Some(start - 1),
            Some(_) => false,
        };
        if !is_apart {
            continue;
        }
        let key = match exact(name) {
            None | Some(LineKey::Purpose) => typo(name),
            key => key,
        };
        if let Some(key) = key {
            return Some((start, key, &value[colon + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use heedful_base::lenient::line::plain;
    use proptest::prelude::*;

    use super::*;
    use crate::key::may_have_key;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8192))]

        /// Tests that [`may_have_key`] is true for every line in which the parser finds a key. The
        /// parser may need a repair to find the key.
        #[test]
        fn a_line_without_a_key_has_none_in_any_reading(
            key in prop::sample::select(&WRITTEN_KEYS[..]),
            (cut, put) in (0..5_usize, 0..5_usize),
            sign in prop::sample::select(&SIGNS[..]),
            end in prop::sample::select(&[": /a", " /a", "：/a", ":", " * Disallow: /a"][..]),
        ) {
            // A letter is missing, and a sign is in the wrong place.
            let short = [&key[..cut], &key[key.len().min(cut + 1)..]].concat();
            for key in [key, &short] {
                let (front, rest) = key.split_at(put.min(key.len()));
                let line = [front, sign, rest, end].concat();
                let line = trim(line.as_bytes());
                if may_have_key(line) {
                    continue;
                }
                let found = KeyedLine::parse(line);
                let key = found.as_ref().and_then(|found| found.key);
                prop_assert_eq!(key, None);
                let plain = plain(line);
                prop_assert_eq!(repair_line(&plain, found.as_ref()), None);
            }
        }
    }

    /// Keys as authors write them, rightly or nearly so.
    const WRITTEN_KEYS: [&str; 18] = [
        "Disallow",
        "disallowed",
        "User-agent",
        "user agent",
        "User-Agent-Purpose",
        "Allow:",
        "Crawl-delay",
        "Request-rate",
        "Visit-time",
        "Sitemap",
        "Clean-param",
        "License",
        "Noindex",
        "Content-Signals",
        "Content-Usage",
        "DisallowAITraining",
        "TDM-Reservation",
        "Host",
    ];

    /// Texts that the test inserts before or inside a key. A repair replaces or drops some of the
    /// texts. The other texts make the key wrong.
    const SIGNS: [&str; 13] = [
        "", " ", "-", "_", ".", "\0", "x", "a", "\u{AD}", "\u{200B}", "\u{2013}", "\u{A0}",
        "\u{FEFF}",
    ];

    fn read(line: &str) -> String {
        let list = |list: &[&[u8]]| {
            list.iter()
                .map(|one| String::from_utf8_lossy(one))
                .collect::<Vec<_>>()
                .join("|")
        };
        let shown = |meant: LineMeaning<'_>| match meant {
            LineMeaning::Agents(names) => format!("agents {}", list(&names)),
            LineMeaning::Paths(paths) => format!("deny {}", list(&paths)),
            LineMeaning::Record { kind, .. } => kind.name().to_owned(),
            LineMeaning::Nothing => "nothing".to_owned(),
        };
        let line = plain(line.as_bytes());
        let parts = first_part(&line).map(parts).unwrap_or_default();
        parts
            .into_iter()
            .map(|part| shown(LineMeaning::from_part(part)))
            .collect::<Vec<_>>()
            .join(", ")
    }

    #[test]
    fn lines() {
        for (line, expected) in [
            ("User-agent: * Disallow: /", "agents *, deny /"),
            (
                "User-agent: *Disallow: /a Allow: /b",
                "agents *, deny /a, nothing",
            ),
            ("User-agent * Disallow: /", "agents *, deny /"),
            (
                "User-agent: Foo, \"Bar\"| “Baz Bot”",
                "agents Foo|Bar|Baz Bot",
            ),
            (
                "User-agent: FooBot BarBot shop-ai keeper, Baz",
                "agents FooBot|BarBot|shop-ai|keeper|Baz",
            ),
            (
                "User-agent: FooBot Shop-Search-Machine",
                "agents FooBot Shop-Search-Machine",
            ),
            ("User-agent: “FooBot” “BarBot” *", "agents FooBot|BarBot|*"),
            (
                "User-agent: Yahoo Pipes 1.0, Shop-Google Foo",
                "agents Yahoo Pipes 1.0|Shop-Google Foo",
            ),
            ("User-agent: Web Crawler Bot", "agents Web Crawler Bot"),
            (
                "User-agent: FooBot/2.0 BarBot/1.0",
                "agents FooBot/2.0 BarBot/1.0",
            ),
            (
                "User-agent: Mozilla/5.0 (compatible; FooBot/1.0)",
                "agents Mozilla/5.0 (compatible; FooBot/1.0)",
            ),
            (
                "User-agent: Check&amp;Get, a; b",
                "agents Check&amp;Get|a; b",
            ),
            ("Disallow: /User-agent: Foo", "deny /, agents Foo"),
            ("Disallow: /a /b, /c", "deny /a|/b|/c"),
            ("Disallow: /a b/ /c", "deny /a b/|/c"),
            ("Disallow: /sitecore modules/", "deny /sitecore modules/"),
            ("Disallow: \"/a\"", "deny \"/a\""),
            ("Disallow: / a /", "deny / a"),
            ("Disallow: / /", "deny / /"),
            ("\u{EF}\u{BB}\u{BF}User-agent: *", "agents *"),
            ("Disallow: /a\\", "deny /a\\"),
            ("Disallowed: /a", "deny /a"),
            ("Dis-allow: /a", "deny /a"),
            ("isallow: /a", "nothing"),
            ("Disallow：/a", "deny /a"),
            ("User–agent: *", "agents *"),
            ("Content Signal: search=no", "Content-Signal"),
            ("No-index: /a", "Noindex"),
            ("Disallow-AI-Training: /a", "DisallowAITraining"),
            ("Content-Singal: ai-train=no", "nothing"),
            ("//Disallow: /a", "nothing"),
            ("xDisallow: /a", "nothing"),
            ("- Disallow: /a", "nothing"),
            ("Disallow_: /a", "nothing"),
            ("Content-Type: text/plain", "nothing"),
            (
                "Sitemap: https://site.example/a Disallow: /b",
                "nothing, deny /b",
            ),
            ("Alow: /a", "nothing"),
            ("Deny: /a", "nothing"),
            ("see https://site.example/", "nothing"),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }
}
