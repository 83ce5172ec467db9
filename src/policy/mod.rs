//! Directives, verdicts, and the policy of a page: what publishers state, and what is in force.
//!
//! Implements docs/semantics.md, sections 1 and 2. Across conventions the strictest statement wins:
//! a denial beats an allowance, and a smaller limit beats a larger one. The winning directive is
//! recorded, so that each decision can name its reason. A [`Verdict`] is about all bots of a pass,
//! and a [`Policy`] about one bot. This file does not know how a directive was found, nor which
//! elements are around a token.

mod origin;
mod preview;
mod uses;

use std::time::SystemTime;

use crate::place::Place;
use heedful_base::bot::{BotId, BotSet};

pub use origin::Origin;
pub use preview::ImagePreview;
pub use uses::{Use, Uses};

/// Version of the filtering rules in docs/semantics.md that this code implements.
///
/// An index stores this number. Pages that were judged by another version must be judged again.
///
/// ```
/// let judged_by = 0; // kept by an index
/// let must_judge_again = judged_by != heedful::LAW;
/// assert!(must_judge_again);
/// ```
pub const LAW: u32 = 1;

/// Content of a directive. A directive denies uses, allows uses, or sets a limit.
///
/// ```
/// use heedful::{Bot, Filter, StatementContent, Use};
///
/// let html = b"<meta name=robots content='noarchive, max-snippet:20'>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let found: Vec<_> = page
///     .directives()
///     .filter_map(|directive| match directive.says() {
///         StatementContent::Deny(uses) => Some(uses.to_string()),
///         StatementContent::MaxSnippet(characters) => Some(format!("{characters} characters")),
///         _ => None,
///     })
///     .collect();
/// assert!(found.contains(&"noarchive".to_owned()) && found.contains(&"20 characters".to_owned()));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementContent {
    /// Denies the uses in the set.
    Deny(Uses),
    /// Allows the uses in the set, unless another directive denies them.
    Allow(Uses),
    /// Limits a snippet to this number of characters.
    MaxSnippet(u32),
    /// Limits an image preview to this size.
    MaxImagePreview(ImagePreview),
    /// Limits a video preview to this number of seconds.
    MaxVideoPreview(u32),
    /// Denies indexing the page after this time.
    UnavailableAfter(SystemTime),
}

/// Extent of a directive: the site, the page, or the part of the page to which the directive
/// applies.
///
/// ```
/// use heedful::{Bot, Extent, Filter};
///
/// let html = b"<p class=robots-noindex>one</p><!--noindex-->two<!--/noindex-->";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let mut reaches = Vec::new();
/// for directive in page.directives() {
///     reaches.push(match directive.extent() {
///         Extent::Subtree => "an element",
///         Extent::Region => "up to a closing comment",
///         _ => "the whole page",
///     });
/// }
/// assert_eq!(reaches, ["an element", "up to a closing comment"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All pages that a robots.txt rule matches.
    Site,
    /// The response, which is the page with its headers. Directives in headers have this extent.
    Response,
    /// The page that contains the directive.
    Page,
    /// The part of the page between an opening and a closing comment or tag, in source order.
    Region,
    /// An element with all of its content, in the tree that a browser builds.
    Subtree,
    /// One link or one image.
    Node,
}

heedful_base::display!(Extent);

impl Extent {
    /// Returns the name of the extent in lower case, such as `subtree`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::Response => "response",
            Self::Page => "page",
            Self::Region => "region",
            Self::Subtree => "subtree",
            Self::Node => "node",
        }
    }

    /// True if the extent includes the whole page: it is the site, the response or the page.
    #[doc(hidden)]
    pub fn is_page_wide(self) -> bool {
        matches!(self, Self::Site | Self::Response | Self::Page)
    }
}

