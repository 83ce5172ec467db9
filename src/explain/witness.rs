//! The sink that keeps, beside the recording, what only an explanation needs: the source and what its parts are.

use crate::error::Result;
use crate::html;
use crate::lex::TileKind;
use crate::page::Recorder;
use crate::sink::Sink;
use crate::walk::{Field, Judged, Outcome, VerdictId};

use super::{Part, PartKind};

/// What an [`Explanation`](super::Explanation) is made from.
#[derive(Debug)]
pub struct Witness {
    pub(crate) recorder: Recorder,
    seen: Seen,
    /// The last text ended within a word, under this verdict.
    in_word: Option<VerdictId>,
}

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(super) source: String,
    pub(super) parts: Vec<Part>,
    pub(super) words: Vec<(VerdictId, u64)>,
}

impl Witness {
    pub(crate) fn new(recorder: Recorder) -> Self {
        Self { recorder, seen: Seen::default(), in_word: None }
    }

    pub(crate) fn into_parts(self) -> (Recorder, Seen) {
        (self.recorder, self.seen)
    }

    /// Counts the words that begin in a text. One that goes on from another text is that one's.
    fn count(&mut self, judged: &Judged<'_>) {
        let (text, verdict) = (judged.tile().text(), judged.id());
        let goes_on = self.in_word.is_some() && judged.breaks().is_empty() && !text.starts_with(char::is_whitespace);
        let words = text.split_whitespace().count() as u64;
        let fresh = words.saturating_sub(u64::from(goes_on));
        match self.seen.words.last_mut() {
            Some((last, count)) if *last == verdict => *count += fresh,
            _ => self.seen.words.push((verdict, fresh)),
        }
        let ends_in_word = !text.ends_with(char::is_whitespace) && !text.is_empty();
        self.in_word = (ends_in_word && (words > 0 || goes_on)).then_some(verdict);
    }

    fn see(&mut self, judged: &Judged<'_>) {
        let tile = judged.tile();
        let kind = match tile.kind() {
            TileKind::Text if judged.standing().field == Field::Nowhere => PartKind::Inert,
            TileKind::Text => PartKind::Text,
            TileKind::Comment | TileKind::Bogus => PartKind::Comment,
            TileKind::Start | TileKind::End => PartKind::Tag,
            TileKind::Doctype | TileKind::Other => PartKind::Other,
        };
        let start = self.seen.source.len();
        self.seen.source.push_str(tile.raw());
        let (end, verdict) = (self.seen.source.len(), judged.id());
        match self.seen.parts.last_mut() {
            Some(last) if (last.kind, last.verdict) == (kind, verdict) => last.range.end = end,
            _ => self.seen.parts.push(Part { range: start..end, kind, verdict }),
        }
    }
}

impl Sink for Witness {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.see(judged);
        let tile = judged.tile();
        if judged.is_visible_text() {
            self.count(judged);
        } else if matches!(tile.kind(), TileKind::Start | TileKind::End) && html::separates_words(tile.name()) {
            self.in_word = None;
        }
        self.recorder.tile(judged)
    }

    fn finish(&mut self, outcome: &Outcome) -> Result<()> {
        self.recorder.finish(outcome)
    }
}
