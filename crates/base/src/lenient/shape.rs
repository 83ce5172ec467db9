//! Shapes of text: the lenient form of a value, of words and of tokens.
//!
//! A form has plain signs in place of those of other scripts, and no quotes that the grammar does
//! not know. All lists have one set of separators: blanks, and the signs of the classes comma,
//! semicolon and bar. Between words `/`, `+` and a dot part too, and between tokens `/` and the
//! dot. A word that denies may have signs or blanks in it. A sign that is not seen is a blank in
//! one form and nothing in the other (docs/semantics.md, section 3.1). The parser of a list reads
//! the form; what its words mean is unknown here.

use std::borrow::Cow;

use super::quotes;
use super::sign::{SignClass, class_of};

/// The reading of a sign that is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// As a blank.
    Blank,
    /// As if it were not there.
    Nothing,
}

/// The words that a list is made of, for the room that does not know them.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// True for a directive.
    pub is_word: fn(&str) -> bool,
    /// True for a directive that denies, and has no value.
    pub is_denial: fn(&str) -> bool,
    /// True for a name before a colon that no bot has.
    pub is_nobody: fn(&str) -> bool,
}

/// The kinds of text that have a lenient form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value, perhaps between quotes.
    Value,
    /// A list of directives or signals, as in META's content.
    Words,
    /// A list of names, as in `class` and `rel`.
    Tokens,
    /// A list of classes for a selector, which parts them by plain blanks alone. Each may be
    /// between quotes.
    Classes,
    /// A structured field (RFC 9651), where straight quotes are grammar.
    Field,
}

impl Shape {
    /// True if a text may have a lenient form of this shape. It is a look at the bytes.
    pub fn may_differ(self, text: &str) -> bool {
        match self {
            Self::Value => !text.is_ascii() || quotes::may_enclose(text.trim()),
            Self::Words => {
                text.bytes()
                    .any(|byte| quotes::may_be(byte) || is_odd_in_words(byte))
                    || has_no(text)
            }
            Self::Tokens => text
                .bytes()
                .any(|byte| quotes::may_be(byte) || parts_tokens(byte)),
            Self::Classes => text.bytes().any(quotes::may_be),
            Self::Field => text
                .bytes()
                .any(|byte| !byte.is_ascii() || JOINTS.contains(&char::from(byte))),
        }
    }

    /// The lenient form of a text.
    pub fn form<'a>(self, text: &'a str, unseen: Unseen, known: Vocabulary) -> Cow<'a, str> {
        match self {
            Self::Value => value(text, unseen),
            Self::Words => list(text, unseen, known).into(),
            Self::Tokens => tokens(text, unseen).into(),
            Self::Classes => classes(text, unseen).into(),
            Self::Field => unjoined(&plain(text, unseen), known).into(),
        }
    }
}

/// How to read the signs that are not seen in a text whose bytes are odd. Without such a sign one
/// way is enough.
pub fn readings(text: &str) -> &'static [Unseen] {
    if !text.is_ascii() && text.contains(is_unseen) {
        &[Unseen::Blank, Unseen::Nothing]
    } else {
        &[Unseen::Blank]
    }
}

/// True for a byte that parts tokens to their author, though a blank alone does to HTML.
pub const fn parts_tokens(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b'|' | b'/' | b'.' | 0x0B)
}

const fn is_odd_in_words(byte: u8) -> bool {
    matches!(
        byte,
        b'|' | b'/' | b'+' | b'.' | b'<' | b'>' | b':' | b'-' | b'_'
    )
}

/// True if a blank follows a `no`.
fn has_no(text: &str) -> bool {
    text.as_bytes().windows(3).any(
        |bytes| matches!(bytes, [b'n' | b'N', b'o' | b'O', blank] if blank.is_ascii_whitespace()),
    )
}

fn is_unseen(sign: char) -> bool {
    class_of(sign) == Some(SignClass::Unseen)
}

/// True for the separators of every list.
pub fn parts(sign: char) -> bool {
    use SignClass::{Bar, Blank, Comma, Semicolon, Unseen};
    matches!(
        class_of(sign),
        Some(Blank | Unseen | Comma | Semicolon | Bar)
    )
}

