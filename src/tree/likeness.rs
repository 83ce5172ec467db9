//! Likeness of tags: a hash of 128 bits that is equal for tags with the same name and the same
//! attributes, in any order.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

use html5ever::tendril::StrTendril;
use smallvec::SmallVec;

use crate::html;
use crate::lex::Attributes;

/// Number of bits of a likeness (a hash of a tag) that one character of its text form holds.
const BITS: usize = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Likeness(pub(super) u128);

impl Likeness {
    pub(super) fn new(name: &str, attributes: Attributes<'_>) -> Self {
        let mut attributes: SmallVec<[_; 8]> = attributes
            .written()
            .map(|(name, value)| (in_lower_case(name), value))
            .collect();
        // Of two attributes with one name the first counts, and the sort is stable.
        attributes.sort_by(|one, other| one.0.cmp(&other.0));
        attributes.dedup_by(|later, earlier| later.0 == earlier.0);
        let mut bytes: SmallVec<[u8; 512]> = SmallVec::from_slice(name.as_bytes());
        for (name, value) in &attributes {
            // 255 is a separator, since no byte of UTF-8 has this value.
            bytes.push(u8::MAX);
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(u8::MAX);
            bytes.extend_from_slice(html::decode_value(value).as_bytes());
        }
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(salt);
            hasher.write(&bytes);
            u128::from(hasher.finish())
        };
        Self(half(0) << 64 | half(1))
    }

    /// Returns the likeness as text. The text is passed to the tree builder as the value of an
    /// attribute.
    pub(super) fn to_text(self) -> StrTendril {
        let bytes: [u8; (u128::BITS as usize).div_ceil(BITS)] =
            std::array::from_fn(|at| (self.0 >> (at * BITS)) as u8 & 0x7F);
        StrTendril::from(std::str::from_utf8(&bytes).unwrap_or_default())
    }

    pub(super) fn parse(written: &str) -> Self {
        let mut likeness = 0;
        for byte in written.bytes().rev() {
            likeness = likeness << BITS | u128::from(byte);
        }
        Self(likeness)
    }
}

fn in_lower_case(name: &str) -> Cow<'_, str> {
    let has_upper = name.bytes().any(|byte| byte.is_ascii_uppercase());
    if has_upper {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_can_be_read() {
        for likeness in [0, 1, 0x7F, 0x80, u128::MAX, u128::MAX / 3, 1 << 127].map(Likeness) {
            assert_eq!(Likeness::parse(&likeness.to_text()), likeness);
        }
    }
}
