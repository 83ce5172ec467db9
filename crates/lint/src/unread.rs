//! Reports markers that no engine reads although real pages have them. It also reports markup that
//! resembles a statement: a misspelling, a wrong character, or a valid word in the wrong place.
//!
//! A marker is reported here if no vendor documents it and no known engine's source code reads it.
//! A marker that an engine reads is a convention instead. The filter's pass also reports markup
//! that resembles a statement, but only among the markup that it compares anyway (`lookalike`).
//! This module compares more. In doubt it reports nothing. Its findings never change a verdict.
//!
//! Nearly all tags and attributes resemble no statement. So a text is copied only for a message.

use std::borrow::Cow;
use std::sync::LazyLock;

use heedful::internals::convention::{RELS, denied_by, is_denying_class, profile_classes};
use heedful::internals::html;
use heedful::{Token, TokenKind, Use};
use heedful_base::lenient::near::{is_near, near};
use heedful_base::lenient::shape::split_tokens;

/// Names of META elements that robots read, except the name `robots`. Misspellings of the listed
/// names are reported.
const METAS: [&str; 4] = ["googlebot", "bingbot", "googlebot-news", "tdm-reservation"];
/// Words that an HTML comment may have in addition to denying words, such as `noindex`. A comment
/// with any other word is not reported.
const BESIDE: [&str; 12] = [
    "robots",
    "robot",
    "google",
    "googlebot",
    "start",
    "begin",
    "end",
    "stop",
    "on",
    "off",
    "open",
    "close",
];

/// Returns the message for an HTML token that resembles a statement but that no engine reads.
/// Returns None for any other token.
pub(super) fn unread_marker(token: &Token<'_>) -> Option<String> {
    match token.kind() {
        TokenKind::Start if token.name() == "meta" => meta(token),
        TokenKind::Start => element(token)
            .or_else(|| rel(token))
            .or_else(|| attributes(token)),
        TokenKind::Comment => comment(&token.text()),
        _ => None,
    }
}

/// True if `word` is a directive of META robots that denies `index`, `follow`, `archive` or
/// `snippet`.
fn is_word(word: &str) -> bool {
    denied_by(word).iter().any(|usage| {
        matches!(
            usage,
            Use::Index | Use::Follow | Use::Archive | Use::Snippet
        )
    })
}

/// True if `word` is a directive of META robots that denies a use. Hyphens in `word` are ignored.
/// `none` is excluded, since it has another meaning in HTML.
fn is_denial(word: &str) -> bool {
    word != "none" && is_word(&without_hyphens(word))
}

fn without_hyphens(word: &str) -> Cow<'_, str> {
    if word.contains('-') {
        Cow::Owned(word.replace('-', ""))
    } else {
        Cow::Borrowed(word)
    }
}

