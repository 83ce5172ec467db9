//! Links: resolved once a pass, and what each bot may do with them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use url::Url;

use crate::bot::BotSet;
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Facet, Facets, Policy};
use crate::sink::links::{Found, LinkKind, Links};
use crate::sink::text::{Text, Track};
use crate::walk::{Outcome, VerdictId, Verdicts};

use super::address::Base;
use super::shared::{Classes, Shared};

/// What is known of a page at its end: what decides for each bot.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) outcome: Outcome,
    pub(super) policies: Shared<Policy>,
    pub(super) all: BotSet,
}

impl Ground {
    /// The bots to which the page as a whole denies `facet`.
    pub(super) fn denied(&self, facet: Facet) -> BotSet {
        self.policies.bots(|policy| !policy.allows(facet))
    }
}

/// A link of a page, as one bot may use it.
#[derive(Clone)]
pub struct Link {
    link: Arc<Resolved>,
    bot: usize,
}

/// A link for all bots.
struct Resolved {
    ground: Arc<Ground>,
    url: String,
    kind: LinkKind,
    rel: Vec<String>,
    verdict: VerdictId,
    place: Place,
    /// The bots that may not follow it, or not credit its text.
    no_follow: BotSet,
    no_credit: BotSet,
    text: Shared<LinkText>,
}

impl Link {
    /// Where it leads, resolved.
    pub fn url(&self) -> &str {
        &self.link.url
    }

    /// What kind of element it is.
    pub fn kind(&self) -> LinkKind {
        self.link.kind
    }

    /// The words of its `rel`, in lower case.
    pub fn rel(&self) -> &[String] {
        &self.link.rel
    }

    /// Its text in one piece, as far as it may be indexed and credited. Empty where something excluded stands among its phrases:
    /// it is never joined across that.
    pub fn text(&self) -> &str {
        let called = self.called();
        if called.is_parted && self.phrases().nth(1).is_some() { "" } else { &called.text }
    }

    /// Its text, as far as it may be indexed and credited: one string a phrase, body text first, then alternative texts.
    pub fn phrases(&self) -> impl Iterator<Item = &str> {
        let LinkText { text, breaks, .. } = self.called();
        let ends = breaks.iter().copied().chain([text.len()]);
        let starts = std::iter::once(0).chain(breaks.iter().copied());
        starts.zip(ends).map(|(start, end)| text[start..end].trim()).filter(|phrase| !phrase.is_empty())
    }

    /// Whether it may be followed.
    pub fn may_follow(&self) -> bool {
        !self.link.no_follow.contains(self.bot)
    }

    /// Whether its text may be credited to its target.
    pub fn may_credit(&self) -> bool {
        !self.link.no_credit.contains(self.bot)
    }

    /// Whether its text may be shown, as with a search result.
    pub fn may_show(&self) -> bool {
        self.may_give(Facet::Snippet)
    }

    /// Whether its text may be given to a model as material for an answer.
    pub fn may_be_input(&self) -> bool {
        self.may_give(Facet::Input)
    }

    fn may_give(&self, facet: Facet) -> bool {
        let (called, policy) = (self.called(), self.link.ground.policies.of(self.bot));
        let most = policy.max_snippet().map_or(usize::MAX, |most| most as usize);
        self.may_credit()
            && !called.withheld.contains(facet)
            && policy.allows(facet)
            && (called.text.len() <= most || called.text.chars().count() <= most)
    }

    /// Why it may not be followed.
    pub fn why_not_follow(&self) -> Option<&Directive> {
        self.link.ground.outcome.directive(self.id_not_follow()?)
    }

    pub(crate) fn id_not_follow(&self) -> Option<DirectiveId> {
        if self.may_follow() { None } else { self.why(&[Facet::Follow, Facet::Image]) }
    }

    /// Why its text may not be credited.
    pub fn why_not_credit(&self) -> Option<&Directive> {
        self.link.ground.outcome.directive(self.id_not_credit()?)
    }

    pub(crate) fn id_not_credit(&self) -> Option<DirectiveId> {
        if self.may_credit() { None } else { self.why(&[Facet::Anchor, Facet::Follow, Facet::Index, Facet::Image]) }
    }

