//! META robots and META with a bot's name (docs/semantics.md, section 4.1).

use crate::bot::fold;
use crate::policy::{Extent, Facet, Facets, Says};

use super::terms::{Speech, Words};
use super::{Ear, Element, Said};

pub(super) fn meta(element: &impl Element, ear: &mut Ear<'_>) {
    let Some(name) = element.attribute("name").or_else(|| element.attribute("http-equiv")) else { return };
    let content = element.attribute("content").unwrap_or_default();
    let name = fold(&name);
    match name.as_str() {
        "robots" => read(&content, ear, None),
        "htdig-noindex" => vendor(Facets::of(&[Facet::Index, Facet::Follow]), ear),
        "freefind" => {
            if content.split([',', ' ']).any(|word| word.eq_ignore_ascii_case("nofollow")) {
                vendor(Facets::of(&[Facet::Follow]), ear);
            }
        }
        _ => read(&content, ear, Some(&name)),
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
    ear.heard.push(Said { says: Says::Deny(denies), bots, extent: Extent::Page, dialect: "meta" });
}
