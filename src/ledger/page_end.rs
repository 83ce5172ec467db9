//! The record of a page at its end.

use std::ops::{Index, Range};
use std::sync::OnceLock;
use std::time::SystemTime;

use url::Url;

use crate::note::Note;
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Policy, SHUT, Use, Verdict};
use heedful_base::bot::{BotId, BotSet};

/// A verdict's number in its pass. The default is the verdict that withholds nothing.
///
/// ```
/// use heedful::{Bot, BotId, Filter, Judged, PageEnd, Result, Sink, Use, VerdictId};
///
/// #[derive(Default)]
/// struct Tags {
///     verdicts: Vec<VerdictId>,
///     allowed: usize,
/// }
/// impl Sink for Tags {
///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
///         self.verdicts.push(judged.id()); // final only at the end
///         Ok(())
///     }
///     fn finish(&mut self, end: &PageEnd) -> Result<()> {
///         let allowed = |id: &&VerdictId| end.allows_at(**id, Use::Index, BotId::FIRST);
///         self.allowed = self.verdicts.iter().filter(allowed).count();
///         Ok(())
///     }
/// }
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).open_with("https://example.com/", Tags::default())?;
/// pass.write(b"<br><!--googleoff: index--><br><br><!--googleon: index-->")?;
/// let tags = pass.into_sink()?;
/// assert_eq!((tags.verdicts.len(), tags.allowed), (5, 3));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VerdictId(u32);

