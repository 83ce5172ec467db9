//! Finds the end of raw text, which follows tags like `<script>`, `<style>` and `<title>`. Source:
//! the tokenizer states of the HTML standard.
//!
//! The tokenizer finds the end of raw text too, but it would decode all text that it reports. The
//! tokens that the tokenizer reports next must agree with the ends found here (see `intake`).

use crate::html::{self, Facts, Tag};

/// Kind of raw text (text in which tags are not markup), by what ends the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RawText {
    /// Text of an element, ended by the end tag of this name.
    Until(Tag),
    /// Text of a script, ended by `</script>`, unless `<!--` and then `<script>` in the raw text
    /// hide that tag.
    Script(ScriptEscape),
    /// Text after a `plaintext`, ended by the end of the page.
    Plain,
    /// CDATA, ended by `]]>`.
    Cdata,
}

/// State of the text of a script with respect to `<!--` and a nested `<script>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptEscape {
    No,
    /// Inside `<!--`: `-->` ends this state, and `</script>` ends the script.
    Once,
    /// Inside a nested `<script>` after `<!--`: the next `</script>` ends only the nested one.
    Twice,
}

impl RawText {
    /// Returns the kind of raw text that a start tag opens, or `None` if markup follows the tag.
    pub(super) fn opened_by(tag: Tag) -> Option<Self> {
        match tag {
            Tag::SCRIPT => Some(Self::Script(ScriptEscape::No)),
            Tag::PLAINTEXT => Some(Self::Plain),
            _ if tag.has(Facts::SWITCHES_TEXT) => Some(Self::Until(tag)),
            _ => None,
        }
    }

    /// True if HTML decodes character references in this raw text.
    pub(super) fn has_references(&self) -> bool {
        matches!(self, Self::Until(Tag::TITLE | Tag::TEXTAREA))
    }

    /// Finds the end of the raw text in `bytes`. Returns the number of bytes that are certainly raw
    /// text, and true if the raw text ends after these bytes. If `last` is false, more bytes follow
    /// `bytes`. Then the last bytes are not counted if they may begin the end mark, such as
    /// `</script>`.
    pub(super) fn read(&mut self, bytes: &[u8], last: bool) -> (usize, bool) {
        let found = match self {
            Self::Until(tag) => until(bytes, tag.name()),
            Self::Script(hidden) => script(bytes, hidden),
            Self::Plain => FoundEnd::Nothing(bytes.len()),
            Self::Cdata => match memchr::memmem::find(bytes, b"]]>") {
                Some(at) => FoundEnd::End(at),
                None => FoundEnd::Nothing(
                    bytes.len()
                        - bytes
                            .iter()
                            .rev()
                            .take(2)
                            .take_while(|b| **b == b']')
                            .count(),
                ),
            },
        };
        match found {
            FoundEnd::End(at) => (at, true),
            FoundEnd::Nothing(_) if last => (bytes.len(), false),
            FoundEnd::Nothing(upto) => (upto, false),
        }
    }
}

enum FoundEnd {
    End(usize),
    /// No end of the raw text was found. The number counts the bytes that are certainly raw text.
    /// The bytes after them may begin the end tag or `]]>`.
    Nothing(usize),
}

/// True if `bytes` begin with `word`, ignoring ASCII case, followed by white space, `/` or `>`.
/// `None` if more bytes are needed.
fn begins(bytes: &[u8], word: &[u8]) -> Option<bool> {
    let length = word.len().min(bytes.len());
    if !bytes[..length].eq_ignore_ascii_case(&word[..length]) {
        return Some(false);
    }
    let next = bytes.get(word.len())?;
    Some(html::is_white_space(*next) || matches!(next, b'/' | b'>'))
}

fn until(bytes: &[u8], name: &str) -> FoundEnd {
    for at in memchr::memchr_iter(b'<', bytes) {
        match bytes.get(at + 1) {
            None => return FoundEnd::Nothing(at),
            Some(b'/') => match begins(&bytes[at + 2..], name.as_bytes()) {
                Some(true) => return FoundEnd::End(at),
                None => return FoundEnd::Nothing(at),
                Some(false) => {}
            },
            Some(_) => {}
        }
    }
    FoundEnd::Nothing(bytes.len())
}

fn script(bytes: &[u8], hidden: &mut ScriptEscape) -> FoundEnd {
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        let next = match hidden {
            ScriptEscape::No => memchr::memchr(b'<', rest),
            _ => memchr::memchr2(b'<', b'-', rest),
        };
        let Some(next) = next else {
            return FoundEnd::Nothing(bytes.len());
        };
        at += next;
        let rest = &bytes[at..];
        let step = match (*hidden, rest) {
            (ScriptEscape::No | ScriptEscape::Once, [b'<', b'/', name @ ..]) => {
                match begins(name, b"script") {
                    Some(true) => return FoundEnd::End(at),
                    known => known.map(|_| 1),
                }
            }
            (ScriptEscape::Twice, [b'<', b'/', name @ ..]) => {
                begins(name, b"script").map(|is_end| {
                    *hidden = if is_end {
                        ScriptEscape::Once
                    } else {
                        ScriptEscape::Twice
                    };
                    1
                })
            }
            (ScriptEscape::No, [b'<', b'!', dashes @ ..]) => match dashes {
                [b'-', b'-', ..] => {
                    *hidden = ScriptEscape::Once;
                    // The dashes of `<!--` may also be those of `-->`.
                    Some(2)
                }
                [] | [b'-'] => None,
                _ => Some(1),
            },
            (ScriptEscape::Once, [b'<', name @ ..]) => begins(name, b"script").map(|is_start| {
                *hidden = if is_start {
                    ScriptEscape::Twice
                } else {
                    ScriptEscape::Once
                };
                1
            }),
            (_, [b'<']) => None,
            (_, [b'-', b'-', b'>', ..]) => {
                *hidden = ScriptEscape::No;
                Some(3)
            }
            (_, [b'-'] | [b'-', b'-']) => None,
            _ => Some(1),
        };
        match step {
            Some(step) => at += step,
            None => return FoundEnd::Nothing(at),
        }
    }
}
