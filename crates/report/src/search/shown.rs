//! Makes texts of strangers safe for display: one line without characters that control a terminal
//! or browser.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use url::Url;

use heedful_json::is_command;

/// English names of languages, by language tag.
const LANGUAGES: [(&str, &str); 45] = [
    ("ar", "Arabic"),
    ("bg", "Bulgarian"),
    ("bn", "Bengali"),
    ("ca", "Catalan"),
    ("cs", "Czech"),
    ("da", "Danish"),
    ("de", "German"),
    ("el", "Greek"),
    ("en", "English"),
    ("es", "Spanish"),
    ("et", "Estonian"),
    ("eu", "Basque"),
    ("fa", "Persian"),
    ("fi", "Finnish"),
    ("fr", "French"),
    ("ga", "Irish"),
    ("he", "Hebrew"),
    ("hi", "Hindi"),
    ("hr", "Croatian"),
    ("hu", "Hungarian"),
    ("id", "Indonesian"),
    ("is", "Icelandic"),
    ("it", "Italian"),
    ("ja", "Japanese"),
    ("ko", "Korean"),
    ("lt", "Lithuanian"),
    ("lv", "Latvian"),
    ("nb", "Norwegian Bokm\u{E5}l"),
    ("nl", "Dutch"),
    ("nn", "Norwegian Nynorsk"),
    ("no", "Norwegian"),
    ("pl", "Polish"),
    ("pt", "Portuguese"),
    ("ro", "Romanian"),
    ("ru", "Russian"),
    ("sk", "Slovak"),
    ("sl", "Slovenian"),
    ("sr", "Serbian"),
    ("sv", "Swedish"),
    ("th", "Thai"),
    ("tr", "Turkish"),
    ("uk", "Ukrainian"),
    ("ur", "Urdu"),
    ("vi", "Vietnamese"),
    ("zh", "Chinese"),
];

/// Returns an untrusted text as one line. White space becomes spaces. Other control characters and
/// marks of writing direction are removed.
pub(super) fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            line.push(' ');
        } else if !is_command(c) {
            line.push(c);
        }
    }
    line
}

/// A piece of an excerpt. It is either a word of the query, or the text between two such words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) is_word: bool,
}

/// Splits an excerpt into words of the query and the text between them. `words` has the byte ranges
/// of the query's words in `text`. Ranges that overlap or exceed `text` are ignored.
pub(super) fn pieces(text: &str, words: &[std::ops::Range<usize>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for range in words {
        if let Some(before) = text.get(at..range.start)
            && let Some(word) = text.get(range.clone())
        {
            add_piece(&mut pieces, before, false);
            add_piece(&mut pieces, word, true);
            at = range.end;
        }
    }
    add_piece(&mut pieces, text.get(at..).unwrap_or_default(), false);
    pieces
}

fn add_piece(pieces: &mut Vec<Piece>, text: &str, is_word: bool) {
    if !text.is_empty() {
        pieces.push(Piece {
            text: line(text),
            is_word,
        });
    }
}

/// Returns `url` if search results may link to it: it must be an `http` or `https` URL with a host.
/// Returns `None` for any other text.
pub(super) fn link(url: &str) -> Option<&str> {
    let parsed = Url::parse(url).ok()?;
    (matches!(parsed.scheme(), "http" | "https") && parsed.host().is_some()).then_some(url)
}

/// Returns the language tag if it may become a value of the HTML attribute `lang`. Returns `None`
/// if it does not have the form of a language tag.
pub(super) fn tag(language: &str) -> Option<&str> {
    if language.len() > 35 {
        return None;
    }
    for (number, part) in language.split('-').enumerate() {
        let is_part = if number == 0 {
            (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
        } else {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        if !is_part {
            return None;
        }
    }
    Some(language)
}

/// Returns the English name of the language with this tag, or the tag itself if the name is
/// unknown.
pub(super) fn language(tag: &str) -> String {
    let first = tag
        .split('-')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    match LANGUAGES.iter().find(|(tag, _)| *tag == first) {
        Some((_, name)) => (*name).to_owned(),
        None => tag.to_owned(),
    }
}

/// Formats the day of a time in UTC: `24 November 2026`.
pub(super) fn day(time: SystemTime) -> String {
    match Timestamp::try_from(time) {
        Ok(time) => {
            let time = time.to_zoned(TimeZone::UTC);
            time.strftime("%-d %B %Y").to_string()
        }
        Err(_) => "a day far away".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_say_is_one_harmless_line() {
        assert_eq!(
            line("a\n\tb\0\u{1b}[31m\u{202E}gpj\u{2066}\u{200F}.\u{2028}exe\u{9b}"),
            "a  b[31mgpj. exe"
        );
        assert_eq!(
            line("e\u{301} \u{1F469}\u{200D}\u{1F680} \u{5D0}"),
            "e\u{301} \u{1F469}\u{200D}\u{1F680} \u{5D0}"
        );
    }

    #[test]
    fn pieces_are_the_whole_text_whatever_the_ranges() {
        let text = "rye, röst \u{202E}rye";
        for (from, to) in
            (0..text.len() + 3).flat_map(|from| (0..text.len() + 3).map(move |to| (from, to)))
        {
            let whole: String = pieces(text, &[from..to, 0..3])
                .into_iter()
                .map(|piece| piece.text)
                .collect();
            assert_eq!(whole, line(text), "{from}..{to}");
        }
        let first = 0..3;
        assert!(
            pieces(text, std::slice::from_ref(&first))
                .first()
                .is_some_and(|piece| piece.is_word && piece.text == "rye")
        );
    }

    #[test]
    fn only_pages_are_linked_to() {
        for url in [
            "http://a.example/",
            "https://a.example/b?c#d",
            "HTTPS://a.example/",
        ] {
            assert_eq!(link(url), Some(url));
        }
        for url in [
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "//a.example/",
            "/a",
            "",
            "ftp://a/",
        ] {
            assert_eq!(link(url), None, "{url}");
        }
    }

    #[test]
    fn languages_are_tags_or_nothing() {
        for good in ["en", "de-AT", "zh-Hant-TW", "sr-Latn"] {
            assert_eq!(tag(good), Some(good));
        }
        for bad in [
            "",
            "e",
            "english",
            "en_US",
            "en\"onload=x",
            "en-",
            "-en",
            "d3",
            "en-aaaaaaaaa",
        ] {
            assert_eq!(tag(bad), None, "{bad}");
        }
        assert_eq!([language("de-AT"), language("tlh")], ["German", "tlh"]);
    }
}
