//! One token of a page, with its exact bytes.

use std::borrow::Cow;
use std::ops::Range;

use crate::html::{self, Facts, Sieve, Tag};
use crate::place::{Place, Ruler};

/// Kind of a [`Token`].
///
/// ```
/// use heedful::{Bot, Filter, Judged, PageEnd, Result, Sink, TokenKind};
///
/// #[derive(Default)]
/// struct Tags(usize);
/// impl Sink for Tags {
///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
///         self.0 += match judged.token().kind() {
///             TokenKind::Start | TokenKind::End => 1,
///             _ => 0,
///         };
///         Ok(())
///     }
///     fn finish(&mut self, _: &PageEnd) -> Result<()> { Ok(()) }
/// }
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/", Tags::default())?;
/// pass.write(b"<p>Dark<br>bread</p><!-- <b> -->")?;
/// assert_eq!(pass.into_sink()?.0, 3);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A piece of text. Adjacent tokens may be pieces of one text. The code of scripts and styles
    /// is text too, and so is withheld text. To get only text that a person sees and a bot may
    /// have, use [`Judged::text`](crate::Judged::text).
    Text,
    /// A start tag.
    Start,
    /// An end tag, even if it ends no open element.
    End,
    /// A comment that begins with `<!--`.
    Comment,
    /// Markup that HTML turns into a comment, although it is not written as a comment. Examples are
    /// `<!x>`, `<?x>` and `</ x>`.
    Bogus,
    /// A doctype.
    Doctype,
    /// Bytes that HTML ignores: CDATA marks, `</>`, a tag that the end of the page cuts off.
    Other,
}

/// A token as ranges in the lexer's buffers, without its bytes.
#[derive(Clone, Debug)]
pub(super) struct RawToken {
    pub(super) kind: TokenKind,
    pub(super) range: Range<usize>,
    pub(super) tag: Tag,
    /// Range of the tag's name in the lexer's buffer `names`, if `tag` is [`Tag::UNKNOWN`].
    pub(super) name: Range<usize>,
    pub(super) attributes: Range<usize>,
    /// Set of the attributes' names, by which a name can quickly be ruled out.
    pub(super) sieve: Sieve,
    /// True if the tag's attribute values need no decoding.
    pub(super) literal: bool,
    pub(super) foreign: bool,
    pub(super) self_closing: bool,
    pub(super) references: bool,
    pub(super) raw_text: bool,
}

impl RawToken {
    pub(super) fn new(kind: TokenKind, range: Range<usize>) -> Self {
        Self {
            kind,
            range,
            tag: Tag::UNKNOWN,
            name: 0..0,
            attributes: 0..0,
            sieve: Sieve::NONE,
            literal: false,
            foreign: false,
            self_closing: false,
            references: false,
            raw_text: false,
        }
    }
}

/// One token of a page, with its exact bytes. The bytes are complete even if a bot may not have
/// them. The verdict on a token is in [`Judged`](crate::Judged).
///
/// ```
/// use heedful::{Bot, Filter, Judged, PageEnd, Result, Sink};
///
/// #[derive(Default)]
/// struct Images(Vec<String>);
/// impl Sink for Images {
///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
///         let token = judged.token();
///         if token.name() == "img" {
///             self.0.extend(token.attribute("src").map(String::from));
///         }
///         Ok(())
///     }
///     fn finish(&mut self, _: &PageEnd) -> Result<()> { Ok(()) }
/// }
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/", Images::default())?;
/// pass.write(b"<img src='a?b&amp;c' SRC=second>")?;
/// assert_eq!(pass.into_sink()?.0, ["a?b&c"]); // decoded, and the first of two
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Token<'a> {
    pub(super) token: &'a RawToken,
    pub(super) raw: &'a str,
    pub(super) name: &'a str,
    pub(super) attributes: &'a [Attribute],
    pub(super) blank: bool,
    /// Byte offset of the token in the text of `ruler`, which computes the token's line and column.
    pub(super) at: usize,
    pub(super) ruler: &'a Ruler<'a>,
}

impl<'a> Token<'a> {
    /// Returns the kind of the token.
    pub fn kind(&self) -> TokenKind {
        self.token.kind
    }

    /// Returns the bytes of the token, exactly as in the decoded page.
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// Returns the element's name in lower case. An `image` outside of svg and `MathML` is `img`,
    /// as in HTML. Empty if the token is no tag.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the element's name as a [`Tag`].
    #[inline]
    pub(crate) fn tag(&self) -> Tag {
        self.token.tag
    }

