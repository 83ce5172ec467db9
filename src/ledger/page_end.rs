//! The finished record of a page: directives, verdicts and notes, and methods to query them.

use std::ops::{Index, Range};
use std::sync::OnceLock;
use std::time::SystemTime;

use url::Url;

use crate::note::Note;
use crate::place::Place;
use crate::policy::{DENYING_VERDICT, Directive, DirectiveId, Policy, Use, Verdict};
use heedful_base::bot::{BotId, BotSet};

/// ID of a verdict in its pass. A verdict states which uses of a token are denied to which bots.
/// The default is the ID of the verdict that denies nothing.
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
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/", Tags::default())?;
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

/// Verdicts of a page, by their IDs. For an ID that the page does not have, the verdict withholds
/// everything.
#[derive(Debug, Default)]
pub(crate) struct Verdicts(Vec<Verdict>);

impl Verdicts {
    pub(super) fn push(&mut self, verdict: Verdict) -> VerdictId {
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
        self.0.get(id.index()).unwrap_or(&DENYING_VERDICT)
    }
}

/// A denial that an allowance cancels for some bots and one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lift {
    pub(crate) allowance: DirectiveId,
    pub(crate) denial: DirectiveId,
    pub(crate) usage: Use,
    pub(crate) bots: BotSet,
}

/// A directive with its reach, a range of bytes in the decoded page.
#[derive(Debug)]
pub(super) struct LedgerEntry {
    pub(super) directive: Directive,
    pub(super) span: Range<u64>,
}

/// URLs of the page, and the time at which it is judged.
#[derive(Debug)]
pub(super) struct EndFacts {
    pub(super) url: Url,
    pub(super) base: Option<Url>,
    pub(super) now: Option<SystemTime>,
}

impl EndFacts {
    /// Returns the base URL of the page: that of its first `base` with an `href`, or the page's own
    /// URL.
    pub(super) fn base(&self) -> &Url {
        self.base.as_ref().unwrap_or(&self.url)
    }
}

/// Finished record of a page: its directives, verdicts and notes. Sinks get it at the end of a
/// pass.
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
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/", MayIndex::default())?;
/// pass.write(b"<p>Dark bread<meta name=robots content=noindex>")?;
/// assert!(!pass.into_sink()?.0); // the last tag decides
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct PageEnd {
    pub(super) entries: Vec<LedgerEntry>,
    /// Denials that allowances cancelled. Empty if the pass did not record cancelled denials.
    pub(crate) lifts: Vec<Lift>,
    pub(crate) verdicts: Verdicts,
    pub(crate) notes: Vec<Note>,
    /// Place of the first HTML class of the Robot Exclusion Profile, if the page does not declare
    /// the profile.
    #[doc(hidden)]
    pub undeclared: Option<Place>,
    /// All bots of the pass.
    pub(super) all: BotSet,
    /// Length of the decoded page in bytes.
    pub(crate) length: u64,
    pub(super) page: EndFacts,
    /// Cache of the results of [`PageEnd::denied`] for all uses, filled at its first call.
    pub(super) denied: OnceLock<[BotSet; Use::ALL.len()]>,
}

impl PageEnd {
    /// Returns all directives with their IDs, in the order in which they were read.
    pub fn numbered_directives(&self) -> impl Iterator<Item = (DirectiveId, &Directive)> + Clone {
        let entries = self.entries.iter().enumerate();
        #[cfg(debug_assertions)]
        let entries = entries.inspect(|_| looks::count());
        entries.map(|(at, entry)| (DirectiveId::nth(at), &entry.directive))
    }

    /// Returns the directive with the ID `id`, or `None` if the page has fewer directives.
    pub fn directive(&self, id: DirectiveId) -> Option<&Directive> {
        self.entries.get(id.index()).map(|entry| &entry.directive)
    }

    /// Returns the directives about the page as a whole, in the order in which they were read.
    pub fn page_wide_directives(&self) -> impl Iterator<Item = &Directive> {
        self.numbered_page_wide_directives()
            .map(|(_, directive)| directive)
    }

    #[doc(hidden)]
    pub fn numbered_page_wide_directives(
        &self,
    ) -> impl Iterator<Item = (DirectiveId, &Directive)> + Clone {
        self.numbered_directives()
            .filter(|(_, directive)| directive.extent.is_page_wide())
    }

    /// Returns the directives about parts of the page, each with its reach in bytes of the decoded
    /// page.
    #[doc(hidden)]
    pub fn parts(&self) -> impl Iterator<Item = (&Directive, Range<u64>)> {
        let parts = self
            .entries
            .iter()
            .filter(|entry| !entry.directive.extent.is_page_wide());
        parts.map(|entry| (&entry.directive, entry.span.clone()))
    }

    /// Returns the reach of a directive in bytes of the decoded page. `None` if the directive is
    /// about the whole page.
    #[doc(hidden)]
    pub fn reach(&self, id: DirectiveId) -> Option<Range<u64>> {
        let entry = self.entries.get(id.index())?;
        if entry.directive.extent.is_page_wide() {
            return None;
        }
        Some(entry.span.clone())
    }

