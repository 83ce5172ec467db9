//! Records the text of a page once for all bots, in a list for each field: body, title, description
//! and alternative text.
//!
//! Text is stored in segments, each with the number of its verdict. The phrases of one bot are made
//! from the segments that it may index. White space is collapsed and word boundaries are set while
//! recording. Text that no bot may index is never copied: only its length is stored, which an
//! excerpt needs. The line structure of the text is recorded beside it (`layout`). Text in a
//! landmark that the filter does not read is not recorded at all.

use std::ops::Range;

use crate::html::{Landmark, Landmarks, Tag};
use crate::ledger::{PageEnd, VerdictId, Verdicts};
use crate::lex::TokenKind;
use crate::locate::Field;
use crate::policy::Use;
use crate::walk::Judged;
use heedful_base::bot::{BotId, BotSet};
use heedful_base::error::Result;

use super::layout::Layout;
use super::receiver::Sink;

/// Sink that records the text of one page.
#[derive(Debug)]
pub(crate) struct TextSink {
    all: BotSet,
    /// Landmarks whose text is recorded.
    landmarks: Landmarks,
    /// Number of the link around the last token, or 0 if no link was around it.
    link: u32,
    /// Bots that may not index some part of the link around the last token. Parts of the link after
    /// this token are not considered.
    parted: BotSet,
    /// Reused buffer for the text of a token, in which character references are decoded.
    room: String,
    pub(crate) body: FieldText,
    pub(crate) title: FieldText,
    pub(crate) description: FieldText,
    pub(crate) alternative: FieldText,
}

impl TextSink {
    pub(crate) fn new(all: BotSet, landmarks: Landmarks) -> Self {
        Self {
            all,
            landmarks,
            link: 0,
            parted: BotSet::NONE,
            room: String::new(),
            body: FieldText::default(),
            title: FieldText::default(),
            description: FieldText::default(),
            alternative: FieldText::default(),
        }
    }

    /// Records the bots that may not index some part of the link around the token. A part that ends
    /// directly before the link's start tag does not belong to the link.
    fn record_exclusion_in_link(&mut self, judged: &Judged<'_>) {
        let link = judged.role().link;
        let is_start = judged.token().kind() == TokenKind::Start;
        let is_new = std::mem::replace(&mut self.link, link) != link;
        let is_before = is_new && is_start;
        let known = if is_new { BotSet::NONE } else { self.parted };
        self.parted = if is_before {
            known
        } else {
            known.or(judged.breaks())
        };
        self.body.parted = self.parted;
        self.alternative.parted = self.parted;
    }

    fn start(&mut self, judged: &Judged<'_>) {
        if let Some(text) = judged.alternative()
            && self.landmarks.contains(judged.role().block.landmark)
        {
            self.alternative.phrase(&text, judged, self.all);
        }
        // Only the first META description that is not empty counts.
        if self.description.segments.is_empty()
            && let Some(text) = judged.description()
        {
            self.description.phrase(&text, judged, self.all);
        }
    }

    #[inline]
    fn text(&mut self, judged: &Judged<'_>) {
        let token = judged.token();
        let role = judged.role();
        let is_read = self.landmarks.contains(role.block.landmark);
        let field = match role.field {
            Field::Title => &mut self.title,
            Field::Nowhere => return,
            _ if !is_read => return self.body.apart = true,
            Field::Body => &mut self.body,
            Field::Alternative => &mut self.alternative,
        };
        if token.is_blank() && !role.block.keeps_space {
            field.space = true;
            return;
        }
        field.text(token.text_in(&mut self.room), judged, self.all);
    }
}

impl Sink for TextSink {
    #[inline]
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let token = judged.token();
        self.record_exclusion_in_link(judged);
        self.body.breaks = self.body.breaks.or(judged.breaks());
        self.alternative.breaks = self.alternative.breaks.or(judged.breaks());
        match token.kind() {
            TokenKind::Text => self.text(judged),
            TokenKind::Start | TokenKind::End => {
                self.body.space |= token.separates_words();
                self.body.layout.gap(judged.role().gap);
                let is_start = token.kind() == TokenKind::Start;
                self.body.layout.ignore_newline(
                    is_start && matches!(token.tag(), Tag::PRE | Tag::LISTING | Tag::TEXTAREA),
                );
                if is_start {
                    self.start(judged);
                }
                self.alternative.apart = true;
            }
            _ => self.body.layout.ignore_newline(false),
        }
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

/// Text of one field of a page (body, title, description or alternative text), in segments.
#[derive(Debug, Default)]
pub(crate) struct FieldText {
    text: String,
    segments: Vec<TextSegment>,
    /// True if white space was read after the last word.
    space: bool,
    /// Bots for which a phrase ends after the last word. A part of the page that these bots may not
    /// index begins or ends there.
    breaks: BotSet,
    /// True if the next word begins a phrase for every bot. If false, the next word begins a phrase
    /// only for the bots in `breaks`.
    apart: bool,
    /// Bots that may not index some part of the link around the last token. Parts of the link after
    /// this token are not considered.
    parted: BotSet,
    layout: Layout,
}

/// Iterator that cuts a text into parts at all white space other than a single blank. Inside a
/// part, single blanks separate the words.
struct WordRuns<'t> {
    rest: &'t str,
}

