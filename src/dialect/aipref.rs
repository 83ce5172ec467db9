//! AI preferences: the `Content-Usage` header (docs/semantics.md, section 4.5), and the record of that name in a
//! robots.txt (section 6).
//!
//! By the drafts of the IETF's working group: a dictionary of RFC 9651 with `y` and `n`. Only denials count. The keys
//! of earlier drafts and the values `no` and `?0` count too, and so does what a line that is no dictionary plainly
//! denies: that withholds more. What cannot be read says nothing.

use sfv::{BareItem, Dictionary, Item, ListEntry, Parser};

use crate::note::NoteKind;
use crate::policy::Facet;

use super::Ear;
use super::record::{self, Answer};

const DIALECT: &str = "aipref";

pub(super) fn header(name: &str, value: &str, ear: &mut Ear<'_>) {
    if !name.trim().eq_ignore_ascii_case("content-usage") {
        return;
    }
    for preference in preferences(value, ear) {
        record::hear(&preference, ear);
    }
}

pub(super) fn preferences(value: &str, ear: &mut Ear<'_>) -> Vec<Answer> {
    if let Ok(preferences) = Parser::new(value).parse::<Dictionary>() {
        return all(&preferences, ear);
    }
    let message = format!("`{value}` is no dictionary of preferences: only what it plainly denies counts");
    ear.complain(NoteKind::UnreadableValue, ear.bots.all(), DIALECT, message);
    let mut answers = Vec::new();
    for member in value.split(',') {
        let member: String = member.split_whitespace().collect();
        if let Ok(preferences) = Parser::new(&member.to_ascii_lowercase()).parse::<Dictionary>() {
            answers.extend(all(&preferences, ear).into_iter().filter(|(.., denies)| *denies));
        }
    }
    answers
}

fn all(preferences: &Dictionary, ear: &mut Ear<'_>) -> Vec<Answer> {
    preferences.iter().filter_map(|(key, value)| preference(key.as_str(), value, ear)).collect()
}

fn preference(key: &str, value: &ListEntry, ear: &mut Ear<'_>) -> Option<Answer> {
    let facet = match key {
        "search" => Facet::Index,
        "train-ai" | "ai-train" | "train-genai" | "ai" => Facet::Train,
        _ => {
            let message = format!("`{key}` is no known preference");
            ear.complain(NoteKind::UnknownToken, ear.bots.all(), DIALECT, message);
            return None;
        }
    };
    match value {
        ListEntry::Item(Item { bare_item, .. }) if is_no(bare_item) => Some((DIALECT, facet, true)),
        ListEntry::Item(Item { bare_item: BareItem::Token(token), .. }) if token.as_str() == "y" => {
            Some((DIALECT, facet, false))
        }
        _ => {
            let message = format!("`{key}` is y or n");
            ear.complain(NoteKind::UnreadableValue, ear.bots.all(), DIALECT, message);
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