/// One statement of a publisher or of the operator about the use of a page.
///
/// ```
/// use heedful::{Bot, Extent, Filter, Use};
///
/// let headers = [("X-Robots-Tag", "noarchive")];
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &headers, b"<p>one")?;
/// let why = page.policy().why(Use::Archive).expect("a denial");
/// assert_eq!((why.convention(), why.extent(), why.place()), ("header", Extent::Response, None));
/// assert_eq!(why.text(), "X-Robots-Tag: noarchive");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    #[doc(hidden)]
    pub says: StatementContent,
    #[doc(hidden)]
    pub bots: BotSet,
    #[doc(hidden)]
    pub extent: Extent,
    #[doc(hidden)]
    pub convention: &'static str,
    #[doc(hidden)]
    pub origin: Origin,
    #[doc(hidden)]
    pub text: String,
}

impl Directive {
    /// Returns the content of the directive: the uses that it denies or allows, or its limit.
    pub fn says(&self) -> StatementContent {
        self.says
    }

    /// Returns the bots of the pass that the directive binds.
    pub fn bots(&self) -> BotSet {
        self.bots
    }

    /// Returns the extent of the directive: the site, the page, or the part of the page to which it
    /// applies.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Returns the name of the convention to which the directive belongs.
    pub fn convention(&self) -> &'static str {
        self.convention
    }

    /// Returns the source of the directive: a file, a header, the page, or the operator.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the place of the directive in the page, or `None` if the directive is not in the
    /// page.
    pub fn place(&self) -> Option<Place> {
        self.origin.place()
    }

    /// Returns the text of the directive as it is in the page, header or file. A long text is
    /// truncated.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Number that identifies a directive in its pass. A pass numbers directives in the order in which
/// it reads them.
///
/// ```
/// use heedful::{Bot, BotId, Filter, Use};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.write(b"<meta name=robots content=noarchive><p>one")?;
/// let explanation = pass.end()?;
/// let page = explanation.page(BotId::FIRST).expect("a bot of the pass");
/// let id = page.policy().why_id(Use::Archive).expect("a denial");
/// let row = explanation.directive_index(id).expect("a directive of the explanation");
/// assert_eq!(explanation.directives()[row].id(), id);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectiveId(u32);

impl DirectiveId {
    #[doc(hidden)]
    pub fn nth(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Statement of one directive about one use: a denial, an allowance, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Vote {
    #[default]
    Silent,
    Allow(DirectiveId),
    Deny(DirectiveId),
}

impl Vote {
    /// Returns the stricter of two votes, or `self` if both are equally strict. A denial is
    /// stricter than an allowance, and an allowance is stricter than no statement.
    pub(crate) fn strictest(self, other: Self) -> Self {
        match (self, other) {
            (Self::Deny(_), _) | (Self::Allow(_), Self::Allow(_) | Self::Silent) => self,
            _ => other,
        }
    }

    fn directive(self) -> Option<DirectiveId> {
        match self {
            Self::Silent => None,
            Self::Allow(id) | Self::Deny(id) => Some(id),
        }
    }

    pub(crate) fn from_statement(says: StatementContent, usage: Use, id: DirectiveId) -> Self {
        match says {
            StatementContent::Deny(uses) if uses.contains(usage) => Self::Deny(id),
            StatementContent::Allow(uses) if uses.contains(usage) => Self::Allow(id),
            _ => Self::Silent,
        }
    }
}

/// Uses that the regions and elements around one token deny, for all bots of the pass. Denials for
/// the whole page are not included. [`Judged::denied`](crate::Judged::denied) includes both.
///
/// ```
/// use heedful::{Bot, BotId, Filter, Judged, PageEnd, Result, Sink, Use, Verdict, VerdictId};
///
/// #[derive(Default)]
/// struct LastText(VerdictId, Verdict);
///
/// impl Sink for LastText {
///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
///         self.0 = judged.id();
///         Ok(())
///     }
///
///     fn finish(&mut self, end: &PageEnd) -> Result<()> {
///         self.1 = end.verdict(self.0).clone();
///         Ok(())
///     }
/// }
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/", LastText::default())?;
/// pass.write(b"<p>one <span data-nosnippet>two")?;
/// let verdict = pass.into_sink()?.1;
/// assert!(verdict.denied(Use::Snippet).contains(BotId::FIRST));
/// assert!(verdict.allows(Use::Index, BotId::FIRST));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    denied: [BotSet; Use::COUNT],
    winners: Vec<Winner>,
}

/// Verdict that denies every use to every bot.
pub(crate) static DENYING_VERDICT: Verdict = Verdict {
    denied: [BotSet::EVERY; Use::COUNT],
    winners: Vec::new(),
};

/// Denial of one use by one directive. `bots` has the bots for which this directive is the recorded
/// reason of the denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Winner {
    pub usage: Use,
    pub bots: BotSet,
    pub directive: DirectiveId,
}

