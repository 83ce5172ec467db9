//! How long an end tag is.

use crate::html;

/// The length of the end tag that `bytes` begin with, by the standard's tag and attribute states.
pub(super) fn end_tag_length(bytes: &[u8]) -> Option<usize> {
    if !(bytes.starts_with(b"</") && bytes.get(2)?.is_ascii_alphabetic()) {
        return None;
    }
    let mut state = TagState::Name;
    for (at, byte) in bytes.iter().enumerate().skip(3) {
        if *byte == b'>' && !matches!(state, TagState::Quoted(_)) {
            return Some(at + 1);
        }
        state = state.next(*byte);
    }
    None
}

/// Where in a tag a byte stands.
#[derive(Clone, Copy)]
enum TagState {
    Name,
    BeforeAttribute,
    Attribute,
    AfterAttribute,
    BeforeValue,
    Quoted(u8),
    Unquoted,
}

impl TagState {
    fn next(self, byte: u8) -> Self {
        let blank = html::is_white_space(byte);
        match (self, byte) {
            (Self::Quoted(quote), _) if byte == quote => Self::BeforeAttribute,
            (Self::Quoted(_), _) => self,
            (Self::BeforeValue, b'"' | b'\'') => Self::Quoted(byte),
            (Self::BeforeValue, _) if blank => self,
            (Self::BeforeValue, _) => Self::Unquoted,
            (Self::Unquoted, _) if !blank => self,
            (Self::Attribute | Self::AfterAttribute, b'=') => Self::BeforeValue,
            (Self::Attribute | Self::AfterAttribute, _) if blank => Self::AfterAttribute,
            (_, b'/') => Self::BeforeAttribute,
            (Self::Name, _) if !blank => self,
            _ if blank => Self::BeforeAttribute,
            _ => Self::Attribute,
        }
    }
}
