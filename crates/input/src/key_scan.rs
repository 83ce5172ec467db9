//! Decides from the bytes of a JSON line whether the line may contain certain words. So a survey of
//! an input need not parse all lines.
//!
//! A line is parsed if it may contain one of the words. A false positive costs time, and a false
//! negative would leak a page. JSON may write any character as an escape. A line with an escaped
//! letter, which no usual program writes, is always parsed. In any other line a word is written
//! literally. The file name at the end of a site file's URL is also written literally, because URL
//! parsers do not decode it. But URL parsers remove tabs and line endings, which JSON writes as
//! escapes. So the search skips these escapes.

use std::sync::LazyLock;

use memchr::memmem::Finder;

static PACKED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("64\""));
static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(ESCAPE_START));
/// The beginning of the JSON escape of an ASCII character.
const ESCAPE_START: &str = "\\u00";

/// An ASCII word to search for in a page, in upper or lower case. The number is the index of the
/// word's rarest letter, which the search looks for first.
#[derive(Clone, Copy, Debug)]
pub struct SpelledWord(pub &'static [u8], pub usize);

impl SpelledWord {
    /// True if the bytes of the page contain the word, in upper or lower case.
    #[doc(hidden)]
    pub fn is_in(self, page: &[u8]) -> bool {
        let Self(word, rare) = self;
        let lower = word[rare].to_ascii_lowercase();
        let upper = word[rare].to_ascii_uppercase();
        for at in memchr::memchr2_iter(lower, upper, page) {
            if let Some(start) = at.checked_sub(rare)
                && let Some(found) = page.get(start..start + word.len())
                && found.eq_ignore_ascii_case(word)
            {
                return true;
            }
        }
        false
    }
}

/// True if a JSON line contains one of `words`, or may be a site file such as robots.txt. Also true
/// if the line may have a body in base64, because such a body is not searched.
pub(super) fn may_hold(line: &[u8], words: &[SpelledWord]) -> bool {
    may_have_base64_body(line)
        || words.iter().any(|word| word.is_in(line))
        || may_be_site_file(line)
}

/// True if the JSON line may have a body in base64. The function searches for a string that ends in
/// `b64`, such as the key `html_b64`. The case of `b` is ignored.
fn may_have_base64_body(line: &[u8]) -> bool {
    // The key ends like this. Inside of a JSON string the quote would be escaped.
    PACKED
        .find_iter(line)
        .any(|at| line[..at].ends_with(b"b") || line[..at].ends_with(b"B"))
}

/// True if a JSON line may be a robots.txt or a tdmrep.json.
pub(super) fn may_be_site_file(line: &[u8]) -> bool {
    has_escaped_letter(line) || has_name(line)
}

/// True if the JSON line writes a letter as an escape (`\u00..`).
pub(super) fn has_escaped_letter(line: &[u8]) -> bool {
    ESCAPE
        .find_iter(line)
        .any(|at| match line[at + ESCAPE_START.len()..] {
            [high, low, ..] => is_letter(high, low),
            _ => false,
        })
}

/// True if the JSON escape `\u00` may hide a part of a searched word. `high` and `low` are the two
/// hex digits after `\u00`. True for letters, digits, dots, hyphens and underscores. Also true for
/// tabs and line endings: URL parsers remove them, so they may be inside of a word. Also true for
/// zero, the high byte of ASCII text in UTF-16.
fn is_letter(high: u8, low: u8) -> bool {
    let Some(high) = char::from(high).to_digit(16) else {
        return false;
    };
    let Some(low) = char::from(low).to_digit(16) else {
        return false;
    };
    let Ok(sign) = u8::try_from(high << 4 | low) else {
        return false;
    };
    sign.is_ascii_alphanumeric() || matches!(sign, 0 | b'\t' | b'\n' | b'\r' | b'.' | b'-' | b'_')
}

/// True if the JSON line may have the name of a site file, `robots.txt` or `tdmrep.json`. JSON
/// escapes (`\t`, `\n`, `\r`) inside the name are skipped, because URL parsers remove these
/// characters. The search finds the rarest letter of each name (`x` or `j`), and compares only the
/// characters beside it.
fn has_name(line: &[u8]) -> bool {
    memchr::memchr2_iter(b'x', b'j', line).any(|at| {
        let before = &line[..at];
        let rest = &line[at + 1..];
        match line[at] {
            b'x' => goes_on(rest, b"t") && comes_from(before, b't', b'.'),
            _ => goes_on(rest, b"son") && comes_from(before, b'.', b'p'),
        }
    })
}

/// True if `before` ends with the characters `first` and `last`, in this order. `before` is the
/// text before a letter that may be the `x` of `robots.txt` or the `j` of `tdmrep.json`. For the
/// `x`, `first` is `.` and `last` is `t`. Also true if a JSON escape (`\t`, `\n`, `\r`) comes at
/// the end of `before`, or directly before `last`. Characters before the escape are not compared,
/// because a false positive costs only time.
fn comes_from(before: &[u8], last: u8, first: u8) -> bool {
    match before {
        _ if ends_in_escape(before) => true,
        [before @ .., letter] if *letter == last => {
            ends_in_escape(before) || before.last() == Some(&first)
        }
        _ => false,
    }
}

/// True if a text ends in the JSON escape of a character that URL parsers remove: `\t`, `\n` or
/// `\r`.
fn ends_in_escape(text: &[u8]) -> bool {
    matches!(text, [.., b'\\', b't' | b'n' | b'r'])
}

fn goes_on(mut written: &[u8], mut name: &[u8]) -> bool {
    while let Some((letter, rest)) = name.split_first() {
        written = match written {
            [b'\\', b't' | b'n' | b'r', behind @ ..] => behind,
            [found, behind @ ..] if found == letter => {
                name = rest;
                behind
            }
            _ => return false,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use heedful_robots::SiteFile;

    use super::*;
    use crate::is_site_file;

    /// Returns a proptest strategy for the JSON text of one letter, written literally or as an
    /// escape. Escapes of tabs and line endings may precede the letter, because URL parsers remove
    /// these characters.
    fn written(letter: u8) -> impl Strategy<Value = String> {
        let plain = || Just(char::from(letter).to_string());
        let letters = prop_oneof![
            40 => plain(),
            1 => Just(format!("\\u00{letter:02x}")),
            1 => Just(format!("\\u00{letter:02X}")),
        ];
        let nothing = prop_oneof![
            20 => Just(""),
            1 => Just("\\t\\n"),
            1 => Just("\\r"),
            1 => Just("\\u000a\\u0009"),
            1 => Just("\\u000D"),
        ];
        (nothing, letters).prop_map(|(nothing, letter)| nothing.to_owned() + &letter)
    }

    fn urls() -> impl Strategy<Value = String> {
        const URLS: [&str; 6] = [
            "https://a.example/robots.txt",
            "http:\\\\\\\\a.example\\\\robots.txt",
            "https://a.example/.well-known/tdmrep.json",
            "http://a.example/rorobots.tx",
            "http://a.example/robots.txt\\\\",
            "http://a.example/%72obots.txt",
        ];
        proptest::sample::select(&URLS[..]).prop_flat_map(|url| {
            let (start, name) = url.split_at(url.rfind(['/', '\\']).unwrap_or(0) + 1);
            name.bytes()
                .map(written)
                .collect::<Vec<_>>()
                .prop_map(move |name| start.to_owned() + &name.concat())
        })
    }

    const TELLING: SpelledWord = SpelledWord(b"Telling.word-1", 10);

    fn pages() -> impl Strategy<Value = String> {
        let page =
            proptest::sample::select(&["tellIng.word-1", "telling.word", "Telling.word-1"][..]);
        page.prop_flat_map(|page| {
            page.bytes()
                .map(written)
                .collect::<Vec<_>>()
                .prop_map(|page| page.concat())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn nothing_that_matters_is_passed_over(url in urls(), page in pages(), before in "(\\\\[tn\"]|r|ro|t|td){0,4}") {
            let line = format!("{{\"html\":\"{before}{page}\",\"url\":\"{url}\"}}");
            let read: serde_json::Value = serde_json::from_str(&line).unwrap();
            let is_file = is_site_file(read["url"].as_str().unwrap());
            let is_told = TELLING.is_in(read["html"].as_str().unwrap().as_bytes());
            prop_assert!(may_be_site_file(line.as_bytes()) || !is_file, "{}", line);
            prop_assert!(may_hold(line.as_bytes(), &[TELLING]) || !is_file && !is_told, "{}", line);
        }
    }

    #[test]
    fn what_cannot_matter_is_passed() {
        for line in [
            r#"{"html":"<p>for\nothers\tro\\bots\u003c/p>b64\" ap.js\" text"}"#,
            r"roots.\tx manifest.json",
            r"\",
            r"r\u00",
        ] {
            assert!(!may_be_site_file(line.as_bytes()), "{line}");
            assert!(!may_hold(line.as_bytes(), &[TELLING]), "{line}");
        }
    }

    #[test]
    fn each_name_has_its_rare_letter_once() {
        assert_eq!(
            SiteFile::ALL.map(SiteFile::name),
            ["robots.txt", "tdmrep.json"]
        );
        for file in SiteFile::ALL {
            assert!(has_name(file.name().as_bytes()), "{}", file.name());
        }
    }

    #[test]
    fn a_packed_body_is_not_searched() {
        for line in [r#"{"html_b64": ""}"#, r#"{"64":1,"HTML_B64":""}"#] {
            assert!(may_hold(line.as_bytes(), &[]), "{line}");
        }
        for line in [r#"64""#, r#"{"html":"b64\"","a64":""}"#] {
            assert!(!may_hold(line.as_bytes(), &[]), "{line}");
        }
    }

    #[test]
    fn words_are_found_in_any_case() {
        let word = SpelledWord(b"robotexclusion.robotname", 6);
        assert!(word.is_in(b"x<meta name=RobotExclusion.RobotName1 content=FooBot>"));
        assert!(word.is_in(b"ROBOTEXCLUSION.ROBOTNAME"));
        assert!(!word.is_in(b"robotexclusion.robotnam"));
        assert!(!word.is_in(b"exclusion.robotname xx x"));
    }
}
