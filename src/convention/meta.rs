//! META robots, and META with a bot's name (docs/semantics.md, section 4.1).
//!
//! A denial in a lenient form of a META is obeyed, with a note, if its meaning is beyond doubt. In
//! a lenient form, a name or content may be in quotes that HTML does not know. One attribute may
//! have several names. The name may be that of a header, or be in `property`. A text that only
//! resembles a denial has no effect, and is noted.

use std::borrow::Cow;

use crate::note::NoteKind;
use crate::policy::{Extent, StatementContent, Use, Uses};
use heedful_base::bot::{BotSet, fold};
use heedful_base::lenient::near::near;
use heedful_base::lenient::shape::words;
use heedful_base::lenient::{Shape, quotes};

use super::collector::{Recipients, StatementCollector};
use super::header;
use super::header::NAME as HEADER;
use super::shown::{is_text, quotable};
use super::terms::{StatementContext, TermWords, has_denial};
use super::view::{AttributeNames, Element};

const ROBOTS: &str = "robots";

pub(super) fn meta(element: &impl Element, collector: &mut StatementCollector<'_>) {
    let before = collector.complaints.len();
    let by_name = element.names("name");
    let mut by_header = element.names("http-equiv");
    by_header.retain(|name| name == HEADER || !by_name.contains(name));
    let mut bots = read_names(&by_name, false, element, collector);
    let heard_by_name = collector.statements.len();
    bots = bots.or(read_names(&by_header, true, element, collector));
    if bots.is_empty() {
        note_lookalike(element, collector);
    }
    // A description is text of the page, so complaints about its words would be wrong.
    if collector.complaints.len() > before && is_text(element) {
        collector.complaints.truncate(before);
    }
    let denied = collector.bots_denied_since(heard_by_name);
    if let Some(header) = by_header.first().filter(|_| !denied.is_empty()) {
        let message = format!(
            "most robots read META by `name` alone: `http-equiv=\"{}\"` is read too",
            quotable(header)
        );
        collector.complain(NoteKind::Lookalike, denied, "meta", message);
    }
}

/// Returns the attribute `content` of a META, or its attribute `value` if the META has no
/// `content`.
fn content<'a>(element: &'a impl Element, collector: &mut StatementCollector<'_>) -> Cow<'a, str> {
    if let Some(content) = element.shaped("content", Shape::Words) {
        return content;
    }
    let value = element.shaped("value", Shape::Words).unwrap_or_default();
    if element.is_named("name", |name| name.eq_ignore_ascii_case(ROBOTS)) && has_denial(&value) {
        let message = format!(
            "META has its words in `content`: `value=\"{}\"` is read in its place",
            quotable(&value)
        );
        collector.complain(NoteKind::Lookalike, collector.bots.all(), "meta", message);
    }
    value
}

/// Reads the content of a META for the bots that `names` address, and returns these bots. `names`
/// are from its `http-equiv` if `is_header` is true, and otherwise from its `name`.
fn read_names(
    names: &AttributeNames,
    is_header: bool,
    element: &impl Element,
    collector: &mut StatementCollector<'_>,
) -> BotSet {
    let all = collector.bots.all();
    let mut bots = BotSet::NONE;
    let mut spoken_to = BotSet::NONE;
    for name in names {
        let has = |known: &str, collector: &mut StatementCollector<'_>| {
            words(&content(element, collector)).any(|word| word.eq_ignore_ascii_case(known))
        };
        match name.as_str() {
            "htdig-noindex" => {
                deny(&[Use::Index, Use::Follow], collector);
                bots = all;
            }
            "freefind" => {
                if has("nofollow", collector) {
                    deny(&[Use::Follow], collector);
                }
                bots = all;
            }
            "google" if has("notranslate", collector) => deny(&[Use::Translate], collector),
            HEADER if is_header => {
                header::line(&content(element, collector), context(all), collector);
                bots = all;
            }
            _ => {}
        }
        spoken_to = spoken_to.or(if name == ROBOTS {
            all
        } else {
            collector.bots.with_name(name)
        });
    }
    if !spoken_to.is_empty() {
        TermWords::parse(&content(element, collector)).read_all(context(spoken_to), collector);
    }
    bots.or(spoken_to)
}

fn context(bots: BotSet) -> StatementContext {
    StatementContext {
        convention: "meta",
        extent: Extent::Page,
        bots,
        only_denies: false,
    }
}

fn deny(denies: &[Use], collector: &mut StatementCollector<'_>) {
    let bots = collector.bots.all();
    collector.add(
        StatementContent::Deny(Uses::new(denies)),
        Recipients::Bots(bots),
        Extent::Page,
        "meta",
    );
}

/// Adds a note on a META whose name only resembles `robots`, such as `robts`. Adds no note if the
/// META would deny nothing under the name `robots`.
fn note_lookalike(element: &impl Element, collector: &mut StatementCollector<'_>) {
    for attribute in ["name", "http-equiv", "property", "itemprop", "id"] {
        let Some(written) = element.attribute(attribute) else {
            continue;
        };
        if may_be_near(&written)
            && is_nearly_robots(&fold(&written))
            && has_denial(&quotes::remove(&content(element, collector)))
        {
            let message = format!(
                "`{attribute}=\"{}\"` is no name that robots read: write `name=\"robots\"`",
                quotable(&written)
            );
            collector.suggest("meta", message);
        }
    }
}

/// Quick test before a comparison with the name `robots`. True if `value` contains `rob` or `ots`,
/// the halves of this name, ignoring ASCII case. One edit of `robots` leaves one of the halves,
/// except in `roobts`, which gets no note.
fn may_be_near(value: &str) -> bool {
    let is_half =
        |half: &[u8]| half.eq_ignore_ascii_case(b"rob") || half.eq_ignore_ascii_case(b"ots");
    value.as_bytes().windows(3).any(is_half)
}

fn is_nearly_robots(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    letters.starts_with("robot") || letters == "metarobots" || near(&letters, [ROBOTS]).is_some()
}
