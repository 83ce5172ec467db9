//! The words `nofollow`, `ugc` and `sponsored` in the `rel` of links (docs/semantics.md, section
//! 4.5).
//!
//! Words in a `rel` are separated by blanks or commas, as Google reads them. Other separators, and
//! quotes that HTML does not know, belong to the lenient form. The class `robots-follow` of the
//! Robot Exclusion Profile lifts `nofollow`, but neither `ugc` nor `sponsored`.

use crate::policy::{Extent, StatementContent, Use, Uses};
use heedful_base::bot::BotSet;
use heedful_base::lenient::Shape;

use super::collector::{Recipients, StatementCollector};
use super::view::Element;

pub(super) fn rel(element: &impl Element, collector: &mut StatementCollector<'_>) {
    if !collector.conventions.has("rel") {
        return;
    }
    let Some(written) = element.attribute("rel") else {
        return;
    };
    if !Shape::Tokens.may_differ(&written) {
        return report(&written, collector);
    }
    collector.read_element(element, &[written], ODD, |element, collector| {
        report(
            &element.shaped("rel", Shape::Tokens).unwrap_or_default(),
            collector,
        );
    });
}

const ODD: &str = "the quotes or signs in this `rel` are part of its words to others, since blanks or commas part them";

fn report(rel: &str, collector: &mut StatementCollector<'_>) {
    if let Some(whom) = recipients(rel, collector.bots.all()) {
        collector.add(
            StatementContent::Deny(Uses::new(&[Use::Follow, Use::Anchor])),
            whom,
            Extent::Node,
            "rel",
        );
    }
}

/// Words of `rel` that deny two uses: following the link, and crediting its anchor text to the
/// target page.
pub const WORDS: [&str; 3] = ["nofollow", "ugc", "sponsored"];

/// Returns the recipients of a denial to follow a link with the value `rel`. They are all of
/// `bots`, or `None` if no word of `rel` denies following the link. If the only denying word is
/// `nofollow`, the class `robots-follow` can exempt bots from the denial.
fn recipients(rel: &str, bots: BotSet) -> Option<Recipients> {
    let mut whom = None;
    for word in rel
        .as_bytes()
        .split(|byte| byte.is_ascii_whitespace() || *byte == b',')
    {
        match WORDS
            .into_iter()
            .find(|known| word.eq_ignore_ascii_case(known.as_bytes()))
        {
            Some("nofollow") => whom = Some(Recipients::Unless(bots)),
            Some(_) => return Some(Recipients::Bots(bots)),
            None => {}
        }
    }
    whom
}
