//! The text of a comment in the form that is compared. It is trimmed, in ASCII lower case, with
//! single blanks, and none around `=` and `:`.

use std::borrow::Cow;
use std::ops::Deref;

use smallvec::SmallVec;

use crate::html::begins_with;

/// The maximum length of a comment that may be a mark, in characters without white space and
/// quotes. Comments that begin with `robots` may be longer, since spiderline has a list of words.
const LONGEST: usize = 400;

/// The text to compare, still with quotes; `None` if the comment is too long to be a mark.
pub(super) fn folded(text: &str) -> Option<FoldedText> {
    let text = text.trim();
    let is_list = begins_with(text, "robots");
    if text.is_empty() || !is_list && is_longer(text, LONGEST) {
        return None;
    }
    Some(fold(text))
}

/// True if more than `most` characters are neither white space nor quotes, which may be left out of
/// a mark.
pub(super) fn is_longer(text: &str, most: usize) -> bool {
    let counts = |c: &char| !c.is_whitespace() && !matches!(c, '"' | '\'');
    text.len() > most && text.chars().filter(counts).nth(most).is_some()
}

/// A folded text without the quotes that are optional: those around a value.
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

/// A text of the user's own, in the form that is compared.
pub(super) fn compared(text: &str) -> Option<String> {
    Some(unquoted(&folded(text)?).into_owned())
}

/// Trims the text and converts it to lower case, with one blank between words and none around `=`
/// and `:`. One `>` at the end is dropped.
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

/// A comment's text in the form that is compared. Short ones, which are the most, allocate no
/// memory.
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
