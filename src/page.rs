//! What a pass leaves: the page as one bot may have it.
//!
//! The recording is shared by all bots of the pass; a [`Page`] is one bot's reading of it, under the page's policy.
//! What the policy denies is not in it, and every part that is missing can say why.

use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use unicode_segmentation::UnicodeSegmentation;
use url::Url;

use crate::bot::{Bot, Bots};
use crate::error::Result;
use crate::limits::Limits;
use crate::note::Note;
use crate::place::Place;
use crate::policy::{Directive, Facet, Policy, Says, Verdict};
use crate::sink::Sink;
use crate::sink::audit::{Audit, Withheld};
use crate::sink::links::{Found, LinkKind, Links};
use crate::sink::snapshot::{Dressing, Source};
use crate::sink::text::{LinkText, Text, Track};
use crate::walk::{Judged, Outcome};

/// The sink that [`Page`]s are made from: text, links, and what was withheld.
#[derive(Debug)]
pub struct Recorder {
    text: Text,
    links: Links,
    audit: Audit,
    /// If snapshots are wanted.
    source: Option<Source>,
}

impl Recorder {
    pub(crate) fn new(bots: &Bots, limits: &Limits, with_source: bool) -> Self {
        let (text, links) = (Text::new(bots.all()), Links::new(limits.links));
        Self { text, links, audit: Audit::new(limits.exclusions), source: with_source.then(Source::default) }
    }

    /// The page is not kept in the bytes it came in.
    pub(crate) fn is_transcoded(&mut self) {
        if let Some(source) = &mut self.source {
            source.is_transcoded();
        }
    }

    /// A page for each bot.
    pub(crate) fn pages(self, url: Url, bots: &Bots, outcome: Outcome, now: Option<SystemTime>) -> Vec<Page> {
        let base = self.links.base(&url);
        let recording = Recording { text: self.text, audit: self.audit, source: self.source, base, outcome };
        let recording = Arc::new(recording);
        let url = Arc::new(url);
        let read = |(index, bot): (usize, &Bot)| Page::new((index, bot), &url, &self.links, recording.clone(), now);
        bots.list().iter().enumerate().map(read).collect()
    }
}

impl Sink for Recorder {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.text.tile(judged)?;
        self.links.tile(judged)?;
        if let Some(source) = &mut self.source {
            source.tile(judged)?;
        }
        self.audit.tile(judged)
    }

    fn finish(&mut self, outcome: &Outcome) -> Result<()> {
        self.text.finish(outcome)?;
        self.links.finish(outcome)?;
        self.audit.finish(outcome)
    }
}

/// A page as one bot may have it.
#[derive(Clone, Debug)]
pub struct Page {
    bot: Bot,
    index: usize,
    url: Arc<Url>,
    policy: Policy,
    recording: Arc<Recording>,
    title: Vec<String>,
    description: Vec<String>,
    headings: Vec<String>,
    phrases: Vec<String>,
    alternative: Vec<String>,
    links: Vec<Link>,
}

/// What all pages of a pass share.
#[derive(Debug)]
struct Recording {
    text: Text,
    audit: Audit,
    source: Option<Source>,
    base: Url,
    outcome: Outcome,
}

impl Page {
    fn new(
        (index, bot): (usize, &Bot),
        url: &Arc<Url>,
        links: &Links,
        recording: Arc<Recording>,
        now: Option<SystemTime>,
    ) -> Self {
        let policy = Policy::of(&recording.outcome.ceiling, index, now);
        let text = &recording.text;
        let verdicts = recording.outcome.verdicts.as_slice();
        let phrases = |track: &Track| match policy.allows(Facet::Index) {
            true => track.phrases(index, verdicts),
            false => Vec::new(),
        };
        let headings = if policy.allows(Facet::Index) { text.body.headings(index, verdicts) } else { Vec::new() };
        let found = if policy.entered() {
            read_links(links, text, &policy, &recording.outcome, url, index)
        } else {
            Vec::new()
        };
        Self {
            bot: bot.clone(),
            index,
            url: url.clone(),
            title: phrases(&text.title),
            description: phrases(&text.description),
            headings,
            phrases: phrases(&text.body),
            alternative: phrases(&text.alternative),
            links: found,
            policy,
            recording,
        }
    }

