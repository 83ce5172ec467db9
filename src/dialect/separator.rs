//! Signs that part words to their author, though HTML parts them by plain blanks alone, and META by plain commas.

use std::borrow::Cow;

/// Signs in place of commas.
pub(super) const COMMAS: [char; 3] = [',', ';', '|'];

/// True for one of [`COMMAS`], and for the tabulator that HTML does not know.
pub(super) const fn is_comma(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b'|' | 0x0B)
}

/// True for blanks of any kind, for [`COMMAS`], and for those signs that mean one of them.
pub(super) fn parts(sign: char) -> bool {
    COMMAS.contains(&sign) || sign.is_whitespace() || meaning(sign).is_some_and(|plain| plain != ':')
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
    meaning(sign) == Some(' ')
}

/// The plain sign that one of another script or width stands for.
fn meaning(sign: char) -> Option<char> {
    Some(match sign {
        '，' | '、' | '،' | '﹐' | '﹑' | '､' => ',',
        '；' | '؛' | '﹔' => ';',
        '：' | '﹕' => ':',
        '｜' => '|',
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' => ' ',
        _ => return None,
    })
}
