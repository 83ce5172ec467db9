//! Converts tokens to steps for the tree builder, which hold only the data that the builder needs.
//!
//! The tree builder needs only the beginning of a text. It may hold four things, in this order: a
//! line end, which HTML ignores after some tags; white space; NULs, which have no effect in most
//! places; and other text.

use std::borrow::Cow;

use crate::html::{self, Facts, Tag, is_blank};
use crate::lex::{Attributes, Token, TokenKind};

use super::doubt::Features;

#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pub(super) kind: StepKind,
    /// Name of a tag, or the bytes of a doctype or of a text of the kind [`StepKind::Odd`].
    pub(super) text: &'a str,
    /// Tag of the name in `text`. [`Tag::UNKNOWN`] if the name is unknown, or if `text` is no name.
    pub(super) tag: Tag,
    /// Attributes of a start tag. Empty if the tree builder does not need them.
    pub(super) attributes: Attributes<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum StepKind {
    Start(Start),
    /// An end tag. The number is the tag's line in the page if browsers may build different trees
    /// at the tag, else 0.
    End(u32),
    Text(Beginning),
    /// A text that begins with NULs or with character references to white space.
    Odd(OddText),
    Comment,
    Doctype,
    Nothing,
    /// A text whose beginning cannot be determined. The number is the text's line in the page.
    Unclear(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) has_slash: bool,
    pub(super) is_foreign: bool,
    /// True if raw text may follow the tag.
    pub(super) is_raw: bool,
    /// True if browsers may build different trees at the tag.
    pub(super) is_parting: bool,
    /// Line of the tag in the page if `is_raw` or `is_parting`; else 0.
    pub(super) line: u32,
}

impl Start {
    /// True if the lexer reads the bytes after the tag as raw text.
    pub(super) fn begins_raw_text(self) -> bool {
        !self.is_foreign && self.is_raw
    }
}

/// Beginning of a text, or of the part of a text after a NUL. A beginning may have a line end, then
/// white space, then other text. Each flag tells whether one of these three parts is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beginning {
    /// True if the text begins with a line end.
    pub(super) line: bool,
    /// True if the text begins with white space. If the text begins with a line end, true only if
    /// more white space follows the line end.
    pub(super) blanks: bool,
    /// True if the text has any character other than white space.
    pub(super) solid: bool,
}

/// Facts for parsing the beginning of a text. The text begins with NULs or with character
/// references to white space.
#[derive(Clone, Copy, Debug)]
pub(super) struct OddText {
    has_references: bool,
    null_is_solid: bool,
    pub(super) line: u32,
}

/// Converter of a page's tokens to steps for the tree builder.
#[derive(Debug, Default)]
pub(super) struct Steps {
    in_raw_text: bool,
    /// True if the last text ended with CR.
    after_return: bool,
    features: Features,
}

impl Steps {
    #[inline(always)]
    pub(super) fn step<'a>(&mut self, token: &Token<'a>, is_marked: bool) -> Step<'a> {
        let mut text = token.name();
        let mut tag = token.tag();
        let mut attributes = Attributes::NONE;
        self.after_return &= token.kind() == TokenKind::Text;
        let kind = match token.kind() {
            TokenKind::Start => {
                if !token.attributes().places.is_empty() && need_attributes(tag, is_marked) {
                    attributes = token.attributes();
                }
                if token.is_image() {
                    // In svg the builder does not read `image` as `img`, even if the lexer does.
                    text = "image";
                    tag = Tag::IMAGE;
                }
                self.start(token, is_marked)
            }
            TokenKind::End => {
                self.in_raw_text = false;
                StepKind::End(if self.features.add_end_tag(text) {
                    token.place().line()
                } else {
                    0
                })
            }
            TokenKind::Text => self.text(token, &mut text),
            TokenKind::Comment => StepKind::Comment,
            TokenKind::Doctype => {
                text = token.raw();
                self.features.doctype(text);
                StepKind::Doctype
            }
            TokenKind::Bogus | TokenKind::Other => StepKind::Nothing,
        };
        Step {
            kind,
            text,
            tag,
            attributes,
        }
    }

    #[inline]
    fn start(&mut self, token: &Token<'_>, is_marked: bool) -> StepKind {
        let is_raw = token.switches_text();
        let is_parting = self.features.add_start_tag(token.tag(), is_marked);
        let line = if is_raw || is_parting {
            token.place().line()
        } else {
            0
        };
        let start = Start {
            has_slash: token.has_slash(),
            is_foreign: token.is_foreign(),
            is_raw,
            is_parting,
            line,
        };
        self.in_raw_text = start.begins_raw_text();
        StepKind::Start(start)
    }

    #[inline]
    fn text<'a>(&mut self, token: &Token<'a>, text: &mut &'a str) -> StepKind {
        let mut raw = token.raw();
        let bytes = raw.as_bytes();
        if bytes.first().is_some_and(|first| *first > b'&') {
            self.after_return = bytes.last() == Some(&b'\r');
            return StepKind::Text(Beginning {
                line: false,
                blanks: false,
                solid: true,
            });
        }
        if token.is_blank() && !self.after_return {
            self.after_return = bytes.last() == Some(&b'\r');
            let line = line_end(bytes);
            return StepKind::Text(Beginning {
                line: line > 0,
                blanks: bytes.len() > line,
                solid: false,
            });
        }
        // CR LF is one line end, even if a cut divides it.
        if std::mem::replace(&mut self.after_return, raw.ends_with('\r')) {
            raw = raw.strip_prefix('\n').unwrap_or(raw);
        }
        let (beginning, rest) = beginning(raw);
        match rest.as_bytes() {
            [b'&', ..] if token.has_references() && html::begins_with_long_reference(rest) => {
                unclear(token)
            }
            [b'&', ..] if token.has_references() && html::begins_with_blank_reference(rest) => {
                self.odd(token, raw, text)
            }
            [0, ..] => self.odd(token, raw, text),
            _ => StepKind::Text(beginning),
        }
    }

    fn odd<'a>(&self, token: &Token<'a>, raw: &'a str, text: &mut &'a str) -> StepKind {
        let solid = raw.trim_start_matches(|c| is_blank(c) || c == '\0');
        let has_references = token.has_references() && solid.starts_with('&');
        if has_references && html::begins_with_long_reference(solid) {
            return unclear(token);
        }
        *text = raw;
        StepKind::Odd(OddText {
            has_references,
            null_is_solid: self.in_raw_text,
            line: token.place().line(),
        })
    }
}

