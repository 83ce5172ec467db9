//! Which elements do what, as tables. Source: the HTML standard.

use super::is_blank;

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

/// Elements whose start tag always ends the paragraph before it. A `table` does so without quirks, a `form` unless it is
/// ignored.
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

/// Blocks and `button`: their end tag ends nothing else, and no other end tag is written for them.
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