    /// Where its tag stands.
    pub fn place(&self) -> Place {
        self.link.place
    }

    fn called(&self) -> &LinkText {
        self.link.text.of(self.bot)
    }

    /// What denies the first of these facets that is denied: the page as a whole, else a part of it.
    fn why(&self, facets: &[Facet]) -> Option<DirectiveId> {
        let Ground { outcome, policies, .. } = &*self.link.ground;
        let (policy, verdict) = (policies.of(self.bot), outcome.verdict(self.link.verdict));
        let is_denied = |facet: &&Facet| !policy.allows(**facet) || verdict.denied(**facet).contains(self.bot);
        let denied = *facets.iter().find(is_denied)?;
        let whole = policy.why_id(denied).filter(|_| !policy.allows(denied));
        whole.or_else(|| facets.iter().find_map(|facet| verdict.winner(*facet, self.bot)))
    }
}

/// As this bot has it: what it shares with others would be told once a link.
impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("url", &self.url())
            .field("kind", &self.kind())
            .field("rel", &self.rel())
            .field("phrases", &self.phrases().collect::<Vec<_>>())
            .field("may_follow", &self.may_follow())
            .field("may_credit", &self.may_credit())
            .field("may_show", &self.may_show())
            .field("why_not_follow", &self.why_not_follow())
            .field("why_not_credit", &self.why_not_credit())
            .field("place", &self.place())
            .finish()
    }
}

/// The links that lead somewhere a bot can go.
pub(super) fn read(links: &Links, text: &Text, ground: &Arc<Ground>, base: &Base<'_>, page: &Url) -> Shared<Vec<Link>> {
    let numbers = links.found.iter().map(|found| found.number).max().unwrap_or(0) as usize;
    let resolver = Resolver {
        ground,
        tracks: [&text.body, &text.alternative].map(|track| (track, spans(track, numbers))),
        base,
        page,
        no_follow: ground.denied(Facet::Follow),
        no_credit: ground.denied(Facet::Anchor),
        no_image: ground.denied(Facet::Image),
    };
    let resolved: Vec<_> = links.found.iter().filter_map(|found| resolver.link(found)).collect();
    let mut classes = Classes::new(ground.all);
    for (bots, _) in ground.policies.iter() {
        classes.part(bots);
    }
    for link in &resolved {
        link.part(&mut classes);
    }
    Shared::new(&classes, |bot| match ground.policies.of(bot).entered() {
        true => resolved.iter().map(|link| Link { link: link.clone(), bot }).collect(),
        false => Vec::new(),
    })
}

impl Resolved {
    /// Parts the bots for whom something about it differs.
    fn part(&self, classes: &mut Classes) {
        classes.part(self.no_follow);
        classes.part(self.no_credit);
        for (bots, _) in self.text.iter() {
            classes.part(bots);
        }
        for winner in self.ground.outcome.verdict(self.verdict).winners() {
            classes.part(winner.bots);
        }
    }
}

