//! What the stream says of each text and link, in source order.

use crate::bot::BotSet;
use crate::error::Result;
use crate::html;
use crate::lex::{Tile, TileKind};
use crate::note::NoteKind;
use crate::place::Place;
use crate::policy::Facet;
use crate::sink::Sink;
use crate::walk::{Field, Judged, Outcome, VerdictId};

/// A text or a link as the stream has it.
#[derive(Debug)]
pub(super) struct Heard {
    /// A link's target, or a text.
    pub(super) text: String,
    pub(super) is_link: bool,
    /// A reader of the page sees it.
    pub(super) is_visible: bool,
    pub(super) place: Place,
    /// The page's source just before it.
    pub(super) before: String,
    id: VerdictId,
    /// What is withheld of it, by facet; known at the end.
    pub(super) denied: [BotSet; 8],
}

/// The sink that records it.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub(super) heard: Vec<Heard>,
    explained: bool,
    described: bool,
    before: String,
}

/// How much of the source before a text is kept.
const BEFORE: usize = 120;

impl Recording {
    /// Whether a note says that more is withheld than the tree asks for.
    pub(super) fn is_explained(&self) -> bool {
        self.explained
    }

    fn push(&mut self, text: String, is_link: bool, is_visible: bool, judged: &Judged<'_>) {
        let (place, before) = (judged.tile().place(), self.before.clone());
        self.heard.push(Heard { text, is_link, is_visible, place, before, id: judged.id(), denied: [BotSet::NONE; 8] });
    }

    fn start(&mut self, judged: &Judged<'_>) {
        let tile = judged.tile();
        let is_visible = !judged.standing().in_template;
        if let Some(target) = target(tile) {
            self.push(target, true, is_visible && !tile.is_foreign(), judged);
        }
        let is_button = || tile.attribute("type").is_some_and(|t| t.eq_ignore_ascii_case("image"));
        match tile.name() {
            "img" | "area" => self.push(tile.attribute("alt").unwrap_or_default().into(), false, is_visible, judged),
            "input" if is_button() => {
                self.push(tile.attribute("alt").unwrap_or_default().into(), false, is_visible, judged);
            }
            "meta" if tile.attribute("name").is_some_and(|n| n.trim().eq_ignore_ascii_case("description")) => {
                let text = tile.attribute("content").unwrap_or_default();
                let is_first = is_visible && !self.described;
                self.described |= is_first && !text.trim().is_empty();
                self.push(text.into(), false, is_first, judged);
            }
            _ => {}
        }
    }
}

fn target(tile: &Tile<'_>) -> Option<String> {
    if tile.name() == "meta" {
        return html::refresh(&tile.attribute("http-equiv")?, &tile.attribute("content")?);
    }
    tile.attribute(html::link_attribute(tile.name())?).map(Into::into)
}

impl Sink for Recording {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        match tile.kind() {
            TileKind::Start => self.start(judged),
            TileKind::Text => {
                let is_visible = judged.standing().field != Field::Nowhere;
                self.push(tile.text().into(), false, is_visible, judged);
            }
            _ => {}
        }
        self.before.push_str(tile.raw());
        if self.before.len() > 4 * BEFORE {
            let from = self.before.ceil_char_boundary(self.before.len() - BEFORE);
            self.before.drain(..from);
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &Outcome) -> Result<()> {
        for heard in &mut self.heard {
            let verdict = outcome.verdict(heard.id);
            heard.denied = Facet::ALL.map(|facet| verdict.denied(facet).or(outcome.denied(facet)));
        }
        self.explained =
            outcome.notes().iter().any(|note| matches!(note.kind(), NoteKind::MovedContent | NoteKind::LateAttributes));
        Ok(())
    }
}
