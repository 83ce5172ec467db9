//! What a `<` in text begins, by the HTML standard's states of a tokenizer: text, an end tag, a CDATA mark, or nothing.
//!
//! It is asked of the gaps that the tokenizer leaves, so a start tag or a comment there is one that the end of the page cuts off,
//! or that the tokenizer has hidden.

use crate::html;

/// What a `<` in text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// It is text itself.
    Text,
    EndTag(usize),
    /// An end tag without a name, or a tag that the end of the page cuts off: nothing behind it is one either.
    Nothing(usize),
    Cdata,
    /// It is not all there.
    Unknown,
    /// What the tokenizer would have shown.
    Hidden,
}

pub(super) const CDATA: &[u8] = b"<![CDATA[";

/// The length of the end tag that `bytes` begin with, if all of it is there.
fn end_tag_length(bytes: &[u8]) -> Option<usize> {
    let name_end = 2 + bytes[2..].iter().position(|byte| html::ends_tag_name(*byte))?;
    let end = if bytes[name_end] == b'>' { name_end } else { html::attributes(bytes, name_end, |_, _| ()) };
    (end < bytes.len()).then_some(end + 1)
}

impl Behind {
    pub(super) fn of(bytes: &[u8], last: bool) -> Self {
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
