//! The TDM Reservation Protocol: `tdm-reservation` in a META, a header, or the site's tdmrep.json
//! (docs/semantics.md, section 4.5).
//!
//! The value `1` of `tdm-reservation` reserves the page, which denies training, and `0` does not.
//! Other values have no effect, with a note. By the protocol a statement in the page overrides the
//! header, and the header overrides tdmrep.json. Here a reservation is obeyed in each of these,
//! which withholds more. The document at a `tdm-policy` is not read, and a note reports its
//! address.

use crate::note::NoteKind;
use crate::policy::{Extent, StatementContent, Use, Uses};

use super::answer::UseAnswer;
use super::collector::{Recipients, StatementCollector};
use super::shown::quotable;
use super::view::Element;

const NAME: &str = "tdm-reservation";
const POLICY: &str = "tdm-policy";
const CONVENTION: &str = "tdm";

pub(super) fn meta(element: &impl Element, collector: &mut StatementCollector<'_>) {
    let is_policy = element
        .attribute("name")
        .is_some_and(|name| name.trim().eq_ignore_ascii_case(POLICY));
    if is_policy && let Some(url) = element.attribute("content") {
        report_policy(url.trim(), collector);
    }
    if element.is_named("name", is_name) {
        read_value(
            &element.attribute("content").unwrap_or_default(),
            Extent::Page,
            collector,
        );
    }
}

pub(crate) fn header(content: &str, collector: &mut StatementCollector<'_>) {
    read_value(content, Extent::Response, collector);
}

/// Adds a note on the terms of use at the URL in a `tdm-policy` header. Any other header is
/// ignored.
pub(super) fn policy_header(name: &str, content: &str, collector: &mut StatementCollector<'_>) {
    if name.trim().eq_ignore_ascii_case(POLICY) {
        report_policy(content.trim(), collector);
    }
}

/// True if `name` is `tdm-reservation`, the name of the header and META that reserve a page.
pub(super) fn is_name(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(NAME)
}

/// Reads the value of a `TDM-Reservation` record in a robots.txt, and returns the answer about
/// training. The first word of the value is `1` (training is denied), `0` (training is allowed) or
/// `-` (no answer). The URL of a policy may follow. The rules of a tdmrep.json are converted to
/// such records. If a rule is unclear, the conversion adds `?` and the reason as one more word.
pub(super) fn read_reservation(
    text: &str,
    collector: &mut StatementCollector<'_>,
) -> Vec<UseAnswer> {
    let mut words = text.split_whitespace();
    let value = words.next().unwrap_or_default();
    let is_reserved = matches!(value, "1" | "yes" | "true");
    for word in words {
        match word.strip_prefix('?') {
            Some(why) => {
                let message = format!("tdmrep.json: {}", why.replace("%20", " "));
                collector.complain(
                    NoteKind::UnreadableValue,
                    collector.bots.all(),
                    CONVENTION,
                    message,
                );
            }
            None if is_reserved => report_policy(word, collector),
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
        // The complaint about a rule without a value was added by the loop above.
        "-" => Vec::new(),
        other => {
            report_unreadable(other, collector);
            Vec::new()
        }
    }
}

fn report_unreadable(value: &str, collector: &mut StatementCollector<'_>) {
    let message = format!(
        "`{NAME}` must be 0 or 1: `{}` has no effect",
        quotable(value)
    );
    collector.complain(
        NoteKind::UnreadableValue,
        collector.bots.all(),
        CONVENTION,
        message,
    );
}

/// Adds a note that there are terms for text and data mining at `url`. heedful does not read these
/// terms.
fn report_policy(url: &str, collector: &mut StatementCollector<'_>) {
    let message = format!("`tdm-policy`: terms for text and data mining stand at {url}");
    collector.complain(NoteKind::Terms, collector.bots.all(), CONVENTION, message);
}

fn read_value(value: &str, extent: Extent, collector: &mut StatementCollector<'_>) {
    // A proxy may have joined several header lines to one.
    let values = || value.split(',').map(str::trim);
    match value.trim() {
        _ if values().any(|value| value == "1") => {
            collector.add(
                StatementContent::Deny(Uses::new(&[Use::Train])),
                Recipients::Bots(collector.bots.all()),
                extent,
                CONVENTION,
            );
        }
        "0" => collector.add(
            StatementContent::Allow(Uses::new(&[Use::Train])),
            Recipients::Bots(collector.bots.all()),
            extent,
            CONVENTION,
        ),
        other => report_unreadable(other, collector),
    }
}