    /// For whom.
    pub fn bot(&self) -> &Bot {
        &self.bot
    }

    /// The URL the pass was opened with, in normal form.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// What may be done with the page as a whole.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The body text that may be indexed, headings included, in order: one string a phrase. A query for a phrase must
    /// not find words of two of them.
    pub fn phrases(&self) -> &[String] {
        &self.phrases
    }

    /// The title, one string a phrase.
    pub fn title(&self) -> &[String] {
        &self.title
    }

    /// The title as a search result may show it: without what may not be shown, with `[...]` at short gaps. That a page
    /// asks for no snippet leaves its title.
    pub fn shown_title(&self) -> String {
        if !self.policy.allows(Facet::Index) {
            return String::new();
        }
        self.recording.text.title.excerpt(self.index, self.verdicts())
    }

    /// The META description, one string a phrase.
    pub fn description(&self) -> &[String] {
        &self.description
    }

    /// The text of the headings once more, one string a phrase.
    pub fn headings(&self) -> &[String] {
        &self.headings
    }

    /// Alternative texts of images, each a phrase of its own.
    pub fn alternative(&self) -> &[String] {
        &self.alternative
    }

    /// The links, in order, those that may not be followed included: see [`Link::may_follow`].
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// What a search result may be drawn from: text that may be indexed and shown, with `[...]` at short gaps. A
    /// result may show no more of it than [`Policy::max_snippet`] characters.
    pub fn showable(&self) -> String {
        if !self.policy.allows(Facet::Snippet) {
            return String::new();
        }
        self.recording.text.body.excerpt(self.index, self.verdicts())
    }

    /// What a search result may show at most: the beginning of [`Page::showable`], within
    /// [`Policy::max_snippet`].
    pub fn excerpt(&self) -> String {
        let mut excerpt = self.showable();
        if let Some(most) = self.policy.max_snippet() {
            excerpt.truncate(beginning(&excerpt, most as usize).len());
        }
        excerpt
    }

    /// The page's own bytes, as UTF-8, without what may not be archived; nothing where it may not be kept at all, or where
    /// [`Filter::snapshots`](crate::Filter::snapshots) was not asked for.
    pub fn snapshot(&self, dressing: &Dressing) -> Option<String> {
        let may_be_kept =
            self.policy.entered() && [Facet::Archive, Facet::Index].iter().all(|f| self.policy.allows(*f));
        let source = self.recording.source.as_ref().filter(|_| may_be_kept)?;
        source.snapshot(&self.recording.outcome, self.index, &self.recording.base, dressing)
    }

    /// Whether the bot may use for `facet` the page as a whole and every part of the text that it may index.
    pub fn allows_throughout(&self, facet: Facet) -> bool {
        let text = &self.recording.text;
        let tracks = [&text.body, &text.title, &text.description, &text.alternative];
        self.policy.allows(facet) && tracks.iter().all(|track| track.allows(facet, self.index, self.verdicts()))
    }

