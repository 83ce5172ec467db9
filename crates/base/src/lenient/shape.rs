//! Makes the lenient form of a text by the shape of the text: a value, or a list of words, tokens
//! or HTML classes.
//!
//! The lenient form has plain characters in place of those of other scripts, and lacks the quotes
//! that the grammar does not know. All lists have the same separators: blanks, commas, semicolons
//! and bars, and the characters that look like them. Lists of words are also split at `/`, `+` and
//! the dot, lists of tokens at `/` and the dot. In the text, a word that denies may have
//! punctuation or blanks inside. Each text has two lenient forms: in one, an invisible character is
//! a blank, and in the other it is dropped (docs/semantics.md, section 3.1). The caller's parser
//! parses the form. This file knows the words of a list only through [`Vocabulary`].

use std::borrow::Cow;

use super::quotes;
use super::sign::{SignClass, class_of, may_begin};

/// Treatment of invisible characters, such as a soft hyphen, in the lenient form of a text. The
/// lenient form is the text as its author probably meant it.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::Unseen;
/// use heedful_base::lenient::shape::plain;
///
/// let text = "no\u{AD}index";
/// assert_eq!(plain(text, Unseen::Nothing), "noindex");
/// assert_eq!(plain(text, Unseen::Blank), "no index");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// An invisible character becomes a blank.
    Blank,
    /// An invisible character is dropped.
    Nothing,
}

/// Functions that recognize words of a list of directives. The caller defines them, since this
/// crate knows no directives.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::{Shape, Unseen, Vocabulary};
///
/// let known = Vocabulary {
///     is_word: |word| matches!(word, "noindex" | "max-snippet"),
///     is_denial: |word| word == "noindex",
///     is_never_a_bot: |name| name == "robots",
/// };
/// let form = Shape::Words.form("no-index|robots: no index", Unseen::Blank, known);
/// assert_eq!(form, "noindex , *: noindex");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// Tests whether a word is a directive, such as `noindex` or `max-snippet`.
    pub is_word: fn(&str) -> bool,
    /// Tests whether a word is a directive that denies something and has no value, such as
    /// `noindex`.
    pub is_denial: fn(&str) -> bool,
    /// Tests whether a word can never be the name of a bot, such as `robots`. If a colon follows
    /// the word, as in `robots: noindex`, the lenient form has `*` in its place.
    pub is_never_a_bot: fn(&str) -> bool,
}

/// Shape of a text that may have typing errors. The shape decides how [`Shape::form`] makes the
/// lenient form of the text. The lenient form is the text as its author probably meant it.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::{Shape, Unseen, Vocabulary};
///
/// let known = Vocabulary {
///     is_word: |word| word == "noindex",
///     is_denial: |word| word == "noindex",
///     is_never_a_bot: |_| false,
/// };
/// let form = |shape: Shape, text| shape.form(text, Unseen::Blank, known).into_owned();
/// assert_eq!(form(Shape::Value, "“noindex”"), "noindex");
/// assert_eq!(form(Shape::Words, "no-index|x"), "noindex x");
/// assert_eq!(form(Shape::Tokens, "ad/noindex"), "ad noindex");
/// assert_eq!(form(Shape::Classes, "“ad” noindex"), "ad noindex");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The text is a single value, such as the value of an attribute. The value may be in quotes.
    Value,
    /// The text is a list of directives, such as the `content` of a META element, or a list of
    /// content signals (`search=yes`).
    Words,
    /// The text is a list of tokens, as in the attributes `class` and `rel`.
    Tokens,
    /// The text is the value of a `class` attribute, for comparison with a CSS selector. Only plain
    /// blanks separate the classes. Each class may be in quotes.
    Classes,
    /// The text is a structured field (RFC 9651), in which straight quotes are part of the grammar.
    Field,
}

impl Shape {
    /// True if the lenient form of `text` may differ from `text` itself. Only bytes are checked, so
    /// the result may be true although the two are equal.
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

    /// Returns the lenient form of `text`. `unseen` decides what becomes of invisible characters.
    /// `known` recognizes directives in `text`. Only [`Shape::Words`] and [`Shape::Field`] use it.
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

/// Returns the values of [`Unseen`] that are worth trying on `text`. If the text has an invisible
/// character, both values are returned. Otherwise one value is returned, since both values give the
/// same lenient form.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::shape::readings;
///
/// assert_eq!(readings("no\u{AD}index").len(), 2);
/// assert_eq!(readings("noindex").len(), 1);
/// ```
pub fn readings(text: &str) -> &'static [Unseen] {
    if text.bytes().any(may_begin) && text.contains(is_unseen) {
        &[Unseen::Blank, Unseen::Nothing]
    } else {
        &[Unseen::Blank]
    }
}

