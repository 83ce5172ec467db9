//! Lists of elements by their properties, and one table that is built from them. Source: the HTML
//! standard.
//!
//! A [`Tag`] is a name that was looked up in the table once. The functions that take a name look it
//! up at each call.

use super::bytes::{ends_tag_name, is_blank};

/// Properties of an element that follow from its name, as a bitmask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts(u32);

impl Facts {
    /// The element's content is raw text that no person sees when scripts run. This is not true of
    /// an element with this name in svg. `script`, `style` and `template` lack this flag, since
    /// other code handles them by name.
    pub(crate) const INERT: Self = Self(1);
    /// HTML reads raw text after the element's start tag.
    pub(crate) const SWITCHES_TEXT: Self = Self(1 << 1);
    /// The element is a formatting element: HTML opens it again if the end tag of another element
    /// closed it too early.
    pub(crate) const FORMATTING: Self = Self(1 << 2);
    /// The element has no end tag.
    pub(crate) const VOID: Self = Self(1 << 3);
    pub(crate) const HEADING: Self = Self(1 << 4);
    /// The standard calls the element *special*. Most end tags in a special element, and the start
    /// tags of list items in it, close no element around it.
    pub(crate) const SPECIAL: Self = Self(1 << 5);
    /// The element's start tag ends an open paragraph, with two exceptions: a `table` in quirks
    /// mode, and a `form` that HTML ignores.
    pub(crate) const ENDS_PARAGRAPH: Self = Self(1 << 6);
    /// The element is a block, or `button`. Its end tag closes only an element of the same name,
    /// together with the content of that element.
    pub(crate) const ENDS_BLOCK: Self = Self(1 << 7);
    /// The element's end tag also ends all open elements inside it, even those that the standard
    /// calls *special*. If one of these open elements has [`Facts::BOUNDS_SCOPE`], the end tag ends
    /// nothing.
    pub(crate) const ENDS_BY_SCOPE: Self = Self(1 << 8);
    /// The element bounds what the standard calls a *scope*. Elements of svg and `MathML` that
    /// bound a scope have [`Facts::DRAWN_SCOPE`] instead.
    pub(crate) const BOUNDS_SCOPE: Self = Self(1 << 9);
    /// The element's tag separates two words. The tags of inline formatting, unknown elements and
    /// `wbr` do not: `foo<b>bar</b>` is one word.
    pub(crate) const SEPARATES_WORDS: Self = Self(1 << 10);
    /// The element may hold directives for the whole page.
    pub(crate) const HOLDS_PAGE_DIRECTIVES: Self = Self(1 << 11);
    /// The element has an attribute with the URL of a link.
    pub(crate) const LINKS: Self = Self(1 << 12);
    /// The element's start tag may change how the lexer reads the bytes after it, or may begin svg
    /// or `MathML`.
    pub(crate) const STEERS: Self = Self(1 << 13);
    /// The tree builder needs the element's attributes. The builder reads them, merges them into
    /// `html` or `body`, or compares formatting elements by them.
    pub(crate) const ATTRIBUTES_MATTER: Self = Self(1 << 14);
    /// Text in the element may be the title, a heading, the text of a link, or text that no person
    /// sees.
    pub(crate) const CHANGES_TEXT: Self = Self(1 << 16);
    /// The element may change how later directives are read, even if it has no directive itself.
    pub(crate) const CHANGES_READING: Self = Self(1 << 17);
    /// In a body, the element's start tag sets the standard's flag *frameset-ok* to "not ok". A
    /// hidden `input` is the exception.
    pub(crate) const FORBIDS_FRAMES: Self = Self(1 << 18);
    /// The element's start tag does not begin the body. So the element may come before the body.
    pub(crate) const ALLOWED_IN_HEAD: Self = Self(1 << 19);
    /// The element may have a shadow root. Custom elements may have one too, but lack this flag.
    const HOSTS_ROOT: Self = Self(1 << 20);
    /// The element is a block by its default `display`: its text begins and ends a line.
    pub(crate) const BLOCK: Self = Self(1 << 21);
    /// The element matters for the division of text into blocks. It may decide the kind of the
    /// block to which its text belongs. It may also prevent an end tag inside it from closing
    /// elements outside of it.
    pub(crate) const BOX: Self = Self(1 << 22);
    /// The element is an `svg` or `math`, or an element of svg or `MathML` that may contain HTML.
    pub(crate) const DRAWING: Self = Self(1 << 23);
    /// In svg or `MathML` the element bounds what the standard calls a *scope*, and is *special*.
    pub(crate) const DRAWN_SCOPE: Self = Self(1 << 24);
    /// The element may be a landmark, or decide which elements in it are landmarks.
    pub(crate) const LANDMARK: Self = Self(1 << 25);
    /// The element decides the kind of the blocks in it, or is a list or a table row.
    pub(crate) const TELLS_KIND: Self = Self(1 << 26);
    /// Some browser differs from the standard on whether the element is *special*.
    pub(crate) const DISPUTED_SPECIAL: Self = Self(1 << 27);
    /// The element is in the table for another reason than its properties. Its name is frequent, or
    /// some code compares a [`Tag`] with it.
    const KNOWN: Self = Self(1 << 15);

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Properties of elements, and the names of all elements that have them.
type ElementList = (Facts, &'static [&'static str]);

