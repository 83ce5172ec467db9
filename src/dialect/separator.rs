//! Signs that part words to their author, though HTML parts them by plain blanks alone, and META by plain commas.

use std::borrow::Cow;

use crate::lenient::{SignClass, class_of};

/// Signs in place of commas.
pub(super) const COMMAS: [char; 3] = [',', ';', '|'];

/// True for one of [`COMMAS`], and for the tabulator that HTML does not know.
pub(super) const fn is_comma(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b'|' | 0x0B)
}

/// True for blanks of any kind, for [`COMMAS`], and for those signs that mean one of them.
pub(super) fn parts(sign: char) -> bool {
    COMMAS.contains(&sign) || sign.is_whitespace() || meaning(sign).is_some_and(|plain| !matches!(plain, ':' | '='))
}

/// The text with plain signs in place of those of other scripts, and blanks in place of signs that are not seen.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(|sign| meaning(sign).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|sign| meaning(sign).unwrap_or(sign)).collect())
}

/// The text without signs that are not seen. None if none stands in a word.
pub(super) fn joined(text: &str) -> Option<String> {
    if text.is_ascii() || !text.contains(is_unseen) {
        return None;
    }
    let ends = text.split(is_unseen).filter(|part| !part.is_empty());
    let is_in_word =
        ends.clone().zip(ends.skip(1)).any(|(one, other)| !one.ends_with(parts) && !other.starts_with(parts));
    is_in_word.then(|| text.split(is_unseen).collect())
}

fn is_unseen(sign: char) -> bool {
    class_of(sign) == Some(SignClass::Unseen)
}

/// The plain sign that one of another script or width stands for, and a blank for one that is not seen.
fn meaning(sign: char) -> Option<char> {
    match class_of(sign).filter(|_| !sign.is_ascii())? {
        SignClass::Blank | SignClass::Quote => None,
        class => Some(class.plain().unwrap_or(' ')),
    }
}
