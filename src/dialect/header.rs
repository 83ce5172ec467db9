//! The X-Robots-Tag header (docs/semantics.md, section 4.2).
//!
//! Each field line stands alone. What is before a colon is a bot, unless it is a directive that takes a value; what
//! follows belongs to that bot until the next bot or the end of the line.

use crate::policy::Extent;

use super::Ear;
use super::terms::{Speech, Words};

pub(super) fn header(name: &str, value: &str, ear: &mut Ear<'_>) {
    if !name.trim().eq_ignore_ascii_case("x-robots-tag") {
        return;
    }
    let mut words = Words::of(value);
    let mut speech = Speech { dialect: "header", extent: Extent::Response, bots: ear.bots.all() };
    while !words.is_over() {
        if let Some(before) = words.bot_ahead() {
            let whole = ear.bots.called(&before);
            let last = before.rsplit(' ').next().map_or(whole, |word| ear.bots.called(word));
            if whole.is_empty() {
                words.known_terms_before_colon(speech, ear);
            }
            words.skip_past_colon();
            speech.bots = if whole.is_empty() { last } else { whole };
        } else {
            words.term(speech, ear);
        }
    }
}
