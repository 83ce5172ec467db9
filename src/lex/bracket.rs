//! Classifies a `<` in text: it begins text, a tag, a CDATA mark, or bytes that HTML ignores.
//! Source: the tokenizer states of the HTML standard.
//!
//! Only a `<` in a gap between the tokenizer's tokens is classified. A comment is in a gap only if
//! the tokenizer took it for text.

use crate::html;

/// Construct that a `<` in text begins. The number in a variant is the length of the construct in
/// bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Construct {
    /// No construct: the `<` is itself text.
    Text,
    /// A start tag, or the beginning of one that the page's end cuts off.
    StartTag,
    EndTag(usize),
    /// Bytes that HTML ignores: `</>`, or an end tag that the end of the page cuts off.
    Nothing(usize),
    Cdata,
    /// Undecided until more bytes of the page arrive.
    Unknown,
    /// A comment, a doctype or similar markup that `lol_html` read as text. A browser may read it
    /// as markup.
    MissedMarkup,
}

pub(super) const CDATA: &[u8] = b"<![CDATA[";

/// Returns the length of the end tag at the start of `bytes`, or `None` if the tag does not end
/// within `bytes`.
fn end_tag_length(bytes: &[u8]) -> Option<usize> {
    let name_end = 2 + bytes[2..]
        .iter()
        .position(|byte| html::ends_tag_name(*byte))?;
    let end = if bytes[name_end] == b'>' {
        name_end
    } else {
        html::attributes(bytes, name_end, |_, _| ())
    };
    (end < bytes.len()).then_some(end + 1)
}

impl Construct {
    pub(super) fn parse(bytes: &[u8], last: bool) -> Self {
        let unless_last = |otherwise| if last { otherwise } else { Self::Unknown };
        match bytes {
            [_] | [_, b'/'] => unless_last(Self::Text),
            [_, b'/', b'>', ..] => Self::Nothing(3),
            [_, b'/', name, ..] if name.is_ascii_alphabetic() => match end_tag_length(bytes) {
                Some(length) => Self::EndTag(length),
                None => unless_last(Self::Nothing(bytes.len())),
            },
            [_, name, ..] if name.is_ascii_alphabetic() => Self::StartTag,
            _ if bytes.starts_with(CDATA) => Self::Cdata,
            _ if CDATA.starts_with(bytes) => unless_last(Self::MissedMarkup),
            [_, b'/' | b'!' | b'?', ..] => Self::MissedMarkup,
            _ => Self::Text,
        }
    }
}