#[rustfmt::skip]
const LISTS: &[ElementList] = &[
    (Facts::INERT.or(Facts::SWITCHES_TEXT), &["noscript", "iframe", "noembed", "noframes"]),
    (Facts::SWITCHES_TEXT, &["textarea", "title", "plaintext", "script", "style", "xmp"]),
    (Facts::FORMATTING.or(Facts::ATTRIBUTES_MATTER), &[
        "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
    ]),
    (Facts::VOID, &[
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
        "meta", "param", "source", "track", "wbr",
    ]),
    (Facts::HEADING.or(Facts::ENDS_PARAGRAPH).or(Facts::ENDS_BY_SCOPE), &["h1", "h2", "h3", "h4", "h5", "h6"]),
    (Facts::SPECIAL, &[
        "address", "applet", "area", "article", "aside", "base", "basefont", "bgsound", "blockquote", "body", "br",
        "button", "caption", "center", "col", "colgroup", "dd", "details", "dir", "div", "dl", "dt", "embed",
        "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6",
        "head", "header", "hgroup", "hr", "html", "iframe", "img", "input", "keygen", "li", "link", "listing", "main",
        "marquee", "menu", "meta", "nav", "noembed", "noframes", "noscript", "object", "ol", "p", "param", "plaintext",
        "pre", "script", "search", "section", "select", "source", "style", "summary", "table", "tbody", "td",
        "template", "textarea", "tfoot", "th", "thead", "title", "tr", "track", "ul", "wbr", "xmp",
    ]),
    (Facts::ENDS_PARAGRAPH, &[
        "address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "header", "hgroup", "hr", "li", "listing", "main", "menu", "nav",
        "ol", "p", "plaintext", "pre", "search", "section", "summary", "ul", "xmp",
    ]),
    (Facts::ENDS_BLOCK.or(Facts::ENDS_BY_SCOPE), &[
        "address", "article", "aside", "blockquote", "button", "center", "details", "dialog", "dir", "div", "dl",
        "fieldset", "figcaption", "figure", "footer", "header", "hgroup", "listing", "main", "menu", "nav", "ol",
        "pre", "search", "section", "summary", "ul",
    ]),
    (Facts::ENDS_BY_SCOPE, &["dd", "dt", "form", "li", "p"]),
    (Facts::BOUNDS_SCOPE, &[
        "applet", "caption", "html", "table", "td", "th", "marquee", "object", "select", "template",
    ]),
    (Facts::SEPARATES_WORDS, &[
        "address", "applet", "area", "article", "aside", "audio", "base", "basefont", "bgsound", "blockquote", "body",
        "br", "button", "canvas", "caption", "center", "col", "colgroup", "dd", "details", "dialog", "dir", "div",
        "dl", "dt", "embed", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2",
        "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "iframe", "image", "img", "input", "isindex",
        "keygen", "legend", "li", "link", "listing", "main", "map", "marquee", "math", "menu", "meta", "meter", "nav",
        "noembed", "noframes", "noscript", "object", "ol", "optgroup", "option", "p", "param", "picture", "plaintext",
        "pre", "progress", "rp", "rt", "script", "search", "section", "select", "source", "style", "summary", "svg",
        "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "title", "tr", "track", "ul", "video",
        "xmp",
    ]),
    (Facts::HOLDS_PAGE_DIRECTIVES, &["meta", "link", "head"]),
    (Facts::LINKS, &["a", "area", "link", "form", "iframe", "frame", "img"]),
    (Facts::STEERS, &[
        "svg", "math", "template", "select", "frameset", "table", "annotation-xml", "image", "noscript", "iframe",
        "noembed", "noframes", "textarea", "title", "plaintext", "script", "style", "xmp",
    ]),
    (Facts::CHANGES_TEXT, &[
        "a", "caption", "desc", "h1", "h2", "h3", "h4", "h5", "h6", "iframe", "math", "noembed", "noframes", "noscript",
        "script", "style", "svg", "td", "template", "th", "title",
    ]),
    (Facts::CHANGES_READING, &["base", "frameset", "html", "meta", "noscript", "script", "template", "textarea", "title"]),
    (Facts::FORBIDS_FRAMES, &[
        "applet", "area", "body", "br", "button", "dd", "dt", "embed", "hr", "iframe", "image", "img", "input",
        "keygen", "li", "listing", "marquee", "object", "pre", "select", "table", "textarea", "wbr", "xmp",
    ]),
    (Facts::ALLOWED_IN_HEAD, &[
        "base", "basefont", "bgsound", "head", "link", "meta", "noframes", "noscript", "script", "style", "template",
        "title",
    ]),
    (Facts::HOSTS_ROOT, &[
        "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main",
        "nav", "p", "section", "span",
    ]),
    (Facts::BLOCK.or(Facts::BOX), &[
        "address", "article", "aside", "blockquote", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl",
        "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "hgroup", "hr", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext",
        "pre", "search", "section", "summary", "table", "ul", "xmp",
    ]),
    (Facts::BOX, &[
        "applet", "br", "button", "datalist", "marquee", "object", "select", "tbody", "td", "template", "tfoot", "th",
        "thead", "tr",
    ]),
    (Facts::LANDMARK, &["article", "aside", "footer", "form", "header", "main", "nav", "search", "section"]),
    (Facts::TELLS_KIND, &[
        "blockquote", "caption", "dd", "dir", "dl", "dt", "figcaption", "h1", "h2", "h3", "h4", "h5", "h6", "legend",
        "li", "listing", "menu", "ol", "optgroup", "option", "plaintext", "pre", "td", "th", "tr", "ul", "xmp",
    ]),
    (Facts::BOX.or(Facts::DRAWING), &["svg", "math"]),
    (Facts::BOX.or(Facts::DRAWING).or(Facts::DRAWN_SCOPE), &[
        "annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "title",
    ]),
    (Facts::DISPUTED_SPECIAL, &["dialog", "search"]),
    (Facts::ATTRIBUTES_MATTER, &["html", "body", "input", "annotation-xml"]),
    (Facts::KNOWN, &[
        "desc", "noindex", "oss", "span", "label", "time", "path", "g", "use", "cite", "sup", "sub", "ins", "figure",
        "abbr", "q", "var", "ruby", "defs", "rect", "circle",
    ]),
];

