//! Phrases: the text of a field that a bot may index. A phrase ends at each exclusion, even at one
//! without text. When headings are read, a phrase also ends at the end of each heading. This file
//! also makes the excerpts for other uses.

use std::ops::Range;

use crate::html::Landmarks;
use crate::ledger::Verdicts;
use crate::policy::Use;
use crate::sink::text::{FieldText, TextSegment};
use heedful_base::bot::{BotId, BotSet};

use super::links::PageRecord;
use super::shared::{BotClasses, SharedValues};

/// Maximum length, in characters, of a withheld part that `[...]` replaces in an excerpt. A longer
/// part is left out without a sign.
const SHORT_GAP: usize = 160;
const GAP_MARK: &str = "[...]";

/// The denials of indexing that decide which text each bot gets. `verdicts` has the denials for
/// parts of the page. `denied_bots` are the bots that may not index the page as a whole.
#[derive(Clone, Copy)]
pub(super) struct TextReader<'a> {
    pub(super) verdicts: &'a Verdicts,
    pub(super) all: BotSet,
    pub(super) denied_bots: BotSet,
}

/// Consecutive text that the same bots may index. A run for [`TextReader::headings`] has only text
/// of a single heading.
struct TextRun<'a> {
    text: &'a str,
    denied: BotSet,
    breaks: BotSet,
    heading: u32,
}

impl<'a> TextReader<'a> {
    pub(super) fn new(record: &'a PageRecord) -> Self {
        Self {
            verdicts: &record.outcome.verdicts,
            all: record.all,
            denied_bots: record.denied(Use::Index),
        }
    }
}

impl TextReader<'_> {
    /// Returns the bots that may not index `segment`, by directives about parts of the page.
    pub(super) fn denied(self, segment: &TextSegment) -> BotSet {
        segment.denied(self.verdicts, Use::Index, self.all)
    }

    /// Returns the phrases of `field`, once for each group of bots that may have the same text.
    pub(super) fn phrases(self, field: &FieldText) -> SharedValues<Vec<String>> {
        self.read(&self.runs(field, |_| Some(0)))
    }

    /// Returns the phrases of the headings in `field`, once for each group of bots that may have
    /// the same text.
    pub(super) fn headings(self, field: &FieldText) -> SharedValues<Vec<String>> {
        self.read(&self.runs(field, |segment| {
            Some(segment.heading).filter(|heading| *heading > 0)
        }))
    }

    /// Returns the phrases of the text in `landmarks` that `bot` may index. A phrase ends where
    /// text of other landmarks is left out.
    pub(super) fn phrases_in(
        self,
        field: &FieldText,
        landmarks: Landmarks,
        bot: BotId,
    ) -> Vec<String> {
        if self.denied_bots.contains(bot) {
            return Vec::new();
        }
        let is_wanted = |segment: &TextSegment| landmarks.contains(segment.landmark).then_some(0);
        join(&self.runs(field, is_wanted), bot)
    }

    /// Joins consecutive segments of `field` to runs. Segments for which `heading` returns `None`
    /// are skipped. All segments of a run have the same heading and are denied to the same bots. No
    /// phrase begins inside a run.
    fn runs<'t>(
        &self,
        field: &'t FieldText,
        heading: impl Fn(&TextSegment) -> Option<u32>,
    ) -> Vec<TextRun<'t>> {
        let mut runs: Vec<(Range<usize>, TextRun<'t>)> = Vec::new();
        let mut has_skipped = false;
        for (segment, range) in field.ranges(0..field.segments().len()) {
            let Some(heading) = heading(segment) else {
                has_skipped = true;
                continue;
            };
            let denied = self.denied(segment);
            let breaks = if std::mem::take(&mut has_skipped) {
                self.all
            } else {
                segment.begins(self.all)
            };
            match runs.last_mut() {
                Some((whole, last))
                    if breaks.is_empty() && last.denied == denied && last.heading == heading =>
                {
                    whole.end = range.end;
                }
                _ => runs.push((
                    range,
                    TextRun {
                        text: "",
                        denied,
                        breaks,
                        heading,
                    },
                )),
            }
        }
        runs.into_iter()
            .map(|(range, run)| TextRun {
                text: field.text_at(range),
                ..run
            })
            .collect()
    }

    fn read(self, runs: &[TextRun<'_>]) -> SharedValues<Vec<String>> {
        let mut classes = BotClasses::new(self.all);
        classes.split(self.denied_bots);
        for run in runs {
            classes.split(run.denied.without(self.denied_bots));
            classes.split(run.breaks.without(self.denied_bots));
        }
        SharedValues::new(&classes, |bot| {
            if self.denied_bots.contains(bot) {
                Vec::new()
            } else {
                join(runs, bot)
            }
        })
    }
}

/// Returns the phrases that `bot` gets from `runs`. Consecutive runs that the bot may index form
/// one phrase. A phrase ends at a run that the bot may not index. It also ends before a run of
/// another heading, and before a run that begins a phrase for the bot.
fn join(runs: &[TextRun<'_>], bot: BotId) -> Vec<String> {
    let mut phrases = Vec::new();
    let mut current = String::new();
    let mut heading = 0;
    for run in runs {
        let may = !run.denied.contains(bot);
        let ends = !may || run.breaks.contains(bot) || run.heading != heading;
        if ends && !current.is_empty() {
            phrases.push(std::mem::take(&mut current));
        }
        heading = run.heading;
        if may {
            current.push_str(if current.is_empty() {
                run.text.trim_start()
            } else {
                run.text
            });
        }
    }
    if !current.is_empty() {
        phrases.push(current);
    }
    phrases
}

/// True if `usage` is allowed to `bot` for all text of `field` that `bot` may index.
pub(super) fn allows(field: &FieldText, usage: Use, bot: BotId, verdicts: &Verdicts) -> bool {
    for segment in field.segments() {
        if segment.may(bot, verdicts, &[Use::Index]) && !segment.may(bot, verdicts, &[usage]) {
            return false;
        }
    }
    true
}

/// Returns the text of `field` that `bot` may both index and use for `usage`. `[...]` replaces each
/// withheld part of at most [`SHORT_GAP`] characters. Longer withheld parts, and text outside of
/// `landmarks`, are left out without a sign.
pub(super) fn excerpt(
    field: &FieldText,
    usage: Use,
    landmarks: Landmarks,
    bot: BotId,
    verdicts: &Verdicts,
) -> String {
    // Only the marks of gaps may take more room than the text.
    let mut excerpt = String::with_capacity(field.length());
    let mut gap = 0;
    let mut has_skipped = false;
    for (segment, text) in field.pieces(0..field.segments().len()) {
        if !landmarks.contains(segment.landmark) {
            has_skipped = true;
            continue;
        }
        if segment.may(bot, verdicts, &[Use::Index, usage]) {
            let is_after_other = std::mem::take(&mut has_skipped);
            let broken = gap > 0 || is_after_other || segment.breaks.contains(bot);
            if broken && !excerpt.is_empty() {
                excerpt.push(' ');
                if (1..=SHORT_GAP).contains(&gap) {
                    excerpt.push_str(GAP_MARK);
                    excerpt.push(' ');
                }
            }
            excerpt.push_str(if broken || excerpt.is_empty() {
                text.trim_start()
            } else {
                text
            });
            gap = 0;
        } else {
            let blank = gap > 0 && text.starts_with(' ');
            gap += segment.withheld + text.trim_start().chars().count() + usize::from(blank);
        }
    }
    excerpt
}