/// True if `byte` is an ASCII separator that some authors type between tokens, as in `ad/noindex`.
/// HTML itself splits tokens only at blanks.
pub const fn parts_tokens(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b'|' | b'/' | b'.' | 0x0B)
}

/// True if a list of words that contains `byte` may differ from its lenient form. False for bytes
/// of quotes, because the caller checks for quotes.
const fn is_odd_in_words(byte: u8) -> bool {
    matches!(
        byte,
        b'|' | b'/' | b'+' | b'.' | b'<' | b'>' | b':' | b'-' | b'_'
    )
}

/// True if `text` may have a directive with a blank after `no`, such as `no index`. Tests only for
/// the letters `no`, in any case, directly before ASCII white space.
fn has_no(text: &str) -> bool {
    text.as_bytes().windows(3).any(
        |bytes| matches!(bytes, [b'n' | b'N', b'o' | b'O', blank] if blank.is_ascii_whitespace()),
    )
}

/// True if `sign` is an invisible character, such as a soft hyphen.
fn is_unseen(sign: char) -> bool {
    class_of(sign) == Some(SignClass::Unseen)
}

/// True if `sign` is a blank, comma, semicolon or bar, looks like one of these, or is invisible.
/// These characters separate the items of a list.
pub fn is_separator(sign: char) -> bool {
    use SignClass::{Bar, Blank, Comma, Semicolon, Unseen};
    matches!(
        class_of(sign),
        Some(Blank | Unseen | Comma | Semicolon | Bar)
    )
}

/// Replaces look-alikes of ASCII characters by the ASCII characters. For example, a full-width
/// comma becomes a comma. Quotes and blanks stay unchanged. `unseen` decides whether an invisible
/// character becomes a blank or is dropped.
pub fn plain(text: &str, unseen: Unseen) -> Cow<'_, str> {
    if !text.bytes().any(may_begin) {
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

/// Returns the lenient form of a single value: with ASCII characters in place of look-alikes, and
/// without quotes at its ends.
fn value(text: &str, unseen: Unseen) -> Cow<'_, str> {
    match plain(text, unseen) {
        Cow::Borrowed(plain) => Cow::Borrowed(quotes::trim(plain.trim())),
        Cow::Owned(plain) => Cow::Owned(quotes::trim(plain.trim()).to_owned()),
    }
}

/// Returns the lenient form of a list of words. Quotes are removed, and misspelled directives are
/// corrected. A name that no bot has becomes `*` if a colon follows, as in `robots: noindex`. Text
/// after the first `<` or `>` is markup that got into the list by mistake. In this text, directives
/// are not corrected.
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

/// Replaces each name that no bot has by `*` if a colon follows the name. An example of such a name
/// is `robots`. Returns `None` if the list has no such name.
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
        if (known.is_never_a_bot)(name) {
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

/// True if `sign` is white space, a comma or a semicolon. These characters separate words in every
/// list of directives.
pub fn is_between(sign: char) -> bool {
    matches!(sign, ',' | ';') || sign.is_whitespace()
}

/// True if `sign` is white space, a comma, a semicolon or a joint (`|`, `/`, `+`, `.`). These
/// characters separate the words in an HTML comment with directives.
pub fn is_between_or_joint(sign: char) -> bool {
    is_between(sign) || JOINTS.contains(&sign)
}

/// Splits a list of directives at white space, commas and semicolons, without any leniency.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::shape::words;
///
/// assert!(words("noindex, no|follow").eq(["noindex", "no|follow"]));
/// ```
pub fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(is_between).filter(|word| !word.is_empty())
}

/// Replaces the joints (`|`, `/`, `+`, `.`) that stand beside a directive: `noindex|nofollow` becomes
/// `noindex nofollow`. Other joints stay, since URLs and dates have the same characters. A joint
/// directly before a colon becomes a comma, and not a blank.
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
                // If a blank were put before a colon, the colon would belong to the word before the
                // blank.
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

/// True if `word` is a directive, or consists only of directives that deny (`noindex-nofollow`).
fn is_known(word: &str, known: Vocabulary) -> bool {
    (known.is_word)(word) || denials(word, known).is_some()
}

/// Joints: characters that some authors type between two words in place of a separator.
const JOINTS: [char; 4] = ['|', '/', '+', '.'];

