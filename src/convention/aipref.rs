//! AI preferences: the `Content-Usage` header (docs/semantics.md, section 4.5), and the
//! `Content-Usage` record in a robots.txt (section 6.1).
//!
//! Implements the drafts of the IETF's working group, draft-ietf-aipref-vocab-08 and -attach-05: a
//! dictionary of RFC 9651 with the values `y` and `n`. Only denials have an effect. This file
//! departs from the drafts as follows, and each departure withholds more. Labels of earlier drafts
//! and of proposals are read too, and so are the values `no` and `?0`. A line that does not parse
//! as a dictionary is split into members, and those that parse alone and deny are obeyed. A label
//! that no document proposes has no effect, and is noted.

use sfv::{BareItem, Dictionary, Item, ListEntry, Parser};

use crate::note::NoteKind;
use crate::policy::{Extent, Use};
use heedful_base::lenient::Shape;

use super::answer::UseAnswer;
use super::collector::StatementCollector;

pub(super) const CONVENTION: &str = "aipref";
/// Syntax of the value of a `Content-Usage` header or robots.txt record. It decides which
/// misspellings in the value are repaired.
pub(super) const SHAPE: Shape = Shape::Field;

/// A label in a `Content-Usage`, such as `train-ai`, and one use that the label can deny. Labels
/// with the same meaning have the same `key`.
struct Label {
    name: &'static str,
    key: &'static str,
    usage: Use,
    /// True if the label covers other uses beside `usage`. If another label covers only `usage`,
    /// that label has precedence.
    is_general: bool,
}

const fn label(name: &'static str, key: &'static str, usage: Use) -> Label {
    Label {
        name,
        key,
        usage,
        is_general: false,
    }
}

const fn general(name: &'static str, usage: Use) -> Label {
    Label {
        name,
        key: name,
        usage,
        is_general: true,
    }
}

/// All known labels of a `Content-Usage`. If a label covers several uses, it has an entry for each
/// use. Several labels, such as `infer-user` and `infer-system`, cover [`Use::Input`]. If one of
/// them denies this use, the use is denied.
const LABELS: [Label; 23] = [
    // draft-ietf-aipref-vocab-08.
    label("train-ai", "train", Use::Train),
    label("ai-use", "use", Use::Input),
    label("search", "search", Use::Index),
    // Earlier drafts of the same document, and Cloudflare's spelling.
    label("train-genai", "train", Use::Train),
    label("ai-train", "train", Use::Train),
    label("genai", "train", Use::Train),
    label("ai", "train", Use::Train),
    label("ai-output", "use", Use::Input),
    label("inference", "use", Use::Input),
    general("ai-output", Use::Index),
    general("bots", Use::Index),
    general("bots", Use::Train),
    general("bots", Use::Input),
    general("all", Use::Index),
    general("all", Use::Train),
    general("all", Use::Input),
    general("tdm", Use::Index),
    general("tdm", Use::Train),
    general("tdm", Use::Input),
    // Proposals.
    label("ai-input", "use", Use::Input),
    label("rag-ground", "rag-ground", Use::Input),
    label("infer-user", "infer-user", Use::Input),
    label("infer-system", "infer-system", Use::Input),
];

pub(crate) fn header(value: &str, collector: &mut StatementCollector<'_>) {
    let preferences = read_preferences(value, collector);
    for preference in &preferences {
        preference.report(&preferences, Extent::Response, collector);
    }
}

pub(super) fn is_name(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("content-usage")
}

/// Parses the value of one `Content-Usage` line, such as `train-ai=n`. The value should be a
/// dictionary of RFC 9651. If it is not, only its members that deny a use have an effect.
pub(super) fn read_preferences(
    value: &str,
    collector: &mut StatementCollector<'_>,
) -> Vec<UseAnswer> {
    if let Ok(preferences) = Parser::new(value).parse::<Dictionary>() {
        return read_dictionary(&preferences, collector);
    }
    let message =
        format!("`{value}` is no dictionary of preferences: only what it plainly denies counts");
    collector.complain(
        NoteKind::UnreadableValue,
        collector.bots.all(),
        CONVENTION,
        message,
    );
    let mut answers: Vec<UseAnswer> = Vec::new();
    for member in value.split(',') {
        let member: String = member.split_whitespace().collect();
        let member = member.to_ascii_lowercase();
        let Ok(preferences) = Parser::new(&member).parse::<Dictionary>() else {
            continue;
        };
        for answer in read_dictionary(&preferences, collector) {
            if answer.denies && !answers.contains(&answer) {
                answers.push(answer);
            }
        }
    }
    answers
}

/// Returns the uses that the labels of a dictionary deny or allow. A label that covers several uses
/// does not deny a use that another label allows by name.
fn read_dictionary(
    preferences: &Dictionary,
    collector: &mut StatementCollector<'_>,
) -> Vec<UseAnswer> {
    let mut labels: Vec<(&Label, bool)> = Vec::new();
    for (key, value) in preferences {
        let Some(denies) = read_preference(key.as_str(), value, collector) else {
            continue;
        };
        for label in &LABELS {
            if label.name == key.as_str() {
                labels.push((label, denies));
            }
        }
    }
    let mut answers = Vec::new();
    for (label, denies) in &labels {
        if label.is_general && *denies && is_allowed_by_name(label.usage, &labels) {
            continue;
        }
        answers.push(UseAnswer {
            convention: CONVENTION,
            key: label.key,
            usage: label.usage,
            denies: *denies,
        });
    }
    answers
}

/// True if a label in `labels` allows `usage` and covers no other use.
fn is_allowed_by_name(usage: Use, labels: &[(&Label, bool)]) -> bool {
    labels
        .iter()
        .any(|(label, denies)| !label.is_general && label.usage == usage && !denies)
}

/// Reads one label and its value, such as `train-ai=n`. Returns true for the value `n`, which
/// denies. Returns false for the value `y`, which allows. If the label is unknown or the value does
/// not parse, adds a complaint and returns `None`.
fn read_preference(
    key: &str,
    value: &ListEntry,
    collector: &mut StatementCollector<'_>,
) -> Option<bool> {
    if !LABELS.iter().any(|label| label.name == key) {
        let message = format!("`{key}` is no known preference");
        collector.complain(
            NoteKind::UnknownToken,
            collector.bots.all(),
            CONVENTION,
            message,
        );
        return None;
    }
    match value {
        ListEntry::Item(Item { bare_item, .. }) if is_no(bare_item) => Some(true),
        ListEntry::Item(Item {
            bare_item: BareItem::Token(token),
            ..
        }) if token.as_str() == "y" => Some(false),
        _ => {
            let message = format!("`{key}` is y or n");
            collector.complain(
                NoteKind::UnreadableValue,
                collector.bots.all(),
                CONVENTION,
                message,
            );
            None
        }
    }
}

fn is_no(item: &BareItem) -> bool {
    match item {
        BareItem::Token(token) => matches!(token.as_str(), "n" | "no"),
        BareItem::Boolean(answer) => !answer,
        _ => false,
    }
}
