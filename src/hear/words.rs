//! The text of a directive: as it was written, as far as it spoke.

use crate::dialect::{self, Dialects};
use crate::html;
use crate::lex::{Tile, TileKind};

/// The most bytes of a directive's text that are kept.
const KEPT_TEXT: usize = 200;

pub(crate) fn cut(text: &str) -> String {
    // Of a long text no more is copied than shows that it is too long.
    shortened(text[..text.floor_char_boundary(KEPT_TEXT + 4)].to_owned())
}

/// The same of a text that nobody else needs.
pub(super) fn shortened(mut text: String) -> String {
    if text.len() > KEPT_TEXT {
        text.truncate(text.floor_char_boundary(KEPT_TEXT));
        text.push_str("...");
    }
    text
}

/// A start tag as far as it spoke: the rest of it may hold what is withheld.
pub(crate) fn wording(tile: &Tile<'_>, dialect: &str, dialects: &Dialects) -> String {
    // A description is text of the page, whatever else the tag says.
    let is_text = html::is_description(tile.name(), |name| tile.attribute(name));
    let words = dialect::quoted(dialect, tile, dialects);
    let mut wording = String::with_capacity(tile.raw().len().min(KEPT_TEXT));
    wording.extend(["<", tile.name()]);
    for (name, with_value) in words.into_iter().filter(|(name, _)| !is_text || *name != "content") {
        match tile.attribute(name) {
            Some(value) if with_value => wording.extend([" ", name, "=\"", &*value, "\""]),
            Some(_) => wording.extend([" ", name]),
            None => {}
        }
    }
    wording.push('>');
    wording
}

/// A region mark as it was written, a comment or a tag.
pub(crate) fn marking(tile: &Tile<'_>, dialect: &str, dialects: &Dialects) -> String {
    match tile.kind() {
        TileKind::Comment => cut(written(tile.raw())),
        _ => shortened(wording(tile, dialect, dialects)),
    }
}

/// A comment, up to where it has swallowed markup: what comes then is perhaps not to be told.
pub(super) fn written(comment: &str) -> &str {
    let inner = comment.get(4..).unwrap_or_default();
    let end = inner.find(['<', '>']).map_or(comment.len(), |at| 4 + at + 1);
    &comment[..end]
}
