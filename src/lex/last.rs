//! The last token of a page that a scan has read, as a [`Token`]. Its buffers are reused for the
//! next token.

use std::ops::Range;

use crate::html::{Sieve, Tag};
use crate::place::{Place, Ruler};

use super::start_tag::TagEnd;
use super::token::{Attribute, RawToken, Token, TokenKind};

/// The last token that a scan has read, in buffers that the next token reuses.
pub(super) struct LastToken<'t> {
    text: &'t str,
    pub(super) token: RawToken,
    /// Name of the tag in lower case, if `token.tag` is [`Tag::UNKNOWN`].
    unknown: String,
    pub(super) attributes: Vec<Attribute>,
    ruler: Ruler<'t>,
}

impl<'t> LastToken<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            token: RawToken::new(TokenKind::Start, 0..0),
            unknown: String::new(),
            attributes: Vec::new(),
            ruler: Ruler::new(text, Place::default()),
        }
    }

    /// Prepares the buffers for a new token, which has no attributes yet.
    #[inline]
    pub(super) fn begin(&mut self, kind: TokenKind) {
        self.token.kind = kind;
        self.token.sieve = Sieve::NONE;
        self.token.foreign = false;
        self.attributes.clear();
    }

    /// Parses the start tag at the start of `bytes`, whose name ends at offset `name_end`. Returns
    /// the tag's length in bytes, or `None` if `bytes` end before the tag does.
    #[inline]
    pub(super) fn start(&mut self, bytes: &[u8], name_end: usize, foreign: bool) -> Option<usize> {
        self.begin(TokenKind::Start);
        let end = TagEnd::parse(bytes, name_end, &mut self.attributes)?;
        self.token.sieve = end.sieve;
        self.token.foreign = foreign;
        self.token.self_closing = end.self_closing;
        Some(end.length)
    }

    #[inline]
    pub(super) fn set_name(&mut self, tag: Tag, name: &str) {
        self.token.tag = tag;
        if tag == Tag::UNKNOWN {
            self.unknown.clear();
            self.unknown.push_str(name);
            self.unknown.make_ascii_lowercase();
        }
    }

    /// Returns the name of the tag, in lower case.
    #[inline]
    pub(super) fn name(&self) -> &str {
        if self.token.tag == Tag::UNKNOWN {
            &self.unknown
        } else {
            self.token.tag.name()
        }
    }

    #[inline]
    pub(super) fn token(&self, range: Range<usize>) -> Token<'_> {
        Token {
            token: &self.token,
            at: range.start,
            raw: &self.text[range],
            name: self.name(),
            attributes: &self.attributes,
            blank: false,
            ruler: &self.ruler,
        }
    }
}
