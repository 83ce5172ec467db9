//! Phrases: what a bot may index of a field's text.

use std::ops::Range;

use crate::bot::{BotId, BotSet};
use crate::ledger::Verdicts;
use crate::policy::Facet;
use crate::sink::text::{Segment, Track};

use super::shared::{Classes, Shared};

/// A short gap in an excerpt is marked, a longer one is left out without a mark.
const SHORT_GAP: usize = 160;
const GAP_MARK: &str = "[...]";

/// What decides on phrases: verdicts, and whom the page as a whole is withheld from.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) verdicts: &'a Verdicts,
    pub(super) all: BotSet,
    pub(super) shut: BotSet,
}

/// A run of text that the same bots may index, in one heading if headings are read.
struct Run<'a> {
    text: &'a str,
    denied: BotSet,
    breaks: BotSet,
    heading: u32,
}

impl Reader<'_> {
    /// One string a phrase.
    pub(super) fn phrases(self, track: &Track) -> Shared<Vec<String>> {
        self.read(&self.runs(track, |_| Some(0)))
    }

    /// The same for the text of headings alone.
    pub(super) fn headings(self, track: &Track) -> Shared<Vec<String>> {
        self.read(&self.runs(track, |segment| Some(segment.heading).filter(|heading| *heading > 0)))
    }

    /// The runs of the segments that are in some heading. Few: most segments differ in nothing that counts here.
    fn runs<'t>(&self, track: &'t Track, heading: impl Fn(&Segment) -> Option<u32>) -> Vec<Run<'t>> {
        let mut runs: Vec<(Range<usize>, Run<'t>)> = Vec::new();
        for (segment, range) in track.ranges(0..track.segments().len()) {
            let Some(heading) = heading(segment) else { continue };
            let denied = segment.denied(self.verdicts, Facet::Index, self.all);
            let breaks = segment.begins(self.all);
            let last = runs
                .last_mut()
                .filter(|(_, last)| breaks.is_empty() && (last.denied, last.heading) == (denied, heading));
            match last {
                Some((whole, _)) => whole.end = range.end,
                None => runs.push((range, Run { text: "", denied, breaks, heading })),
            }
        }
        runs.into_iter().map(|(range, run)| Run { text: track.text_at(range), ..run }).collect()
    }

    fn read(self, runs: &[Run<'_>]) -> Shared<Vec<String>> {
        let mut classes = Classes::new(self.all);
        classes.part(self.shut);
        for run in runs {
            classes.part(run.denied.without(self.shut));
            classes.part(run.breaks.without(self.shut));
        }
        Shared::new(&classes, |bot| if self.shut.contains(bot) { Vec::new() } else { join(runs, bot) })
    }
}

/// The runs that a bot may have, one string a phrase.
fn join(runs: &[Run<'_>], bot: BotId) -> Vec<String> {
    let mut phrases = Vec::new();
    let mut current = String::new();
    let mut heading = 0;
    for run in runs {
        let may = !run.denied.contains(bot);
        if !may || run.breaks.contains(bot) || run.heading != heading {
            phrases.extend((!current.is_empty()).then(|| std::mem::take(&mut current)));
        }
        heading = run.heading;
        if may {
            current.push_str(if current.is_empty() { run.text.trim_start() } else { run.text });
        }
    }
    phrases.extend((!current.is_empty()).then_some(current));
    phrases
}

/// Whether `bot` may use for `facet` all that it may index.
pub(super) fn allows(track: &Track, facet: Facet, bot: BotId, verdicts: &Verdicts) -> bool {
    let may = |segment: &Segment, facet| segment.may(bot, verdicts, &[facet]);
    track.segments().iter().all(|segment| !may(segment, Facet::Index) || may(segment, facet))
}

/// What may be indexed and used for `facet`, gaps marked.
pub(super) fn excerpt(track: &Track, facet: Facet, bot: BotId, verdicts: &Verdicts) -> String {
    let mut excerpt = String::new();
    let mut gap = 0;
    for (segment, text) in track.pieces(0..track.segments().len()) {
        if segment.may(bot, verdicts, &[Facet::Index, facet]) {
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