/// Name of an element, as a number in the table of known names. All names outside of the table
/// share one number, that of the unknown tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(u8);

impl Tag {
    pub(crate) const UNKNOWN: Self = Self(0);
    pub(crate) const A: Self = Self::known("a");
    pub(crate) const ANNOTATION: Self = Self::known("annotation-xml");
    pub(crate) const AREA: Self = Self::known("area");
    pub(crate) const BASE: Self = Self::known("base");
    pub(crate) const BODY: Self = Self::known("body");
    pub(crate) const CAPTION: Self = Self::known("caption");
    pub(crate) const COL: Self = Self::known("col");
    pub(crate) const COLGROUP: Self = Self::known("colgroup");
    pub(crate) const DD: Self = Self::known("dd");
    pub(crate) const DESC: Self = Self::known("desc");
    pub(crate) const DT: Self = Self::known("dt");
    pub(crate) const FORM: Self = Self::known("form");
    pub(crate) const FRAME: Self = Self::known("frame");
    pub(crate) const HTML: Self = Self::known("html");
    pub(crate) const IFRAME: Self = Self::known("iframe");
    pub(crate) const IMAGE: Self = Self::known("image");
    pub(crate) const IMG: Self = Self::known("img");
    pub(crate) const INPUT: Self = Self::known("input");
    pub(crate) const KEYGEN: Self = Self::known("keygen");
    pub(crate) const LI: Self = Self::known("li");
    pub(crate) const LINK: Self = Self::known("link");
    pub(crate) const MATH: Self = Self::known("math");
    pub(crate) const META: Self = Self::known("meta");
    pub(crate) const NOBR: Self = Self::known("nobr");
    pub(crate) const PLAINTEXT: Self = Self::known("plaintext");
    pub(crate) const SCRIPT: Self = Self::known("script");
    pub(crate) const SEARCH: Self = Self::known("search");
    pub(crate) const STYLE: Self = Self::known("style");
    pub(crate) const SVG: Self = Self::known("svg");
    pub(crate) const TABLE: Self = Self::known("table");
    pub(crate) const TD: Self = Self::known("td");
    pub(crate) const TEMPLATE: Self = Self::known("template");
    pub(crate) const FRAMESET: Self = Self::known("frameset");
    pub(crate) const TEXTAREA: Self = Self::known("textarea");
    pub(crate) const TH: Self = Self::known("th");
    pub(crate) const TITLE: Self = Self::known("title");
    pub(crate) const ADDRESS: Self = Self::known("address");
    pub(crate) const ARTICLE: Self = Self::known("article");
    pub(crate) const ASIDE: Self = Self::known("aside");
    pub(crate) const BLOCKQUOTE: Self = Self::known("blockquote");
    pub(crate) const BR: Self = Self::known("br");
    pub(crate) const BUTTON: Self = Self::known("button");
    pub(crate) const DIV: Self = Self::known("div");
    pub(crate) const FIGCAPTION: Self = Self::known("figcaption");
    pub(crate) const FOOTER: Self = Self::known("footer");
    pub(crate) const HEADER: Self = Self::known("header");
    pub(crate) const HR: Self = Self::known("hr");
    pub(crate) const LEGEND: Self = Self::known("legend");
    pub(crate) const LISTING: Self = Self::known("listing");
    pub(crate) const MAIN: Self = Self::known("main");
    pub(crate) const NAV: Self = Self::known("nav");
    pub(crate) const OL: Self = Self::known("ol");
    pub(crate) const OPTGROUP: Self = Self::known("optgroup");
    pub(crate) const OPTION: Self = Self::known("option");
    pub(crate) const P: Self = Self::known("p");
    pub(crate) const PRE: Self = Self::known("pre");
    pub(crate) const SECTION: Self = Self::known("section");
    pub(crate) const SELECT: Self = Self::known("select");
    pub(crate) const TBODY: Self = Self::known("tbody");
    pub(crate) const TFOOT: Self = Self::known("tfoot");
    pub(crate) const THEAD: Self = Self::known("thead");
    pub(crate) const TR: Self = Self::known("tr");
    pub(crate) const UL: Self = Self::known("ul");
    pub(crate) const XMP: Self = Self::known("xmp");