impl Verdict {
    /// Creates the verdict that has the denials of all the given directives. Each directive is
    /// paired with its number in the pass.
    #[doc(hidden)]
    pub fn from_directives<'a>(
        directives: impl IntoIterator<Item = (DirectiveId, &'a Directive)>,
    ) -> Self {
        let mut verdict = Self::default();
        for (id, directive) in directives {
            verdict.add(id, directive);
        }
        verdict
    }

    /// Returns the bots to which this verdict of a token denies `usage`. Derived denials are
    /// included: for example, a denial of [`Use::Index`] also denies [`Use::Snippet`].
    pub fn denied(&self, usage: Use) -> BotSet {
        self.denied[usage as usize]
    }

    /// True if this verdict does not deny `usage` to `bot`. `bot` must be a bot of the pass. The
    /// verdict is only about one token, so a directive about the whole page may still deny the use.
    /// [`PageEnd::allows_at`](crate::PageEnd::allows_at) considers the whole page too.
    pub fn allows(&self, usage: Use, bot: BotId) -> bool {
        !self.denied(usage).contains(bot)
    }

    #[doc(hidden)]
    pub fn winners(&self) -> &[Winner] {
        &self.winners
    }

    /// Returns the number of the directive that itself denies `usage` to `bot`. Returns `None` if
    /// the use is allowed, or denied only because of the denial of another use.
    pub(crate) fn winner(&self, usage: Use, bot: BotId) -> Option<DirectiveId> {
        let winner = self
            .winners
            .iter()
            .find(|winner| winner.usage == usage && winner.bots.contains(bot))?;
        Some(winner.directive)
    }

    /// Adds to the verdict all denials of `directive`, whose number is `id`. For a bot to which a
    /// use was denied before, the earlier directive stays the reason.
    pub(crate) fn add(&mut self, id: DirectiveId, directive: &Directive) {
        let StatementContent::Deny(uses) = directive.says else {
            return;
        };
        for usage in uses.iter() {
            self.deny(id, usage, directive.bots);
        }
    }

    /// Adds to the verdict a denial of `usage` to `bots`, by the directive with the number `id`.
    /// For a bot to which the use was denied before, the earlier directive stays the reason.
    #[doc(hidden)]
    pub fn deny(&mut self, id: DirectiveId, usage: Use, bots: BotSet) {
        let mut fresh = bots;
        for winner in &self.winners {
            if winner.usage == usage {
                fresh = fresh.without(winner.bots);
            }
        }
        if !fresh.is_empty() {
            self.winners.push(Winner {
                usage,
                bots: fresh,
                directive: id,
            });
        }
        for denied in derived(usage) {
            let set = &mut self.denied[*denied as usize];
            *set = set.or(bots);
        }
    }
}

/// Returns all uses that a denial of `usage` denies, `usage` included. Content that may not be
/// indexed may not be shown or credited either. Content that may not be shown may not be given to a
/// model as material for an answer. The anchor text of a link that may not be followed may not be
/// credited to the link's target.
pub fn derived(usage: Use) -> &'static [Use] {
    match usage {
        Use::Index => &[Use::Index, Use::Snippet, Use::Anchor, Use::Input],
        Use::Follow => &[Use::Follow, Use::Anchor],
        Use::Anchor => &[Use::Anchor],
        Use::Archive => &[Use::Archive],
        Use::Snippet => &[Use::Snippet, Use::Input],
        Use::Image => &[Use::Image],
        Use::Translate => &[Use::Translate],
        Use::Train => &[Use::Train],
        Use::Input => &[Use::Input],
    }
}

