//! META robots and META with a bot's name (docs/semantics.md, section 4.1).
//!
//! Denials whose meaning is beyond doubt count, with a note. Such forms are quotes round a name or content that HTML
//! does not know, and several names in one. The header's name and `property` for `name` are others. A text that only
//! resembles a statement is noted.

use std::borrow::Cow;

use crate::bot::{BotSet, fold};
use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Facets, Says};
use crate::quotes;

use super::repair::{Meant, meant};
use super::shown::{is_text, shown};
use super::terms::{Speech, Words, has_keyword};
use super::{Ear, Element, Whom, header, separator};

pub(super) fn meta(element: &impl Element, ear: &mut Ear<'_>) {
    let name = element.attribute("name").map(|name| fold(&name));
    let header = element.attribute("http-equiv").map(|name| fold(&name)).filter(|header| name.as_ref() != Some(header));
    let content = content(element, ear);
    let mut is_known = false;
    if let Some(name) = &name {
        is_known |= named(name, false, &content, ear);
    }
    if let Some(name) = &header {
        let before = ear.heard.len();
        is_known |= named(name, true, &content, ear);
        if ear.heard.len() > before {
            let message =
                format!("most robots read META by `name` alone: `http-equiv=\"{}\"` is read too", shown(name));
            ear.complain(NoteKind::Lookalike, ear.bots.all(), "meta", message);
        }
    }
    if !is_known && ear.dialects.repairs() {
        repaired(element, &content, ear);
    }
    // Complaints about a description are about its text.
    if !ear.complaints.is_empty() && is_text(element) {
        ear.complaints.clear();
    }
}

const HEADER: &str = "x-robots-tag";

/// The content of a META. A `value` without a `content` is read in its place: its author meant something.
fn content<'a>(element: &'a impl Element, ear: &mut Ear<'_>) -> Meant<'a> {
    if let Some(content) = meant(element, "content", ear) {
        return content;
    }
    let value = element.attribute("value").unwrap_or_default();
    let is_robots = element.attribute("name").is_some_and(|name| fold(&name) == "robots");
    if is_robots && !value.is_empty() {
        let message = format!("META has its words in `content`: `value=\"{}\"` is read in its place", shown(&value));
        ear.complain(NoteKind::Lookalike, ear.bots.all(), "meta", message);
    }
    Meant { text: value, is_repaired: false }
}

/// Hears the content under a name. Returns true if the name is known.
fn named(name: &str, is_header: bool, content: &Meant<'_>, ear: &mut Ear<'_>) -> bool {
    let bots = match name {
        "robots" => ear.bots.all(),
        HEADER if is_header => ear.bots.all(),
        "htdig-noindex" => {
            vendor(Facets::of(&[Facet::Index, Facet::Follow]), ear);
            return true;
        }
        "freefind" => {
            let mut words = content.text.split(|c: char| c == ',' || c.is_whitespace());
            if words.any(|word| word.eq_ignore_ascii_case("nofollow")) {
                vendor(Facets::of(&[Facet::Follow]), ear);
            }
            return true;
        }
        "google" => {
            let mut words = content.text.split(|c: char| c == ',' || c.is_whitespace());
            if words.any(|word| word.eq_ignore_ascii_case("notranslate")) {
                vendor(Facets::of(&[Facet::Translate]), ear);
            }
            ear.bots.called(name)
        }
        _ => ear.bots.called(name),
    };
    if bots.is_empty() {
        return false;
    }
    let before = ear.heard.len();
    if spoken(name, bots, content, ear) && ear.heard.len() > before {
        told("its quotes are part of its words", &content.text, ear);
    }
    true
}

