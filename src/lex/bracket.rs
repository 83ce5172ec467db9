//! Finds out what a `<` in text begins: text, an end tag, a CDATA mark, or nothing. It follows the
//! tokenizer states of the HTML standard.
//!
//! It is asked only for the gaps that the tokenizer leaves. A start tag or comment in a gap is cut
//! off by the page's end, or the tokenizer has hidden it.

use crate::html;

/// The construct that a `<` in text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Construct {
    /// The `<` is itself text.
    Text,
    EndTag(usize),
    /// Bytes without a meaning: an end tag without a name, or a tag that the end of the page cuts
    /// off.
    Nothing(usize),
    Cdata,
    /// Not all bytes of it have arrived.
    Unknown,
    /// Markup that the tokenizer should have shown.
    Hidden,
}

pub(super) const CDATA: &[u8] = b"<![CDATA[";

/// The length of the end tag at the start of `bytes`, if all of it is there.
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
            [_, name, ..] if name.is_ascii_alphabetic() => unless_last(Self::Nothing(bytes.len())),
            _ if bytes.starts_with(CDATA) => Self::Cdata,
            _ if CDATA.starts_with(bytes) => unless_last(Self::Hidden),
            [_, b'/' | b'!' | b'?', ..] => Self::Hidden,
            _ => Self::Text,
        }
    }
}
