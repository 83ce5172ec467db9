//! The text of a page by field, recorded once for all bots.
//!
//! Text is kept in segments, each with the number of its verdict; one bot's phrases are a reading of the segments.
//! White space is collapsed and word boundaries are set while recording. What no bot may index is never copied: only
//! its length is kept, which an excerpt needs.

use std::ops::Range;

use crate::bot::BotSet;
use crate::error::Result;
use crate::html;
use crate::lex::TileKind;
use crate::policy::{Facet, Verdict};
use crate::walk::{Field, Judged, VerdictId};

use super::Sink;

/// Records the text of one page.
#[derive(Debug)]
pub(crate) struct Text {
    all: BotSet,
    pub(crate) body: Track,
    pub(crate) title: Track,
    pub(crate) description: Track,
    pub(crate) alternative: Track,
}

impl Text {
    pub(crate) fn new(all: BotSet) -> Self {
        let track = Track::default;
        Self { all, body: track(), title: track(), description: track(), alternative: track() }
    }

    fn start(&mut self, judged: &Judged<'_>) {
        let tile = judged.tile();
        if judged.standing().in_template {
            return;
        }
        let alternative = match tile.name() {
            "img" | "area" => tile.attribute("alt"),
            "input" if tile.attribute("type").is_some_and(|t| t.eq_ignore_ascii_case("image")) => tile.attribute("alt"),
            "meta" => return self.meta(judged),
            _ => None,
        };
        if let Some(text) = alternative {
            self.alternative.phrase(&text, judged, self.all);
        }
    }

    /// The first META description that is not empty.
    fn meta(&mut self, judged: &Judged<'_>) {
        let tile = judged.tile();
        if html::is_description(tile.name(), |name| tile.attribute(name)) && self.description.segments.is_empty() {
            self.description.phrase(&tile.attribute("content").unwrap_or_default(), judged, self.all);
        }
    }
}

impl Sink for Text {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        self.body.breaks = self.body.breaks.or(judged.breaks());
        self.alternative.breaks = self.alternative.breaks.or(judged.breaks());
        match tile.kind() {
            TileKind::Text => match judged.standing().field {
                Field::Body => self.body.text(&tile.text(), judged, self.all),
                Field::Title => self.title.text(&tile.text(), judged, self.all),
                Field::Alternative => self.alternative.text(&tile.text(), judged, self.all),
                Field::Nowhere => {}
            },
            TileKind::Start | TileKind::End => {
                if html::separates_words(tile.name()) {
                    self.body.space = true;
                }
                if tile.kind() == TileKind::Start {
                    self.start(judged);
                }
                self.alternative.breaks = self.all;
            }
            _ => {}
        }
        Ok(())
    }
}

/// One field's text.
#[derive(Debug, Default)]
pub(crate) struct Track {
    text: String,
    segments: Vec<Segment>,
    /// White space was seen since the last word.
    space: bool,
    /// The bots for which a phrase ends before the next word.
    breaks: BotSet,
}

/// A run of text under one verdict, in one heading and one link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    end: usize,
    verdict: VerdictId,
    pub(crate) heading: u32,
    pub(crate) link: u32,
    pub(crate) breaks: BotSet,
    /// Characters that no bot may index; such a segment has no text.
    pub(crate) withheld: usize,
}

impl Track {
    fn phrase(&mut self, text: &str, judged: &Judged<'_>, all: BotSet) {
        self.breaks = all;
        self.text(text, judged, all);
        self.breaks = all;
    }

    fn text(&mut self, text: &str, judged: &Judged<'_>, all: BotSet) {
        let withheld = judged.verdict().denied(Facet::Index) == all;
        let mut rest = text;
        while !rest.is_empty() {
            let blank = rest.len() - rest.trim_start().len();
            self.space |= blank > 0;
            rest = &rest[blank..];
            let word = rest.split(char::is_whitespace).next().unwrap_or("");
            if !word.is_empty() {
                self.word(word, judged, withheld);
            }
            rest = &rest[word.len()..];
        }
    }

    fn word(&mut self, word: &str, judged: &Judged<'_>, withheld: bool) {
        let space = std::mem::take(&mut self.space) && !self.segments.is_empty();
        if withheld {
            let segment = self.segment(judged, true);
            segment.withheld += word.chars().count() + usize::from(space && segment.withheld > 0);
            return;
        }
        self.segment(judged, false);
        if space {
            self.text.push(' ');
        }
        self.text.push_str(word);
        if let Some(segment) = self.segments.last_mut() {
            segment.end = self.text.len();
        }
    }

    /// The segment that the next characters belong to.
    fn segment(&mut self, judged: &Judged<'_>, withheld: bool) -> &mut Segment {
        let standing = judged.standing();
        let fresh = Segment {
            end: self.text.len(),
            verdict: judged.id(),
            heading: standing.heading,
            link: standing.link,
            breaks: self.breaks,
            withheld: 0,
        };
        let goes_on = self.segments.last().is_some_and(|last| {
            self.breaks.is_empty()
                && (last.verdict, last.heading, last.link) == (fresh.verdict, fresh.heading, fresh.link)
                && (last.withheld > 0) == withheld
        });
        if !goes_on {
            self.breaks = BotSet::NONE;
            self.segments.push(fresh);
        }
        let last = self.segments.len() - 1;
        &mut self.segments[last]
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The segments with these numbers, each with its text.
    pub(crate) fn pieces(&self, numbers: Range<usize>) -> impl Iterator<Item = (&Segment, &str)> {
        self.ranges(numbers).map(|(segment, range)| (segment, &self.text[range]))
    }

    /// The same with the places of their texts.
    pub(crate) fn ranges(&self, numbers: Range<usize>) -> impl Iterator<Item = (&Segment, Range<usize>)> {
        let mut start = numbers.start.checked_sub(1).map_or(0, |before| self.segments[before].end);
        self.segments[numbers].iter().map(move |segment| {
            let range = start..segment.end;
            start = segment.end;
            (segment, range)
        })
    }

    pub(crate) fn text_at(&self, range: Range<usize>) -> &str {
        &self.text[range]
    }
}

impl Segment {
    pub(crate) fn may(&self, bot: usize, verdicts: &[Verdict], facets: &[Facet]) -> bool {
        let verdict = &verdicts[self.verdict as usize];
        self.withheld == 0 && facets.iter().all(|facet| !verdict.denied(*facet).contains(bot))
    }

    /// The bots that may not have `facet` of it.
    pub(crate) fn denied(&self, verdicts: &[Verdict], facet: Facet, all: BotSet) -> BotSet {
        if self.withheld > 0 { all } else { verdicts[self.verdict as usize].denied(facet) }
    }
}
