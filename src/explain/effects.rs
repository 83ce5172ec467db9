//! Computes the outcome of each directive for one bot: obeyed, overruled (and by which directive),
//! or idle.
//!
//! A denial is obeyed if it is the winner of a verdict somewhere. Otherwise an allowance lifted it,
//! or another denial of the same use decided in its place. An allowance is obeyed if it lifts a
//! denial that would otherwise decide. This file makes no second judgement: it reads the withheld
//! ranges, which are the verdicts themselves, and the denials that the pass recorded as lifted.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::ledger::PageEnd;
use crate::page::Page;
use crate::policy::{Directive, DirectiveId, Extent, Policy, StatementContent, Use};
use heedful_base::bot::BotId;

use super::order::Order;

/// Outcome of a directive for one bot, such as obeyed or overruled. A directive that denies or
/// allows uses has one effect for each of these uses. A directive that sets a limit has one effect.
///
/// ```
/// use heedful::{Bot, BotId, DirectiveOutcome, Filter};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.header("X-Robots-Tag", "noindex");
/// pass.write(b"<meta name=robots content=noindex>")?;
/// let effects = pass.end()?.effects(BotId::FIRST);
/// // The header came first, so the META changes nothing.
/// assert_eq!(effects[0][0].outcome(), DirectiveOutcome::Obeyed);
/// assert_eq!(effects[1][0].outcome(), DirectiveOutcome::Overruled);
/// assert_eq!(effects[1][0].overruled_by(), Some(0));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    usage: Option<Use>,
    outcome: DirectiveOutcome,
    overruled_by: Option<usize>,
}

impl Effect {
    /// Returns the use that the directive denies or allows, or `None` if the directive sets a
    /// limit.
    pub fn usage(&self) -> Option<Use> {
        self.usage
    }

    /// Returns the outcome of the directive for this use or limit.
    pub fn outcome(&self) -> DirectiveOutcome {
        self.outcome
    }

    /// Returns the index in [`Explanation::directives`](super::Explanation::directives) of the
    /// directive that overruled this one. `None` if the outcome is not
    /// [`DirectiveOutcome::Overruled`].
    pub fn overruled_by(&self) -> Option<usize> {
        self.overruled_by
    }
}

/// Outcome of a directive for one bot and one use or limit.
///
/// ```
/// use heedful::{Bot, BotId, DirectiveOutcome, Filter};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.write(b"<meta name=robots content=noindex>")?;
/// let effects = pass.end()?.effects(BotId::FIRST);
/// let advice = match effects[0][0].outcome() {
///     DirectiveOutcome::Obeyed => "it works",
///     DirectiveOutcome::Overruled => "another directive decides",
///     DirectiveOutcome::Idle => "remove it",
/// };
/// assert_eq!(advice, "it works");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirectiveOutcome {
    /// The directive decides for at least one byte of the page.
    Obeyed,
    /// Other directives decide for all bytes of the page that this directive reaches.
    Overruled,
    /// The directive has no effect. It reaches no byte of the page, or it is an allowance that
    /// cancels no denial.
    Idle,
}

heedful_base::display!(DirectiveOutcome);

impl DirectiveOutcome {
    /// Returns the name of the outcome, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::Overruled => "overruled",
            Self::Idle => "idle",
        }
    }
}

/// Byte ranges of the page, sorted by their starts, each with the directive that decides in the
/// range.
type Spans = Vec<(Range<u64>, DirectiveId)>;

/// Data from which the outcome of each directive for one bot is looked up. The data are the denials
/// and allowances of one page.
pub(super) struct BotEffects<'a> {
    outcome: &'a PageEnd,
    policy: &'a Policy,
    bot: BotId,
    order: &'a Order,
    whole: PageEffects,
    /// For each use, the byte ranges in which this use is withheld. Each range has the directive
    /// that decides there. The ranges of one use do not overlap.
    denied: [Spans; Use::COUNT],
    lifts: BotLifts,
}

/// Denials and allowances of one page for one bot. A denial is *decisive* if it decides somewhere
/// in the page. A denial is *lifted* if an allowance cancelled it.
#[derive(Default)]
struct BotLifts {
    decisive: HashSet<(DirectiveId, Use)>,
    /// Maps each lifted (cancelled) denial and its use to the first allowance that cancelled this
    /// denial.
    lifted: HashMap<(DirectiveId, Use), DirectiveId>,
    /// Allowances that lifted (cancelled) a denial, each with the use of the denial.
    lifting: HashSet<(DirectiveId, Use)>,
    /// All lifted (cancelled) denials, and the allowances that cancelled them. They always count as
    /// addressed to the bot, even if the page later gives their robot number to another bot.
    bound: HashSet<DirectiveId>,
}

