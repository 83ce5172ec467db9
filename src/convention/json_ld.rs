//! Contao's `noSearch` in the JSON-LD of a page (docs/semantics.md, section 4.5).
//!
//! The script is not parsed as JSON: a state machine finds only the key `noSearch` and the first
//! letter of its value. So the script may be of any length, may be cut anywhere, and may have white
//! space around the colon. The key is recognized with any prefix and in any graph, which withholds
//! more than Contao does. A key with escaped letters is not found.

use crate::note::NoteKind;
use crate::policy::{Extent, StatementContent};

use super::collector::{Recipients, StatementCollector};
use super::uses::INDEX;
use super::view::Element;

pub(crate) const CONVENTION: &str = "contao-nosearch";
/// Text that a report shows as the reason of a denial, in place of the script. The script itself
/// may contain text of the page, so it is not quoted.
pub(crate) const QUOTED: &str = "<script type=\"application/ld+json\"> with \"noSearch\"";

/// The key `noSearch` with its closing quote. The byte before the key must be a quote, or a colon
/// or slash after a prefix (`"contao:noSearch"`).
const KEY: &[u8] = b"noSearch\"";

/// True if a start tag begins a script with JSON-LD.
pub(crate) fn is_script(element: &impl Element) -> bool {
    if element.name() != "script" {
        return false;
    }
    let Some(kind) = element.attribute("type") else {
        return false;
    };
    let media_type = kind.split(';').next().unwrap_or_default();
    media_type
        .trim()
        .eq_ignore_ascii_case("application/ld+json")
}

/// True if the text of a script may have the key `noSearch`. The text then contains [`KEY`], but
/// the byte before it was not checked.
pub(crate) fn may_have_key(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), KEY).is_some()
}

/// State of the search for the key `noSearch` in one script.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct NoSearch {
    at: JsonPosition,
    denies: bool,
    /// True if the value of the key is not `true`, `false` or `null`. Only the first byte of the
    /// value is examined.
    is_odd: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum JsonPosition {
    #[default]
    Anywhere,
    /// Inside a text that may be the key `noSearch`. The number counts the bytes that matched so
    /// far.
    Key(usize),
    Colon,
    Value,
}

impl NoSearch {
    pub(crate) fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            self.at = self.next(byte);
        }
    }

    fn next(&mut self, byte: u8) -> JsonPosition {
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        match self.at {
            JsonPosition::Key(read) if byte == KEY[read] => {
                return if read + 1 == KEY.len() {
                    JsonPosition::Colon
                } else {
                    JsonPosition::Key(read + 1)
                };
            }
            JsonPosition::Colon | JsonPosition::Value if is_blank => return self.at,
            JsonPosition::Colon if byte == b':' => return JsonPosition::Value,
            JsonPosition::Value => self.value(byte),
            _ => {}
        }
        if matches!(byte, b'"' | b':' | b'/') {
            JsonPosition::Key(0)
        } else {
            JsonPosition::Anywhere
        }
    }

    fn value(&mut self, first: u8) {
        self.denies |= !matches!(first, b'f' | b'n');
        self.is_odd |= !matches!(first, b't' | b'f' | b'n');
    }

    /// Ends the search at the end of the script. Adds a denial of indexing to `collector` if the
    /// script states one. Adds a complaint if a value of the key was not `true`, `false` or `null`.
    #[doc(hidden)]
    pub fn end(mut self, collector: &mut StatementCollector<'_>) {
        if matches!(self.at, JsonPosition::Value) {
            self.value(0);
        }
        if self.is_odd {
            let message = "`noSearch` is true or false: anything else is read as true".to_owned();
            collector.complain(
                NoteKind::UnreadableValue,
                collector.bots.all(),
                CONVENTION,
                message,
            );
        }
        if self.denies {
            collector.add(
                StatementContent::Deny(INDEX),
                Recipients::Bots(collector.bots.all()),
                Extent::Page,
                CONVENTION,
            );
        }
    }
}