impl<'t> WordRuns<'t> {
    /// Skips white space at the start of `rest`, and returns the skipped white space.
    fn skip_space(&mut self) -> &'t str {
        let bytes = self.rest.as_bytes();
        let blanks = bytes
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r'))
            .count();
        let rest = &self.rest[blanks..];
        // All other white space is not ASCII.
        let trimmed = if bytes.get(blanks).is_some_and(|byte| !byte.is_ascii()) {
            rest.trim_start()
        } else {
            rest
        };
        let (space, rest) = self.rest.split_at(self.rest.len() - trimmed.len());
        self.rest = rest;
        space
    }

    /// Returns the part at the start of `rest`, up to white space other than a single blank. `None`
    /// if there is no word at the start of `rest`.
    fn next(&mut self) -> Option<&'t str> {
        let bytes = self.rest.as_bytes();
        let mut at = 0;
        while bytes[at..].first_chunk().is_some_and(are_words) {
            at += AT_ONCE;
        }
        while let Some(byte) = bytes.get(at) {
            at += match byte {
                b'!'..=0x7F => 1,
                b' ' if bytes
                    .get(at + 1)
                    .is_some_and(|next| (b'!'..=0x7F).contains(next)) =>
                {
                    2
                }
                b' ' => match self.character_length(at + 1) {
                    Some(length) => 1 + length,
                    None => break,
                },
                _ => match self.character_length(at) {
                    Some(length) => length,
                    None => break,
                },
            };
        }
        let (run, rest) = self.rest.split_at(at);
        self.rest = rest;
        (at > 0).then_some(run)
    }

    /// Returns the length in bytes of the character at byte offset `at` of `rest`. Returns `None`
    /// if this character is white space, or if `rest` ends there.
    fn character_length(&self, at: usize) -> Option<usize> {
        let next = self.rest[at..].chars().next()?;
        (!next.is_whitespace()).then_some(next.len_utf8())
    }
}

/// Number of bytes of a text that [`are_words`] tests in one step.
const AT_ONCE: usize = 16;

/// True if all bytes but the last belong to ASCII words that single blanks separate. The last byte
/// only shows whether a blank before it is single.
fn are_words(bytes: &[u8; AT_ONCE + 1]) -> bool {
    let is_word = |byte: u8| byte.wrapping_sub(b'!') < 0x80 - b'!';
    (0..AT_ONCE).fold(true, |are, at| {
        are & (is_word(bytes[at]) | (bytes[at] == b' ') & is_word(bytes[at + 1]))
    })
}

/// Piece of a field's text that has one verdict, and is in one heading, link and landmark. A new
/// segment begins wherever a part of the page that some bot may not index begins or ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextSegment {
    end: usize,
    verdict: VerdictId,
    pub(crate) heading: u32,
    pub(crate) link: u32,
    pub(crate) landmark: Option<Landmark>,
    /// Bots for which a part that they may not index begins or ends directly before the segment.
    /// This part may be without text.
    pub(crate) breaks: BotSet,
    /// True if the segment begins a phrase for every bot. If false, the segment begins a phrase
    /// only for the bots in `breaks`.
    apart: bool,
    /// Bots that may not index some part of the segment's link. Parts that begin after the start of
    /// the segment are not considered.
    parted: BotSet,
    /// Number of characters of the segment if no bot may index the segment. Only this number is
    /// stored then, and not the text. 0 for any other segment.
    pub(crate) withheld: usize,
}

impl FieldText {
    fn phrase(&mut self, text: &str, judged: &Judged<'_>, all: BotSet) {
        self.apart = true;
        self.text(text, judged, all);
        self.apart = true;
    }

    fn text(&mut self, text: &str, judged: &Judged<'_>, all: BotSet) {
        let mut runs = WordRuns { rest: text };
        let keeps_space = judged.role().block.keeps_space;
        if judged.verdict().denied(Use::Index) == all {
            while let Some(run) = self.next(&mut runs, keeps_space) {
                self.withhold(run, judged);
            }
        } else if let Some(first) = self.next(&mut runs, keeps_space) {
            self.keep(first, judged, &mut runs);
        }
    }