/// The text with plain signs in place of those of other scripts and widths.
pub fn plain(text: &str, unseen: Unseen) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for sign in text.chars() {
        match class_of(sign) {
            Some(SignClass::Unseen) if unseen == Unseen::Nothing => {}
            Some(SignClass::Unseen) => plain.push(' '),
            Some(SignClass::Quote | SignClass::Blank) | None => plain.push(sign),
            Some(class) => plain.extend(class.plain()),
        }
    }
    Cow::Owned(plain)
}

/// A value without the quotes at its ends.
fn value(text: &str, unseen: Unseen) -> Cow<'_, str> {
    match plain(text, unseen) {
        Cow::Borrowed(plain) => Cow::Borrowed(quotes::trim(plain.trim())),
        Cow::Owned(plain) => Cow::Owned(quotes::trim(plain.trim()).to_owned()),
    }
}

/// Words without quotes. After markup that the list has swallowed no words are parted. A statement
/// to no bot at all becomes one to every bot.
fn list(text: &str, unseen: Unseen, known: Vocabulary) -> String {
    let bare = quotes::remove(text);
    let plain = plain(&bare, unseen);
    let (list, swallowed) = plain.split_at(plain.find(['<', '>']).unwrap_or(plain.len()));
    let mut form = whole(&unjoined(list, known), known);
    if !swallowed.is_empty() {
        form.push(' ');
        form.push_str(swallowed);
    }
    address_everybody(&form, known).unwrap_or(form)
}

/// The list with `*` in place of names that no bot has. None if there is no such name.
fn address_everybody(list: &str, known: Vocabulary) -> Option<String> {
    let mut form = String::new();
    let mut done = 0;
    for (colon, _) in list.match_indices(':') {
        let before = list[done..colon].trim_end();
        let name = before
            .rsplit(|sign: char| is_between(sign) || sign == ':')
            .next()
            .unwrap_or_default();
        let start = before.len() - name.len();
        if (known.is_nobody)(name) {
            form.push_str(&before[..start]);
            form.push_str(", *");
            done = colon;
        }
    }
    if done == 0 {
        return None;
    }
    Some(form + &list[done..])
}

/// True for what parts words in every grammar of words.
pub fn is_between(sign: char) -> bool {
    matches!(sign, ',' | ';') || sign.is_whitespace()
}

/// True for what parts words in a grammar that knows joints too, as those of marks do.
pub fn is_between_or_joint(sign: char) -> bool {
    is_between(sign) || JOINTS.contains(&sign)
}

/// The words of a list, exactly.
pub fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(is_between).filter(|word| !word.is_empty())
}

/// The text with blanks for the joints between words. A word on one of its sides has to be known:
/// addresses and dates have such signs too.
fn unjoined(text: &str, known: Vocabulary) -> String {
    let mut form = String::with_capacity(text.len());
    let mut start = 0;
    for word in text.split_inclusive(is_between) {
        let bare = word.trim_end_matches(is_between);
        let mut before = "";
        let mut last = 0;
        for (at, _) in bare.match_indices(JOINTS).chain([(bare.len(), "")]) {
            let part = &bare[last..at];
            let is_joint = is_known(before, known)
                || is_known(key(part), known)
                || part.is_empty() && is_known(key(before), known);
            if last > 0 {
                // Over a blank, a colon would belong to the word before it.
                let is_before_colon = text[start + last..].trim_start().starts_with(':');
                form.push_str(if !is_joint {
                    &bare[last - 1..last]
                } else if is_before_colon {
                    ","
                } else {
                    " "
                });
            }
            form.push_str(part);
            before = part;
            last = at + 1;
        }
        form.push_str(&word[bare.len()..]);
        start += word.len();
    }
    form
}

fn is_known(word: &str, known: Vocabulary) -> bool {
    (known.is_word)(word) || denials(word, known).is_some()
}

const JOINTS: [char; 4] = ['|', '/', '+', '.'];