/// Corrects the spelling of directives that deny. For example, `no-index` and `no index` become
/// `noindex`. A colon after such a directive becomes a comma, as in `noindex: true`. The colon
/// stays if the next word means no, as `false` does.
fn whole(text: &str, known: Vocabulary) -> String {
    let mut form = String::with_capacity(text.len());
    // Offset in `form` of a `no` that only blanks follow so far.
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

/// Splits `word` into directives that deny, and returns them with blanks between them. Punctuation
/// inside or between directives is ignored, so `no-index` gives `noindex`. Returns `None` if `word`
/// contains anything else. Also returns `None` if `word` begins or ends with punctuation, because
/// an author may disable a directive in this way.
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

/// Returns the text of `word` before its first colon or equals sign: the name of a directive.
fn key(word: &str) -> &str {
    word.split([':', '=']).next().unwrap_or_default()
}

/// True if `answer` begins with a word that means no, such as `false` or `off`. `answer` is the
/// text that follows a directive and its colon.
fn is_no(answer: &str) -> bool {
    let word = words(answer).next().unwrap_or_default();
    ["?0", "0", "false", "n", "no", "off"]
        .iter()
        .any(|no| word.eq_ignore_ascii_case(no))
}

/// Returns the lenient form of a list of tokens, such as the value of `class`. In the result,
/// single blanks separate the tokens. A token is split at punctuation only if each part may be a
/// name. Other tokens stay whole, because `class` may also contain code with punctuation
/// (`[&_.x]:y`).
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

/// True if `token` consists of letters, digits, hyphens and underscores, and does not begin with an
/// ASCII digit.
fn is_name(token: &str) -> bool {
    token
        .chars()
        .all(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_'))
        && !token.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

/// Returns the lenient form of a list of HTML classes: with single blanks, and without quotes
/// around a class.
fn classes(text: &str, unseen: Unseen) -> String {
    let plain = plain(text, unseen);
    plain
        .split_ascii_whitespace()
        .map(quotes::trim)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Splits a list of tokens, such as the value of `class`, and trims quotes off each token.
/// Separators are blanks, commas, semicolons, bars (`|`), slashes and dots. A dot is a separator,
/// because some authors write classes as in a CSS selector.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::shape::split_tokens;
///
/// assert!(split_tokens("ad/noindex.“sponsored”").eq(["ad", "noindex", "sponsored"]));
/// ```
pub fn split_tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_between_tokens)
        .map(quotes::trim)
        .filter(|token| !token.is_empty())
}

/// True if `sign` separates the tokens of `class` or `rel` in the lenient form. Separators are
/// blanks, commas, semicolons, bars and their look-alikes. Slashes, dots and invisible characters
/// are separators too.
fn is_between_tokens(sign: char) -> bool {
    is_separator(sign) || matches!(sign, '/' | '.')
}

/// True if the value `text` may have several names of bots, or a name in quotes. Only bytes are
/// checked, so the result may be true for a single name.
pub fn may_be_names(text: &str) -> bool {
    text.bytes()
        .any(|byte| quotes::may_be(byte) || matches!(byte, b',' | b'|' | 0x0B))
}

/// Splits a value into names of bots. Separators are commas, semicolons, bars (`|`) and vertical
/// tabs. `known` is a name of one word, such as `robots`. A part that contains this word is also
/// split at blanks. Any other part is one name, which may contain blanks.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::Unseen;
/// use heedful_base::lenient::shape::names;
///
/// assert_eq!(names("robots x; Foo Bot", Unseen::Blank, "robots"), ["robots", "x", "Foo Bot"]);
/// ```
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

/// Returns the lenient form of the text of a mark, which is an HTML comment that opens or closes a
/// region. Hyphens and invisible characters at both ends are cut. Quotes behind the first `=` or
/// `:` are removed. Returns `None` if the form does not differ from the text.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::Unseen;
/// use heedful_base::lenient::shape::mark;
///
/// let form = mark("- robots content='noindex'-", Unseen::Blank);
/// assert_eq!(form.as_deref(), Some("robots content=noindex"));
/// assert_eq!(mark("noindex", Unseen::Blank), None);
/// ```
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

/// Cuts blanks, invisible characters and hyphens at both ends of an HTML comment's text. The HTML
/// parser leaves hyphens in the text if the comment begins or ends with more than two.
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
        is_never_a_bot: |name| name == "robots",
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
        /// Tests that `may_differ` returns true for each text that differs from its lenient form.
        /// Differences in blanks do not count.
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
