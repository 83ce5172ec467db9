//! The TDM Reservation Protocol: `tdm-reservation` in META, a header, or the site's tdmrep.json
//! (docs/semantics.md, section 4.5).
//!
//! `1` reserves and `0` does not; other values have no effect. By the protocol the page overrides
//! the header, which overrides the file. Here a reservation counts wherever it was made, which
//! withholds more. A `tdm-policy` is reported and not read.

use crate::note::NoteKind;
use crate::policy::{Extent, Says, Use, Uses};

use super::answer::UseAnswer;
use super::ear::{StatementCollector, Whom};
use super::shown::shown;
use super::view::Element;

const NAME: &str = "tdm-reservation";
const POLICY: &str = "tdm-policy";
const CONVENTION: &str = "tdm";

pub(super) fn meta(element: &impl Element, ear: &mut StatementCollector<'_>) {
    let is_policy = element
        .attribute("name")
        .is_some_and(|name| name.trim().eq_ignore_ascii_case(POLICY));
    if let Some(url) = element.attribute("content").filter(|_| is_policy) {
        policy(url.trim(), ear);
    }
    if element.is_named("name", is_name) {
        value(
            &element.attribute("content").unwrap_or_default(),
            Extent::Page,
            ear,
        );
    }
}

pub(crate) fn header(content: &str, ear: &mut StatementCollector<'_>) {
    value(content, Extent::Response, ear);
}

/// Reports the policy that a header names.
pub(super) fn policy_header(name: &str, content: &str, ear: &mut StatementCollector<'_>) {
    if name.trim().eq_ignore_ascii_case(POLICY) {
        policy(content.trim(), ear);
    }
}

/// True for the header that reserves. The one that names a policy decides nothing.
pub(super) fn is_name(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(NAME)
}

/// Reads a rule of a tdmrep.json, or such a record of a robots.txt. It has the value, perhaps the
/// address of a policy, perhaps the reason why it is not plain.
pub(super) fn reservation(said: &str, ear: &mut StatementCollector<'_>) -> Vec<UseAnswer> {
    let mut words = said.split_whitespace();
    let value = words.next().unwrap_or_default();
    let is_reserved = matches!(value, "1" | "yes" | "true");
    for word in words {
        match word.strip_prefix('?') {
            Some(why) => {
                let message = format!("tdmrep.json: {}", why.replace("%20", " "));
                ear.complain(
                    NoteKind::UnreadableValue,
                    ear.bots.all(),
                    CONVENTION,
                    message,
                );
            }
            None if is_reserved => policy(word, ear),
            None => {}
        }
    }
    let answer = |denies| UseAnswer {
        convention: CONVENTION,
        key: "",
        usage: Use::Train,
        denies,
    };
    match value {
        _ if is_reserved => vec![answer(true)],
        "0" => vec![answer(false)],
        // A rule without a value was reported above.
        "-" => Vec::new(),
        other => {
            unreadable(other, ear);
            Vec::new()
        }
    }
}

fn unreadable(value: &str, ear: &mut StatementCollector<'_>) {
    let message = format!("`{NAME}` is 0 or 1: `{}` says nothing", shown(value));
    ear.complain(
        NoteKind::UnreadableValue,
        ear.bots.all(),
        CONVENTION,
        message,
    );
}

/// Reports the address of the terms under which a use can be had.
fn policy(url: &str, ear: &mut StatementCollector<'_>) {
    let message = format!("`tdm-policy`: terms for text and data mining stand at {url}");
    ear.complain(NoteKind::Terms, ear.bots.all(), CONVENTION, message);
}

fn value(value: &str, extent: Extent, ear: &mut StatementCollector<'_>) {
    // Several header lines may have been joined to one.
    let values = || value.split(',').map(str::trim);
    match value.trim() {
        _ if values().any(|value| value == "1") => {
            ear.hear(
                Says::Deny(Uses::of(&[Use::Train])),
                Whom::Bots(ear.bots.all()),
                extent,
                CONVENTION,
            );
        }
        "0" => ear.hear(
            Says::Allow(Uses::of(&[Use::Train])),
            Whom::Bots(ear.bots.all()),
            extent,
            CONVENTION,
        ),
        other => unreadable(other, ear),
    }
}
