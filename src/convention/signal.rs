//! Content Signals, in a record of a robots.txt, a header or a META (docs/semantics.md, section
//! 6.1).
//!
//! Implements Cloudflare's Content Signals Policy (contentsignals.org,
//! draft-romm-aipref-contentsignals-00): the keys `search`, `ai-input` and `ai-train`, with yes or
//! no.
//!
//! In Cloudflare's "Your site, your rules" (July 2026), the key `use` gives an upper bound for the
//! uses of a page. The word `immediate` allows nothing that is stored. The word `reference` allows
//! an index with excerpts and links, and `full` allows summaries and copies too. Each word is
//! parsed by itself, so a line that breaks off loses only its last word.
//!
//! Departures from Cloudflare's texts: `allow` and `disallow`, the plural `Content-Signals`, and
//! the META are not in these texts. They are read since publishers use them.

use crate::note::NoteKind;
use crate::policy::{Extent, Use};
use heedful_base::lenient::Shape;
use heedful_base::lenient::shape::is_between;

use super::answer::{USE, UseAnswer};
use super::collector::StatementCollector;
use super::view::Element;

pub(super) const CONVENTION: &str = "content-signal";
/// Syntax of Content Signals in a header, a META or a robots.txt record. It decides which
/// misspellings in the text are repaired.
pub(super) const SHAPE: Shape = Shape::Words;

/// Uses that the Content Signal `use=immediate` denies: all uses that store, show or reuse a page.
const STORED: [Use; 7] = [
    Use::Index,
    Use::Archive,
    Use::Snippet,
    Use::Image,
    Use::Translate,
    Use::Train,
    Use::Input,
];
/// Uses that the Content Signal `use=reference` denies: all uses beyond an index with excerpts and
/// links.
const REPRODUCED: [Use; 3] = [Use::Archive, Use::Train, Use::Input];

pub(crate) fn header(value: &str, collector: &mut StatementCollector<'_>) {
    report(value, Extent::Response, collector);
}

pub(super) fn meta(element: &impl Element, collector: &mut StatementCollector<'_>) {
    for attribute in ["name", "http-equiv"] {
        if element.is_named(attribute, is_name) {
            report(
                &element.shaped("content", SHAPE).unwrap_or_default(),
                Extent::Page,
                collector,
            );
        }
    }
}

pub(super) fn is_name(name: &str) -> bool {
    let name = name.trim();
    name.eq_ignore_ascii_case(CONVENTION) || name.eq_ignore_ascii_case("content-signals")
}

/// True if `key` is a key of Cloudflare's Content Signals, such as `ai-train`, ignoring ASCII case.
pub(super) fn is_signal(key: &str) -> bool {
    [USE, "search", "ai-train", "train-ai", "ai-input"]
        .iter()
        .any(|known| key.eq_ignore_ascii_case(known))
}

fn report(value: &str, extent: Extent, collector: &mut StatementCollector<'_>) {
    let answers = answers(value, collector);
    for answer in &answers {
        answer.report(&answers, extent, collector);
    }
}

/// Parses a line of Cloudflare's Content Signals, and returns their answers about uses of a page.
/// An example is `search=yes, ai-input=no, ai-train=no, use=reference`.
pub(super) fn answers(line: &str, collector: &mut StatementCollector<'_>) -> Vec<UseAnswer> {
    let parts = |sign| is_between(sign) || matches!(sign, '"' | '\'');
    let words = line
        .to_ascii_lowercase()
        .replace(parts, " ")
        .replace(':', "=");
    let parts: Vec<_> = words.split('=').map(str::trim).collect();
    let mut answers = Vec::new();
    for signal in parts.join("=").split_whitespace() {
        let (key, value) = signal.split_once('=').unwrap_or((signal, ""));
        match key {
            USE => read_limit(value, signal, &mut answers, collector),
            _ => read_answer(key, value, signal, &mut answers, collector),
        }
    }
    note_contradiction(&answers, collector);
    answers
}

/// Parses one Content Signal, such as `ai-train=no`, and adds its answer to `answers`. Must not be
/// called for the key `use`. If the key or the value is unknown, complains and adds no answer.
/// `signal` is the text of the whole signal, for the complaint.
fn read_answer(
    key: &str,
    value: &str,
    signal: &str,
    answers: &mut Vec<UseAnswer>,
    collector: &mut StatementCollector<'_>,
) {
    let denies = match value.trim_end_matches('.') {
        "no" | "n" | "false" | "0" | "?0" | "disallow" => true,
        "yes" | "y" | "true" | "1" | "?1" | "allow" => false,
        _ => {
            let message = format!("`{signal}`: a signal is yes or no");
            return collector.complain(
                NoteKind::UnreadableValue,
                collector.bots.all(),
                CONVENTION,
                message,
            );
        }
    };
    let (key, usage) = match key {
        "search" => ("search", Use::Index),
        // `train-ai` is AIPREF's spelling.
        "ai-train" | "train-ai" => ("ai-train", Use::Train),
        "ai-input" => ("ai-input", Use::Input),
        _ => {
            let message = format!("`{key}` is no known signal");
            return collector.complain(
                NoteKind::UnknownToken,
                collector.bots.all(),
                CONVENTION,
                message,
            );
        }
    };
    add(
        UseAnswer {
            convention: CONVENTION,
            key,
            usage,
            denies,
        },
        answers,
    );
}

/// Parses the value of the Content Signal `use`, which is an upper bound for the uses of a page.
/// Adds an answer to `answers` for each use in [`STORED`]. Complains if the value is unknown.
/// `signal` is the whole signal, for the complaint.
fn read_limit(
    value: &str,
    signal: &str,
    answers: &mut Vec<UseAnswer>,
    collector: &mut StatementCollector<'_>,
) {
    let denied: &[Use] = match value.trim_end_matches('.') {
        "immediate" => &STORED,
        "reference" => &REPRODUCED,
        "full" => &[],
        _ => {
            let message = format!("`{signal}`: a use is immediate, reference or full");
            return collector.complain(
                NoteKind::UnreadableValue,
                collector.bots.all(),
                CONVENTION,
                message,
            );
        }
    };
    for usage in STORED {
        add(
            UseAnswer {
                convention: CONVENTION,
                key: USE,
                usage,
                denies: denied.contains(&usage),
            },
            answers,
        );
    }
}

/// Adds an answer to `answers`, unless the list has it already.
fn add(answer: UseAnswer, answers: &mut Vec<UseAnswer>) {
    if !answers.contains(&answer) {
        answers.push(answer);
    }
}

/// Complains if `answers` contradict each other: if one answer allows a use, and the Content Signal
/// `use` denies this use.
fn note_contradiction(answers: &[UseAnswer], collector: &mut StatementCollector<'_>) {
    let is_capped = |answer: &&UseAnswer| {
        let caps = |most: &UseAnswer| most.key == USE && most.denies && most.usage == answer.usage;
        answer.key != USE && !answer.denies && answers.iter().any(caps)
    };
    if let Some(answer) = answers.iter().find(is_capped) {
        let message = format!(
            "`{}=yes` asks for more than `use` leaves: it is denied",
            answer.key
        );
        collector.complain(
            NoteKind::Contradiction,
            collector.bots.all(),
            CONVENTION,
            message,
        );
    }
}