    /// Returns the tag of a name in lower case, or [`Tag::UNKNOWN`] if the table lacks the name.
    #[inline]
    pub(crate) fn from_name(name: &str) -> Self {
        Self::from_packed(pack(name.as_bytes()))
    }

    /// Returns the tag of the name that begins at `at`, ignoring case, and the offset at which the
    /// name ends.
    #[inline]
    pub(crate) fn read(bytes: &[u8], at: usize) -> (Self, usize) {
        let mut packed = MARK as u64;
        let mut end = at;
        while let Some(byte) = bytes.get(end)
            && !ends_tag_name(*byte)
        {
            if end - at == SHORT {
                return Self::read_long(bytes, at);
            }
            packed = packed << 8 | u64::from(byte.to_ascii_lowercase());
            end += 1;
        }
        (Self::from_packed(u128::from(packed)), end)
    }

    fn read_long(bytes: &[u8], at: usize) -> (Self, usize) {
        let mut packed = MARK;
        let mut end = at;
        while let Some(byte) = bytes.get(end)
            && !ends_tag_name(*byte)
        {
            packed = packed << 8 | u128::from(byte.to_ascii_lowercase());
            end += 1;
        }
        let tag = if end - at > LONGEST_PACKED {
            Self::UNKNOWN
        } else {
            Self::from_packed(packed)
        };
        (tag, end)
    }

