//! Facts of HTML as tables and small functions; no state. Source: the HTML standard.

use std::borrow::Cow;
use std::ops::Range;

/// Elements whose content is no text to a reader when scripts run, and is raw text; in svg they are nothing special.
/// `script` and `style`, which are, and `template`, which holds tags, are told apart where they are met.
pub(crate) fn is_inert(name: &str) -> bool {
    matches!(name, "noscript" | "iframe" | "noembed" | "noframes")
}

/// Whether a `template` with this `shadowrootmode` makes a shadow root: its content is its host's.
pub(crate) fn makes_shadow_root(mode: Option<&str>) -> bool {
    mode.is_some_and(|mode| mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed"))
}

/// Elements that say something of the whole page.
pub(crate) fn speaks_for_page(name: &str) -> bool {
    matches!(name, "meta" | "link" | "head")
}

/// Whether what begins `<?` is a place where a browser may put the content of a `template` with `for`.
pub(crate) fn is_placeholder(raw: &str) -> bool {
    let Some(target) = raw.strip_prefix("<?") else { return false };
    let end = target.find(|c| is_blank(c) || matches!(c, '?' | '>')).unwrap_or(target.len());
    ["marker", "start"].iter().any(|name| target[..end].eq_ignore_ascii_case(name))
}

/// After their start tags HTML reads raw text.
pub(crate) fn switches_text(name: &str) -> bool {
    is_inert(name) || matches!(name, "textarea" | "title" | "plaintext" | "script" | "style" | "xmp")
}

/// Elements that HTML opens again where they were closed too early.
pub(crate) fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b" | "big" | "code" | "em" | "font" | "i" | "nobr" | "s" | "small" | "strike" | "strong" | "tt" | "u"
    )
}

pub(crate) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

pub(crate) fn is_heading(name: &str) -> bool {
    matches!(name.as_bytes(), [b'h', b'1'..=b'6'])
}

/// Elements that the standard calls *special*: most end tags, and items, do not reach through one.
pub(crate) fn is_special(name: &str) -> bool {
    SPECIAL.binary_search(&name).is_ok()
}

/// Sorted.
const SPECIAL: [&str; 83] = [
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "base",
    "basefont",
    "bgsound",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dir",
    "div",
    "dl",
    "dt",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "iframe",
    "img",
    "input",
    "keygen",
    "li",
    "link",
    "listing",
    "main",
    "marquee",
    "menu",
    "meta",
    "nav",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "p",
    "param",
    "plaintext",
    "pre",
    "script",
    "search",
    "section",
    "select",
    "source",
    "style",
    "summary",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
    "wbr",
    "xmp",
];

/// Elements whose start tag ends the paragraph before it, a table's apart, which does so without quirks alone.
pub(crate) fn ends_paragraph(name: &str) -> bool {
    is_heading(name)
        || matches!(
            name,
            "address"
                | "article"
                | "aside"
                | "blockquote"
                | "center"
                | "dd"
                | "details"
                | "dialog"
                | "dir"
                | "div"
                | "dl"
                | "dt"
                | "fieldset"
                | "figcaption"
                | "figure"
                | "footer"
                | "header"
                | "hgroup"
                | "hr"
                | "li"
                | "listing"
                | "main"
                | "menu"
                | "nav"
                | "ol"
                | "p"
                | "plaintext"
                | "pre"
                | "search"
                | "section"
                | "summary"
                | "ul"
                | "xmp"
        )
}

/// Elements whose end tag ends them with all that is open in them, special or not, up to what bounds a scope.
pub(crate) fn ends_by_scope(name: &str) -> bool {
    is_heading(name) || ends_block(name) || matches!(name, "dd" | "dt" | "form" | "li" | "p")
}

/// Those of them that are ended by no other end tag, and by none of another meaning.
pub(crate) fn ends_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "button"
            | "center"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "header"
            | "hgroup"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "ul"
    )
}

/// Elements that bound what the standard calls a *scope*, svg and `MathML` apart.
pub(crate) fn bounds_scope(name: &str) -> bool {
    matches!(name, "applet" | "caption" | "html" | "table" | "td" | "th" | "marquee" | "object" | "select" | "template")
}

/// Elements that stand between two words, sorted. What is not here (inline formatting, unknown elements, `wbr`) does
/// not: `foo<b>bar</b>` is one word.
const BETWEEN_WORDS: [&str; 99] = [
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "base",
    "basefont",
    "bgsound",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "iframe",
    "image",
    "img",
    "input",
    "isindex",
    "keygen",
    "legend",
    "li",
    "link",
    "listing",
    "main",
    "map",
    "marquee",
    "math",
    "menu",
    "meta",
    "meter",
    "nav",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "picture",
    "plaintext",
    "pre",
    "progress",
    "rp",
    "rt",
    "script",
    "search",
    "section",
    "select",
    "source",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
    "video",
    "xmp",
];

