//! META robots and META with a bot's name (docs/semantics.md, section 4.1).
//!
//! Denials whose meaning is beyond doubt count, with a note. Such forms are quotes round a name or content that HTML
//! does not know, and several names in one. The header's name and `property` for `name` are others. A text that only
//! resembles a statement is noted.

use std::borrow::Cow;

use crate::bot::{BotSet, fold};
use crate::lenient::quotes;
use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Facets, Says};

use super::repair::{Meant, ODD_SIGNS, meant, plain_signs};
use super::shown::{is_text, shown};
use super::terms::{Speech, Words, has_keyword};
use super::{Ear, Element, Whom, header, separator};

pub(super) fn meta(element: &impl Element, ear: &mut Ear<'_>) {
    let name = element.attribute("name").map(|name| fold(&name));
    let header = element.attribute("http-equiv").map(|name| fold(&name)).filter(|header| name.as_ref() != Some(header));
    let content = content(element, ear);
    let by_name = name.map_or(BotSet::NONE, |name| named(&name, false, &content, ear));
    let before = ear.heard.len();
    let by_header = header.as_ref().map_or(BotSet::NONE, |header| named(header, true, &content, ear));
    let heard_by_header = ear.heard.len();
    if by_name.or(by_header).is_empty() && ear.dialects.repairs() {
        repaired(element, &content, ear);
    }
    // Complaints about a description are about its text.
    if !ear.complaints.is_empty() && is_text(element) {
        ear.complaints.clear();
    }
    if let Some(header) = header.filter(|_| before < heard_by_header) {
        let message = format!("most robots read META by `name` alone: `http-equiv=\"{}\"` is read too", shown(&header));
        let bots = ear.bots_of(before..heard_by_header);
        ear.complain(NoteKind::Lookalike, bots, "meta", message);
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

/// Hears the content under a name. Returns the bots that the name means.
fn named(name: &str, is_header: bool, content: &Meant<'_>, ear: &mut Ear<'_>) -> BotSet {
    let (all, before) = (ear.bots.all(), ear.heard.len());
    let has = |known: &str| {
        let mut words = content.text.split(|c: char| c == ',' || c.is_whitespace());
        words.any(|word| word.eq_ignore_ascii_case(known))
    };
    let (bots, is_spoken) = match name {
        "htdig-noindex" => {
            vendor(&[Facet::Index, Facet::Follow], ear);
            (all, false)
        }
        "freefind" => {
            if has("nofollow") {
                vendor(&[Facet::Follow], ear);
            }
            (all, false)
        }
        "google" => {
            if has("notranslate") {
                vendor(&[Facet::Translate], ear);
            }
            (ear.bots.called(name), true)
        }
        "robots" => (all, true),
        HEADER if is_header => (all, true),
        _ => (ear.bots.called(name), true),
    };
    let is_repaired = match is_spoken && !bots.is_empty() {
        true => spoken(name, bots, content, ear),
        false => content.is_repaired,
    };
    if is_repaired && ear.heard.len() > before {
        told(ODD_SIGNS, &content.text, bots, ear);
    }
    bots
}

/// Hears a META's words. Returns true if it does so by repair.
fn spoken(name: &str, bots: BotSet, content: &Meant<'_>, ear: &mut Ear<'_>) -> bool {
    let plain = if ear.dialects.repairs() { plain_signs(&content.text) } else { Cow::from(&*content.text) };
    let is_repaired = content.is_repaired || plain != content.text;
    let speech = Speech { dialect: "meta", extent: Extent::Page, bots, is_repaired };
    if name == HEADER {
        header::line(&plain, speech, ear);
    } else {
        Words::of(&plain, ear).all_terms(speech, ear);
    }
    is_repaired
}

fn vendor(denies: &[Facet], ear: &mut Ear<'_>) {
    let bots = ear.bots.all();
    ear.hear(Says::Deny(Facets::of(denies)), Whom::Bots(bots), Extent::Page, "meta");
}

/// Hears a META whose name is miswritten, or notes one that only resembles a name.
fn repaired(element: &impl Element, content: &Meant<'_>, ear: &mut Ear<'_>) {
    for attribute in ["name", "http-equiv", "property", "itemprop", "id"] {
        let is_worth_it = |value: Cow<'_, str>| may_be_meant(&value) || attribute == "property" && !value.contains(':');
        if !element.attribute(attribute).is_some_and(is_worth_it) {
            continue;
        }
        let Some(written) = meant(element, attribute, ear) else { continue };
        let (names, complaints, before) = (names(&written.text), ear.complaints.len(), ear.heard.len());
        let heard = names.iter().filter(|_| !matches!(attribute, "itemprop" | "id"));
        let content = Meant { text: Cow::from(&*content.text), is_repaired: true };
        let bots = heard.fold(BotSet::NONE, |bots, name| bots.or(named(name, true, &content, ear)));
        if ear.heard.len() > before {
            ear.complaints.truncate(complaints);
            told("its name is none", &written.text, bots, ear);
        } else if !bots.is_empty() {
            ear.complaints.truncate(complaints);
            let why = if written.text.contains('=') {
                "a quote is not closed, and the name has swallowed another attribute"
            } else {
                "its name is none, and only denials count here"
            };
            let message = format!("nothing is read of this META: {why}: `{}`", shown(&written.text));
            ear.complain(NoteKind::Lookalike, bots, "meta", message);
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

fn told(why: &str, what: &str, bots: BotSet, ear: &mut Ear<'_>) {
    let message =
        format!("most robots do not hear this META, since {why}: `{}` is heard here as it denies", shown(what));
    ear.complain(NoteKind::Lookalike, bots, "meta", message);
}

/// The names in one: split at commas and the like, and at blanks if one of the words is `robots`.
fn names(name: &str) -> Vec<String> {
    let parts = name.split(separator::COMMAS).map(|part| fold(quotes::trimmed(part.trim())));
    let parts = parts.filter(|part| !part.is_empty());
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