    /// True if the token is a tag that separates two words, such as the tag of a block. False for a
    /// tag such as `em` or `a`, since the letters before and after it may be one word. Section 5 of
    /// docs/semantics.md lists the elements.
    #[inline]
    pub fn separates_words(&self) -> bool {
        matches!(self.kind(), TokenKind::Start | TokenKind::End)
            && self.token.tag.has(Facts::SEPARATES_WORDS)
    }

    /// True if the token is an `img` tag that is spelled `image` in the page.
    pub(crate) fn is_image(&self) -> bool {
        self.token.tag == Tag::IMG
            && self
                .raw
                .get(1..6)
                .is_some_and(|start| start.eq_ignore_ascii_case("image"))
    }

    /// Returns the offset in the token's bytes at which a start tag's name ends.
    #[doc(hidden)]
    pub fn name_end(&self) -> usize {
        1 + if self.is_image() {
            "image".len()
        } else {
            self.name.len()
        }
    }

    /// True if the token is a start tag of svg or `MathML` content.
    pub fn is_foreign(&self) -> bool {
        self.token.foreign
    }

    /// True if the token is a start tag that closes itself. Only a tag of svg or `MathML` can close
    /// itself.
    pub fn is_self_closing(&self) -> bool {
        self.token.foreign && self.token.self_closing
    }

    /// True if HTML decodes character references in this token's text.
    #[doc(hidden)]
    pub fn has_references(&self) -> bool {
        self.token.references
    }

    /// True if the token is text of white space alone. A character reference is not white space.
    #[inline]
    #[doc(hidden)]
    pub fn is_blank(&self) -> bool {
        self.blank
    }

    /// True if the token's text has only white space and NULs. Browsers drop a NUL in the body, and
    /// some browsers before the body too.
    pub(crate) fn is_white_or_nul(&self) -> bool {
        let is_dropped = |c| html::is_blank(c) || c == '\0';
        if self.has_references() {
            html::decode_references(self.raw).chars().all(is_dropped)
        } else {
            self.raw.chars().all(is_dropped)
        }
    }

    /// True if the token is a start tag, such as `script`, after which HTML reads raw text. Also
    /// true for a tag of this name in svg or `MathML`, where no raw text follows.
    pub(crate) fn switches_text(&self) -> bool {
        self.token.raw_text
    }

    /// True if the token is a start tag with a slash before its `>`.
    #[doc(hidden)]
    pub fn has_slash(&self) -> bool {
        self.token.self_closing
    }

    /// Returns the attributes of a start tag.
    #[doc(hidden)]
    pub fn attributes(&self) -> Attributes<'a> {
        Attributes {
            tag: self.raw,
            places: self.attributes,
        }
    }

    /// Returns the names of a start tag's attributes, as spelled in the page.
    #[doc(hidden)]
    pub fn attribute_names(&self) -> impl Iterator<Item = &'a str> {
        let raw = self.raw;
        self.attributes
            .iter()
            .map(move |attribute| &raw[attribute.name()])
    }

    /// Returns the decoded value of an attribute of a start tag, or `None` if the tag has no
    /// attribute of this name. If several attributes have this name, returns the value of the
    /// first.
    #[inline]
    pub fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        if !self.may_have(Sieve::from_name(name.as_bytes())) {
            return None;
        }
        let found = self.attributes().find(name)?;
        Some(if self.token.literal {
            Cow::Borrowed(found)
        } else {
            html::decode_value(found)
        })
    }

    /// True if a start tag may have an attribute with one of these names. False positives occur.
    #[inline]
    pub(crate) fn may_have(&self, names: Sieve) -> bool {
        self.token.sieve.intersects(names)
    }

    /// Returns the decoded text of a text token, or the content of a comment (also of a
    /// [`TokenKind::Bogus`] one) without its delimiters. Empty for other kinds of tokens. The text
    /// may be withheld, or hidden from people: [`Judged::text`](crate::Judged::text) returns only
    /// text that a bot may use.
    pub fn text(&self) -> Cow<'a, str> {
        match self.token.kind {
            TokenKind::Text if self.token.references => html::decode_text(self.raw),
            TokenKind::Text => html::raw_text(self.raw),
            TokenKind::Comment => Cow::Borrowed(comment_text(self.raw)),
            TokenKind::Bogus => Cow::Borrowed(bogus_text(self.raw)),
            _ => Cow::Borrowed(""),
        }
    }

    /// Returns the decoded text of a text token. If decoding changes the text, the result is stored
    /// in `room`. Otherwise the result is the text in the page itself.
    #[inline]
    #[doc(hidden)]
    pub fn text_in<'t>(&self, room: &'t mut String) -> &'t str
    where
        'a: 't,
    {
        if self.token.references {
            return html::decode_text_in(self.raw, room);
        }
        match html::raw_text(self.raw) {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => {
                *room = text;
                room
            }
        }
    }

    /// Returns the place (line and column) at which the token begins.
    pub fn place(&self) -> Place {
        self.ruler.place(self.at)
    }

    /// Returns the place (line and column) at which the first word of a text token begins. This
    /// place does not depend on where the page's text is cut into tokens.
    pub(crate) fn word_place(&self) -> Place {
        self.ruler
            .place(self.at + html::white_beginning(self.raw, self.token.references))
    }

    /// Returns the byte offset in the decoded page at which the token begins.
    pub fn start(&self) -> u64 {
        self.ruler.start() + self.at as u64
    }

    /// Returns the byte offset in the decoded page at which the token ends.
    pub fn end(&self) -> u64 {
        self.start() + self.raw.len() as u64
    }
}