/// Hears a META's words. Returns true if it does so by repair.
fn spoken(name: &str, bots: BotSet, content: &Meant<'_>, ear: &mut Ear<'_>) -> bool {
    let plain = if ear.dialects.repairs() { quotes::without(&content.text) } else { Cow::from(&*content.text) };
    let is_repaired = content.is_repaired || plain.len() < content.text.len();
    let speech = Speech { dialect: "meta", extent: Extent::Page, bots, is_repaired };
    if name == HEADER {
        header::line(&plain, speech, ear);
    } else {
        Words::of(&plain, ear).all_terms(speech, ear);
    }
    is_repaired
}

fn vendor(denies: Facets, ear: &mut Ear<'_>) {
    let bots = ear.bots.all();
    ear.hear(Says::Deny(denies), Whom::Bots(bots), Extent::Page, "meta");
}

/// Hears a META whose name is miswritten, or notes one that only resembles a name.
fn repaired(element: &impl Element, content: &Meant<'_>, ear: &mut Ear<'_>) {
    for attribute in ["name", "http-equiv", "property", "itemprop", "id"] {
        let is_worth_it = |value: Cow<'_, str>| may_be_meant(&value) || attribute == "property" && !value.contains(':');
        if !element.attribute(attribute).is_some_and(is_worth_it) {
            continue;
        }
        let Some(written) = meant(element, attribute, ear) else { continue };
        let (names, complaints) = (names(&written.text), ear.complaints.len());
        let is_heard = !matches!(attribute, "itemprop" | "id");
        let means_us = |is, name: &String| is_heard && said_to(name, content, ear) || is;
        if names.iter().fold(false, means_us) {
            ear.complaints.truncate(complaints);
            told("its name is none", &written.text, ear);
        } else if names.iter().any(|name| is_nearly_robots(name)) && has_keyword(&content.text) {
            let message = format!(
                "`{attribute}=\"{}\"` is no name that robots hear: write `name=\"robots\"`",
                shown(&written.text)
            );
            ear.complain(NoteKind::Lookalike, ear.bots.all(), "meta", message);
        }
    }
}

/// True if a value may hold several names, a name in quotes, or one that is nearly `robots`. Hardly any META's value
/// does. One edit leaves one half of a name unchanged.
fn may_be_meant(value: &str) -> bool {
    let is_odd = |byte: u8| separator::is_comma(byte) || quotes::may_be(byte);
    let is_half = |half: &[u8]| half.eq_ignore_ascii_case(b"rob") || half.eq_ignore_ascii_case(b"ots");
    value.bytes().any(is_odd) || value.as_bytes().windows(3).any(is_half)
}

/// Hears the denials for the bots that a name means. Returns true if there is such a bot.
fn said_to(name: &str, content: &Meant<'_>, ear: &mut Ear<'_>) -> bool {
    let bots = if matches!(name, "robots" | HEADER) { ear.bots.all() } else { ear.bots.called(name) };
    let content = Meant { text: Cow::from(&*content.text), is_repaired: true };
    if !bots.is_empty() {
        spoken(name, bots, &content, ear);
    }
    !bots.is_empty()
}

fn told(why: &str, what: &str, ear: &mut Ear<'_>) {
    let message =
        format!("most robots do not hear this META, since {why}: `{}` is heard here as it denies", shown(what));
    ear.complain(NoteKind::Lookalike, ear.bots.all(), "meta", message);
}

/// The names in one: split at commas and the like, and at blanks if one of the words is `robots`.
fn names(name: &str) -> Vec<String> {
    let parts = name
        .split(|sign| separator::COMMAS.contains(&sign) || separator::is_odd(sign))
        .map(fold)
        .filter(|part| !part.is_empty());
    let words = |part: String| match part.split(' ').any(|word| word == "robots") {
        true => part.split(' ').map(str::to_owned).collect(),
        false => vec![part],
    };
    parts.flat_map(words).collect()
}

fn is_nearly_robots(name: &str) -> bool {
    let letters: Cow<'_, str> = name.chars().filter(|c| c.is_alphanumeric()).collect();
    letters.starts_with("robot") || letters == "metarobots" || strsim::osa_distance(&letters, "robots") == 1
}