/// Returns the step of a text that begins with a character reference of more than 64 bytes. The
/// reference may stand for white space, and its end may not have arrived yet.
fn unclear(token: &Token<'_>) -> StepKind {
    StepKind::Unclear(token.place().line())
}

impl OddText {
    /// Returns the [`Beginning`] of `text`, and of each part of `text` that follows NULs. Stops
    /// after the first part with text other than white space. In raw text, NULs do not divide
    /// `text`.
    pub(super) fn beginnings(self, text: &str) -> Vec<Beginning> {
        // NUL stays NUL here, unlike in indexed text.
        let text = if self.has_references {
            html::decode_references(text)
        } else {
            Cow::Borrowed(text)
        };
        let mut beginnings = Vec::new();
        let mut rest = &*text;
        loop {
            let (beginning, after) = beginning(rest);
            if self.null_is_solid || !after.starts_with('\0') {
                beginnings.push(beginning);
                return beginnings;
            }
            beginnings.push(Beginning {
                solid: false,
                ..beginning
            });
            rest = after.trim_start_matches('\0');
        }
    }
}

/// True if the tree builder needs the attributes of an element. The builder reads the attributes,
/// merges them into `html` or `body`, or compares formatting elements by them. An `a` without a
/// mark is not compared, since two `a` are never open at once.
fn need_attributes(tag: Tag, is_marked: bool) -> bool {
    if tag == Tag::A {
        is_marked
    } else {
        tag.has(Facts::ATTRIBUTES_MATTER)
    }
}

/// Returns the names of the attributes that the tree builder itself reads of an element `name`.
pub(super) fn read_by_builder(name: &str) -> &'static [&'static str] {
    match name {
        "input" => &["type"],
        "font" => &["color", "face", "size"],
        "annotation-xml" => &["encoding"],
        _ => &[],
    }
}

/// Returns which parts `text` has: a line end at the start, then more white space, then other text.
/// Also returns the rest of `text` after the leading white space.
fn beginning(text: &str) -> (Beginning, &str) {
    let bytes = text.as_bytes();
    let blanks = bytes
        .iter()
        .position(|byte| !html::is_white_space(*byte))
        .unwrap_or(bytes.len());
    let line = line_end(bytes);
    (
        Beginning {
            line: line > 0,
            blanks: blanks > line,
            solid: blanks < bytes.len(),
        },
        &text[blanks..],
    )
}

/// Returns the length in bytes of the line end at the start of a text. 0 if there is none.
fn line_end(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        // `n` is a line end, `_` white space, `x` other text, with NULs between them.
        for (text, null_is_solid, expected) in [
            ("", false, ""),
            ("a b", false, "x"),
            (" \n", false, "_"),
            ("\r\n", false, "n"),
            ("\n\r", false, "n_"),
            ("\r\n\ta", false, "n_x"),
            ("\ra", false, "nx"),
            (" \u{A0}", false, "_x"),
            ("&#32;&#10;b", false, "_x"),
            ("\0\0 \0\n\n\0a\0", false, "\0_\0n_\0x"),
            (" \0\0", false, "_\0"),
            (" \0 ", true, "_x"),
        ] {
            let told = |Beginning {
                            line,
                            blanks,
                            solid,
                        }: Beginning| {
                [(line, "n"), (blanks, "_"), (solid, "x")]
                    .into_iter()
                    .filter(|part| part.0)
                    .map(|part| part.1)
                    .collect()
            };
            let beginnings = OddText {
                has_references: true,
                null_is_solid,
                line: 1,
            }
            .beginnings(text);
            let beginnings: Vec<String> = beginnings.into_iter().map(told).collect();
            assert_eq!(beginnings.join("\0"), expected, "{text:?}");
        }
    }
}