    /// Returns all directives. Directives about the whole page come first, then directives about
    /// parts of the page. Each of these two groups is in the order in which its directives were
    /// read.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.page_wide_directives()
            .chain(self.parts().map(|(directive, _)| directive))
    }

    /// Returns the policy of the page as a whole for a bot of the pass. `None` for any other bot.
    pub fn policy(&self, bot: BotId) -> Option<Policy> {
        if !self.all.contains(bot) {
            return None;
        }
        Some(Policy::from_page_wide(
            self.numbered_page_wide_directives(),
            bot,
            self.page.now,
        ))
    }

    /// Returns the bots to which the page as a whole denies `usage`. The denial may be stated, or
    /// may follow from a denial of another use: see [`Policy::allows`].
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
                    *bots = bots.or(BotSet::single(bot));
                }
            }
        }
        denied
    }

    /// True if the directives about the page as a whole allow `bot` to use the page for `usage`:
    /// see [`PageEnd::denied`]. False for a bot that the pass does not have.
    pub fn allows(&self, usage: Use, bot: BotId) -> bool {
        self.all.contains(bot) && !self.denied(usage).contains(bot)
    }

    /// True if `bot` may use a token for `usage`. `id` is the ID of the token's verdict. False if
    /// the use is denied by the page as a whole, or by the regions and elements around the token.
    /// Call this in [`Sink::finish`](crate::Sink::finish) for each token whose
    /// [`Judged::id`](crate::Judged::id) was stored.
    pub fn allows_at(&self, id: VerdictId, usage: Use, bot: BotId) -> bool {
        self.allows(usage, bot) && self.verdict(id).allows(usage, bot)
    }

    /// Returns the absolute URL of `address`, an address in the page. A relative address is
    /// resolved by the page's `base`. Returns `None` if the address is invalid, or if a bot cannot
    /// fetch the URL. A bot can fetch URLs with the scheme http or https, or with the scheme of the
    /// page's own URL.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Judged, PageEnd, Result, Sink};
    ///
    /// #[derive(Default)]
    /// struct Icon(Option<String>, Option<String>);
    /// impl Sink for Icon {
    ///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
    ///         let token = judged.token();
    ///         if token.name() == "link" && token.attribute("rel").as_deref() == Some("icon") {
    ///             self.0 = token.attribute("href").map(String::from);
    ///         }
    ///         Ok(())
    ///     }
    ///     fn finish(&mut self, end: &PageEnd) -> Result<()> {
    ///         let url = self.0.as_deref().and_then(|address| end.resolve(address));
    ///         self.1 = url.map(String::from);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open_with("https://example.com/", Icon::default())?;
    /// pass.write(b"<link rel=icon href=icon.png><base href=/files/>")?; // the base comes late
    /// assert_eq!(pass.into_sink()?.1.as_deref(), Some("https://example.com/files/icon.png"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn resolve(&self, address: &str) -> Option<Url> {
        let url = self.base().join(address.trim()).ok()?;
        (matches!(url.scheme(), "http" | "https") || url.scheme() == self.page.url.scheme())
            .then_some(url)
    }

    /// Returns the base URL to which links of the page are relative.
    pub(crate) fn base(&self) -> &Url {
        self.page.base()
    }

    pub(crate) fn now(&self) -> Option<SystemTime> {
        self.page.now
    }

    /// Returns the final verdict with the ID `id`. A verdict states which uses of a token are
    /// denied by the regions and elements around the token. It denies at least the uses that were
    /// denied when the token was read. Denials for the page as a whole are not included: see
    /// [`PageEnd::allows_at`]. For an ID that the page does not have, the verdict denies
    /// everything.
    pub fn verdict(&self, id: VerdictId) -> &Verdict {
        &self.verdicts[id]
    }

    /// Returns the bots that get no snapshot of the page. For such a bot, the body has no word that
    /// may be both indexed and archived. In addition, something is withheld from the bot. This is a
    /// word that may not be indexed, or a part of the page that may be neither indexed nor
    /// archived. Such a part may be without words.
    ///
    /// `words` has the verdict of each word in the body. The result is valid only for the bots in
    /// `all`.
    pub(crate) fn bots_without_words(
        &self,
        words: impl Iterator<Item = VerdictId>,
        all: BotSet,
    ) -> BotSet {
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

    /// Returns the notes on probable mistakes in the page.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// Counts how often this thread reads a directive from a page's list of directives. The count
/// exists only in builds with debug assertions. Tests compare the count with the number of
/// directives of the page. If code searches the list again for each directive, the count is too
/// high: such a search takes quadratic time.
#[cfg(debug_assertions)]
pub mod looks {
    use std::cell::Cell;

    thread_local! {
        static LOOKS: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn count() {
        LOOKS.set(LOOKS.get() + 1);
    }

    /// Returns how often this thread has read a directive from a page's list of directives since
    /// the last call. Resets the count to 0.
    pub fn take_count() -> u64 {
        LOOKS.take()
    }
}
