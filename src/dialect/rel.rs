//! `rel` on links: nofollow, ugc, sponsored (docs/semantics.md, section 4.5).
//!
//! Words are parted by blanks or commas, as Google has it. Other signs between them, and quotes that HTML does not know,
//! are heard by repair. The profile's `robots-follow` lifts `nofollow`, but not the others.

use crate::bot::BotSet;
use crate::policy::{Extent, Facet, Facets, Says};
use crate::quotes;

use super::repair::meant;
use super::{Ear, Element, Whom};

pub(super) fn rel(element: &impl Element, ear: &mut Ear<'_>) {
    let Some(written) = element.attribute("rel").filter(|_| ear.dialects.has("rel")) else { return };
    let bots = ear.bots.all();
    let exact = whom(|| written.split(parts), bots);
    let is_odd = ear.dialects.repairs() && (quotes::may_be_round(&written) || written.contains(ALSO));
    let rel = is_odd.then(|| meant(element, "rel", ear)).flatten();
    let is_quoted = rel.as_ref().is_some_and(|rel| rel.is_repaired);
    let repaired = rel.and_then(|rel| {
        let words = || rel.text.split(|c| parts(c) || ALSO.contains(&c)).map(quotes::trimmed);
        whom(words, bots)
    });
    let Some(whom) = repaired.or(exact) else { return };
    let before = ear.heard.len();
    ear.hear(Says::Deny(Facets::of(&[Facet::Follow, Facet::Anchor])), whom, Extent::Node, "rel");
    if exact != Some(whom) {
        let why = match is_quoted {
            true => "the quotes round the words of `rel` are part of them to others",
            false => "the words of this `rel` are not parted by blanks or commas",
        };
        ear.tell_repaired(before, why);
    }
}

/// The signs that part words by mistake.
const ALSO: [char; 3] = [';', '|', '/'];

fn parts(c: char) -> bool {
    c.is_ascii_whitespace() || c == ','
}

/// The bots that these words are for.
fn whom<'a, W: Iterator<Item = &'a str>>(words: impl Fn() -> W, bots: BotSet) -> Option<Whom> {
    let has = |word: &str| words().any(|own| own.eq_ignore_ascii_case(word));
    if has("ugc") || has("sponsored") {
        return Some(Whom::Bots(bots));
    }
    has("nofollow").then_some(Whom::Unless(bots))
}
