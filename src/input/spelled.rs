//! What a line of JSON may hold, seen from its bytes alone: so that beforehand no line is parsed that cannot matter then.
//!
//! A line is parsed where it may matter: an error this way costs time, and the other way a leak. JSON may write any sign as an
//! escape; a line that writes a letter so, which no program does by itself, is parsed. Then a word of a page stands in its line as it
//! is. So does the name of a site's file, with which its URL's path ends, for a URL's parser decodes nothing there; but it leaves
//! out tabs and line ends, which JSON writes as escapes.

use crate::robots_txt::SiteFile;

/// A word of ASCII that a page may hold, in any case of its letters; with it comes where the letter of it stands that is rare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word(pub(crate) &'static [u8], pub(crate) usize);

impl Word {
    /// Whether it stands in a page.
    pub(crate) fn is_in(self, page: &[u8]) -> bool {
        let Self(word, rare) = self;
        let (low, high) = (word[rare].to_ascii_lowercase(), word[rare].to_ascii_uppercase());
        memchr::memchr2_iter(low, high, page).any(|at| {
            let found = at.checked_sub(rare).and_then(|start| page.get(start..start + word.len()));
            found.is_some_and(|found| found.eq_ignore_ascii_case(word))
        })
    }
}

/// Whether a line may be a site's file, or a page that holds one of these words, or bytes of which nothing is known here.
#[cfg(feature = "run")]
pub(super) fn may_hold(line: &[u8], words: &[Word]) -> bool {
    // The key `html_b64` ends so, and a quote inside a text is an escape.
    let is_packed = [b"b64\"", b"B64\""].iter().any(|end| memchr::memmem::find(line, *end).is_some());
    is_packed || words.iter().any(|word| word.is_in(line)) || may_be_site_file(line)
}

/// Whether a line may be a robots.txt or a tdmrep.json.
pub(super) fn may_be_site_file(line: &[u8]) -> bool {
    let names = SiteFile::ALL.map(|file| file.name().as_bytes());
    names.iter().any(|name| memchr::memmem::find(line, name).is_some()) || has_telling_escape(line, names)
}

/// Whether a letter is written as an escape, or a name has one in it that a URL's parser leaves out.
fn has_telling_escape<const N: usize>(line: &[u8], names: [&[u8]; N]) -> bool {
    let mut from = 0;
    // A run of backslashes is made of pairs from its start on, also where the line is no JSON.
    while let Some(at) = memchr::memchr(b'\\', &line[from..]).map(|at| from + at) {
        let is_telling = match line[at + 1..] {
            [b'n' | b'r' | b't', ..] => names.iter().any(|name| is_name_around(&line[from..at], &line[at..], name)),
            [b'u', b'0', b'0', high, low, ..] => is_letter(high, low),
            _ => false,
        };
        if is_telling {
            return true;
        }
        from = line.len().min(at + 2);
    }
    false
}

/// Whether these digits are of a sign that words are made of, of one that a URL's parser leaves out, or of the zero by which text in
/// two bytes a character is known.
fn is_letter(high: u8, low: u8) -> bool {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (Some(high), Some(low)) = (digit(high), digit(low)) else { return false };
    let sign = high << 4 | low;
    sign.is_ascii_alphanumeric() || matches!(sign, 0 | b'\t' | b'\n' | b'\r' | b'.' | b'-' | b'_')
}

/// Whether a name that begins in `before` goes on in `behind`, which begins with its first escape.
fn is_name_around(before: &[u8], behind: &[u8], name: &[u8]) -> bool {
    (1..name.len()).any(|length| before.ends_with(&name[..length]) && goes_on(behind, &name[length..]))
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

    use super::*;
    use crate::input::is_site_file;

    /// A letter as JSON may write it, with what a URL's parser leaves out before it.
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
            name.bytes().map(written).collect::<Vec<_>>().prop_map(move |name| start.to_owned() + &name.concat())
        })
    }

    const TELLING: Word = Word(b"Telling.word-1", 10);

    fn pages() -> impl Strategy<Value = String> {
        let page = proptest::sample::select(&["tellIng.word-1", "telling.word", "Telling.word-1"][..]);
        page.prop_flat_map(|page| page.bytes().map(written).collect::<Vec<_>>().prop_map(|page| page.concat()))
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
            #[cfg(feature = "run")]
            prop_assert!(may_hold(line.as_bytes(), &[TELLING]) || !is_file && !is_told, "{}", line);
        }
    }

    #[test]
    fn what_cannot_matter_is_passed() {
        for line in
            [r#"{"html":"<p>for\nothers\tro\\bots\u003c/p>b64\""}"#, r"robo\\ts.txt r\tobots.tx", r"\", r"r\u00"]
        {
            assert!(!may_be_site_file(line.as_bytes()), "{line}");
            #[cfg(feature = "run")]
            assert!(!may_hold(line.as_bytes(), &[TELLING]), "{line}");
        }
    }

    #[test]
    fn words_are_found_in_any_case() {
        let word = Word(b"robotexclusion.robotname", 6);
        assert!(word.is_in(b"x<meta name=RobotExclusion.RobotName1 content=FooBot>"));
        assert!(word.is_in(b"ROBOTEXCLUSION.ROBOTNAME"));
        assert!(!word.is_in(b"robotexclusion.robotnam"));
        assert!(!word.is_in(b"exclusion.robotname xx x"));
    }
}
