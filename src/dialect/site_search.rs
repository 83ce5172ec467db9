//! Statements for the search of one site, about a whole page (docs/semantics.md, section 4.5). They are Swiftype's
//! META, and headers that count by their name alone.
//!
//! The elements of these conventions are rows of `element`. They are off by default, as they address no other reader.

use std::borrow::Cow;

use crate::lenient::quotes;
use crate::note::NoteKind;
use crate::policy::{Extent, Facets, Says};

use super::facets::{FOLLOW, INDEX};
use super::list::rows_of;
use super::repair::{meant, plain_signs};
use super::shown::swallows_at;
use super::sign::Sign;
use super::terms::has_keyword;
use super::{Ear, Element, Whom, separator};

pub(super) const SWIFTYPE: &str = "swiftype";

/// True if a tag is `<meta name="st:robots">`.
pub(super) fn is_swiftype_meta(element: &impl Element) -> bool {
    let is_it = |name: Cow<'_, str>| quotes::trimmed(separator::plain(&name).trim()).eq_ignore_ascii_case("st:robots");
    element.name() == "meta" && element.attribute("name").is_some_and(is_it)
}

/// Hears `<meta name="st:robots" content="noindex, nofollow">`. `index` and `follow` lift nothing that others deny, and
/// META's other words have no effect there.
pub(super) fn meta(element: &impl Element, ear: &mut Ear<'_>) {
    if !is_swiftype_meta(element) {
        return;
    }
    let is_quoted = meant(element, "name", ear).is_some_and(|name| name.is_repaired);
    let Some(content) = meant(element, "content", ear).filter(|_| !is_quoted || ear.dialects.repairs()) else { return };
    let plain = if ear.dialects.repairs() { plain_signs(&content.text) } else { Cow::from(&*content.text) };
    let is_repaired = is_quoted || content.is_repaired || plain != content.text;
    let before = ear.heard.len();
    for word in plain.split(|c: char| matches!(c, ',' | ';') || c.is_whitespace()).filter(|word| !word.is_empty()) {
        let says = match word.to_ascii_lowercase().as_str() {
            "noindex" => Says::Deny(INDEX),
            "nofollow" => Says::Deny(FOLLOW),
            "none" => Says::Deny(INDEX.with(FOLLOW)),
            "index" if !is_repaired => Says::Allow(INDEX),
            "follow" if !is_repaired => Says::Allow(FOLLOW),
            _ if has_keyword(word) || swallows_at(&plain) < plain.len() => continue,
            _ => {
                let message = format!("`{word}` is no known directive");
                ear.complain(NoteKind::UnknownToken, ear.bots.all(), SWIFTYPE, message);
                continue;
            }
        };
        ear.hear(says, Whom::Bots(ear.bots.all()), Extent::Page, SWIFTYPE);
    }
    if is_repaired {
        ear.tell_repaired(before, "the quotes, commas or blanks are part of `st:robots` or its words to others");
    }
}

/// A dialect, the name of its header, and the facets that it denies, whatever its value.
type Header = (&'static str, &'static str, Facets);

const HEADERS: &[Header] =
    &rows_of!((dialect, Sign::Header(name, denies)) => (dialect, name, denies), ("", "", Facets::NONE));

/// Hears a header that counts by its name, whatever its value.
pub(super) fn header(name: &str, ear: &mut Ear<'_>) {
    for (dialect, _, denies) in named(name) {
        if ear.dialects.has(dialect) {
            ear.hear(Says::Deny(*denies), Whom::Bots(ear.bots.all()), Extent::Response, dialect);
        }
    }
}

#[cfg(feature = "index")]
pub(super) fn is_header(name: &str) -> bool {
    named(name).next().is_some()
}

fn named(name: &str) -> impl Iterator<Item = &'static Header> {
    HEADERS.iter().filter(move |(_, own, _)| !own.is_empty() && name.trim().eq_ignore_ascii_case(own))
}
