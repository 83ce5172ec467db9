//! The TDM Reservation Protocol: `tdm-reservation` in META or a header (docs/semantics.md, section 4.5).
//!
//! `1` reserves, `0` does not, anything else says nothing. By the protocol the page overrides the header; here a
//! reservation stands wherever it was made, which withholds more.

use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Facets, Says};

use super::repair::meant;
use super::{Ear, Element, Whom};

const NAME: &str = "tdm-reservation";
const DIALECT: &str = "tdm";

pub(super) fn meta(element: &impl Element, ear: &mut Ear<'_>) {
    let Some(name) = meant(element, "name", ear).filter(|name| name.text.trim().eq_ignore_ascii_case(NAME)) else {
        return;
    };
    let (content, before) = (meant(element, "content", ear), ear.heard.len());
    value(content.as_ref().map_or("", |content| &content.text), Extent::Page, ear);
    let is_repaired = name.is_repaired || content.is_some_and(|content| content.is_repaired);
    if is_repaired && ear.heard.len() > before {
        let message = format!("the quotes are part of `{NAME}` or its value to others: here it is heard as it denies");
        ear.complain(NoteKind::Lookalike, ear.bots.all(), DIALECT, message);
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