    /// Returns the next part of `runs`, in which single blanks separate the words. Records the
    /// white space before this part.
    fn next<'t>(&mut self, runs: &mut WordRuns<'t>, keeps_space: bool) -> Option<&'t str> {
        let space = runs.skip_space();
        self.space |= !space.is_empty();
        if keeps_space && !space.is_empty() {
            self.layout.space(space);
        }
        runs.next()
    }

    fn withhold(&mut self, run: &str, judged: &Judged<'_>) {
        self.layout.withheld();
        let space = std::mem::take(&mut self.space) && !self.segments.is_empty();
        let segment = self.segment(judged, true);
        segment.withheld += run.chars().count() + usize::from(space && segment.withheld > 0);
    }

    fn keep<'t>(&mut self, first: &'t str, judged: &Judged<'_>, runs: &mut WordRuns<'t>) {
        let is_first_of_all = self.segments.is_empty();
        let context = judged.role().block;
        if self.apart {
            self.layout.begin_block();
        }
        self.segment(judged, false);
        let mut next = Some(first);
        while let Some(run) = next {
            if std::mem::take(&mut self.space) && (!is_first_of_all || !self.text.is_empty()) {
                self.text.push(' ');
            }
            self.layout
                .word(self.text.len(), context, || judged.token().word_place());
            self.text.push_str(run);
            next = self.next(runs, context.keeps_space);
        }
        if let Some(segment) = self.segments.last_mut() {
            segment.end = self.text.len();
        }
    }

    /// Returns the segment to which the next text of the token belongs. This is the last segment if
    /// it has the same properties, or else a new segment. `withheld` is true if no bot may index
    /// the text.
    fn segment(&mut self, judged: &Judged<'_>, withheld: bool) -> &mut TextSegment {
        let role = judged.role();
        let fresh = TextSegment {
            end: self.text.len(),
            verdict: judged.id(),
            heading: role.heading,
            link: role.link,
            landmark: role.block.landmark,
            breaks: self.breaks,
            apart: self.apart,
            parted: self.parted,
            withheld: 0,
        };
        let goes_on = self.segments.last().is_some_and(|last| {
            self.breaks.is_empty()
                && !self.apart
                && last.verdict == fresh.verdict
                && last.heading == fresh.heading
                && last.link == fresh.link
                && last.landmark == fresh.landmark
                && (last.withheld > 0) == withheld
        });
        if !goes_on {
            self.breaks = BotSet::NONE;
            self.apart = false;
            self.segments.push(fresh);
        }
        let last = self.segments.len() - 1;
        &mut self.segments[last]
    }

    pub(crate) fn segments(&self) -> &[TextSegment] {
        &self.segments
    }

    /// Returns the segments with the indices `numbers`, each with its text.
    pub(crate) fn pieces(
        &self,
        numbers: Range<usize>,
    ) -> impl Iterator<Item = (&TextSegment, &str)> {
        self.ranges(numbers)
            .map(|(segment, range)| (segment, &self.text[range]))
    }

    /// Returns the segments with the indices `numbers`, each with the byte range of its text in the
    /// field.
    pub(crate) fn ranges(
        &self,
        numbers: Range<usize>,
    ) -> impl Iterator<Item = (&TextSegment, Range<usize>)> {
        let mut start = match self.segments[..numbers.start].last() {
            Some(before) => before.end,
            None => 0,
        };
        self.segments[numbers].iter().map(move |segment| {
            let range = start..segment.end;
            start = segment.end;
            (segment, range)
        })
    }

    /// Returns the length in bytes of the text that is stored for the field.
    pub(crate) fn length(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn text_at(&self, range: Range<usize>) -> &str {
        &self.text[range]
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl TextSegment {
    pub(crate) fn verdict(&self) -> VerdictId {
        self.verdict
    }

    /// Returns the bots for which the segment begins a phrase. `all` are the bots of the pass.
    pub(crate) fn begins(&self, all: BotSet) -> BotSet {
        if self.apart { all } else { self.breaks }
    }

    /// True if a part of the link around the segment is directly before the segment, and `bot` may
    /// not index this part. This part may be without text.
    pub(crate) fn is_parted(&self, bot: BotId) -> bool {
        self.parted.contains(bot) && self.breaks.contains(bot)
    }

    /// True if no use of the segment is denied to any bot of the pass.
    pub(crate) fn is_free(&self, verdicts: &Verdicts) -> bool {
        self.withheld == 0 && verdicts[self.verdict].winners().is_empty()
    }

    pub(crate) fn may(&self, bot: BotId, verdicts: &Verdicts, uses: &[Use]) -> bool {
        let verdict = &verdicts[self.verdict];
        self.withheld == 0
            && uses
                .iter()
                .all(|usage| !verdict.denied(*usage).contains(bot))
    }

    /// Returns the bots to which `usage` of the segment is denied. If no bot may index the segment,
    /// returns `all`, the bots of the pass.
    pub(crate) fn denied(&self, verdicts: &Verdicts, usage: Use, all: BotSet) -> BotSet {
        if self.withheld > 0 {
            all
        } else {
            verdicts[self.verdict].denied(usage)
        }
    }
}
