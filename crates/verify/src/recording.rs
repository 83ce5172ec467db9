//! Records the streaming filter's verdict on each text and link of a page, in source order.

use crate::oracle::OracleField;
use heedful::Field as Stands;
use heedful::internals::html;
use heedful::{Judged, NoteKind, PageEnd, Place, Sink, Token, TokenKind, Use, Verdict, VerdictId};
use heedful_base::bot::BotSet;
use heedful_base::error::Result;

/// A text or a link of a page, and the verdict of the streaming filter on it.
#[derive(Debug)]
pub(super) struct RecordedItem {
    /// Text of the item. For a link, its target.
    pub(super) text: String,
    pub(super) is_link: bool,
    pub(super) field: OracleField,
    /// The first value is true if the text or link is in a heading. The second is true if it is in
    /// a link.
    pub(super) inside: [bool; 2],
    pub(super) place: Place,
    /// Source of the page directly before the text or link.
    pub(super) before: String,
    id: VerdictId,
    /// For each use, the bots to which the use of this text or link is denied. Set at the end of
    /// the page.
    pub(super) denied: [BotSet; Use::COUNT],
}

/// Sink of a filter pass that records the texts and links of a page with their verdicts.
#[derive(Debug, Default)]
pub(super) struct VerdictRecording {
    pub(super) items: Vec<RecordedItem>,
    explained: bool,
    described: bool,
    before: String,
}

/// Number of bytes of the page's source that are kept before a text or link. When the stored source
/// is longer than four times this number, it is cut to its last `BEFORE` bytes.
const BEFORE: usize = 120;

impl VerdictRecording {
    /// True if a note on the page gives a reason to withhold texts or links that the finished tree
    /// allows.
    pub(super) fn is_explained(&self) -> bool {
        self.explained
    }

    fn push(&mut self, text: String, is_link: bool, field: OracleField, judged: &Judged<'_>) {
        let inside = [judged.role().heading > 0, judged.role().link > 0];
        self.items.push(RecordedItem {
            text,
            is_link,
            field,
            inside,
            place: judged.token().place(),
            before: self.before.clone(),
            id: judged.id(),
            denied: [BotSet::NONE; Use::COUNT],
        });
    }

    fn start(&mut self, judged: &Judged<'_>) {
        let token = judged.token();
        let outside = judged.is_page_element();
        if let Some(target) = target(token) {
            self.push(
                target,
                true,
                visible_field(outside && !token.is_foreign(), OracleField::Body),
                judged,
            );
        }
        match token.name() {
            "img" | "area" => {
                self.alternative(judged, visible_field(outside, OracleField::Alternative));
            }
            // The element `image` of svg; the lexer does not know the namespace.
            "image" => self.alternative(judged, OracleField::Nowhere),
            "input" if is_image_button(token) => {
                self.alternative(judged, visible_field(outside, OracleField::Alternative));
            }
            "meta"
                if token
                    .attribute("name")
                    .is_some_and(|n| n.trim().eq_ignore_ascii_case("description")) =>
            {
                let text = token.attribute("content").unwrap_or_default();
                let is_first = outside && !self.described;
                self.described |= is_first && !text.trim().is_empty();
                self.push(
                    text.into(),
                    false,
                    visible_field(is_first, OracleField::Description),
                    judged,
                );
            }
            _ => {}
        }
    }

    fn alternative(&mut self, judged: &Judged<'_>, field: OracleField) {
        self.push(
            judged.token().attribute("alt").unwrap_or_default().into(),
            false,
            field,
            judged,
        );
    }
}

/// Returns `field` if `is_seen` is true, and otherwise `Nowhere`. `is_seen` is true if people who
/// view the page see the text.
fn visible_field(is_seen: bool, field: OracleField) -> OracleField {
    if is_seen { field } else { OracleField::Nowhere }
}

fn is_image_button(token: &Token<'_>) -> bool {
    match token.attribute("type") {
        Some(kind) => kind.eq_ignore_ascii_case("image"),
        None => false,
    }
}

/// Converts a field of a page from the type of the streaming filter to the type of the oracle.
fn field_of(field: Stands) -> OracleField {
    match field {
        Stands::Body => OracleField::Body,
        Stands::Title => OracleField::Title,
        Stands::Alternative => OracleField::Alternative,
        Stands::Nowhere => OracleField::Nowhere,
    }
}

fn target(token: &Token<'_>) -> Option<String> {
    if token.name() == "meta" {
        return html::refresh(
            &token.attribute("http-equiv")?,
            &token.attribute("content")?,
        );
    }
    let name = if token.name() == "image" {
        "img"
    } else {
        token.name()
    };
    token.attribute(html::link_attribute(name)?).map(Into::into)
}

impl Sink for VerdictRecording {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let token = judged.token();
        match token.kind() {
            TokenKind::Start => self.start(judged),
            TokenKind::Text => {
                self.push(
                    token.text().into(),
                    false,
                    field_of(judged.role().field),
                    judged,
                );
            }
            _ => {}
        }
        self.before.push_str(token.raw());
        if self.before.len() > 4 * BEFORE {
            let from = self.before.ceil_char_boundary(self.before.len() - BEFORE);
            self.before.drain(..from);
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &PageEnd) -> Result<()> {
        let page = Verdict::from_directives(outcome.numbered_page_wide_directives());
        for recorded in &mut self.items {
            let verdict = outcome.verdict(recorded.id);
            recorded.denied = Use::ALL.map(|usage| verdict.denied(usage).or(page.denied(usage)));
        }
        let explains = [
            NoteKind::MovedContent,
            NoteKind::LateAttributes,
            NoteKind::OutOfOrder,
        ];
        self.explained = outcome
            .notes()
            .iter()
            .any(|note| explains.contains(&note.kind()));
        Ok(())
    }
}