/// Permissions of one bot for a page as a whole: denied uses, limits of snippets and previews, and
/// the expiry date.
///
/// ```
/// use heedful::{Bot, Use, Filter};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let html = b"<meta name=robots content='noarchive, max-snippet:50'><p>one";
/// let page = filter.page("https://example.com/", &[], html)?;
/// let policy = page.policy();
/// assert!(policy.allows(Use::Index) && !policy.allows(Use::Archive));
/// assert_eq!(policy.max_snippet(), Some(50));
/// assert_eq!(policy.why(Use::Archive).and_then(|why| why.place()).map(|place| place.line()), Some(1));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    votes: [Vote; Use::COUNT],
    reasons: [Option<Directive>; Use::COUNT],
    max_snippet: Option<u32>,
    max_image_preview: Option<ImagePreview>,
    max_video_preview: Option<u32>,
    unavailable_after: Option<SystemTime>,
    may_fetch: bool,
}

/// Policy that denies everything, for a bot that is not in the pass.
pub(crate) static DENYING_POLICY: Policy = Policy {
    votes: [Vote::Deny(DirectiveId(u32::MAX)); Use::COUNT],
    reasons: [const { None }; Use::COUNT],
    max_snippet: None,
    max_image_preview: None,
    max_video_preview: None,
    unavailable_after: None,
    may_fetch: false,
};

impl Policy {
    /// Creates the policy for `bot` from the directives about the whole page, each with its number.
    /// If `now` is given, a page whose expiry date is before `now` may not be indexed.
    #[doc(hidden)]
    pub fn from_page_wide<'a>(
        page_wide: impl Iterator<Item = (DirectiveId, &'a Directive)> + Clone,
        bot: BotId,
        now: Option<SystemTime>,
    ) -> Self {
        let mut policy = Self {
            may_fetch: true,
            ..Self::default()
        };
        let mut expiry = None;
        let directives = page_wide.filter(|(_, directive)| directive.bots.contains(bot));
        let shut = directives
            .clone()
            .any(|(_, directive)| directive.extent == Extent::Site);
        // A bot that robots.txt keeps out never fetched the page, so its directives do not count.
        let directives =
            directives.filter(|(_, directive)| !shut || directive.extent == Extent::Site);
        for (id, directive) in directives.clone() {
            policy.apply(id, directive);
            if let StatementContent::UnavailableAfter(time) = directive.says
                && policy.unavailable_after == Some(time)
            {
                expiry = Some(id);
            }
        }
        if let (Some(now), Some(time), Some(id)) = (now, policy.unavailable_after, expiry)
            && now > time
        {
            policy.vote(Use::Index, Vote::Deny(id));
        }
        policy.derive();
        for (usage, vote) in policy.votes.iter().enumerate() {
            let found = vote
                .directive()
                .and_then(|id| directives.clone().find(|(other, _)| *other == id));
            policy.reasons[usage] = found.map(|(_, directive)| directive.clone());
        }
        policy
    }

    fn apply(&mut self, id: DirectiveId, directive: &Directive) {
        match directive.says {
            StatementContent::Deny(_) | StatementContent::Allow(_) => {
                for usage in Use::ALL {
                    self.vote(usage, Vote::from_statement(directive.says, usage, id));
                }
            }
            StatementContent::MaxSnippet(characters) => least(&mut self.max_snippet, characters),
            StatementContent::MaxImagePreview(size) => least(&mut self.max_image_preview, size),
            StatementContent::MaxVideoPreview(seconds) => {
                least(&mut self.max_video_preview, seconds);
            }
            StatementContent::UnavailableAfter(time) => least(&mut self.unavailable_after, time),
        }
        if directive.extent == Extent::Site && matches!(directive.says, StatementContent::Deny(_)) {
            self.may_fetch = false;
        }
    }

