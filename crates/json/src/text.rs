//! Writes one string as JSON, in one pass over its bytes.
//!
//! A string is written as `serde_json` writes it, with more escapes. DEL, the control characters
//! U+0080 to U+009F, and the marks that change the direction of writing are escaped too. JSON
//! itself requires escapes only below U+0020.
//!
//! The pass looks for the bytes with which a character to be escaped may begin. It takes eight
//! bytes at a time, because most text is ASCII without any of them. All bytes between two escapes
//! are copied together.

/// Number of bytes in a word. The bytes of a text are examined word by word.
const WORD: usize = size_of::<u64>();
/// Word in which only the lowest bit of each byte is set.
const LOWEST: u64 = 0x0101_0101_0101_0101;
/// Word in which only the highest bit of each byte is set.
const HIGHEST: u64 = LOWEST << 7;

/// Table of the results of [`may_begin_escape`] for all 256 bytes.
const BEGINS_ESCAPE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = may_begin_escape(byte as u8);
        byte += 1;
    }
    table
};

/// True if a character may control a terminal: a control character, or a mark that changes the
/// direction of writing.
///
/// # Examples
///
/// ```
/// use heedful_json::is_command;
///
/// assert!(is_command('\u{1B}') && is_command('\u{202E}'));
/// assert!(!is_command('ä'));
/// ```
pub fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Appends `text` to `out` as a JSON string, with its quotes.
pub(super) fn push_text(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    match next_candidate(text.as_bytes(), 0) {
        None => out.push_str(text),
        Some(first) => push_escaped(out, text, first),
    }
    out.push('"');
}

/// True if `text` certainly has no character that must be escaped. Only the bytes with which such
/// characters begin are searched. Other characters may begin with the same bytes. So false is also
/// returned for a few texts without a character to be escaped.
pub(super) fn is_plain(text: &str) -> bool {
    next_candidate(text.as_bytes(), 0).is_none()
}

/// Appends `text` to `out` with escapes, but without quotes. `first` is the index of the first byte
/// that may begin a character to be escaped.
#[inline(never)] // Most texts do not need it.
fn push_escaped(out: &mut String, text: &str, first: usize) {
    let mut start = 0;
    let mut candidate = Some(first);
    while let Some(at) = candidate {
        let Some(c) = text[at..].chars().next() else {
            break;
        };
        let end = at + c.len_utf8();
        if is_escaped(c) {
            out.push_str(&text[start..at]);
            push_escape(out, c);
            start = end;
        }
        candidate = next_candidate(text.as_bytes(), end);
    }
    out.push_str(&text[start..]);
}

fn is_escaped(c: char) -> bool {
    matches!(c, '"' | '\\') || is_command(c)
}

fn push_escape(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{C}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        _ => out.push_str(&format!("\\u{:04x}", u32::from(c))),
    }
}

/// Returns the index of the first byte that may begin a character to be escaped. The search begins
/// at the index `from`. `None` if there is no such byte.
fn next_candidate(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    let (words, rest) = bytes[from..].as_chunks::<WORD>();
    for word in words {
        if !is_plain_word(u64::from_ne_bytes(*word))
            && let Some(before) = candidate_in(word)
        {
            return Some(at + before);
        }
        at += WORD;
    }
    candidate_in(rest).map(|before| at + before)
}

fn candidate_in(bytes: &[u8]) -> Option<usize> {
    bytes
        .iter()
        .position(|byte| BEGINS_ESCAPE[usize::from(*byte)])
}

/// True if all bytes of `word` are ASCII, and none of them must be escaped. The function looks for
/// five kinds of bytes: non-ASCII bytes, control characters, quotes, backslashes, and DEL. Each
/// operand of `|` sets the highest bit of the bytes of one kind.
fn is_plain_word(word: u64) -> bool {
    let other = word
        | word.wrapping_sub(LOWEST * 0x20)
        | (word ^ (LOWEST * 0x22)).wrapping_sub(LOWEST)
        | (word ^ (LOWEST * 0x5C)).wrapping_sub(LOWEST)
        | word.wrapping_add(LOWEST);
    other & HIGHEST == 0
}

/// True if the UTF-8 of a character to be escaped may begin with `byte`. Other characters begin
/// with some of these bytes, too.
const fn may_begin_escape(byte: u8) -> bool {
    matches!(byte, 0..=0x1F | b'"' | b'\\' | 0x7F | 0xC2 | 0xD8 | 0xE2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_character_to_be_escaped_begins_with_a_byte_that_is_looked_for() {
        let mut buffer = [0; 4];
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            let first = c.encode_utf8(&mut buffer).as_bytes()[0];
            assert!(!is_escaped(c) || BEGINS_ESCAPE[usize::from(first)], "{c:?}");
        }
    }
}