    #[inline]
    fn from_packed(packed: u128) -> Self {
        let mut slot = slot(packed);
        loop {
            let tag = TABLE.slots[slot];
            if tag == 0 || TABLE.packed[tag as usize] == packed {
                return Self(tag);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// True if at least one of the properties in `facts` holds for the element.
    #[inline]
    pub(crate) fn has(self, facts: Facts) -> bool {
        TABLE.facts[self.0 as usize] & facts.0 != 0
    }

    /// Returns the element's name. It is empty for the unknown tag.
    #[inline]
    pub(crate) fn name(self) -> &'static str {
        TABLE.names[self.0 as usize]
    }

    /// Returns the position of the tag's name in [`Tag::all_names`].
    #[inline]
    pub(crate) fn number(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the names of all tags in the table. The first name is empty, for the unknown tag.
    pub(crate) fn all_names() -> impl Iterator<Item = &'static str> {
        TABLE.names.into_iter()
    }

    /// Returns the name of the attribute that holds the URL of a linking element. `None` for other
    /// elements.
    #[inline]
    pub(crate) fn link_attribute(self) -> Option<&'static str> {
        if !self.has(Facts::LINKS) {
            return None;
        }
        match self {
            Self::A | Self::AREA | Self::LINK => Some("href"),
            Self::FORM => Some("action"),
            _ => Some("src"),
        }
    }

    const fn known(name: &str) -> Self {
        let packed = pack(name.as_bytes());
        let mut at = 1;
        while BUILT.packed[at] != packed {
            at += 1;
        }
        Self(at as u8)
    }
}

/// Number of names for which the table has room. [`SLOTS`], the number of its hash slots, is much
/// higher, so that most unknown names are recognized at the first probe.
const NAMES: usize = 192;
const SLOTS: usize = 1024;

/// Hash table of all known names with their properties. `packed` has the number of each name, as
/// [`pack`] returns it. In `packed`, `facts` and `names`, index 0 stands for all unknown names.
struct NameSet {
    slots: [u8; SLOTS],
    packed: [u128; NAMES],
    facts: [u32; NAMES],
    names: [&'static str; NAMES],
}

static TABLE: NameSet = BUILT;
const BUILT: NameSet = table();

const fn table() -> NameSet {
    let mut table = NameSet {
        slots: [0; SLOTS],
        packed: [0; NAMES],
        facts: [0; NAMES],
        names: [""; NAMES],
    };
    let mut known = 1;
    let mut list = 0;
    while list < LISTS.len() {
        let (facts, names) = LISTS[list];
        let mut at = 0;
        while at < names.len() {
            let packed = pack(names[at].as_bytes());
            let mut slot = slot(packed);
            while table.slots[slot] != 0 && table.packed[table.slots[slot] as usize] != packed {
                slot = (slot + 1) % SLOTS;
            }
            if table.slots[slot] == 0 {
                table.slots[slot] = known as u8;
                table.packed[known] = packed;
                table.names[known] = names[at];
                known += 1;
            }
            table.facts[table.slots[slot] as usize] |= facts.0;
            at += 1;
        }
        list += 1;
    }
    table
}

/// Maximum length in bytes of a name that [`pack`] converts to a number of its own. No known name
/// is longer.
const LONGEST_PACKED: usize = 15;
/// Value of [`pack`] for every name that is longer than [`LONGEST_PACKED`].
const TOO_LONG: u128 = u128::MAX;

/// Maximum length in bytes of a name that fits into 64 bits together with [`MARK`].
const SHORT: usize = 7;
/// Bit with which [`pack`] starts the number of a name. `pack` shifts in the bytes of the name
/// after this bit, so this bit becomes the highest bit of the number. Names of different lengths
/// thus have different numbers.
const MARK: u128 = 1;

/// Converts a name to a number: [`MARK`], then the bytes of the name. Returns [`TOO_LONG`] for a
/// name that is longer than [`LONGEST_PACKED`].
const fn pack(name: &[u8]) -> u128 {
    if name.len() > LONGEST_PACKED {
        return TOO_LONG;
    }
    let mut packed = MARK;
    let mut at = 0;
    while at < name.len() {
        packed = packed << 8 | name[at] as u128;
        at += 1;
    }
    packed
}

const fn slot(packed: u128) -> usize {
    let folded = packed as u64 ^ (packed >> 61) as u64;
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}

/// True if a `template` asks for a shadow root: if its attribute `shadowrootmode` is `open` or
/// `closed`. `mode` is the value of this attribute, or `None` without it. The parent of the
/// template must also be able to have a shadow root, which is not checked here.
pub(crate) fn asks_for_root(mode: Option<&str>) -> bool {
    mode.is_some_and(|mode| {
        mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed")
    })
}

/// True if an HTML element of this name may have a shadow root (the DOM standard's *valid shadow
/// host name*).
pub fn may_host_root(name: &str) -> bool {
    Tag::from_name(name).has(Facts::HOSTS_ROOT) || is_custom(name)
}

/// True if `name` is a valid name of a custom element. Upper case is not checked, since the lexer
/// returns names in lower case.
fn is_custom(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.contains('-')
        && !is_reserved(name)
}

/// True if svg or `MathML` reserves the name, as in `font-face`. A reserved name is never that of a
/// custom element, although it has a hyphen.
fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "annotation-xml"
            | "color-profile"
            | "font-face"
            | "font-face-format"
            | "font-face-name"
            | "font-face-src"
            | "font-face-uri"
            | "missing-glyph"
    )
}