/// Directives about the whole page that decide for one bot. They may overrule any other directive.
#[derive(Debug, Default)]
struct PageEffects {
    /// The robots.txt rule that disallows the page for the bot. `None` if no rule disallows the
    /// page.
    gate: Option<DirectiveId>,
    /// For each use, the first directive about the whole page that itself denies this use.
    first_denials: [Option<DirectiveId>; Use::COUNT],
    /// For each use, the directive about the whole page that denies this use. The directive may
    /// name the use, or may deny it as a consequence of another denied use.
    denials: [Option<DirectiveId>; Use::COUNT],
    /// For each kind of limit, the directive that sets the limit in force. If several directives
    /// set this limit, the first of them is stored.
    limits: [Option<DirectiveId>; LIMITS],
}

/// Number of kinds of limits: on snippets, image previews, video previews, and the expiry date.
const LIMITS: usize = 4;

/// Returns the kind of the limit that `says` sets, as an index below [`LIMITS`]. The bool is true
/// if this limit is in force in `policy`. `None` if `says` is a denial or an allowance.
fn limit_kind(says: StatementContent, policy: &Policy) -> Option<(usize, bool)> {
    match says {
        StatementContent::Deny(_) | StatementContent::Allow(_) => None,
        StatementContent::MaxSnippet(n) => Some((0, policy.max_snippet() == Some(n))),
        StatementContent::MaxImagePreview(size) => {
            Some((1, policy.max_image_preview() == Some(size)))
        }
        StatementContent::MaxVideoPreview(n) => Some((2, policy.max_video_preview() == Some(n))),
        StatementContent::UnavailableAfter(time) => {
            Some((3, policy.unavailable_after() == Some(time)))
        }
    }
}

impl PageEffects {
    fn new(outcome: &PageEnd, policy: &Policy, bot: BotId) -> Self {
        let mut whole = Self::default();
        for (id, directive) in outcome.numbered_page_wide_directives() {
            if !directive.bots.contains(bot) {
                continue;
            }
            if directive.extent == Extent::Site {
                whole.gate.get_or_insert(id);
            }
            if let StatementContent::Deny(uses) = directive.says {
                for usage in uses.iter() {
                    whole.first_denials[usage as usize].get_or_insert(id);
                }
            }
            if let Some((kind, true)) = limit_kind(directive.says, policy) {
                whole.limits[kind].get_or_insert(id);
            }
        }
        whole.denials = whole.first_denials;
        for usage in Use::ALL {
            let denial = &mut whole.denials[usage as usize];
            if denial.is_none() {
                *denial = derived_denial(outcome, policy, usage);
            }
        }
        whole
    }
}

/// Returns the directive about the whole page that denies `usage` as a consequence of another
/// denied use. For example, a denial of `index` also denies `snippet`. Returns `None` if `usage` is
/// allowed. Also returns `None` if a directive about a part of the page denies `usage`.
fn derived_denial(outcome: &PageEnd, policy: &Policy, usage: Use) -> Option<DirectiveId> {
    if policy.allows(usage) {
        return None;
    }
    let id = policy.why_id(usage)?;
    let is_about_page = outcome.directive(id)?.extent.is_page_wide();
    is_about_page.then_some(id)
}

type OutcomeBy = (DirectiveOutcome, Option<DirectiveId>);

impl<'a> BotEffects<'a> {
    pub(super) fn new(page: &'a Page, order: &'a Order) -> Self {
        let outcome = page.outcome();
        let bot = page.bot_id();
        let mut denied = <[Spans; Use::COUNT]>::default();
        let mut lifts = BotLifts::default();
        for withheld in page.withheld() {
            let usage = withheld.winner.usage;
            let directive = withheld.winner.directive;
            denied[usage as usize].push((withheld.start..withheld.end, directive));
            lifts.decisive.insert((directive, usage));
        }
        for lift in &outcome.lifts {
            if !lift.bots.contains(bot) {
                continue;
            }
            lifts.bound.extend([lift.allowance, lift.denial]);
            lifts.lifting.insert((lift.allowance, lift.usage));
            lifts
                .lifted
                .entry((lift.denial, lift.usage))
                .or_insert(lift.allowance);
        }
        let policy = page.policy();
        Self {
            outcome,
            policy,
            bot,
            order,
            whole: PageEffects::new(outcome, policy, bot),
            denied,
            lifts,
        }
    }

    /// Returns the outcomes of `directive` for the bot. A directive that denies or allows uses has
    /// one outcome for each of these uses. A directive that sets a limit has one outcome. Returns
    /// an empty list if the directive is not addressed to the bot. `id` is the directive's number.
    pub(super) fn effects(&self, id: DirectiveId, directive: &Directive) -> Vec<Effect> {
        // The directive may have been addressed to the bot until the page gave its robot number a
        // name.
        if !directive.bots.contains(self.bot) && !self.lifts.bound.contains(&id) {
            return Vec::new();
        }
        let mut effects = Vec::new();
        for usage in uses(directive) {
            let (outcome, by) = if directive.extent.is_page_wide() {
                self.page_outcome(id, directive, usage)
            } else {
                self.part_outcome(id, directive, usage)
            };
            effects.push(Effect {
                usage,
                outcome,
                overruled_by: by.map(|by| self.order.index(by)),
            });
        }
        effects
    }

