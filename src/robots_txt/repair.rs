//! The meaning of lines that RFC 9309 does not have, if it is beyond doubt (docs/semantics.md, section 6).
//!
//! If line ends were lost, a line means several things. Only denials are repaired: an allowance has no effect here. The
//! file is also read without any of this, and both readings must let a bot in. So no repair can let anybody in.

use std::borrow::Cow;

use crate::lenient::near::is_one_edit;
use crate::lenient::{SignClass, class_of, quotes};

use super::agents::{is_pattern, product_token};
use super::key::{FoundKey, Keyword, trim};
use super::records::{self, RecordKind};

/// The meaning of a line, or of a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meant {
    Agents(Vec<Vec<u8>>),
    Paths(Vec<Vec<u8>>),
    Record {
        kind: RecordKind,
        value: Vec<u8>,
    },
    /// An allowance, or a record that can deny nothing.
    Nothing,
    /// A line with an unknown key.
    Unknown,
}

/// The meaning of a line, if it differs from its text. `found` is what the text says.
pub(super) fn repaired(line: &[u8], found: Option<&FoundKey<'_>>) -> Option<Vec<Meant>> {
    let line = with_plain_signs(line);
    // Most lines that come here are from something that is no robots.txt.
    let may_be_junk = !matches!(found.map(|found| &found.key), Some(Keyword::Agent | Keyword::Rule { allow: false }));
    if may_be_junk && is_junk(&line) {
        return None;
    }
    let parts = parts(&line)?;
    let meant: Vec<_> = parts.iter().map(|(key, value)| meant(key, value)).collect();
    let is_same = match (found, &meant[..]) {
        (Some(found), [first]) => is_said(found, first),
        (None, [first]) => matches!(first, Meant::Nothing | Meant::Unknown),
        _ => meant.iter().all(|part| matches!(part, Meant::Nothing | Meant::Unknown)),
    };
    (!is_same).then_some(meant)
}

/// True if a line's key is unknown, and there can be no other key in it.
fn is_junk(line: &[u8]) -> bool {
    let Some((key, value)) = first_part(line) else { return true };
    memchr::memchr(b':', value).is_none() && kind(key) == RepairKind::Unknown
}

/// True if a line says what it means.
fn is_said(found: &FoundKey<'_>, meant: &Meant) -> bool {
    match (&found.key, meant) {
        (Keyword::Agent, Meant::Agents(names)) => names[..] == [found.value] && !is_pattern(found.value),
        (Keyword::Rule { allow: false }, Meant::Paths(paths)) => paths[..] == [found.value],
        (Keyword::Rule { allow: true } | Keyword::Nothing | Keyword::Other, Meant::Nothing | Meant::Unknown) => true,
        (Keyword::Other, Meant::Record { kind, value }) => {
            RecordKind::of(found.name) == Some(*kind) && value == found.value
        }
        _ => false,
    }
}

/// The line with plain signs in place of those of other scripts, and without signs that are not seen. Quotes stay.
pub(super) fn with_plain_signs(line: &[u8]) -> Cow<'_, [u8]> {
    if line.is_ascii() {
        return line.into();
    }
    let plain = |sign: char| match class_of(sign).filter(|_| !sign.is_ascii()) {
        None | Some(SignClass::Quote) => Some(sign),
        Some(class) => class.plain(),
    };
    match std::str::from_utf8(line) {
        Ok(text) => text.chars().filter_map(plain).collect::<String>().trim().to_owned().into_bytes().into(),
        // In Latin 1 this is the blank that does not break.
        Err(_) => line[line.iter().position(|byte| *byte != 0xA0).unwrap_or(line.len())..].into(),
    }
}

/// The keys of a line, each with its value.
fn parts(line: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let (key, mut value) = first_part(line)?;
    let mut parts = vec![key];
    let mut values = Vec::new();
    while let Some((end, key, next)) = next_key(value) {
        values.push(trim(&value[..end]));
        parts.push(key);
        value = next;
    }
    values.push(trim(value));
    Some(parts.into_iter().zip(values).collect())
}

/// The first key and its value. The key ends at the first colon or equals sign. If that gives no key, it ends at the
/// first blank.
fn first_part(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let by_sign = memchr::memchr2(b':', b'=', line).map(|at| (trim(&line[..at]), &line[at + 1..]));
    let by_blank = || {
        let at = memchr::memchr2(b' ', b'\t', line)?;
        let may_deny = match kind(&line[..at]) {
            RepairKind::Agent | RepairKind::Disallow => true,
            RepairKind::Record(kind) => records::may_deny(kind),
            RepairKind::Allow | RepairKind::Unknown => false,
        };
        let is_key = may_deny && line[..at].is_ascii();
        is_key.then(|| (&line[..at], &line[at..]))
    };
    match by_sign {
        Some((key, _)) if kind(key) == RepairKind::Unknown => by_blank().or(by_sign),
        Some(part) => Some(part),
        None => by_blank(),
    }
}