/// What links are made from, besides what was found of each.
struct Resolver<'a> {
    ground: &'a Arc<Ground>,
    /// Texts of links, in the order they are read.
    tracks: [(&'a Track, Vec<Range<usize>>); 2],
    base: &'a Base<'a>,
    page: &'a Url,
    /// By the page as a whole.
    no_follow: BotSet,
    no_credit: BotSet,
    no_image: BotSet,
}

impl Resolver<'_> {
    fn link(&self, found: &Found) -> Option<Arc<Resolved>> {
        let url = self.base.join(&found.target, self.page)?;
        let verdict = self.ground.outcome.verdict(found.verdict);
        // An image that may not be listed is not fetched either.
        let is_image = found.kind == LinkKind::Img;
        let unlisted = if is_image { self.no_image.or(verdict.denied(Facet::Image)) } else { BotSet::NONE };
        let no_credit = self.no_credit.or(verdict.denied(Facet::Anchor)).or(unlisted);
        Some(Arc::new(Resolved {
            ground: self.ground.clone(),
            url,
            kind: found.kind,
            rel: found.rel.split_ascii_whitespace().map(str::to_ascii_lowercase).collect(),
            verdict: found.verdict,
            place: found.place,
            no_follow: self.no_follow.or(verdict.denied(Facet::Follow)).or(unlisted),
            no_credit,
            text: self.text(found.number, no_credit),
        }))
    }

    /// The text of the link with this number.
    fn text(&self, number: u32, no_credit: BotSet) -> Shared<LinkText> {
        let at = (number as usize).wrapping_sub(1);
        let parts = self.tracks.each_ref().map(|(track, spans)| (*track, spans.get(at).cloned().unwrap_or(0..0)));
        let (all, verdicts) = (self.ground.all, &self.ground.outcome.verdicts);
        let mut classes = Classes::new(all);
        for segment in parts.iter().flat_map(|(track, span)| &track.segments()[span.clone()]) {
            // Those who may not credit it read none of it, whatever its parts say.
            classes.part(no_credit);
            if !segment.is_free(verdicts) {
                for facet in [Facet::Index, Facet::Anchor].into_iter().chain(GIVEN) {
                    classes.part(segment.denied(verdicts, facet, all).without(no_credit));
                }
            }
            classes.part(segment.begins(all).without(no_credit));
            classes.part(segment.breaks.without(no_credit));
        }
        Shared::new(&classes, |bot| match no_credit.contains(bot) {
            true => LinkText::default(),
            false => LinkText::read(&parts, bot, verdicts),
        })
    }
}

/// For each of so many links the segments of its text. They stand together: no link goes on behind another.
fn spans(track: &Track, numbers: usize) -> Vec<Range<usize>> {
    let mut spans = vec![0..0; numbers];
    for (at, segment) in track.segments().iter().enumerate() {
        if let Some(span) = spans.get_mut((segment.link as usize).wrapping_sub(1)) {
            *span = if span.end == 0 { at..at + 1 } else { span.start..at + 1 };
        }
    }
    spans
}

/// What a link's text may be given to, besides its target.
const GIVEN: [Facet; 2] = [Facet::Snippet, Facet::Input];

/// The text of a link.
#[derive(Debug, Default)]
struct LinkText {
    text: String,
    /// Where in it a phrase ends.
    breaks: Vec<usize>,
    /// Whether something excluded stands in it.
    is_parted: bool,
    /// What of [`GIVEN`] some of it may not be used for.
    withheld: Facets,
}

impl LinkText {
    /// What `bot` may index and credit of it: body text first, then alternative texts.
    fn read(parts: &[(&Track, Range<usize>)], bot: usize, verdicts: &Verdicts) -> Self {
        let mut read = Self::default();
        for (track, span) in parts {
            let mut ends = true;
            for (segment, text) in track.pieces(span.clone()) {
                let may = segment.may(bot, verdicts, &[Facet::Index, Facet::Anchor]);
                read.is_parted |= !may || segment.is_parted(bot);
                ends |= !may || segment.begins(BotSet::one(bot)).contains(bot);
                if may {
                    read.add(text, std::mem::take(&mut ends));
                    if !segment.is_free(verdicts) {
                        read.withhold(|facet| segment.may(bot, verdicts, &[facet]));
                    }
                }
            }
        }
        read.trim()
    }

    fn withhold(&mut self, may: impl Fn(Facet) -> bool) {
        for facet in GIVEN.into_iter().filter(|facet| !may(*facet)) {
            self.withheld = self.withheld.with(Facets::of(&[facet]));
        }
    }

    fn add(&mut self, text: &str, begins: bool) {
        if begins && !self.text.is_empty() {
            self.breaks.push(self.text.len());
            if !text.starts_with(' ') {
                self.text.push(' ');
            }
        }
        self.text.push_str(text);
    }

    fn trim(mut self) -> Self {
        let blank = self.text.len() - self.text.trim_start().len();
        self.text.truncate(self.text.trim_end().len());
        self.text.drain(..blank.min(self.text.len()));
        for at in &mut self.breaks {
            *at = at.saturating_sub(blank);
        }
        self.breaks.retain(|at| (1..self.text.len()).contains(at));
        self
    }
}
