//! Words in which a sign stands that is not seen, as a soft hyphen (docs/semantics.md, section 3.1).
//!
//! Such signs are read as blanks first. Then a tag is heard once more as if they were not there. That reading denies and
//! never allows, and only its denials are kept.

use std::borrow::Cow;

use crate::html::{Sieve, Tag};

use super::ear::Ear;
use super::separator;
use super::view::Element;

const WHY: &str = "a sign that is not seen stands in its words";

/// An element whose values are without such signs.
pub(super) struct Joined<'a, E>(&'a E);

impl<E: Element> Element for Joined<'_, E> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn tag(&self) -> Tag {
        self.0.tag()
    }

    fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        let value = self.0.attribute(name)?;
        Some(separator::joined(&value).map_or(value, Cow::Owned))
    }

    fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.0.attribute_names()
    }

    fn may_have(&self, names: Sieve) -> bool {
        self.0.may_have(names)
    }
}

/// Hears an element once more if one of these attributes has such a word.
pub(super) fn element<E: Element>(
    element: &E,
    attributes: &[&str],
    hear: impl FnOnce(&Joined<'_, E>, &mut Ear<'_>),
    ear: &mut Ear<'_>,
) {
    let is_joined = |name: &&str| element.attribute(name).is_some_and(|value| separator::joined(&value).is_some());
    if ear.dialects.repairs() && attributes.iter().any(is_joined) {
        once_more(|ear| hear(&Joined(element), ear), ear);
    }
}

/// Hears a value once more if it has such a word.
pub(super) fn value(value: &str, hear: impl FnOnce(&str, &mut Ear<'_>), ear: &mut Ear<'_>) {
    if ear.dialects.repairs()
        && let Some(joined) = separator::joined(value)
    {
        once_more(|ear| hear(&joined, ear), ear);
    }
}

fn once_more(hear: impl FnOnce(&mut Ear<'_>), ear: &mut Ear<'_>) {
    let (heard, complaints) = (ear.heard.len(), ear.complaints.len());
    let (declared, pointers) = (ear.declared.len(), ear.pointers.len());
    hear(ear);
    ear.only_denials_from(heard);
    ear.complaints.truncate(complaints);
    ear.declared.truncate(declared);
    ear.pointers.truncate(pointers);
    ear.tell_repaired(heard, WHY);
}