/// The text with denials as their grammar spells them: `no-index` and `no index`, and
/// `noindex: true` without the answer.
fn whole(text: &str, known: Vocabulary) -> String {
    let mut form = String::with_capacity(text.len());
    // The place of a `no`, if nothing but blanks follows.
    let mut no = None;
    let mut rest = text;
    while let Some(start) = rest.find(|sign| !is_between(sign)) {
        let (gap, after) = rest.split_at(start);
        form.push_str(gap);
        let word = after.split(is_between).next().unwrap_or_default();
        let name = key(word);
        if !gap.trim().is_empty() {
            no = None;
        }
        let denied = if let Some(at) = no
            && let Some(denied) = denials(&["no", name].concat(), known)
        {
            form.truncate(at);
            denied
        } else if let Some(denied) = denials(name, known) {
            denied
        } else {
            no = word.eq_ignore_ascii_case("no").then_some(form.len());
            form.push_str(word);
            rest = &after[word.len()..];
            continue;
        };
        form.push_str(&denied);
        no = None;
        rest = &after[name.len()..];
        if let Some(answer) = rest.trim_start().strip_prefix(':')
            && !is_no(answer)
        {
            form.push(',');
            rest = answer;
        }
    }
    form + rest
}

/// The denials that a word consists of, with any signs in it or between them. Signs at the ends of
/// a word may switch it off.
fn denials(word: &str, known: Vocabulary) -> Option<String> {
    let parts: Vec<_> = word.split(|sign: char| !sign.is_alphanumeric()).collect();
    let whole = parts.concat();
    let is_bare = parts.first() != Some(&"") && parts.last() != Some(&"");
    if is_bare && (known.is_denial)(&whole) {
        return Some(whole);
    }
    let are_denials = parts.iter().all(|part| (known.is_denial)(part));
    are_denials.then(|| parts.join(" "))
}

/// A word without its value.
fn key(word: &str) -> &str {
    word.split([':', '=']).next().unwrap_or_default()
}

/// True for the answer no.
fn is_no(answer: &str) -> bool {
    let word = words(answer).next().unwrap_or_default();
    ["?0", "0", "false", "n", "no", "off"]
        .iter()
        .any(|no| word.eq_ignore_ascii_case(no))
}

/// Tokens with blanks between them. Signs part tokens only where each part may be a name: other
/// code has such signs too.
fn tokens(text: &str, unseen: Unseen) -> String {
    let plain = plain(text, unseen);
    let mut tokens: Vec<&str> = Vec::new();
    for token in plain.split(|sign| class_of(sign) == Some(SignClass::Blank)) {
        if split_tokens(token).all(is_name) {
            tokens.extend(split_tokens(token));
        } else {
            tokens.push(quotes::trim(token));
        }
    }
    tokens.join(" ")
}