    fn vote(&mut self, usage: Use, vote: Vote) {
        let slot = &mut self.votes[usage as usize];
        *slot = slot.strictest(vote);
    }

    /// Adds to the policy the denials that follow from other denials (docs/semantics.md, section
    /// 1). If the page may not be indexed, storing a copy of the page is denied too.
    fn derive(&mut self) {
        let mut denied = Vec::new();
        for usage in Use::ALL {
            if let vote @ Vote::Deny(_) = self.votes[usage as usize] {
                for other in derived(usage) {
                    denied.push((*other, vote));
                }
                if usage == Use::Index {
                    denied.push((Use::Archive, vote));
                }
            }
        }
        for (usage, vote) in denied {
            self.vote(usage, vote);
        }
    }

    /// Denies storing a copy of the page, unless that is denied already. Callers use this for a bot
    /// that may index no word of the page. `why` becomes the reason, and `id` is its number.
    pub(crate) fn keep_no_copy(&mut self, id: DirectiveId, why: &Directive) {
        let archive = Use::Archive as usize;
        if !matches!(self.votes[archive], Vote::Deny(_)) {
            self.votes[archive] = Vote::Deny(id);
            self.reasons[archive] = Some(why.clone());
        }
    }

    /// True if `usage` is denied only because the denial of another use denies `usage` too
    /// (docs/semantics.md, section 1). False if `usage` is allowed, or if a directive denies
    /// `usage` itself.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Use};
    ///
    /// let html = b"<meta name=robots content=nosnippet>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let policy = page.policy();
    /// assert!(!policy.allows(Use::Snippet) && !policy.is_derived(Use::Snippet));
    /// assert!(!policy.allows(Use::Input) && policy.is_derived(Use::Input));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn is_derived(&self, usage: Use) -> bool {
        if self.allows(usage) {
            return false;
        }
        match self.why(usage).map(Directive::says) {
            Some(StatementContent::Deny(uses)) => !uses.contains(usage),
            Some(_) => usage != Use::Index,
            None => false,
        }
    }

    /// True if no directive about the whole page denies `usage` to the bot. A part of the page may
    /// still be denied: see [`Page::exclusions`](crate::Page::exclusions).
    ///
    /// ```
    /// use heedful::{Bot, Filter, Use};
    ///
    /// let headers = [("X-Robots-Tag", "nosnippet")];
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let page = filter.page("https://example.com/", &headers, b"<p>Rye")?;
    /// let policy = page.policy();
    /// assert!(policy.allows(Use::Index));
    /// assert!(!policy.allows(Use::Snippet) && !policy.allows(Use::Input)); // the second follows
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn allows(&self, usage: Use) -> bool {
        !matches!(self.votes[usage as usize], Vote::Deny(_))
    }

    /// Returns the directive that decides on `usage` for the whole page. This directive denies the
    /// use or explicitly allows it. Returns `None` if there is no such directive. The use is then
    /// allowed.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Use};
    ///
    /// let headers = [("X-Robots-Tag", "foobot: notranslate")];
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let page = filter.page("https://example.com/", &headers, b"<p>Rye")?;
    /// let why = page.policy().why(Use::Translate).expect("a denial");
    /// assert_eq!(why.text(), "X-Robots-Tag: foobot: notranslate");
    /// assert!(page.policy().why(Use::Index).is_none());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn why(&self, usage: Use) -> Option<&Directive> {
        self.reasons[usage as usize].as_ref()
    }

    /// Returns the number of the directive that [`Policy::why`] returns for `usage`. Returns `None`
    /// if no directive decides on this use.
    ///
    /// [`Explanation::directive_index`](crate::Explanation::directive_index) takes this number.
    pub fn why_id(&self, usage: Use) -> Option<DirectiveId> {
        self.votes[usage as usize].directive()
    }

    /// True if no robots.txt that was given to the pass disallows the page for the bot.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let entered = |url| -> heedful::Result<bool> {
    ///     let mut pass = filter.open(url)?;
    ///     pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/"));
    ///     Ok(pass.end()?.policy().may_fetch())
    /// };
    /// assert!(entered("https://example.com/rye")? && !entered("https://example.com/drafts/rye")?);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn may_fetch(&self) -> bool {
        self.may_fetch
    }

    /// Returns the maximum length of a snippet in characters, or `None` if no directive limits the
    /// length.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<meta name=robots content='max-snippet:50'>
    ///     <meta name=foobot content='max-snippet:20'>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.policy().max_snippet(), Some(20)); // the strictest
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn max_snippet(&self) -> Option<u32> {
        self.max_snippet
    }

    /// Returns the largest permitted size of an image preview, or `None` if no directive limits the
    /// size.
    ///
    /// ```
    /// use heedful::{Bot, Filter, ImagePreview};
    ///
    /// let html = b"<meta name=robots content='max-image-preview:standard'>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let size = page.policy().max_image_preview().unwrap_or(ImagePreview::Large);
    /// assert_eq!(size, ImagePreview::Standard);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn max_image_preview(&self) -> Option<ImagePreview> {
        self.max_image_preview
    }

    /// Returns the maximum length of a video preview in seconds, or `None` if no directive limits
    /// the length.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<meta name=robots content='max-video-preview:30'>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.policy().max_video_preview(), Some(30));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn max_video_preview(&self) -> Option<u32> {
        self.max_video_preview
    }

    /// Returns the time after which the page may not be indexed. An indexer should remove the page
    /// at that time. Returns `None` if no directive sets such a time.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<meta name=robots content='unavailable_after: 1970-01-02T00:00:00Z'>";
    /// let filter = Filter::new(Bot::new("FooBot")?).now(SystemTime::UNIX_EPOCH);
    /// let page = filter.page("https://example.com/", &[], html)?;
    /// let day = Duration::from_secs(24 * 60 * 60);
    /// assert_eq!(page.policy().unavailable_after(), Some(SystemTime::UNIX_EPOCH + day));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn unavailable_after(&self) -> Option<SystemTime> {
        self.unavailable_after
    }
}

