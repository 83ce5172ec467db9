//! The text of a comment as it is compared: trimmed, white space single, ASCII lower case, blanks round `=` and `:` left out.

use std::borrow::Cow;

use smallvec::SmallVec;

/// A mark is short, but for spiderline's list of words.
const LONGEST: usize = 400;

/// What is compared, but for quotes; nothing where the comment is too long to be a mark.
pub(super) fn folded(text: &str) -> Option<Folded> {
    let text = text.trim();
    let is_list = text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("robots"));
    (!text.is_empty() && (is_list || !is_longer(text, LONGEST))).then(|| fold(text))
}

/// Whether more than so many characters are neither white space nor quotes, which may be left out of a mark.
pub(super) fn is_longer(text: &str, most: usize) -> bool {
    let counts = |c: &char| !c.is_whitespace() && !matches!(c, '"' | '\'');
    text.len() > most && text.chars().filter(counts).nth(most).is_some()
}

/// A folded text where quotes are optional: round a value.
pub(super) fn unquoted(text: &str) -> Cow<'_, str> {
    if text.contains(['=', ':']) { without_quotes(text) } else { Cow::Borrowed(text) }
}

pub(super) fn without_quotes(text: &str) -> Cow<'_, str> {
    if text.contains(['"', '\'']) { Cow::Owned(text.replace(['"', '\''], "")) } else { Cow::Borrowed(text) }
}

/// A text of the user's own, as it is compared.
pub(super) fn compared(text: &str) -> Option<String> {
    folded(text).map(|text| unquoted(text.as_str()).into_owned())
}

/// Trimmed, one blank between words and none round `=` and `:`, lower case, one `>` at the end forgiven.
fn fold(text: &str) -> Folded {
    let text = text.strip_suffix('>').unwrap_or(text);
    let mut folded = Folded::default();
    for word in text.split_whitespace() {
        let before = folded.bytes.as_slice();
        let is_glued =
            word.starts_with([':', '=']) || before.ends_with(b":") || before.ends_with(b"=") || before == b"/";
        if !before.is_empty() && !is_glued {
            folded.bytes.push(b' ');
        }
        let start = folded.bytes.len();
        folded.bytes.extend_from_slice(word.as_bytes());
        folded.bytes[start..].make_ascii_lowercase();
    }
    folded
}

/// A comment's text as it is compared. Short ones, which most are, take no memory of their own.
#[derive(Default)]
pub(super) struct Folded {
    bytes: SmallVec<[u8; 64]>,
}

impl Folded {
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }
}
