//! `rel` on links: nofollow, ugc, sponsored (docs/semantics.md, section 4.5).
//!
//! Words are parted by blanks or commas, as Google has it. Other signs between them, and quotes that HTML does not know,
//! are heard by repair. The profile's `robots-follow` lifts `nofollow`, but not the others.

use crate::bot::BotSet;
use crate::lenient::quotes;
use crate::policy::{Extent, Facet, Facets, Says};

use super::joined::Joined;
use super::repair::meant;
use super::{Ear, Element, Whom, joined, separator};

pub(super) fn rel(element: &impl Element, ear: &mut Ear<'_>) {
    let Some(written) = element.attribute("rel").filter(|_| ear.dialects.has("rel")) else { return };
    hear(element, &written, ear);
    if !written.is_ascii() {
        let once_more = |element: &Joined<'_, _>, ear: &mut Ear<'_>| {
            hear(element, &element.attribute("rel").unwrap_or_default(), ear);
        };
        joined::element(element, &["rel"], once_more, ear);
    }
}

fn hear(element: &impl Element, written: &str, ear: &mut Ear<'_>) {
    let bots = ear.bots.all();
    let mut is_odd = quotes::may_be_round(written);
    let words = written.as_bytes().split(|byte| {
        is_odd |= matches!(byte, b';' | b'|' | b'/' | 0x80..);
        byte.is_ascii_whitespace() || *byte == b','
    });
    let exact = whom(words, bots);
    let rel = (is_odd && ear.dialects.repairs()).then(|| meant(element, "rel", ear)).flatten();
    let repaired = rel.and_then(|rel| whom(parted(&rel.text).map(str::as_bytes), bots));
    let Some(whom) = repaired.or(exact) else { return };
    let before = ear.heard.len();
    ear.hear(Says::Deny(Facets::of(&[Facet::Follow, Facet::Anchor])), whom, Extent::Node, "rel");
    if exact != Some(whom) {
        let why = match written.contains(quotes::is_quote) {
            true => "the quotes round the words of `rel` are part of them to others",
            false => "the words of this `rel` are not parted by plain blanks or commas",
        };
        ear.tell_repaired(before, why);
    }
}

/// The words of `rel` as their author parts them. U+FFFD is what is left of a blank, or of a quote, in another encoding.
pub(crate) fn parted(rel: &str) -> impl Iterator<Item = &str> {
    rel.split(|sign| separator::parts(sign) || matches!(sign, '/' | '\u{FFFD}')).map(quotes::trimmed)
}

/// The bots that these words are for.
fn whom<'a>(words: impl Iterator<Item = &'a [u8]>, bots: BotSet) -> Option<Whom> {
    let mut whom = None;
    for word in words {
        match word.len() {
            3 if word.eq_ignore_ascii_case(b"ugc") => return Some(Whom::Bots(bots)),
            9 if word.eq_ignore_ascii_case(b"sponsored") => return Some(Whom::Bots(bots)),
            8 if word.eq_ignore_ascii_case(b"nofollow") => whom = Some(Whom::Unless(bots)),
            _ => {}
        }
    }
    whom
}