fn least<T: PartialOrd>(slot: &mut Option<T>, value: T) {
    if slot.as_ref().is_none_or(|old| value < *old) {
        *slot = Some(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(says: StatementContent, bots: BotSet) -> Directive {
        Directive {
            says,
            bots,
            extent: Extent::Page,
            convention: "meta",
            origin: Origin::Header,
            text: String::new(),
        }
    }

    #[test]
    fn the_strictest_vote_wins_and_keeps_its_directive() {
        let (allow, deny) = (Vote::Allow(DirectiveId(1)), Vote::Deny(DirectiveId(2)));
        assert_eq!(Vote::Silent.strictest(allow), allow);
        assert_eq!(allow.strictest(deny), deny);
        assert_eq!(deny.strictest(allow), deny);
        assert_eq!(deny.strictest(Vote::Deny(DirectiveId(3))), deny);
    }

    #[test]
    fn a_policy_is_derived_for_each_bot() {
        let noindex = StatementContent::Deny(Uses::new(&[Use::Index]));
        let nosnippet = StatementContent::Deny(Uses::new(&[Use::Snippet]));
        let page_wide = [
            page(noindex, BotSet::single(BotId::nth(1))),
            page(nosnippet, BotSet::all(2)),
        ];
        let numbered = || (0..).map(DirectiveId).zip(&page_wide);
        let (first, second) = (
            Policy::from_page_wide(numbered(), BotId::FIRST, None),
            Policy::from_page_wide(numbered(), BotId::nth(1), None),
        );
        assert!(first.allows(Use::Index) && !first.allows(Use::Snippet));
        assert!(
            !second.allows(Use::Index)
                && !second.allows(Use::Archive)
                && !second.allows(Use::Anchor)
        );
        assert!(second.allows(Use::Follow));
        assert_eq!(second.why(Use::Archive).unwrap().says(), noindex);
    }
}