/// Finds a key inside a value, behind a blank, a star or the path `/`. Returns where the value ends, the key, and the
/// part behind its colon.
fn next_key(value: &[u8]) -> Option<(usize, &[u8], &[u8])> {
    let colons = memchr::memchr_iter(b':', value);
    colons.into_iter().find_map(|colon| {
        let before = value[..colon].trim_ascii_end();
        let key = KEYS.into_iter().chain(records::keys().map(|(name, _)| name)).find(|key| {
            let Some(start) = before.len().checked_sub(key.len()) else { return false };
            let is_apart =
                start == 0 || matches!(before[start - 1], b' ' | b'\t' | b'*') || trim(&before[..start]) == b"/";
            is_apart && before[start..].eq_ignore_ascii_case(key.as_bytes())
        })?;
        let start = before.len() - key.len();
        Some((start, &before[start..], &value[colon + 1..]))
    })
}

const KEYS: [&str; 4] = ["user-agent", "useragent", "disallow", "allow"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RepairKind {
    Agent,
    Disallow,
    Allow,
    Record(RecordKind),
    Unknown,
}

/// The longest key that is looked at, with signs round it.
const LONGEST_KEY: usize = 40;

/// The kind of a key, by its letters.
fn kind(key: &[u8]) -> RepairKind {
    if let Some(kind) = RecordKind::of(key) {
        return RepairKind::Record(kind);
    }
    if key.len() > LONGEST_KEY {
        return RepairKind::Unknown;
    }
    let (mut letters, mut count) = ([0; LONGEST_KEY], 0);
    for byte in key.iter().filter(|byte| byte.is_ascii_alphabetic()) {
        letters[count] = byte.to_ascii_lowercase();
        count += 1;
    }
    let letters = &letters[..count];
    let is_near = |known: &[u8]| is_one_edit(letters, known);
    match letters {
        b"dissalow" | b"disalowed" | b"disallowed" | b"dissallowed" => RepairKind::Disallow,
        _ if is_near(b"disallow") => RepairKind::Disallow,
        _ if is_near(b"useragent") => RepairKind::Agent,
        _ if is_near(b"allow") => RepairKind::Allow,
        _ => DENYING
            .iter()
            .find(|(known, _)| is_near(known))
            .map_or(RepairKind::Unknown, |(_, kind)| RepairKind::Record(*kind)),
    }
}

/// The letters of the records that can deny.
const DENYING: [(&[u8], RecordKind); 6] = [
    (b"noindex", RecordKind::Noindex),
    (b"contentsignal", RecordKind::ContentSignal),
    (b"contentsignals", RecordKind::ContentSignal),
    (b"contentusage", RecordKind::ContentUsage),
    (b"disallowaitraining", RecordKind::DisallowTraining),
    (b"tdmreservation", RecordKind::Reservation),
];

fn meant(key: &[u8], value: &[u8]) -> Meant {
    match kind(key) {
        RepairKind::Agent => Meant::Agents(names(value)),
        RepairKind::Disallow => Meant::Paths(paths(value)),
        RepairKind::Record(kind) if records::may_deny(kind) => Meant::Record { kind, value: value.to_owned() },
        RepairKind::Record(_) | RepairKind::Allow => Meant::Nothing,
        RepairKind::Unknown => Meant::Unknown,
    }
}

/// The names in a value, between commas and similar signs. A value with brackets is one name, since a browser's full
/// name has such signs too. A semicolon counts only before a blank, since a character reference ends in one.
fn names(value: &[u8]) -> Vec<Vec<u8>> {
    if value.contains(&b'(') {
        return vec![without_quotes(value)];
    }
    let separates = |at: usize| match value[at] {
        b',' | b'|' => true,
        b';' => value.get(at + 1) == Some(&b' '),
        _ => false,
    };
    let (mut names, mut from) = (Vec::new(), 0);
    for end in (0..value.len()).filter(|at| separates(*at)).chain([value.len()]) {
        names.extend(between_blanks(without_quotes(&value[from..end])));
        from = end + 1;
    }
    names.retain(|name| !name.is_empty());
    if names.is_empty() { vec![Vec::new()] } else { names }
}

/// The names of a text with blanks between them. Names with blanks in them exist (`Yahoo Pipes`), so all words must be
/// product tokens, and two of them must look like names of bots.
fn between_blanks(text: Vec<u8>) -> Vec<Vec<u8>> {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let words: Vec<_> = words.map(without_quotes).filter(|word| !word.is_empty()).collect();
    let is_token = |word: &Vec<u8>| {
        word == b"*" || word.iter().any(u8::is_ascii_alphabetic) && product_token(word).len() == word.len()
    };
    let is_list = words.iter().all(is_token) && words.iter().filter(|word| is_like_a_bot(word)).count() > 1;
    if is_list { words } else { vec![text] }
}

/// True if a token looks like the name of a bot: it is more than the word for one, or has a hyphen in it.
fn is_like_a_bot(token: &[u8]) -> bool {
    let token = token.to_ascii_lowercase();
    let holds = |what: &&[u8]| token.len() > what.len() && token.windows(what.len()).any(|part| part == *what);
    [&b"bot"[..], b"spider", b"crawler"].iter().any(holds) || token[1..].contains(&b'-')
}

/// The paths in a value: each begins with a slash behind a blank.
fn paths(value: &[u8]) -> Vec<Vec<u8>> {
    let value = without_quotes(value);
    if !value.starts_with(b"/") {
        return vec![value];
    }
    let (mut paths, mut from) = (Vec::new(), 0);
    for at in memchr::memchr_iter(b'/', &value).filter(|at| *at > 0 && matches!(value[at - 1], b' ' | b'\t')) {
        paths.push(without_signs(&value[from..at]));
        from = at;
    }
    paths.push(value[from..].to_owned());
    paths
}

/// A path that others follow, without the comma behind it.
fn without_signs(path: &[u8]) -> Vec<u8> {
    let end = path.iter().rposition(|byte| !matches!(byte, b',' | b';' | b' ' | b'\t')).map_or(0, |last| last + 1);
    path[..end].to_owned()
}

/// The text without the quotes round it. A backslash counts as a slash here, not as a quote.
fn without_quotes(text: &[u8]) -> Vec<u8> {
    let text = trim(text);
    let is_quote = |sign: char| quotes::is_quote(sign) && !matches!(sign, '\\' | '\u{FFFD}');
    std::str::from_utf8(text).map_or(text, |text| text.trim_matches(is_quote).trim().as_bytes()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let list = |list: &[Vec<u8>]| list.iter().map(|one| String::from_utf8_lossy(one)).collect::<Vec<_>>().join("|");
        let shown = |meant: &Meant| match meant {
            Meant::Agents(names) => format!("agents {}", list(names)),
            Meant::Paths(paths) => format!("deny {}", list(paths)),
            Meant::Record { kind, .. } => kind.name().to_owned(),
            Meant::Nothing => "nothing".to_owned(),
            Meant::Unknown => "unknown".to_owned(),
        };
        let line = with_plain_signs(line.as_bytes());
        let parts = parts(&line).unwrap_or_default();
        parts.iter().map(|(key, value)| shown(&meant(key, value))).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn records_that_can_deny_are_known_by_their_letters() {
        let letters = |key: &str| key.to_ascii_lowercase().bytes().filter(u8::is_ascii_alphabetic).collect::<Vec<_>>();
        let denying = records::keys().filter(|(_, kind)| records::may_deny(*kind));
        let mut expected: Vec<_> = denying.map(|(key, kind)| (letters(key), kind.mark())).collect();
        let mut found: Vec<_> = DENYING.iter().map(|(key, kind)| (key.to_vec(), kind.mark())).collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines() {
        for (line, expected) in [
            ("User-agent: * Disallow: /", "agents *, deny /"),
            ("User-agent: *Disallow: /a Allow: /b", "agents *, deny /a, nothing"),
            ("User-agent * Disallow: /", "agents *, deny /"),
            ("User-agent: Foo, \"Bar\"; “Baz Bot”", "agents Foo|Bar|Baz Bot"),
            ("User-agent: FooBot BarBot shop-ai keeper, Baz", "agents FooBot|BarBot|shop-ai|keeper|Baz"),
            ("User-agent: “FooBot” “BarBot” *", "agents FooBot|BarBot|*"),
            ("User-agent: Yahoo Pipes 1.0, Shop-Google Foo", "agents Yahoo Pipes 1.0|Shop-Google Foo"),
            ("User-agent: Web Crawler Bot", "agents Web Crawler Bot"),
            ("User-agent: FooBot/2.0 BarBot/1.0", "agents FooBot/2.0 BarBot/1.0"),
            ("User-agent: Mozilla/5.0 (compatible; FooBot/1.0)", "agents Mozilla/5.0 (compatible; FooBot/1.0)"),
            ("User-agent: Check&amp;Get, a; b;c", "agents Check&amp;Get|a|b;c"),
            ("Disallow: /User-agent: Foo", "deny /, agents Foo"),
            ("Disallow: /a /b, /c", "deny /a|/b|/c"),
            ("Disallow: /a b/ /c", "deny /a b/|/c"),
            ("Disallow: /sitecore modules/", "deny /sitecore modules/"),
            ("Disallow: \"/a\"", "deny /a"),
            ("Disallow: /a\\", "deny /a\\"),
            ("Disallow = /a", "deny /a"),
            ("Disallowed: /a", "deny /a"),
            ("Dis allow: /a", "deny /a"),
            ("• Disallow：/a", "deny /a"),
            ("User–agent: *", "agents *"),
            ("Noindex= /a", "Noindex"),
            ("Content-Singal: ai-train=no", "Content-Signal"),
            ("Content-Usgae train-ai=n", "Content-Usage"),
            ("Content Signal: search=no", "Content-Signal"),
            ("- No-index: /a", "Noindex"),
            ("DisalowAITraining: /a", "DisallowAITraining"),
            ("TDM_Reservations: 1", "TDM-Reservation"),
            ("AlowAITraining: /a", "unknown"),
            ("Content-Type: text/plain", "unknown"),
            ("Sitemap: https://site.example/a Disallow: /b", "nothing, deny /b"),
            ("Alow: /a", "nothing"),
            ("Deny: /a", "unknown"),
            ("see https://site.example/", "unknown"),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }
}
