//! The X-Robots-Tag header (docs/semantics.md, section 4.2).
//!
//! Each field line stands alone. The name before a colon is a bot, unless it is a directive that takes a value. The
//! words that follow belong to that bot until the next bot or the end of the line. An empty name or `*` means every
//! bot. A member in the syntax of Robots-Tag, such as `foobot;noindex`, is for that bot alone. A name that nearly is the
//! header's, such as `X-Robot-Tag`, is heard where it denies.

use crate::note::NoteKind;
use crate::policy::Extent;

use super::ear::Ear;
use super::member::{continues_date, member};
use super::near::is_near;
use super::repair::{ODD_SIGNS, plain_signs};
use super::terms::{Speech, Words, has_keyword};

const NAME: &str = "x-robots-tag";

pub(super) fn header(name: &str, value: &str, ear: &mut Ear<'_>) {
    let repairs = ear.dialects.repairs();
    let is_named = name.trim().eq_ignore_ascii_case(NAME);
    if !(is_named || repairs && is_name(name)) {
        if repairs && is_other_name(name.trim()) && has_keyword(value) {
            let message = format!("`{}` is no header that robots hear: write X-Robots-Tag", name.trim());
            ear.complain(NoteKind::Lookalike, ear.bots.all(), "header", message);
        }
        return;
    }
    let plain = if repairs { plain_signs(value) } else { value.into() };
    let (is_repaired, before) = (plain != value || !is_named, ear.heard.len());
    line(&plain, Speech { dialect: "header", extent: Extent::Response, bots: ear.bots.all(), is_repaired }, ear);
    if is_repaired && ear.heard.len() > before {
        let why = if is_named { ODD_SIGNS } else { "its name is not X-Robots-Tag" };
        told(why, "header", ear);
    }
}

/// True for a name that may be heard as this header's.
pub(super) fn is_name(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(NAME) || is_nearly_named(name.trim())
}

fn is_nearly_named(name: &str) -> bool {
    let name = name.trim_start_matches(|c: char| !c.is_alphanumeric());
    name.starts_with(['x', 'X']) && is_near(&name.to_ascii_lowercase(), NAME)
}

/// True for `robots`, and for a header's name.
fn is_no_bot(name: &str) -> bool {
    // A version is no part of a name.
    let name = name.split('/').next().unwrap_or_default();
    ["robots", "robots-tag", NAME].iter().any(|no_bot| name.eq_ignore_ascii_case(no_bot)) || is_nearly_named(name)
}

/// True for names that only resemble the header's.
fn is_other_name(name: &str) -> bool {
    ["robots", "robot", "x-robots", "x-robot", "robot-tag", "meta-robots"]
        .iter()
        .any(|other| name.eq_ignore_ascii_case(other))
}

fn told(why: &str, dialect: &'static str, ear: &mut Ear<'_>) {
    let message = format!("most robots do not hear this line, since {why}: it is heard here as it denies");
    ear.complain(NoteKind::Lookalike, ear.bots.all(), dialect, message);
}

/// The value of one field line.
pub(super) fn line(value: &str, speech: Speech, ear: &mut Ear<'_>) {
    let (mut from, mut at) = (0, 0);
    while at < value.len() {
        let mut end = comma(value, at);
        if member(&value[at..end], ear).is_some() {
            while value.get(end + 1..).is_some_and(|next| continues_date(&value[at..end], next)) {
                end = comma(value, end + 1);
            }
        }
        if let Some((bots, rules)) = member(&value[at..end], ear) {
            words(&value[from..at], speech, ear);
            Words::of(&rules, ear).all_terms(Speech { bots, ..speech }, ear);
            from = (end + 1).min(value.len());
        }
        at = end + 1;
    }
    words(&value[from..], speech, ear);
}

/// The place of the next comma, or the end.
fn comma(value: &str, from: usize) -> usize {
    value.get(from..).and_then(|rest| rest.find(',')).map_or(value.len(), |at| from + at)
}

/// Reads words with names before colons; the first words are for the speech's bots.
fn words(value: &str, mut speech: Speech, ear: &mut Ear<'_>) {
    let mut words = Words::of(value, ear);
    let is_repaired = speech.is_repaired;
    while !words.is_over() {
        let Some(before) = words.bot_ahead() else {
            words.term(speech, ear);
            continue;
        };
        let name = before.rsplit(' ').next().unwrap_or_default();
        let whole = if matches!(before.as_str(), "" | "*") { ear.bots.all() } else { ear.bots.called(&before) };
        let everybody = is_no_bot(name) && ear.dialects.repairs();
        let last = if everybody { ear.bots.all() } else { ear.bots.called(name) };
        // Several bots are asked for: one may have the whole name, another its last word.
        words.known_terms_before_colon(Speech { bots: speech.bots.without(whole), ..speech }, ear);
        words.skip_past_colon();
        speech = Speech { bots: whole.or(last), is_repaired: is_repaired || everybody, ..speech };
        if everybody {
            told(&format!("nobody is called `{name}`"), speech.dialect, ear);
        }
    }
}
