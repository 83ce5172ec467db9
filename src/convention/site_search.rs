//! Statements about a whole page for the search of one site (docs/semantics.md, section 4.5):
//! Swiftype's META, and headers that deny whatever their value is.
//!
//! Conventions for site search that mark elements are in the table of `element`. All conventions
//! for site search are off by default, since publishers address them only to the search of their
//! own site.

use crate::note::NoteKind;
use crate::policy::{Extent, StatementContent, Uses};
use heedful_base::lenient::Shape;
use heedful_base::lenient::shape::words;

use super::collector::{Recipients, StatementCollector};
use super::list::signs;
use super::shown::markup_start;
use super::sign::Sign;
use super::terms::has_keyword;
use super::view::Element;
use super::words::{Grammar, statement};

pub(super) const SWIFTYPE: &str = "swiftype";

/// Reads the META of Swiftype, a search for single sites. An example is `<meta name="st:robots"
/// content="noindex, nofollow">`. The words `index` and `follow` cancel no denial of another
/// convention. Other words of META robots, such as `noarchive`, have no effect here.
pub(super) fn meta(element: &impl Element, collector: &mut StatementCollector<'_>) {
    if !element.is_named("name", |name| name.eq_ignore_ascii_case("st:robots")) {
        return;
    }
    let Some(content) = element.shaped("content", Shape::Words) else {
        return;
    };
    for word in words(&content) {
        if let Some(says) = statement(word, Grammar::Site).flatten() {
            collector.add(
                says,
                Recipients::Bots(collector.bots.all()),
                Extent::Page,
                SWIFTYPE,
            );
        } else if !has_keyword(word) && markup_start(&content) == content.len() {
            let message = format!("`{word}` is no known directive");
            collector.complain(
                NoteKind::UnknownToken,
                collector.bots.all(),
                SWIFTYPE,
                message,
            );
        }
    }
}

/// Adds the denials of a response header that denies by its name alone, whatever its value.
pub(crate) fn header(name: &str, collector: &mut StatementCollector<'_>) {
    for (convention, denies) in find_header(name) {
        if collector.conventions.has(convention) {
            collector.add(
                StatementContent::Deny(denies),
                Recipients::Bots(collector.bots.all()),
                Extent::Response,
                convention,
            );
        }
    }
}

pub(super) fn is_header(name: &str) -> bool {
    find_header(name).next().is_some()
}

/// Returns the conventions in which a response header with this name denies uses, whatever its
/// value. Each is paired with the denied uses.
fn find_header(name: &str) -> impl Iterator<Item = (&'static str, Uses)> {
    signs().filter_map(move |(convention, sign)| match sign {
        Sign::Header(own, denies) if name.trim().eq_ignore_ascii_case(own) => {
            Some((convention, denies))
        }
        _ => None,
    })
}