/// True if a start tag of this name decides which content HTML expects in a template. The first
/// such tag in the template decides. After `col`, for example, HTML expects only columns. False for
/// tags such as `script`, which decide nothing.
pub(crate) fn decides_template(name: &str) -> bool {
    !matches!(
        name,
        "base"
            | "basefont"
            | "bgsound"
            | "link"
            | "meta"
            | "noframes"
            | "script"
            | "style"
            | "template"
            | "title"
    )
}

#[doc(hidden)]
pub fn speaks_for_page(name: &str) -> bool {
    Tag::from_name(name).has(Facts::HOLDS_PAGE_DIRECTIVES)
}

/// True if `raw` is a processing instruction such as `<?marker?>`. In its place, a browser may
/// insert the content of a `template` with the attribute `for`.
pub(crate) fn is_placeholder(raw: &str) -> bool {
    let Some(target) = raw.strip_prefix("<?") else {
        return false;
    };
    let end = target
        .find(|c| is_blank(c) || matches!(c, '?' | '>'))
        .unwrap_or(target.len());
    ["marker", "start"]
        .iter()
        .any(|name| target[..end].eq_ignore_ascii_case(name))
}

#[doc(hidden)]
pub fn is_formatting(name: &str) -> bool {
    Tag::from_name(name).has(Facts::FORMATTING)
}

#[doc(hidden)]
pub fn is_void(name: &str) -> bool {
    Tag::from_name(name).has(Facts::VOID)
}

pub(crate) fn is_heading(name: &str) -> bool {
    matches!(name.as_bytes(), [b'h', b'1'..=b'6'])
}

pub(crate) fn is_special(name: &str) -> bool {
    Tag::from_name(name).has(Facts::SPECIAL)
}

pub(crate) fn ends_paragraph(name: &str) -> bool {
    Tag::from_name(name).has(Facts::ENDS_PARAGRAPH)
}

pub(crate) fn ends_by_scope(name: &str) -> bool {
    Tag::from_name(name).has(Facts::ENDS_BY_SCOPE)
}

pub(crate) fn ends_block(name: &str) -> bool {
    Tag::from_name(name).has(Facts::ENDS_BLOCK)
}

pub(crate) fn bounds_scope(name: &str) -> bool {
    Tag::from_name(name).has(Facts::BOUNDS_SCOPE)
}

pub(crate) fn separates_words(name: &str) -> bool {
    Tag::from_name(name).has(Facts::SEPARATES_WORDS)
}

#[doc(hidden)]
pub fn link_attribute(name: &str) -> Option<&'static str> {
    Tag::from_name(name).link_attribute()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_what_is_listed_and_no_more() {
        let mut known = 0;
        for tag in (1..NAMES as u8)
            .map(Tag)
            .filter(|tag| !tag.name().is_empty())
        {
            known += 1;
            assert_eq!(Tag::from_name(tag.name()), tag);
            let listed = LISTS
                .iter()
                .filter(|(_, names)| names.contains(&tag.name()));
            let facts = listed.fold(Facts(0), |facts, (more, _)| facts.or(*more));
            assert_eq!(TABLE.facts[tag.0 as usize], facts.0, "{}", tag.name());
        }
        let mut names: Vec<_> = LISTS.iter().flat_map(|(_, names)| *names).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), known);
        for name in [
            "",
            "x-y",
            "A",
            "DIV",
            "spann",
            "a\0",
            "annotation-xml-2",
            "headerheaderheader",
        ] {
            assert_eq!(Tag::from_name(name), Tag::UNKNOWN, "{name}");
        }
    }

    #[test]
    fn headings_are_known_by_their_name() {
        for name in ["h1", "h6", "h7", "h", "hr", "h11", "a"] {
            assert_eq!(
                is_heading(name),
                Tag::from_name(name).has(Facts::HEADING),
                "{name}"
            );
        }
    }
}
