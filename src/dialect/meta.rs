//! META robots and META with a bot's name (docs/semantics.md, section 4.1).

use std::borrow::Cow;

use crate::bot::fold;
use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Facets, Says};

use super::terms::{Speech, Words};
use super::{Ear, Element, Whom, header};

pub(super) fn meta(element: &impl Element, ear: &mut Ear<'_>) {
    let content = content(element, ear);
    let name = element.attribute("name").map(|name| fold(&name));
    let header = element.attribute("http-equiv").map(|name| fold(&name)).filter(|header| name.as_ref() != Some(header));
    if let Some(name) = &name {
        named(name, &content, ear);
    }
    match header.as_deref() {
        Some("x-robots-tag") => {
            header::line(&content, Speech { dialect: "meta", extent: Extent::Page, bots: ear.bots.all() }, ear);
        }
        Some(header) => named(header, &content, ear),
        None => {}
    }
    // What is wrong with a description is its text.
    if name.as_deref() == Some("description") {
        ear.complaints.clear();
    }
}

/// What a META says. A `value` without a `content` is read in its place: its author meant something.
fn content<'a>(element: &'a impl Element, ear: &mut Ear<'_>) -> Cow<'a, str> {
    if let Some(content) = element.attribute("content") {
        return content;
    }
    let value = element.attribute("value").unwrap_or_default();
    let is_robots = element.attribute("name").is_some_and(|name| fold(&name) == "robots");
    if is_robots && !value.is_empty() {
        let message = format!("META has its words in `content`: `value=\"{value}\"` is read in its place");
        ear.complain(NoteKind::Lookalike, ear.bots.all(), "meta", message);
    }
    value
}

fn named(name: &str, content: &str, ear: &mut Ear<'_>) {
    match name {
        "robots" => read(content, ear, None),
        "htdig-noindex" => vendor(Facets::of(&[Facet::Index, Facet::Follow]), ear),
        "freefind" => {
            let mut words = content.split(|c: char| c == ',' || c.is_whitespace());
            if words.any(|word| word.eq_ignore_ascii_case("nofollow")) {
                vendor(Facets::of(&[Facet::Follow]), ear);
            }
        }
        _ => read(content, ear, Some(name)),
    }
}

fn read(content: &str, ear: &mut Ear<'_>, name: Option<&str>) {
    let bots = name.map_or_else(|| ear.bots.all(), |name| ear.bots.called(name));
    if !bots.is_empty() {
        let speech = Speech { dialect: "meta", extent: Extent::Page, bots };
        Words::of(content).all_terms(speech, ear);
    }
}

fn vendor(denies: Facets, ear: &mut Ear<'_>) {
    let bots = ear.bots.all();
    ear.hear(Says::Deny(denies), Whom::Bots(bots), Extent::Page, "meta");
}