/// True for letters, digits, hyphens and underscores that begin with no digit.
fn is_name(token: &str) -> bool {
    token
        .chars()
        .all(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_'))
        && !token.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

/// Classes with single blanks between them, each without quotes.
fn classes(text: &str, unseen: Unseen) -> String {
    let plain = plain(text, unseen);
    plain
        .split_ascii_whitespace()
        .map(quotes::trim)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The tokens of a list as their author parts them, each without quotes. A dot is that of a
/// selector.
pub fn split_tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_between_tokens)
        .map(quotes::trim)
        .filter(|token| !token.is_empty())
}

fn is_between_tokens(sign: char) -> bool {
    parts(sign) || matches!(sign, '/' | '.')
}

/// True if a value may hold several names, or one in quotes. It is a look at the bytes.
pub fn may_be_names(text: &str) -> bool {
    text.bytes()
        .any(|byte| quotes::may_be(byte) || matches!(byte, b',' | b'|' | 0x0B))
}

/// The names in a value: parted by commas and the like, and by blanks if one of the words is
/// `known`. A name may have blanks.
pub fn names(text: &str, unseen: Unseen, known: &str) -> Vec<String> {
    let plain = plain(text, unseen);
    let mut names: Vec<String> = Vec::new();
    for part in plain.split([',', ';', '|', '\u{B}']) {
        let part = quotes::trim(part.trim());
        let mut words = part.split_whitespace();
        if words.any(|word| word.eq_ignore_ascii_case(known)) {
            names.extend(part.split_whitespace().map(str::to_owned));
        } else {
            names.push(part.to_owned());
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The lenient form of a comment's text, if it differs. At the ends it has no hyphens and no signs
/// that are not seen. In its value, after the first `=` or `:`, it has no quotes.
pub fn mark(text: &str, unseen: Unseen) -> Option<String> {
    let bare = bare(text);
    if bare.len() == text.len() && !bare.bytes().any(quotes::may_be) {
        return None;
    }
    let plain = plain(bare, unseen);
    let value = plain.find(['=', ':']).unwrap_or(plain.len());
    let form = [
        &plain[..value],
        &plain[value..].replace(quotes::is_quote, ""),
    ]
    .concat();
    (form != text).then_some(form)
}

/// A comment without what is left at its ends: blanks, signs that are not seen, and hyphens, which
/// HTML leaves there if three or more begin or end it.
pub fn bare(text: &str) -> &str {
    text.trim_matches(|sign: char| {
        sign == '-' || sign.is_whitespace() || !sign.is_ascii() && is_unseen(sign)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: Vocabulary = Vocabulary {
        is_word: |word| {
            matches!(
                word,
                "noindex" | "nofollow" | "index" | "date" | "max-snippet"
            )
        },
        is_denial: |word| matches!(word, "noindex" | "nofollow"),
        is_nobody: |name| name == "robots",
    };

    #[test]
    fn lenient_forms() {
        for (shape, text, expected) in [
            (Shape::Value, " “Foo, Bot”\u{200B}", "Foo, Bot"),
            (Shape::Words, "“noindex”，nofollow", "noindex,nofollow"),
            (Shape::Words, "noindex|nofollow a/b", "noindex nofollow a/b"),
            (Shape::Words, "noindex| :nofollow", "noindex, :nofollow"),
            (Shape::Words, "noindex.nofollow/ x", "noindex nofollow  x"),
            (
                Shape::Words,
                "date:12/31/2010|index/x",
                "date:12/31/2010 index x",
            ),
            (
                Shape::Words,
                "noindex><p>a|nofollow",
                "noindex ><p>a|nofollow",
            ),
            (Shape::Words, "x robots : noindex", "x , *: noindex"),
            (
                Shape::Words,
                "search=“yes”|noindex x",
                "search=yes noindex x",
            ),
            (
                Shape::Words,
                "no-index,no  follow; no, index",
                "noindex,nofollow; no, index",
            ),
            (
                Shape::Words,
                "no.index/no follow-noindex",
                "noindex nofollow noindex",
            ),
            (
                Shape::Words,
                "noindex : true, (no-index) no-follow:1",
                "noindex, true, (no-index) nofollow,1",
            ),
            (
                Shape::Words,
                "noindex: false max-snippet:0",
                "noindex: false max-snippet:0",
            ),
            (Shape::Tokens, "x/noindex.y，z", "x noindex y z"),
            (
                Shape::Tokens,
                "“x”\u{A0}[&_.noindex,_.y]:z",
                "x [&_.noindex,_.y]:z",
            ),
            (Shape::Tokens, "w-1/2,noindex", "w-1/2,noindex"),
            (Shape::Classes, "“x” y,z", "x y,z"),
            (Shape::Field, "\"foo bot\"；noindex", "\"foo bot\";noindex"),
        ] {
            assert_eq!(shape.form(text, Unseen::Blank, KNOWN), expected, "{text}");
            assert!(shape.may_differ(text), "{text}");
        }
        assert_eq!(
            Shape::Words.form("no\u{AD}index", Unseen::Nothing, KNOWN),
            "noindex"
        );
        assert_eq!(
            names("“robots x”; Foo Bot/2", Unseen::Blank, "robots"),
            ["robots", "x", "Foo Bot/2"]
        );
        assert_eq!(
            mark("-\u{200B}noindex--", Unseen::Blank).as_deref(),
            Some("noindex")
        );
        assert_eq!(
            mark("robots content='x'", Unseen::Blank).as_deref(),
            Some("robots content=x")
        );
        assert_eq!(mark("noindex", Unseen::Blank), None);
    }

    proptest::proptest! {
        /// A text whose bytes are plain has no form of its own, so that only the sieve is asked for
        /// most texts.
        #[test]
        fn the_sieve_lets_no_odd_text_pass(text in "(no|index|[a-z,;|/+:<> \"“\u{200B}\u{AD}，._=-]){0,8}") {
            for shape in [Shape::Value, Shape::Words, Shape::Classes, Shape::Field] {
                let parts = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let form = shape.form(&text, Unseen::Blank, KNOWN).into_owned();
                proptest::prop_assert!(shape.may_differ(&text) || parts(&form) == parts(&text), "{text}: {form}");
            }
        }
    }
}
