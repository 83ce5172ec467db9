//! The sink of an explanation: it also records the source of the page and the kinds of its parts.
//!
//! The sink of an explanation delegates all other work to the [`Recorder`], which records what
//! every [`Page`](crate::Page) is made from.

use crate::html;
use crate::ledger::{PageEnd, VerdictId};
use crate::lex::TokenKind;
use crate::locate::Field;
use crate::page::Recorder;
use crate::sink::Sink;
use crate::walk::Judged;
use heedful_base::bot::BotSet;
use heedful_base::error::Result;

use super::part::{PartKind, SourcePart};

/// Sink that records the data from which an [`Explanation`](super::Explanation) is made.
///
/// ```
/// use heedful::{Bot, ExplainSink, Filter, Pass};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass: Pass<ExplainSink> = filter.explain("https://example.com/")?;
/// pass.write(b"<p>Dark bread")?;
/// assert_eq!(pass.end()?.source(), "<p>Dark bread");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct ExplainSink {
    pub(crate) recorder: Recorder,
    record: ExplainRecord,
    all: BotSet,
    /// True if the last visible text ended inside a word, and no tag has separated words since.
    in_word: bool,
    /// Bots for which a part of the page that they may not index has begun or ended since the last
    /// visible word.
    breaks: BotSet,
}

#[derive(Debug, Default)]
pub(crate) struct ExplainRecord {
    pub(super) source: String,
    pub(super) parts: Vec<SourcePart>,
    pub(super) words: Vec<WordRun>,
}

/// Consecutive words of the body text with one verdict: the verdict, and the number of these words.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordRun {
    pub(super) verdict: VerdictId,
    pub(super) count: u64,
    /// Bots for which one word is split between the previous run and this run. The last word of the
    /// previous run and the first word of this run are then pieces of this word. The set lacks a
    /// bot if text that this bot may not index begins or ends between the pieces.
    pub(super) go_on: BotSet,
}

impl ExplainSink {
    pub(crate) fn new(recorder: Recorder, all: BotSet) -> Self {
        Self {
            recorder,
            record: ExplainRecord::default(),
            all,
            in_word: false,
            breaks: BotSet::NONE,
        }
    }

    pub(crate) fn into_parts(self) -> (Recorder, ExplainRecord) {
        (self.recorder, self.record)
    }

    /// Adds the number of words in a text token to the recorded runs of words.
    fn count(&mut self, judged: &Judged<'_>) {
        let text = judged.token().text();
        let verdict = judged.id();
        let count = text.split_whitespace().count() as u64;
        let is_rest = self.in_word && !text.starts_with(char::is_whitespace);
        self.in_word = if text.is_empty() {
            self.in_word
        } else {
            !text.ends_with(char::is_whitespace)
        };
        if count == 0 {
            return;
        }
        let breaks = std::mem::take(&mut self.breaks);
        let go_on = if is_rest {
            self.all.without(breaks)
        } else {
            BotSet::NONE
        };
        match self
            .record
            .words
            .last_mut()
            .filter(|last| last.verdict == verdict)
        {
            Some(last) if go_on == self.all => last.count += count - 1,
            Some(last) if go_on.is_empty() => last.count += count,
            _ => self.record.words.push(WordRun {
                verdict,
                count,
                go_on,
            }),
        }
    }

    fn record_part(&mut self, judged: &Judged<'_>) {
        let token = judged.token();
        let kind = match token.kind() {
            TokenKind::Text if judged.role().field == Field::Nowhere => PartKind::Inert,
            TokenKind::Text => PartKind::Text,
            TokenKind::Comment | TokenKind::Bogus => PartKind::Comment,
            TokenKind::Start | TokenKind::End => PartKind::Tag,
            TokenKind::Doctype | TokenKind::Other => PartKind::Other,
        };
        let start = self.record.source.len();
        self.record.source.push_str(token.raw());
        let end = self.record.source.len();
        let verdict = judged.id();
        match self.record.parts.last_mut() {
            Some(last) if (last.kind, last.verdict) == (kind, verdict) => last.range.end = end,
            _ => self.record.parts.push(SourcePart {
                range: start..end,
                kind,
                verdict,
            }),
        }
    }
}

impl Sink for ExplainSink {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.record_part(judged);
        self.breaks = self.breaks.or(judged.breaks());
        let token = judged.token();
        if judged.is_visible_text() {
            self.count(judged);
        } else if matches!(token.kind(), TokenKind::Start | TokenKind::End)
            && html::separates_words(token.name())
        {
            self.in_word = false;
        }
        self.recorder.token(judged)
    }

    fn finish(&mut self, outcome: &PageEnd) -> Result<()> {
        self.recorder.finish(outcome)
    }
}
