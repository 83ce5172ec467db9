//! The text of a directive, as it was written, without words that had no part in it.

use crate::convention::{self, Conventions};
use crate::lex::{Token, TokenKind};

/// The most bytes of a directive's text that are kept.
const KEPT_TEXT: usize = 200;

pub(crate) fn shortened_copy(text: &str) -> String {
    // No more of a long text is copied than is needed to see that it is too long.
    shortened(text[..text.floor_char_boundary(KEPT_TEXT + 4)].to_owned())
}

/// The shortened form of an owned text.
pub(super) fn shortened(mut text: String) -> String {
    if text.len() > KEPT_TEXT {
        text.truncate(text.floor_char_boundary(KEPT_TEXT));
        text.push_str("...");
    }
    text
}

/// A start tag, reduced to the attributes with directives: the rest of it may hold withheld
/// content, and so may what a value has swallowed.
pub(crate) fn quote_tag(token: &Token<'_>, convention: &str, conventions: &Conventions) -> String {
    // A description is text of the page, whatever else the tag has.
    let is_text = convention::is_text(token);
    let words = convention::quoted(convention, token, conventions);
    let mut wording = String::with_capacity(token.raw().len().min(KEPT_TEXT));
    wording.extend(["<", token.name()]);
    for (name, with_value) in words {
        if is_text && name == "content" {
            continue;
        }
        match token.attribute(name) {
            Some(value) if with_value => {
                wording.extend([" ", name, "=\"", convention::shown(&value), "\""]);
            }
            Some(_) => wording.extend([" ", name]),
            None => {}
        }
    }
    wording.push('>');
    wording
}

/// A region mark as it was written, a comment or a tag.
pub(crate) fn quote_mark(token: &Token<'_>, convention: &str, conventions: &Conventions) -> String {
    match token.kind() {
        TokenKind::Comment => shortened_copy(before_markup(token.raw())),
        _ => shortened(quote_tag(token, convention, conventions)),
    }
}

/// A comment, up to where it has swallowed markup: the markup after that may be withheld.
pub(super) fn before_markup(comment: &str) -> &str {
    let inner = comment.get(4..).unwrap_or_default();
    match inner.find(['<', '>']) {
        Some(at) => &comment[..4 + at + 1],
        None => comment,
    }
}
