//! The X-Robots-Tag header (docs/semantics.md, section 4.2).
//!
//! Each field line stands alone. What is before a colon is a bot, unless it is a directive that takes a value; what
//! follows belongs to that bot until the next bot or the end of the line. Nothing, or `*`, before a colon is every bot.

use crate::policy::Extent;

use super::Ear;
use super::terms::{Speech, Words};

pub(super) fn header(name: &str, value: &str, ear: &mut Ear<'_>) {
    if name.trim().eq_ignore_ascii_case("x-robots-tag") {
        line(value, Speech { dialect: "header", extent: Extent::Response, bots: ear.bots.all() }, ear);
    }
}

/// The value of one field line; it begins with what is said to the speech's bots.
pub(super) fn line(value: &str, mut speech: Speech, ear: &mut Ear<'_>) {
    let mut words = Words::of(value);
    while !words.is_over() {
        if let Some(before) = words.bot_ahead() {
            let whole = if matches!(before.as_str(), "" | "*") { ear.bots.all() } else { ear.bots.called(&before) };
            let last = before.rsplit(' ').next().map_or(whole, |word| ear.bots.called(word));
            // Of several bots one may be called so, and another by the last word.
            words.known_terms_before_colon(Speech { bots: speech.bots.without(whole), ..speech }, ear);
            words.skip_past_colon();
            speech.bots = whole.or(last);
        } else {
            words.term(speech, ear);
        }
    }
}
