//! The folded text of a comment, by which comments are compared: trimmed, in ASCII lower case, with
//! single blanks, and without blanks around `=` and `:`.

use std::borrow::Cow;
use std::ops::Deref;

use smallvec::SmallVec;

use crate::html::begins_with;

/// Maximum number of characters in a comment that may be a region mark. White space and quotes are
/// not counted. A comment that begins with `robots` may be longer, since it may contain a list of
/// words.
const LONGEST: usize = 400;

/// Folds a comment's text (lower case, single blanks), but keeps its quotes. Returns `None` if the
/// text is empty, or too long for a region mark.
pub(super) fn mark_text(text: &str) -> Option<FoldedText> {
    let text = text.trim();
    let is_list = begins_with(text, "robots");
    if text.is_empty() || !is_list && is_longer(text, LONGEST) {
        return None;
    }
    Some(fold(text))
}

/// True if the text has more than `most` characters. White space and quotes are not counted, since
/// they are optional in a region mark.
pub(super) fn is_longer(text: &str, most: usize) -> bool {
    let counts = |c: &char| !c.is_whitespace() && !matches!(c, '"' | '\'');
    text.len() > most && text.chars().filter(counts).nth(most).is_some()
}

/// Removes all quotes from a folded text with `=` or `:`, since quotes are optional around the
/// value. Any other text keeps its quotes.
pub(super) fn unquoted(text: &str) -> Cow<'_, str> {
    if text.contains(['=', ':']) {
        without_quotes(text)
    } else {
        Cow::Borrowed(text)
    }
}

pub(super) fn without_quotes(text: &str) -> Cow<'_, str> {
    if text.contains(['"', '\'']) {
        Cow::Owned(text.replace(['"', '\''], ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Folds the text of a comment in one of the user's own rules (lower case, single blanks), and
/// drops optional quotes. Returns `None` if the text is empty, or too long for a region mark.
pub(super) fn compared(text: &str) -> Option<String> {
    Some(unquoted(&mark_text(text)?).into_owned())
}

/// Trims a comment's text and converts it to lower case. One blank is left between words. No blank
/// is left around `=` and `:`, or after a `/` at the start. A `>` at the end is removed.
fn fold(text: &str) -> FoldedText {
    let text = text.strip_suffix('>').unwrap_or(text);
    let mut folded = FoldedText::default();
    for word in text.split_whitespace() {
        let before = folded.bytes.as_slice();
        let is_glued = word.starts_with([':', '='])
            || before.ends_with(b":")
            || before.ends_with(b"=")
            || before == b"/";
        if !before.is_empty() && !is_glued {
            folded.bytes.push(b' ');
        }
        let start = folded.bytes.len();
        folded.bytes.extend_from_slice(word.as_bytes());
        folded.bytes[start..].make_ascii_lowercase();
    }
    folded
}

/// The folded text of a comment. A short text, which is the common case, needs no heap memory.
#[derive(Default)]
pub(super) struct FoldedText {
    bytes: SmallVec<[u8; 64]>,
}

impl Deref for FoldedText {
    type Target = str;

    fn deref(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }
}
