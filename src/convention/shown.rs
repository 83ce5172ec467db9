//! The part of a written value that notes and reasons may quote.
//!
//! A value that lacks its closing quote swallows the markup after it, and with that the text of
//! the page.

use super::view::Element;

/// A value, up to where it shows that it has swallowed markup.
pub(crate) fn shown(value: &str) -> &str {
    &value[..swallows_at(value)]
}

/// True for a META whose content may be text of the page: any description, whatever else the tag
/// is.
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

/// The place where a value shows that it has swallowed markup; its length if nowhere.
pub(super) fn swallows_at(value: &str) -> usize {
    memchr::memchr2(b'<', b'>', value.as_bytes()).unwrap_or(value.len())
}
