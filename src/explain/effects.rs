//! What became of each directive, for one bot: obeyed, overruled and by what, or without effect.
//!
//! A denial is obeyed if it decides somewhere; else it was lifted by an allowance, or said before by another denial. An
//! allowance is obeyed if it lifts something that would be denied without it. Read off the ranges that were withheld,
//! which are the verdicts themselves.

use std::collections::HashSet;
use std::ops::Range;

use crate::page::Page;
use crate::policy::{Directive, DirectiveId, Extent, Facet, Policy, Says};
use crate::walk::Outcome;

/// What became of one thing that a directive says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    facet: Option<Facet>,
    fate: Fate,
    by: Option<usize>,
}

impl Effect {
    /// About what; none for a limit.
    pub fn facet(&self) -> Option<Facet> {
        self.facet
    }

    /// What became of it.
    pub fn fate(&self) -> Fate {
        self.fate
    }

    /// The number in [`Explanation::heard`](super::Explanation::heard) of the directive that overruled it.
    pub fn by(&self) -> Option<usize> {
        self.by
    }
}

/// What became of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Fate {
    /// It decides, at least somewhere.
    Obeyed,
    /// Another directive decides wherever it reaches.
    Overruled,
    /// It has no effect: it reaches nothing, or allows what nobody denies, or what it allows is void.
    Idle,
}

impl Fate {
    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::Overruled => "overruled",
            Self::Idle => "idle",
        }
    }
}

/// Parts of the page by where they begin, each with the directive that is about it.
type Spans = Vec<(Range<u64>, DirectiveId)>;

/// What was withheld from one bot and what was allowed to it, to be asked by place.
pub(super) struct Ledger<'a> {
    outcome: &'a Outcome,
    policy: &'a Policy,
    bot: usize,
    /// They do not overlap.
    denied: [Spans; 8],
    allowed: [Nested; 8],
    decisive: HashSet<(DirectiveId, Facet)>,
    /// Allowances that lifted something.
    lifting: HashSet<(DirectiveId, Facet)>,
}

impl<'a> Ledger<'a> {
    pub(super) fn of(page: &'a Page) -> Self {
        let (outcome, bot) = (page.outcome(), page.number());
        let mut ledger = Self {
            outcome,
            policy: page.policy(),
            bot,
            denied: Default::default(),
            allowed: Default::default(),
            decisive: HashSet::new(),
            lifting: HashSet::new(),
        };
        for withheld in page.withheld() {
            let (facet, directive) = (withheld.winner.facet, withheld.winner.directive);
            ledger.denied[facet as usize].push((withheld.start..withheld.end, directive));
            ledger.decisive.insert((directive, facet));
        }
        for (id, directive) in (0..).zip(&outcome.local).filter(|(_, directive)| directive.bots.contains(bot)) {
            if let Says::Allow(facets) = directive.says {
                for facet in facets.iter() {
                    ledger.allowed[facet as usize].push(ledger.reach(id), id);
                }
            }
        }
        ledger
    }

    /// What became of every directive, by its number in the pass. `order` says where the one that overruled it is told.
    pub(super) fn effects(mut self, order: &[usize]) -> Vec<Vec<Effect>> {
        let whole = self.outcome.ceiling.len();
        let mut effects = vec![Vec::new(); whole + self.outcome.local.len()];
        for (number, directive) in self.outcome.ceiling.iter().enumerate().filter(|(_, d)| d.bots.contains(self.bot)) {
            effects[number] = self.of_the_page(number, directive);
        }
        // Denials first: only then is it known which allowances lift one.
        for denials in [true, false] {
            for (id, directive) in (0..).zip(&self.outcome.local) {
                if matches!(directive.says, Says::Deny(_)) == denials && directive.bots.contains(self.bot) {
                    effects[whole + id as usize] = self.of_a_part(id, directive);
                }
            }
        }
        for effect in effects.iter_mut().flatten() {
            effect.by = effect.by.map(|number| order[number]);
        }
        effects
    }

    fn of_the_page(&self, number: usize, directive: &Directive) -> Vec<Effect> {
        if let Some(gate) = self.gate().filter(|gate| *gate != number) {
            return each_thing(directive, |_| (Fate::Overruled, Some(gate)));
        }
        each_thing(directive, |facet| match (directive.says, facet) {
            (Says::Deny(_), Some(facet)) => match self.first_denial(facet) {
                Some(first) if first != number => (Fate::Overruled, Some(first)),
                _ => (Fate::Obeyed, None),
            },
            (Says::Allow(_), Some(facet)) => match self.first_denial(facet) {
                Some(first) => (Fate::Overruled, Some(first)),
                None => (Fate::Idle, None),
            },
            (limit, _) => match self.in_force(limit) {
                Some(strictest) if strictest != number => (Fate::Overruled, Some(strictest)),
                _ => (Fate::Obeyed, None),
            },
        })
    }

    /// The directive that denies the whole page a facet.
    fn first_denial(&self, facet: Facet) -> Option<usize> {
        let denies = |d: &Directive| matches!(d.says, Says::Deny(facets) if facets.contains(facet));
        self.outcome.ceiling.iter().position(|d| d.bots.contains(self.bot) && denies(d))
    }

    /// The directive that sets the limit that holds, of the same kind as this one.
    fn in_force(&self, limit: Says) -> Option<usize> {
        let holds = |says: Says| match (says, limit) {
            (Says::MaxSnippet(n), Says::MaxSnippet(_)) => self.policy.max_snippet() == Some(n),
            (Says::MaxImagePreview(size), Says::MaxImagePreview(_)) => self.policy.max_image_preview() == Some(size),
            (Says::MaxVideoPreview(n), Says::MaxVideoPreview(_)) => self.policy.max_video_preview() == Some(n),
            (Says::UnavailableAfter(time), Says::UnavailableAfter(_)) => self.policy.unavailable_after() == Some(time),
            _ => false,
        };
        self.outcome.ceiling.iter().position(|d| d.bots.contains(self.bot) && holds(d.says))
    }

