//! Quotes a directive in the spelling of the page, without any content of the page.
//!
//! A quote is shown to people and stored with the decision, so it must never hold withheld content.
//! In doubt the quote is made shorter.

use crate::convention::{self, Conventions};
use crate::lex::{Token, TokenKind};

/// Maximum number of bytes that a record keeps of the source text of a directive.
const KEPT_TEXT: usize = 200;

pub(crate) fn shortened_copy(text: &str) -> String {
    // Copies only as much of a long text as shows that it is too long.
    shortened(text[..text.floor_char_boundary(KEPT_TEXT + 4)].to_owned())
}

/// Returns `text` cut to [`KEPT_TEXT`] bytes, with `...` at the cut.
pub(super) fn shortened(mut text: String) -> String {
    if text.len() > KEPT_TEXT {
        text.truncate(text.floor_char_boundary(KEPT_TEXT));
        text.push_str("...");
    }
    text
}

/// Quotes a start tag with only the attributes that state directives of `convention`. Other
/// attributes are left out, since they may hold withheld content. A value that has swallowed markup
/// is cut before this markup.
pub(crate) fn quote_tag(token: &Token<'_>, convention: &str, conventions: &Conventions) -> String {
    // The `content` of a description is text of the page, whatever other attributes the tag has.
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
                wording.extend([" ", name, "=\"", convention::quotable(&value), "\""]);
            }
            Some(_) => wording.extend([" ", name]),
            None => {}
        }
    }
    wording.push('>');
    wording
}

/// Quotes a region mark: the text of a comment, or a tag with only the attributes that make it a
/// mark.
pub(crate) fn quote_mark(token: &Token<'_>, convention: &str, conventions: &Conventions) -> String {
    match token.kind() {
        TokenKind::Comment => shortened_copy(before_markup(token.raw())),
        _ => shortened(quote_tag(token, convention, conventions)),
    }
}

/// Returns the comment up to the first `<` or `>` in it. What comes later may be markup that the
/// comment has swallowed, and may be withheld.
pub(super) fn before_markup(comment: &str) -> &str {
    let inner = comment.get(4..).unwrap_or_default();
    match inner.find(['<', '>']) {
        Some(at) => &comment[..4 + at + 1],
        None => comment,
    }
}