    /// What was withheld and why. Page statements first, then parts of the page in order.
    pub fn exclusions(&self) -> impl Iterator<Item = Exclusion<'_>> {
        let outcome = &self.recording.outcome;
        let whole = Facet::ALL.into_iter().filter_map(move |facet| {
            let directive = self.policy.why(facet).filter(|_| !self.policy.allows(facet))?;
            let said = match directive.says() {
                Says::Deny(facets) => facets.contains(facet),
                _ => facet == Facet::Index,
            };
            said.then_some(Exclusion { facet, range: 0..outcome.length, directive })
        });
        let entered = self.policy.entered();
        let parts = self.recording.audit.closed.iter().filter(move |_| entered);
        let parts = parts.filter(|withheld| withheld.winner.bots.contains(self.index));
        whole.filter(move |_| entered).chain(parts.map(move |withheld| Exclusion {
            facet: withheld.winner.facet,
            range: withheld.start..withheld.end,
            directive: &outcome.local[withheld.winner.directive as usize],
        }))
    }

    /// Everything that was said to this bot, obeyed or not: of the whole page first, then of its parts in order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        let entered = self.policy.entered();
        self.recording.outcome.directives().filter(move |said| entered && said.bots().contains(self.index))
    }

    /// What looked wrong.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        let entered = self.policy.entered();
        self.recording.outcome.notes.iter().filter(move |note| entered && note.bots().contains(self.index))
    }

    /// What is known of the page for all bots of its pass.
    pub(crate) fn outcome(&self) -> &Outcome {
        &self.recording.outcome
    }

    /// The number of its bot in the pass.
    pub(crate) fn number(&self) -> usize {
        self.index
    }

    /// The parts that were withheld from its bot, by where they begin.
    pub(crate) fn withheld(&self) -> impl Iterator<Item = &Withheld> {
        self.recording.audit.closed.iter().filter(|withheld| withheld.winner.bots.contains(self.index))
    }

    fn verdicts(&self) -> &[Verdict] {
        &self.recording.outcome.verdicts
    }
}

/// At most so many characters from the start, cut at a word's end where there is one, and never in a grapheme.
pub(crate) fn beginning(text: &str, characters: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(characters) else { return text };
    let starts = text.grapheme_indices(true).map(|(start, _)| start);
    let end = starts.take_while(|start| *start <= end).last().unwrap_or(0);
    let cut = &text[..end];
    if text[end..].starts_with(char::is_whitespace) {
        return cut.trim_end();
    }
    cut.rfind(char::is_whitespace).map_or(cut, |blank| cut[..blank].trim_end())
}

/// A part of the page that the bot may not use in some way.
#[derive(Clone, Debug)]
pub struct Exclusion<'a> {
    facet: Facet,
    range: Range<u64>,
    directive: &'a Directive,
}

impl<'a> Exclusion<'a> {
    /// In which way.
    pub fn facet(&self) -> Facet {
        self.facet
    }

    /// From where to where, in bytes of the decoded page.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// By which directive.
    pub fn directive(&self) -> &'a Directive {
        self.directive
    }
}

/// A link of a page, as one bot may use it.
#[derive(Clone, Debug)]
pub struct Link {
    url: String,
    kind: LinkKind,
    rel: Vec<String>,
    text: String,
    breaks: Vec<usize>,
    follow: bool,
    anchor: bool,
    show: bool,
    why_not_follow: Option<Directive>,
    why_not_anchor: Option<Directive>,
    place: Place,
}

impl Link {
    /// Where it leads, resolved.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What kind of element it is.
    pub fn kind(&self) -> LinkKind {
        self.kind
    }

    /// The words of its `rel`, in lower case.
    pub fn rel(&self) -> &[String] {
        &self.rel
    }

    /// Its text, as far as it may be indexed and credited; else empty.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same, one part a phrase.
    pub fn phrases(&self) -> impl Iterator<Item = &str> {
        let ends = self.breaks.iter().copied().chain([self.text.len()]);
        let starts = std::iter::once(0).chain(self.breaks.iter().copied());
        starts.zip(ends).map(|(start, end)| self.text[start..end].trim()).filter(|phrase| !phrase.is_empty())
    }

    /// Whether it may be followed.
    pub fn may_follow(&self) -> bool {
        self.follow
    }

    /// Whether its text may be credited to its target.
    pub fn may_credit(&self) -> bool {
        self.anchor
    }