impl VerdictId {
    fn nth(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The verdicts of a page, by number. The number of another page stands for a verdict that
/// withholds everything.
#[derive(Debug, Default)]
pub(crate) struct Verdicts(Vec<Verdict>);

impl Verdicts {
    pub(super) fn keep(&mut self, verdict: Verdict) -> VerdictId {
        self.0.push(verdict);
        VerdictId::nth(self.0.len() - 1)
    }

    pub(super) fn get_mut(&mut self, id: VerdictId) -> Option<&mut Verdict> {
        self.0.get_mut(id.index())
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = VerdictId> + Clone + use<> {
        (0..self.0.len()).map(VerdictId::nth)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Verdict> {
        self.0.iter()
    }
}

impl Index<VerdictId> for Verdicts {
    type Output = Verdict;

    fn index(&self, id: VerdictId) -> &Verdict {
        self.0.get(id.index()).unwrap_or(&SHUT)
    }
}

/// A denial that does not hold for some bots, because of an allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lift {
    pub(crate) allowance: DirectiveId,
    pub(crate) denial: DirectiveId,
    pub(crate) usage: Use,
    pub(crate) bots: BotSet,
}

/// A directive with its reach.
#[derive(Debug)]
pub(super) struct LedgerEntry {
    pub(super) directive: Directive,
    pub(super) span: Range<u64>,
}

/// Where the page is, and when it is read.
#[derive(Debug)]
pub(super) struct EndFacts {
    pub(super) url: Url,
    pub(super) base: Option<Url>,
    pub(super) now: Option<SystemTime>,
}

impl EndFacts {
    /// The base of the page's addresses: that of its first `base` with an `href`, or its own URL.
    pub(super) fn base(&self) -> &Url {
        self.base.as_ref().unwrap_or(&self.url)
    }
}

/// The record of a page at its end.
///
/// ```
/// use heedful::{Bot, BotId, Filter, Judged, PageEnd, Result, Sink, Use};
///
/// #[derive(Default)]
/// struct MayIndex(bool);
/// impl Sink for MayIndex {
///     fn token(&mut self, _: &Judged<'_>) -> Result<()> { Ok(()) }
///     fn finish(&mut self, end: &PageEnd) -> Result<()> {
///         self.0 = end.allows(Use::Index, BotId::FIRST);
///         Ok(())
///     }
/// }
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).open_with("https://example.com/", MayIndex::default())?;
/// pass.write(b"<p>Dark bread<meta name=robots content=noindex>")?;
/// assert!(!pass.into_sink()?.0); // the last tag decides
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct PageEnd {
    pub(super) entries: Vec<LedgerEntry>,
    /// The lifted denials, if they were asked for.
    pub(crate) lifts: Vec<Lift>,
    pub(crate) verdicts: Verdicts,
    pub(crate) notes: Vec<Note>,
    /// The first class of the Robot Exclusion Profile, if the page does not declare the profile.
    #[doc(hidden)]
    pub undeclared: Option<Place>,
    /// All bots of the pass.
    pub(super) all: BotSet,
    /// Bytes of the decoded page.
    pub(crate) length: u64,
    pub(super) page: EndFacts,
    /// The answers of [`PageEnd::denied`], made when the first is asked for.
    pub(super) denied: OnceLock<[BotSet; Use::ALL.len()]>,
}

impl PageEnd {
    /// All directives with their numbers, in the order in which they were read.
    pub fn numbered_directives(&self) -> impl Iterator<Item = (DirectiveId, &Directive)> + Clone {
        let entries = self.entries.iter().enumerate();
        #[cfg(debug_assertions)]
        let entries = entries.inspect(|_| looks::count());
        entries.map(|(at, entry)| (DirectiveId::nth(at), &entry.directive))
    }

    /// The directive with this number, or `None` for a number of another page.
    pub fn directive(&self, id: DirectiveId) -> Option<&Directive> {
        self.entries.get(id.index()).map(|entry| &entry.directive)
    }

    /// The directives about the whole page, in the order in which they were read.
    pub fn ceiling(&self) -> impl Iterator<Item = &Directive> {
        self.numbered_ceiling().map(|(_, directive)| directive)
    }

    #[doc(hidden)]
    pub fn numbered_ceiling(&self) -> impl Iterator<Item = (DirectiveId, &Directive)> + Clone {
        self.numbered_directives()
            .filter(|(_, directive)| directive.extent.is_ceiling())
    }

    /// The directives about parts of the page, each with its reach in bytes of the decoded page.
    #[doc(hidden)]
    pub fn parts(&self) -> impl Iterator<Item = (&Directive, Range<u64>)> {
        let parts = self
            .entries
            .iter()
            .filter(|entry| !entry.directive.extent.is_ceiling());
        parts.map(|entry| (&entry.directive, entry.span.clone()))
    }

    /// The reach of a directive in bytes of the decoded page, or `None` for the whole page.
    #[doc(hidden)]
    pub fn reach(&self, id: DirectiveId) -> Option<Range<u64>> {
        let entry = self.entries.get(id.index())?;
        if entry.directive.extent.is_ceiling() {
            return None;
        }
        Some(entry.span.clone())
    }

    /// All directives: those about the whole page, then those about parts of it in the page's
    /// order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.ceiling()
            .chain(self.parts().map(|(directive, _)| directive))
    }

    /// The policy of the page as a whole for a bot of the pass; `None` for any other bot.
    pub fn policy(&self, bot: BotId) -> Option<Policy> {
        if !self.all.contains(bot) {
            return None;
        }
        Some(Policy::from_ceiling(
            self.numbered_ceiling(),
            bot,
            self.page.now,
        ))
    }

    /// The bots to which the page as a whole denies `usage`, by statement or by what follows from
    /// one: see [`Policy::allows`].
    pub fn denied(&self, usage: Use) -> BotSet {
        self.denied.get_or_init(|| self.denied_by_use())[usage as usize]
    }

    fn denied_by_use(&self) -> [BotSet; Use::ALL.len()] {
        let mut denied = [BotSet::NONE; Use::ALL.len()];
        for bot in self.all.iter() {
            let Some(policy) = self.policy(bot) else {
                continue;
            };
            for usage in Use::ALL {
                if !policy.allows(usage) {
                    let bots = &mut denied[usage as usize];
                    *bots = bots.or(BotSet::one(bot));
                }
            }
        }
        denied
    }

    /// True if the page as a whole lets `bot` use it for `usage`: see [`PageEnd::denied`]. False
    /// for a bot that is none of the pass.
    pub fn allows(&self, usage: Use, bot: BotId) -> bool {
        self.all.contains(bot) && !self.denied(usage).contains(bot)
    }

    /// True if `bot` may use for `usage` what went by under this verdict: neither the page as a
    /// whole denies it nor the regions and elements around it. This is the one question to ask in
    /// [`Sink::finish`](crate::Sink::finish) about a token that was kept by
    /// [`Judged::id`](crate::Judged::id).
    pub fn allows_at(&self, id: VerdictId, usage: Use, bot: BotId) -> bool {
        self.allows(usage, bot) && self.verdict(id).allows(usage, bot)
    }

    /// The absolute form of an address that the page gives, by its `base`. Returns `None` if a bot
    /// cannot go there, since its scheme is not http, https or that of the page.
    pub fn resolve(&self, address: &str) -> Option<Url> {
        let url = self.base().join(address.trim()).ok()?;
        (matches!(url.scheme(), "http" | "https") || url.scheme() == self.page.url.scheme())
            .then_some(url)
    }

    /// The URL that links of the page are relative to.
    pub(crate) fn base(&self) -> &Url {
        self.page.base()
    }

    pub(crate) fn now(&self) -> Option<SystemTime> {
        self.page.now
    }

    /// The final verdict of the regions and elements around a token. It withholds at least what it
    /// did when the token went by. What the page as a whole denies is not in it: see
    /// [`PageEnd::allows_at`]. The number of another page stands for a verdict that withholds
    /// everything.
    pub fn verdict(&self, id: VerdictId) -> &Verdict {
        &self.verdicts[id]
    }

    /// The bots for whom a copy would hold no word that they may index, although some part is kept
    /// from their index. The verdicts of the body's words are in `words`. A part that is kept from
    /// index and copy counts as a word, since a copy would show a mark for it.
    pub(crate) fn silenced(&self, words: impl Iterator<Item = VerdictId>, all: BotSet) -> BotSet {
        let mut kept_out = BotSet::NONE;
        for verdict in self.verdicts.iter() {
            let both = verdict.denied(Use::Index).and(verdict.denied(Use::Archive));
            kept_out = kept_out.or(both);
        }
        let mut left = BotSet::NONE;
        for id in words {
            let index = self.verdict(id).denied(Use::Index);
            let copy = self.verdict(id).denied(Use::Archive);
            kept_out = kept_out.or(index);
            left = left.or(all.without(index).without(copy));
        }
        kept_out.without(left)
    }

    /// The notes on what looked wrong.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// The number of times that a list of directives gave one of them to this thread. Tests hold it
/// against the number of directives, so builds with debug assertions count: for a page with many, a
/// list that is gone through for each of them costs the square.
#[cfg(debug_assertions)]
pub mod looks {
    use std::cell::Cell;

    thread_local! {
        static LOOKS: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn count() {
        LOOKS.set(LOOKS.get() + 1);
    }

    /// The number since the last question.
    pub fn take_count() -> u64 {
        LOOKS.take()
    }
}