/// Returns the content of a comment, without its delimiters. The comment begins with `<!--`. It
/// ends with any end mark of the HTML standard, or is cut off by the end of the page.
fn comment_text(raw: &str) -> &str {
    let inner = &raw[4..];
    if inner == ">" || inner == "->" {
        return "";
    }
    let ends = ["-->", "--!>", "--!", "--", "-"];
    ends.iter()
        .find_map(|end| inner.strip_suffix(end))
        .unwrap_or(inner)
}

/// Returns the content of markup that HTML turns into a comment: `<!x>`, `<?x?>` or `</ x>`.
fn bogus_text(raw: &str) -> &str {
    let inner = raw.get(2..).unwrap_or_default();
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    if raw.starts_with("<?") {
        inner.strip_suffix('?').unwrap_or(inner)
    } else {
        inner
    }
}

/// Attributes of a start tag, in source order. Two attributes may have the same name.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Attributes<'a> {
    /// The bytes of the start tag, exactly as in the page.
    pub(crate) tag: &'a str,
    pub(crate) places: &'a [Attribute],
}

impl<'a> Attributes<'a> {
    pub(crate) const NONE: Self = Self {
        tag: "",
        places: &[],
    };

    /// Returns the attributes' names and values in the spelling of the page, without decoding.
    #[doc(hidden)]
    pub fn written(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.places
            .iter()
            .map(move |place| (&self.tag[place.name()], &self.tag[place.value()]))
    }

    /// Returns the decoded value of the first attribute of this name.
    pub(crate) fn get(self, name: &str) -> Option<Cow<'a, str>> {
        self.find(name).map(html::decode_value)
    }

    /// Returns the value of the first attribute of this name in the spelling of the page, without
    /// decoding.
    fn find(self, name: &str) -> Option<&'a str> {
        let tag = self.tag.as_bytes();
        let name = name.as_bytes();
        let found = self.places.iter().find(|place| {
            let own = &tag[place.name()];
            // Most names are in lower case, which takes less time to compare.
            own == name || own.eq_ignore_ascii_case(name)
        })?;
        Some(&self.tag[found.value()])
    }
}

/// Ranges of an attribute's name and value, as byte offsets in the attribute's tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute {
    pub(super) name: (u32, u32),
    pub(super) value: (u32, u32),
}

impl Attribute {
    #[inline]
    pub(super) fn new(name: &Range<usize>, value: &Range<usize>) -> Self {
        Self {
            name: (name.start as u32, name.end as u32),
            value: (value.start as u32, value.end as u32),
        }
    }

    pub(super) fn name(&self) -> Range<usize> {
        self.name.0 as usize..self.name.1 as usize
    }

    pub(super) fn value(&self) -> Range<usize> {
        self.value.0 as usize..self.value.1 as usize
    }
}

/// Returns the tag name at the start of `after_bracket`, the text after a tag's `<` or `</`.
pub(crate) fn tag_name(after_bracket: &str) -> &str {
    let end = after_bracket.bytes().position(html::ends_tag_name);
    &after_bracket[..end.unwrap_or(after_bracket.len())]
}
