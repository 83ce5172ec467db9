//! The part of a value in a page that notes and reasons may quote.
//!
//! A value that lacks its closing quote also contains the markup after it. That markup may contain
//! withheld text of the page, so a quotation of the value ends at its first `<` or `>`.

use super::view::Element;

/// Returns the start of a value, up to the first `<` or `>`. The rest of the value may contain
/// withheld text.
pub(crate) fn quotable(value: &str) -> &str {
    &value[..markup_start(value)]
}

/// True if the content of a META is a description of the page, and so text of the page. This is so
/// if the META's `name`, `property` or `itemprop` contains `description`.
pub(crate) fn is_text(element: &impl Element) -> bool {
    let is_description = |name: &str| {
        element
            .attribute(name)
            .is_some_and(|name| name.to_ascii_lowercase().contains("description"))
    };
    element.name() == "meta"
        && ["name", "property", "itemprop"]
            .into_iter()
            .any(is_description)
}

/// Returns the offset of the first `<` or `>` in a value, or the value's length.
pub(super) fn markup_start(value: &str) -> usize {
    memchr::memchr2(b'<', b'>', value.as_bytes()).unwrap_or(value.len())
}
