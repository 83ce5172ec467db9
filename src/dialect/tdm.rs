//! The TDM Reservation Protocol: `tdm-reservation` in META or a header (docs/semantics.md, section 4.5).
//!
//! `1` reserves, `0` does not, anything else says nothing. By the protocol the page overrides the header; here a
//! reservation stands wherever it was made, which withholds more.

use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Facets, Says};

use super::{Ear, Element, Whom};

const NAME: &str = "tdm-reservation";
const DIALECT: &str = "tdm";

pub(super) fn meta(element: &impl Element, ear: &mut Ear<'_>) {
    if element.attribute("name").is_some_and(|name| name.trim().eq_ignore_ascii_case(NAME)) {
        value(&element.attribute("content").unwrap_or_default(), Extent::Page, ear);
    }
}

pub(super) fn header(name: &str, content: &str, ear: &mut Ear<'_>) {
    if name.trim().eq_ignore_ascii_case(NAME) {
        value(content, Extent::Response, ear);
    }
}

fn value(value: &str, extent: Extent, ear: &mut Ear<'_>) {
    // Several header lines may have become one.
    let values = || value.split(',').map(str::trim);
    match value.trim() {
        _ if values().any(|value| value == "1") => {
            ear.hear(Says::Deny(Facets::of(&[Facet::Train])), Whom::Bots(ear.bots.all()), extent, DIALECT);
        }
        "0" => {}
        other => {
            let message = format!("`{NAME}` is 0 or 1: `{other}` says nothing");
            ear.complain(NoteKind::UnreadableValue, ear.bots.all(), DIALECT, message);
        }
    }
}