/// Converts a text to lower case. A text that is in lower case already, as most are, is not copied.
fn lowered(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

fn element(token: &Token<'_>) -> Option<String> {
    let name = token.name();
    if name == "noindex" {
        return None;
    }
    if is_denial(name) || name == "googleoff" {
        return Some(format!("no engine reads the element `<{name}>`"));
    }
    if name.contains('-') || !is_near(name, "noindex") {
        return None;
    }
    Some(format!(
        "no robot reads the element `<{name}>`: did you mean `<noindex>`?"
    ))
}

fn attributes(token: &Token<'_>) -> Option<String> {
    let mut classes = None;
    let mut ignored_classes = Vec::new();
    for (name, value) in token.attributes().written() {
        let name = lowered(name);
        match &*name {
            "data-nosnippet" => {}
            "class" if classes.is_none() => classes = Some(value),
            "class" => ignored_classes.push(value),
            name => {
                let message = attribute(name, value);
                if message.is_some() {
                    return message;
                }
            }
        }
    }
    class_list(&html::decode_value(classes?)).or_else(|| second_class(&ignored_classes))
}

/// Returns the message for an attribute that resembles a statement. Returns None for any other
/// attribute. `name` must be in lower case. `name` must not be `class` or `data-nosnippet`.
fn attribute(name: &str, written: &str) -> Option<String> {
    let word = name.strip_prefix("data-").unwrap_or(name);
    if name == "data-robots" || !word.contains('-') && is_denial(word) {
        return Some(format!(
            "no engine reads the attribute `{name}`: write {}",
            advice(word)
        ));
    }
    if is_near(name, "data-nosnippet") {
        return Some(format!(
            "no robot reads the attribute `{name}`: did you mean `data-nosnippet`?"
        ));
    }
    let value = profile_class(written)?;
    Some(format!("`{value}` counts in `class`, and not in `{name}`"))
}

/// HTML classes of the Robot Exclusion Profile that deny something to all bots.
static PROFILE_CLASSES: LazyLock<Vec<String>> = LazyLock::new(|| profile_classes().collect());

/// Returns the value of an attribute, decoded and trimmed, if it is a class of [`PROFILE_CLASSES`].
fn profile_class(written: &str) -> Option<String> {
    let first = written.trim_start().bytes().next()?;
    // A value that is ASCII when it is decoded was not shorter before.
    let may_be = |class: &String| {
        written.len() >= class.len()
            && (first == b'&' || first.eq_ignore_ascii_case(&class.as_bytes()[0]))
    };
    if !PROFILE_CLASSES.iter().any(may_be) {
        return None;
    }
    let value = html::decode_value(written);
    let value = value.trim();
    PROFILE_CLASSES
        .iter()
        .any(|class| value.eq_ignore_ascii_case(class))
        .then(|| value.to_owned())
}

/// Returns the markup by which an author should state `word`, such as a `<!--noindex-->` region.
/// `word` is a directive of META robots, such as `noindex`. Messages about markup that no engine
/// reads recommend this markup.
fn advice(word: &str) -> String {
    match word {
        "noindex" => "a `<!--noindex-->` region, or the class `robots-noindex`".to_owned(),
        "nofollow" => "`rel=\"nofollow\"`".to_owned(),
        "nosnippet" => "`data-nosnippet`".to_owned(),
        "robots" => "a META, `<meta name=\"robots\">`".to_owned(),
        _ => format!("a META, `<meta name=\"robots\" content=\"{word}\">`"),
    }
}

/// Returns the message for a list of HTML classes that resemble a statement. Returns None for any
/// other list.
fn class_list(classes: &str) -> Option<String> {
    let mut has_robots = false;
    for class in classes.split_ascii_whitespace() {
        if class.eq_ignore_ascii_case("data-nosnippet") {
            return Some("`data-nosnippet` is an attribute, and no class".to_owned());
        }
        has_robots |= class.eq_ignore_ascii_case("robots");
    }
    if !has_robots {
        return None;
    }
    let word = classes
        .split_ascii_whitespace()
        .find(|word| is_word(word))?;
    let word = word.to_ascii_lowercase();
    Some(format!(
        "`robots {word}` are two classes: did you mean `robots-{word}`?"
    ))
}

/// Returns the message for a tag with several `class` attributes. HTML ignores all of them except
/// the first, and `ignored` are the values of the ignored attributes. Returns None if no value in
/// `ignored` has a denying HTML class.
fn second_class(ignored: &[&str]) -> Option<String> {
    for value in ignored {
        let value = html::decode_value(value);
        let mut words = value.split_ascii_whitespace();
        if let Some(class) = words.find(|class| is_denying_class(class)) {
            return Some(format!(
                "HTML drops a second `class` of a tag, and `{class}` with it: write all classes in the first"
            ));
        }
    }
    None
}

fn rel(token: &Token<'_>) -> Option<String> {
    if !matches!(token.name(), "a" | "area" | "form" | "link") {
        return None;
    }
    let rel = token.attribute("rel")?;
    let rel = lowered(&rel);
    let words: Vec<_> = split_tokens(&rel).collect();
    // `dofollow` has the opposite meaning of `nofollow` and resembles it only by chance.
    let mut unknown = words
        .iter()
        .filter(|word| !RELS.contains(word) && **word != "dofollow");
    let mut unread = unknown.clone();
    if let Some(word) = unread.find(|word| is_denial(word) || word.starts_with("robots-no")) {
        return Some(format!(
            "no engine reads `{word}` in `rel`: `nofollow` is all it can say"
        ));
    }
    // `link` has many further words, and some resemble these by chance.
    if token.name() == "link" {
        return None;
    }
    if let Some((word, known)) = unknown.find_map(|word| Some((word, near(word, RELS)?))) {
        return Some(format!(
            "no robot reads `{word}` in `rel`: did you mean `{known}`?"
        ));
    }
    let mut pairs = words.windows(2);
    if words.contains(&"nofollow") || !pairs.any(|pair| pair == ["no", "follow"]) {
        return None;
    }
    Some("`no follow` are two words of `rel`: did you mean `nofollow`?".to_owned())
}

/// Returns the message for a META element that resembles a statement but has no effect. Returns
/// None for any other META element. Also returns None for a name that resembles `robots`, because
/// the filter's pass reports such a name.
fn meta(token: &Token<'_>) -> Option<String> {
    let content = token.attribute("content").unwrap_or_default();
    let denies = || split_tokens(&content).any(is_word);
    let Some(name) = token.attribute("name") else {
        if token.attribute_names().any(is_like_name) || !denies() {
            return None;
        }
        return Some("this META has no `name`, so it has no effect".to_owned());
    };
    let name = lowered(name.trim());
    if name == "robots"
        && token.attribute("content").is_none()
        && token.attribute("value").is_none()
    {
        return Some("this META robots has no `content`, so it has no effect".to_owned());
    }
    if is_word(&name) && content.trim().is_empty() {
        return Some(format!(
            "`{name}` is no name of a META: write `<meta name=\"robots\" content=\"{name}\">`"
        ));
    }
    let near = near(&name, METAS)?;
    if near == name || near != "tdm-reservation" && !denies() {
        return None;
    }
    Some(format!(
        "no robot is called `{name}`: did you mean `{near}`?"
    ))
}

/// True if `attribute` begins like the name of an attribute that names a META element: `name`,
/// `property`, `http-equiv`, `itemprop` or `id`.
fn is_like_name(attribute: &str) -> bool {
    let attribute = attribute.to_ascii_lowercase();
    ["name", "property", "http-equiv", "itemprop", "id"]
        .iter()
        .any(|name| attribute.starts_with(name))
}

/// Returns the message for an HTML comment that consists of denying words, such as `nosnippet`, and
/// one word of [`BESIDE`]. Also returns the message for a comment that is a single denying word,
/// except `noindex` and `none`. Returns None for any other comment.
fn comment(text: &str) -> Option<String> {
    let folded = folded(text)?;
    let words = folded
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let (denials, others): (Vec<_>, Vec<_>) = words.partition(|word| is_word(word));
    let is_it = match (denials.as_slice(), others.as_slice()) {
        ([denial], []) => is_denial(denial) && *denial != "noindex",
        ([_, ..], [other]) => BESIDE.contains(other),
        _ => false,
    };
    if !is_it {
        return None;
    }
    Some(format!("no engine reads the comment `{folded}`"))
}

/// Maximum length, in bytes, of an HTML comment that is searched for denying words, such as
/// `noindex`. The length is measured after [`folded`] has shortened the white space.
const LONGEST_COMMENT: usize = 40;

/// Converts a comment's text to lower case, with single blanks between its words. Returns None for
/// a comment that is longer than [`LONGEST_COMMENT`].
fn folded(text: &str) -> Option<String> {
    let mut folded = String::new();
    for word in text.split_whitespace() {
        if folded.len() + word.len() > LONGEST_COMMENT {
            return None;
        }
        folded.push_str(word);
        folded.push(' ');
    }
    folded.pop();
    folded.make_ascii_lowercase();
    Some(folded)
}