    /// The robots.txt rule that keeps the bot out.
    fn gate(&self) -> Option<usize> {
        let is_gate = |d: &Directive| d.extent == Extent::Site && d.bots.contains(self.bot);
        self.outcome.ceiling.iter().position(is_gate)
    }

    fn of_a_part(&mut self, id: DirectiveId, directive: &Directive) -> Vec<Effect> {
        if !self.policy.entered() {
            let gate = self.gate();
            return each_thing(directive, |_| (Fate::Overruled, gate));
        }
        let is_denial = matches!(directive.says, Says::Deny(_));
        each_thing(directive, |facet| match (facet, is_denial) {
            (None, _) => (Fate::Idle, None),
            (Some(facet), true) => self.of_a_denial(id, facet),
            (Some(facet), false) => self.of_an_allowance(id, directive, facet),
        })
    }

    fn of_a_denial(&mut self, id: DirectiveId, facet: Facet) -> (Fate, Option<usize>) {
        let reach = self.reach(id);
        if let Some(whole) = self.first_denial(facet) {
            return (Fate::Overruled, Some(whole));
        }
        if self.decisive.contains(&(id, facet)) {
            return (Fate::Obeyed, None);
        }
        if let Some(other) = meeting(&self.denied[facet as usize], &reach) {
            return (Fate::Overruled, Some(self.number(other)));
        }
        let allowed = self.allowed[facet as usize].within_or_around(&reach);
        if let Some(allowance) = allowed.filter(|_| !reach.is_empty()) {
            self.lifting.insert((allowance, facet));
            return (Fate::Overruled, Some(self.number(allowance)));
        }
        (Fate::Idle, None)
    }

    fn of_an_allowance(&self, id: DirectiveId, directive: &Directive, facet: Facet) -> (Fate, Option<usize>) {
        let reach = self.reach(id);
        if let Some(whole) = self.first_denial(facet) {
            return (Fate::Overruled, Some(whole));
        }
        let denied = &self.denied[facet as usize];
        let over = at(denied, reach.start).filter(|(span, _)| span.end >= reach.end);
        if let Some((_, other)) = over.filter(|_| !reach.is_empty()) {
            return (Fate::Overruled, Some(self.number(*other)));
        }
        let before = reach.start.checked_sub(1).and_then(|before| at(denied, before));
        let lifts = before.is_some_and(|(_, other)| self.outcome.local[*other as usize].dialect == directive.dialect);
        let lifts = lifts && !reach.is_empty() || self.lifting.contains(&(id, facet));
        (if lifts { Fate::Obeyed } else { Fate::Idle }, None)
    }

    fn reach(&self, id: DirectiveId) -> Range<u64> {
        self.outcome.reaches[id as usize].clone()
    }

    /// The number in the pass of a directive about a part of the page.
    fn number(&self, id: DirectiveId) -> usize {
        self.outcome.ceiling.len() + id as usize
    }
}

fn each_thing(directive: &Directive, mut fate: impl FnMut(Option<Facet>) -> (Fate, Option<usize>)) -> Vec<Effect> {
    let things: Vec<Option<Facet>> = match directive.says {
        Says::Deny(facets) | Says::Allow(facets) => facets.iter().map(Some).collect(),
        _ => vec![None],
    };
    let effect = |facet| {
        let (fate, by) = fate(facet);
        Effect { facet, fate, by }
    };
    things.into_iter().map(effect).collect()
}

/// The directive of the first span that a range meets.
fn meeting(spans: &Spans, range: &Range<u64>) -> Option<DirectiveId> {
    let first = spans.partition_point(|(span, _)| span.start < range.start);
    let before = first.checked_sub(1).map(|at| &spans[at]).filter(|(span, _)| span.end > range.start);
    let met = before.or_else(|| spans.get(first)).filter(|(span, _)| span.start < range.end);
    met.map(|(_, id)| *id)
}

/// Parts of the page that may stand in each other.
#[derive(Default)]
struct Nested {
    spans: Spans,
    /// For each, the innermost that was open where it begins.
    around: Vec<Option<usize>>,
}

impl Nested {
    /// Adds one, in the order in which they begin.
    fn push(&mut self, span: Range<u64>, id: DirectiveId) {
        self.around.push(self.open_at(self.spans.len().checked_sub(1), span.start));
        self.spans.push((span, id));
    }

    /// The innermost that is open at a place, seeking from one outwards.
    fn open_at(&self, mut from: Option<usize>, place: u64) -> Option<usize> {
        while let Some(at) = from.filter(|at| self.spans[*at].0.end <= place) {
            from = self.around[at];
        }
        from
    }

    /// The first that begins in a range, or else the innermost round where it begins.
    fn within_or_around(&self, range: &Range<u64>) -> Option<DirectiveId> {
        let first = self.spans.partition_point(|(span, _)| span.start < range.start);
        let within = self.spans.get(first).filter(|(span, _)| span.start < range.end);
        let around = || self.open_at(first.checked_sub(1), range.start).map(|at| &self.spans[at]);
        within.or_else(around).map(|(_, id)| *id)
    }
}

/// The span round a place, of those that do not overlap.
fn at(spans: &Spans, place: u64) -> Option<&(Range<u64>, DirectiveId)> {
    let behind = spans.partition_point(|(span, _)| span.start <= place);
    behind.checked_sub(1).map(|at| &spans[at]).filter(|(span, _)| span.end > place)
}
