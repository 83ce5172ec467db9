//! Adds notes about probable mistakes of the publisher: a region mark that is misspelt or is no
//! proper comment, or content that a browser moves. Notes never change the directives.

use crate::convention::comment::RegionMark;
use crate::convention::{self, Conventions};
use crate::ledger::Ledger;
use crate::lex::Token;
use crate::note::NoteKind;
use crate::place::Place;

use super::words::{before_markup, shortened_copy};

/// Adds a note if the token is a `template` with the attribute `for`. A browser may put the content
/// of such a template elsewhere in the page, so this content is not read.
pub(super) fn note_out_of_order(token: &Token<'_>, ledger: &mut Ledger) {
    if token.name() == "template" && !token.is_foreign() && token.attribute("for").is_some() {
        let message = "what this template holds a browser may put elsewhere: it is not read";
        ledger.note_for_all(NoteKind::OutOfOrder, None, Some(token.place()), message);
    }
}

/// Adds a note for a region mark in markup such as `<!x>` or CDATA, instead of a comment
/// `<!--x-->`. Such a mark has no effect.
pub(super) fn note_bogus(token: &Token<'_>, conventions: &Conventions, ledger: &mut Ledger) {
    let text = token.text();
    let text = match text.strip_prefix("[CDATA[") {
        Some(content) => content.strip_suffix("]]").unwrap_or(content),
        None => &text,
    };
    if let Some(mark) = convention::comment(text, conventions).first() {
        let message = format!(
            "`{}` does not begin with `<!--`, so it marks nothing",
            shortened_copy(token.raw())
        );
        ledger.note_for_all(
            NoteKind::BogusMarker,
            Some(mark.convention()),
            Some(token.place()),
            message,
        );
    }
}

/// Adds a note if `text` holds an opening region mark although HTML reads no comments there. The
/// mark is text of the page, so the note does not quote it.
pub(super) fn note_literal(
    text: &str,
    place: Place,
    conventions: &Conventions,
    ledger: &mut Ledger,
) {
    let behind = text.split("<!--").skip(1);
    let comments = behind
        .filter_map(|behind| Some(&behind[..behind.find("-->").or_else(|| behind.find("--!>"))?]));
    let mut marks = comments.flat_map(|comment| convention::comment(comment, conventions));
    if let Some(mark) = marks.find(|mark| !matches!(mark, RegionMark::Close { .. })) {
        let message = "a mark in a title or a textarea is text, so it marks nothing".to_owned();
        ledger.note_for_all(
            NoteKind::BogusMarker,
            Some(mark.convention()),
            Some(place),
            message,
        );
    }
}

pub(super) fn note_lenient(convention: &'static str, token: &Token<'_>, ledger: &mut Ledger) {
    let message = format!(
        "`{}` is not how this mark is written: it opens a region here, and closes none but those opened so",
        shortened_copy(before_markup(token.raw()))
    );
    ledger.note_for_all(
        NoteKind::Lookalike,
        Some(convention),
        Some(token.place()),
        message,
    );
}

/// Adds a note for a comment that is nearly a region mark. A closing mark with nothing to close is
/// not reported.
pub(super) fn note_lookalike(
    token: &Token<'_>,
    conventions: &Conventions,
    is_idle: impl Fn(&RegionMark) -> bool,
    ledger: &mut Ledger,
) {
    let text = token.text();
    let nearly = convention::nearly_a_mark(&text, conventions);
    if let Some((meant, mark)) = nearly
        && !is_idle(&mark)
    {
        let message = format!(
            "`{}` marks nothing: did you mean `{meant}`?",
            shortened_copy(text.trim())
        );
        ledger.note_for_all(
            NoteKind::Lookalike,
            Some(mark.convention()),
            Some(token.place()),
            message,
        );
    }
}

/// Adds a note on a comment that has swallowed markup after a region mark, as in
/// `<!--noindex><b>text</b>-->`. HTML ends this comment at the next `-->`, and not at the `>`.
/// Returns true if the comment is of this kind, and false otherwise.
pub(super) fn note_swallowing(
    token: &Token<'_>,
    conventions: &Conventions,
    ledger: &mut Ledger,
) -> bool {
    let text = token.text();
    let Some((beginning, rest)) = text.split_once('>') else {
        return false;
    };
    if !rest.contains('<') {
        return false;
    }
    let marks = convention::comment(beginning, conventions);
    let Some(mark) = marks.first() else {
        return false;
    };
    let message = format!(
        "`{}` does not end at its `>`: all up to the next `-->` is comment",
        shortened_copy(before_markup(token.raw()))
    );
    ledger.note_for_all(
        NoteKind::Lookalike,
        Some(mark.convention()),
        Some(token.place()),
        message,
    );
    true
}