    /// Returns the outcome of a directive about the whole page. The outcome is for `usage`, or for
    /// the directive's limit if `usage` is `None`. If the directive is overruled, the outcome is
    /// paired with the directive that decides, and otherwise with `None`.
    fn page_outcome(
        &self,
        id: DirectiveId,
        directive: &Directive,
        usage: Option<Use>,
    ) -> OutcomeBy {
        if let Some(gate) = self.whole.gate
            && gate != id
        {
            return (DirectiveOutcome::Overruled, Some(gate));
        }
        match (directive.says, usage) {
            (StatementContent::Deny(_), Some(usage)) => {
                match self.whole.first_denials[usage as usize] {
                    Some(first) if first != id => (DirectiveOutcome::Overruled, Some(first)),
                    _ => (DirectiveOutcome::Obeyed, None),
                }
            }
            (StatementContent::Allow(_), Some(usage)) => {
                match self.whole.first_denials[usage as usize] {
                    Some(first) => (DirectiveOutcome::Overruled, Some(first)),
                    None => (DirectiveOutcome::Idle, None),
                }
            }
            (says, _) => {
                let kind = limit_kind(says, self.policy);
                match kind.and_then(|(kind, _)| self.whole.limits[kind]) {
                    Some(strictest) if strictest != id => {
                        (DirectiveOutcome::Overruled, Some(strictest))
                    }
                    _ => (DirectiveOutcome::Obeyed, None),
                }
            }
        }
    }

    /// Returns the outcome of a directive about a part of the page. The outcome is for `usage`, or
    /// for the directive's limit if `usage` is `None`. If the directive is overruled, the outcome
    /// is paired with the directive that decides, and otherwise with `None`.
    fn part_outcome(
        &self,
        id: DirectiveId,
        directive: &Directive,
        usage: Option<Use>,
    ) -> OutcomeBy {
        if !self.policy.may_fetch() {
            return (DirectiveOutcome::Overruled, self.whole.gate);
        }
        let Some(usage) = usage else {
            return (DirectiveOutcome::Idle, None);
        };
        if matches!(directive.says, StatementContent::Deny(_)) {
            self.denial_outcome(id, usage)
        } else {
            self.allowance_outcome(id, usage)
        }
    }

    fn denial_outcome(&self, id: DirectiveId, usage: Use) -> OutcomeBy {
        if let Some(whole) = self.whole.denials[usage as usize] {
            return (DirectiveOutcome::Overruled, Some(whole));
        }
        if self.lifts.decisive.contains(&(id, usage)) {
            return (DirectiveOutcome::Obeyed, None);
        }
        if let Some(allowance) = self.lifts.lifted.get(&(id, usage)) {
            return (DirectiveOutcome::Overruled, Some(*allowance));
        }
        match first_overlap(&self.denied[usage as usize], &self.reach(id)) {
            Some(other) => (DirectiveOutcome::Overruled, Some(other)),
            None => (DirectiveOutcome::Idle, None),
        }
    }

    fn allowance_outcome(&self, id: DirectiveId, usage: Use) -> OutcomeBy {
        if let Some(whole) = self.whole.denials[usage as usize] {
            return (DirectiveOutcome::Overruled, Some(whole));
        }
        if self.lifts.lifting.contains(&(id, usage)) {
            return (DirectiveOutcome::Obeyed, None);
        }
        let reach = self.reach(id);
        match span_at(&self.denied[usage as usize], reach.start) {
            Some((span, other)) if span.end >= reach.end && !reach.is_empty() => {
                (DirectiveOutcome::Overruled, Some(*other))
            }
            _ => (DirectiveOutcome::Idle, None),
        }
    }

    fn reach(&self, id: DirectiveId) -> Range<u64> {
        self.outcome.reach(id).unwrap_or_default()
    }
}

/// Returns the uses that a directive denies or allows. The list has a single `None` if the
/// directive sets a limit.
fn uses(directive: &Directive) -> Vec<Option<Use>> {
    match directive.says {
        StatementContent::Deny(uses) | StatementContent::Allow(uses) => {
            uses.iter().map(Some).collect()
        }
        _ => vec![None],
    }
}

/// Returns the directive of the first span that overlaps `range`, or `None` if none does. The spans
/// must be sorted and disjoint.
fn first_overlap(spans: &Spans, range: &Range<u64>) -> Option<DirectiveId> {
    let first = spans.partition_point(|(span, _)| span.start < range.start);
    let before = &spans[..first];
    let (span, id) = match before.last() {
        Some(last) if last.0.end > range.start => last,
        _ => spans.get(first)?,
    };
    (span.start < range.end).then_some(*id)
}

/// Returns the span that contains the byte offset `place`, or `None` if none does. The spans must
/// be sorted and disjoint.
fn span_at(spans: &Spans, place: u64) -> Option<&(Range<u64>, DirectiveId)> {
    let next = spans.partition_point(|(span, _)| span.start <= place);
    let last = spans[..next].last()?;
    (last.0.end > place).then_some(last)
}