    /// Whether its text may be shown, as with a search result.
    pub fn may_show(&self) -> bool {
        self.show
    }

    /// Why it may not be followed.
    pub fn why_not_follow(&self) -> Option<&Directive> {
        self.why_not_follow.as_ref()
    }

    /// Why its text may not be credited.
    pub fn why_not_credit(&self) -> Option<&Directive> {
        self.why_not_anchor.as_ref()
    }

    /// Where its tag stands.
    pub fn place(&self) -> Place {
        self.place
    }
}

/// The links that lead somewhere a bot can go: http and https, or the page's own scheme.
fn read_links(links: &Links, text: &Text, policy: &Policy, outcome: &Outcome, page: &Url, bot: usize) -> Vec<Link> {
    let verdicts = outcome.verdicts.as_slice();
    let numbers = links.found.iter().map(|found| found.number).max().unwrap_or(0);
    let mut texts = vec![LinkText::default(); numbers as usize];
    if policy.allows(Facet::Index) && policy.allows(Facet::Anchor) {
        text.body.link_texts(bot, verdicts, &mut texts);
        text.alternative.link_texts(bot, verdicts, &mut texts);
    }
    let base = links.base(page);
    let mut read = Vec::with_capacity(links.found.len());
    for found in &links.found {
        let Ok(url) = base.join(found.target.trim()) else { continue };
        if !matches!(url.scheme(), "http" | "https") && url.scheme() != page.scheme() {
            continue;
        }
        let text = texts.get_mut((found.number as usize).wrapping_sub(1)).map(std::mem::take).unwrap_or_default();
        read.push(link(found, url.into(), &text, policy, outcome, bot));
    }
    read
}

fn link(found: &Found, url: String, text: &LinkText, policy: &Policy, outcome: &Outcome, bot: usize) -> Link {
    let verdict = &outcome.verdicts[found.verdict as usize];
    let why = |facets: &[Facet]| {
        let denied = facets.iter().find(|facet| !policy.allows(**facet) || verdict.denied(**facet).contains(bot))?;
        let local = facets.iter().find_map(|facet| verdict.winner(*facet, bot));
        let directive = policy.why(*denied).filter(|_| !policy.allows(*denied));
        directive.or_else(|| local.map(|id| &outcome.local[id as usize])).cloned()
    };
    let denied = |facet: Facet| !policy.allows(facet) || verdict.denied(facet).contains(bot);
    // An image that may not be listed is not fetched either.
    let unlisted = found.kind == LinkKind::Img && denied(Facet::Image);
    let (follow, anchor) = (!denied(Facet::Follow) && !unlisted, !denied(Facet::Anchor) && !unlisted);
    let blank = text.text.len() - text.text.trim_start().len();
    let shown = if anchor { text.text.trim().to_owned() } else { String::new() };
    let (length, most) = (shown.chars().count(), policy.max_snippet().map_or(usize::MAX, |most| most as usize));
    let inside = |at: &usize| (1..shown.len()).contains(at);
    Link {
        url,
        kind: found.kind,
        rel: found.rel.split_ascii_whitespace().map(str::to_ascii_lowercase).collect(),
        breaks: text.breaks.iter().map(|at| at.saturating_sub(blank)).filter(inside).collect(),
        text: shown,
        why_not_follow: if follow { None } else { why(&[Facet::Follow, Facet::Image]) },
        why_not_anchor: if anchor { None } else { why(&[Facet::Anchor, Facet::Follow, Facet::Index, Facet::Image]) },
        follow,
        anchor,
        show: anchor && !text.is_hidden && policy.allows(Facet::Snippet) && length <= most,
        place: found.place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        for (characters, expected) in [(100, "dark rye bread"), (8, "dark rye"), (10, "dark rye"), (3, "dar"), (0, "")]
        {
            assert_eq!(beginning("dark rye bread", characters), expected);
        }
    }
}
