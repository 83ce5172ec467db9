//! AI preferences: the `Content-Usage` header (docs/semantics.md, section 4.5).
//!
//! By the drafts of the IETF's working group: a dictionary of RFC 9651 with `y` and `n`. Only denials are heard. The keys
//! of earlier drafts and the values `no` and `?0` count too, and so does what a line that is no dictionary plainly
//! denies: that withholds more. What cannot be read says nothing.

use sfv::{BareItem, Dictionary, Item, ListEntry, Parser};

use crate::note::NoteKind;
use crate::policy::{Extent, Facet, Facets, Says};

use super::{Ear, Whom};

const DIALECT: &str = "aipref";

pub(super) fn header(name: &str, value: &str, ear: &mut Ear<'_>) {
    if !name.trim().eq_ignore_ascii_case("content-usage") {
        return;
    }
    if let Ok(preferences) = Parser::new(value).parse::<Dictionary>() {
        return all(&preferences, ear);
    }
    let message = format!("`{value}` is no dictionary of preferences: only what it plainly denies counts");
    ear.complain(NoteKind::UnreadableValue, ear.bots.all(), DIALECT, message);
    for member in value.split(',') {
        let member: String = member.split_whitespace().collect();
        if let Ok(preferences) = Parser::new(&member.to_ascii_lowercase()).parse::<Dictionary>() {
            all(&preferences, ear);
        }
    }
}

fn all(preferences: &Dictionary, ear: &mut Ear<'_>) {
    for (key, value) in preferences {
        preference(key.as_str(), value, ear);
    }
}

fn preference(key: &str, value: &ListEntry, ear: &mut Ear<'_>) {
    let facet = match key {
        "search" => Facet::Index,
        "train-ai" | "ai-train" | "train-genai" | "ai" => Facet::Train,
        _ => {
            let message = format!("`{key}` is no known preference");
            return ear.complain(NoteKind::UnknownToken, ear.bots.all(), DIALECT, message);
        }
    };
    match value {
        ListEntry::Item(Item { bare_item, .. }) if is_no(bare_item) => {
            let denies = Says::Deny(Facets::of(&[facet]));
            ear.hear(denies, Whom::Bots(ear.bots.all()), Extent::Response, DIALECT);
        }
        ListEntry::Item(Item { bare_item: BareItem::Token(token), .. }) if token.as_str() == "y" => {}
        _ => {
            let message = format!("`{key}` is y or n");
            ear.complain(NoteKind::UnreadableValue, ear.bots.all(), DIALECT, message);
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