/// The same as numbers, which are faster to compare.
const PACKED: [u128; BETWEEN_WORDS.len()] = {
    let mut packed = [0; BETWEEN_WORDS.len()];
    let mut at = 0;
    while at < packed.len() {
        packed[at] = pack(BETWEEN_WORDS[at].as_bytes());
        at += 1;
    }
    packed
};

/// The longest word that can be packed; none of them is longer.
const LONGEST_PACKED: usize = 15;

/// A short word, and its length, as a number: in the order of the alphabet.
const fn pack(word: &[u8]) -> u128 {
    let mut bytes = [0; LONGEST_PACKED + 1];
    bytes[LONGEST_PACKED] = word.len() as u8;
    let mut at = 0;
    while at < word.len() {
        bytes[at] = word[at];
        at += 1;
    }
    u128::from_be_bytes(bytes)
}

pub(crate) fn separates_words(name: &str) -> bool {
    name.len() <= LONGEST_PACKED && PACKED.binary_search(&pack(name.as_bytes())).is_ok()
}

/// The attribute that holds the URL of a linking element.
pub(crate) fn link_attribute(name: &str) -> Option<&'static str> {
    match name {
        "a" | "area" | "link" => Some("href"),
        "form" => Some("action"),
        "iframe" | "frame" | "img" => Some("src"),
        _ => None,
    }
}

/// The target of a META refresh: `5; url='/next'`.
pub(crate) fn refresh(http_equiv: &str, content: &str) -> Option<String> {
    if !http_equiv.trim().eq_ignore_ascii_case("refresh") {
        return None;
    }
    let rest = content.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    let target = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => rest[3..].trim_start().strip_prefix('=')?.trim_start(),
        _ => rest,
    };
    let target = match target.chars().next()? {
        quote @ ('"' | '\'') => target[1..].split(quote).next()?,
        _ => target,
    };
    Some(target.trim().to_owned())
}

pub(crate) fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// The same for a character.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_ascii() && is_white_space(c as u8)
}

/// Tells of the attributes of a tag from `at`, where its name ends, by the standard's attribute states: where each name and
/// value stands. Returns where the tag ends: at its `>`, or where the bytes end.
pub(crate) fn attributes(bytes: &[u8], mut at: usize, mut tell: impl FnMut(Range<usize>, Range<usize>)) -> usize {
    loop {
        at = first(bytes, at, |byte| !is_white_space(byte) && byte != b'/');
        if at >= bytes.len() || bytes[at] == b'>' {
            return at;
        }
        // A name may begin with `=`.
        let name = at..first(bytes, at + 1, |byte| is_white_space(byte) || matches!(byte, b'/' | b'>' | b'='));
        let equals = first(bytes, name.end, |byte| !is_white_space(byte));
        if bytes.get(equals) != Some(&b'=') {
            at = name.end;
            tell(name.clone(), name.end..name.end);
            continue;
        }
        let value = first(bytes, equals + 1, |byte| !is_white_space(byte));
        let value = match bytes.get(value) {
            Some(quote @ (b'"' | b'\'')) => {
                let end = first(bytes, value + 1, |byte| byte == *quote);
                at = (end + 1).min(bytes.len());
                value + 1..end
            }
            _ => {
                at = first(bytes, value, |byte| is_white_space(byte) || byte == b'>');
                value..at
            }
        };
        tell(name, value);
    }
}

/// Where the first such byte stands from `at` on, or the end.
fn first(bytes: &[u8], at: usize, is_such: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|byte| is_such(*byte)).map_or(bytes.len(), |found| at + found)
}

/// Whether a start tag is a META description, by its name and its attributes.
pub(crate) fn is_description<'a>(tag: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    tag == "meta" && attribute("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("description"))
}

/// A whole attribute value with its character references decoded.
pub(crate) fn decode_value(value: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'&', 0, value.as_bytes()).is_none() {
        return Cow::Borrowed(value);
    }
    let value = raw_text(value);
    if value.contains('&') { Cow::Owned(htmlize::unescape_attribute(value.as_ref()).into_owned()) } else { value }
}

/// Text in which nothing stands for anything else, but NUL for U+FFFD.
pub(crate) fn raw_text(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{FFFD}")) } else { Cow::Borrowed(text) }
}

/// The longest numeric character reference that is decoded in text, in bytes. A longer one (only leading zeros can
/// make it so) stays as written, so that text can be decoded in pieces however it was cut.
const LONGEST_REFERENCE: usize = 64;
/// No name in the standard's list is longer, `&` and `;` included.
const LONGEST_NAME: usize = 33;

