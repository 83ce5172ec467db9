//! The text of a page by field, recorded once for all bots.
//!
//! Text is kept in segments, each with the number of its verdict; one bot's phrases are a reading of the segments.
//! White space is collapsed and word boundaries are set while recording. What no bot may index is never copied: only
//! its length is kept, which an excerpt needs.

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
    heading: u32,
    link: u32,
    breaks: BotSet,
    /// Characters that no bot may index; such a segment has no text.
    withheld: usize,
}

/// A short gap in an excerpt is marked, a longer one is left out without a mark.
const SHORT_GAP: usize = 160;
const GAP_MARK: &str = "[...]";

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

    fn pieces(&self) -> impl Iterator<Item = (&Segment, &str)> {
        let starts = std::iter::once(0).chain(self.segments.iter().map(|segment| segment.end));
        self.segments.iter().zip(starts).map(|(segment, start)| (segment, &self.text[start..segment.end]))
    }

    /// What `bot` may index, one string a phrase.
    pub(crate) fn phrases(&self, bot: usize, verdicts: &[Verdict]) -> Vec<String> {
        let mut phrases = Phrases::default();
        for (segment, text) in self.pieces() {
            phrases.add(text, segment, segment.may(bot, verdicts, &[Facet::Index]), bot);
        }
        phrases.finish()
    }

    /// The same for the text of headings alone.
    pub(crate) fn headings(&self, bot: usize, verdicts: &[Verdict]) -> Vec<String> {
        let mut phrases = Phrases::default();
        let mut before = 0;
        for (segment, text) in self.pieces() {
            if segment.heading != before {
                phrases.cut();
                before = segment.heading;
            }
            let may = segment.heading > 0 && segment.may(bot, verdicts, &[Facet::Index]);
            phrases.add(text, segment, may, bot);
        }
        phrases.finish()
    }

    /// Adds to the text of each link (numbered from 1) what may be indexed and credited.
    pub(crate) fn link_texts(&self, bot: usize, verdicts: &[Verdict], texts: &mut [LinkText]) {
        for text in &mut *texts {
            text.cut = true;
        }
        let mut gap = false;
        for (segment, text) in self.pieces() {
            let Some(slot) = texts.get_mut((segment.link as usize).wrapping_sub(1)) else { continue };
            if segment.may(bot, verdicts, &[Facet::Index, Facet::Anchor]) {
                slot.add(text, gap || segment.breaks.contains(bot));
                slot.is_hidden |= !segment.may(bot, verdicts, &[Facet::Snippet]);
                gap = false;
            } else {
                gap = true;
            }
        }
    }

    /// Whether `bot` may use for `facet` all that it may index.
    pub(crate) fn allows(&self, facet: Facet, bot: usize, verdicts: &[Verdict]) -> bool {
        let may = |segment: &Segment, facet| segment.may(bot, verdicts, &[facet]);
        self.segments.iter().all(|segment| !may(segment, Facet::Index) || may(segment, facet))
    }

    /// What may be shown with a search result, gaps marked.
    pub(crate) fn excerpt(&self, bot: usize, verdicts: &[Verdict]) -> String {
        let mut excerpt = String::new();
        let mut gap = 0;
        for (segment, text) in self.pieces() {
            if segment.may(bot, verdicts, &[Facet::Index, Facet::Snippet]) {
                let broken = gap > 0 || segment.breaks.contains(bot);
                if broken && !excerpt.is_empty() {
                    excerpt.push(' ');
                    if (1..=SHORT_GAP).contains(&gap) {
                        excerpt.push_str(GAP_MARK);
                        excerpt.push(' ');
                    }
                }
                excerpt.push_str(if broken || excerpt.is_empty() { text.trim_start() } else { text });
                gap = 0;
            } else {
                let blank = gap > 0 && text.starts_with(' ');
                gap += segment.withheld + text.trim_start().chars().count() + usize::from(blank);
            }
        }
        excerpt
    }
}

/// The text of a link.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkText {
    pub(crate) text: String,
    /// Where in it a phrase ends.
    pub(crate) breaks: Vec<usize>,
    /// Whether some of it may not be shown.
    pub(crate) is_hidden: bool,
    cut: bool,
}

impl LinkText {
    fn add(&mut self, text: &str, breaks: bool) {
        if (std::mem::take(&mut self.cut) || breaks) && !self.text.is_empty() {
            self.breaks.push(self.text.len());
            if breaks && !text.starts_with(' ') {
                self.text.push(' ');
            }
        }
        self.text.push_str(text);
    }
}

impl Segment {
    fn may(&self, bot: usize, verdicts: &[Verdict], facets: &[Facet]) -> bool {
        let verdict = &verdicts[self.verdict as usize];
        self.withheld == 0 && facets.iter().all(|facet| !verdict.denied(*facet).contains(bot))
    }
}

/// Joins segments into phrases.
#[derive(Debug, Default)]
struct Phrases {
    done: Vec<String>,
    current: String,
}

impl Phrases {
    fn add(&mut self, text: &str, segment: &Segment, may: bool, bot: usize) {
        if !may || segment.breaks.contains(bot) {
            self.cut();
        }
        if may {
            self.current.push_str(if self.current.is_empty() { text.trim_start() } else { text });
        }
    }

    fn cut(&mut self) {
        if !self.current.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.cut();
        self.done
    }
}