/// Text with its character references decoded. The cut between two pieces must be one that [`open_reference`] allows.
pub(crate) fn decode_text(text: &str) -> Cow<'_, str> {
    let text = raw_text(text);
    match memchr::memchr(b'&', text.as_bytes()) {
        Some(first) => Cow::Owned(decode_from(&text, first)),
        None => text,
    }
}

/// The same, but NUL stays NUL.
pub(crate) fn decode_references(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'&', text.as_bytes()) {
        Some(first) => Cow::Owned(decode_from(text, first)),
        None => Cow::Borrowed(text),
    }
}

/// Whether the reference that `text` begins with stands for a blank.
pub(crate) fn begins_with_blank_reference(text: &str) -> bool {
    text.starts_with('&') && decode_from(&text[..reference_length(text)], 0).starts_with(is_blank)
}

/// How many bytes at the start of `text` stand for blanks and NULs; also references to them, where there are any.
#[cfg(feature = "browser")]
pub(crate) fn blank_beginning(text: &str, has_references: bool) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c| is_blank(c) || c == '\0');
        if !has_references || !begins_with_blank_reference(rest) {
            return text.len() - rest.len();
        }
        rest = &rest[reference_length(rest)..];
    }
}

/// Whether `text` begins with a reference that is too long to be decoded here.
pub(crate) fn begins_with_long_reference(text: &str) -> bool {
    text.starts_with('&') && reference_length(text) > LONGEST_REFERENCE
}

/// Decodes from the first `&` on.
fn decode_from(text: &str, first: usize) -> String {
    let mut decoded = String::with_capacity(text.len());
    decoded.push_str(&text[..first]);
    let mut rest = &text[first..];
    while !rest.is_empty() {
        let reference = &rest[..reference_length(rest)];
        match reference {
            // Most are one of these.
            "&amp;" => decoded.push('&'),
            "&nbsp;" => decoded.push('\u{A0}'),
            "&quot;" => decoded.push('"'),
            "&#39;" | "&#039;" => decoded.push('\''),
            "&lt;" => decoded.push('<'),
            "&gt;" => decoded.push('>'),
            _ if reference.len() <= LONGEST_REFERENCE => decoded.push_str(&htmlize::unescape(reference)),
            _ => decoded.push_str(reference),
        }
        rest = &rest[reference.len()..];
        let next = memchr::memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        decoded.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    decoded
}

/// How many bytes at the end of `text` may be a character reference that has not ended yet.
pub(crate) fn open_reference(text: &str) -> usize {
    let bytes = text.as_bytes();
    let window = bytes.len().saturating_sub(LONGEST_REFERENCE);
    match memchr::memrchr(b'&', &bytes[window..]) {
        Some(at) if window + at + reference_length(&text[window + at..]) == bytes.len() && !text.ends_with(';') => {
            bytes.len() - window - at
        }
        _ => 0,
    }
}

/// The length of what could be a reference at the start of `text`: `&`, then letters, digits and `#`, then `;`.
fn reference_length(text: &str) -> usize {
    let rest = &text.as_bytes()[1..];
    let name = match rest {
        [b'#', b'x' | b'X', digits @ ..] => 2 + digits.iter().take_while(|b| b.is_ascii_hexdigit()).count(),
        [b'#', digits @ ..] => 1 + digits.iter().take_while(|b| b.is_ascii_digit()).count(),
        _ => rest.iter().take(LONGEST_NAME - 1).take_while(|b| b.is_ascii_alphanumeric()).count(),
    };
    1 + name + usize::from(text.as_bytes().get(1 + name) == Some(&b';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for (text, decoded) in [
            ("a&amp;b", "a&b"),
            ("&notit; &notin;", "¬it; ∉"),
            ("&copy2026", "©2026"),
            ("a & b &", "a & b &"),
            ("&#x41;&#65;&#0;&#128;", "AA\u{FFFD}€"),
            ("&&lt;&", "&<&"),
            ("&unknown;x", "&unknown;x"),
        ] {
            assert_eq!(decode_text(text), decoded, "{text}");
        }
        assert_eq!(decode_value("?a=b&copy=1&amp;c"), "?a=b&copy=1&c");
    }

    #[test]
    fn open_references_are_held_back() {
        for (text, held) in [("a&am", 3), ("a&amp;", 0), ("a& ", 0), ("&", 1), ("a&#12", 4), ("a&b c", 0), ("", 0)] {
            assert_eq!(open_reference(text), held, "{text}");
        }
        assert_eq!(open_reference(&format!("&#{}", "0".repeat(80))), 0);
        assert_eq!(decode_text(&format!("&#65{}", "x".repeat(80))), format!("A{}", "x".repeat(80)));
        assert_eq!(decode_text(&format!("&amp{}", "x".repeat(80))), format!("&{}", "x".repeat(80)));
    }
}
