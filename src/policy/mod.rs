//! Directives, verdicts, and the policy of a page: the statements, and what is in force.
//!
//! See docs/semantics.md, sections 1 and 2. Across conventions the strictest statement wins. The
//! winner is kept, so every answer can name its reason. A verdict serves all bots of a pass at
//! once; a [`Policy`] is for one bot.

mod origin;
mod preview;
mod uses;

use std::time::SystemTime;

use crate::place::Place;
use heedful_base::bot::{BotId, BotSet};

pub use origin::Origin;
pub use preview::ImagePreview;
pub use uses::{Use, Uses};

/// The version of docs/semantics.md that this code follows.
pub const LAW: u32 = 1;

/// The content of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// These uses are denied.
    Deny(Uses),
    /// These uses are allowed, unless a stricter statement denies them.
    Allow(Uses),
    /// A snippet may have at most so many characters.
    MaxSnippet(u32),
    /// An image preview may have at most this size.
    MaxImagePreview(ImagePreview),
    /// A video preview may have at most so many seconds.
    MaxVideoPreview(u32),
    /// The page may not be indexed from this moment on.
    UnavailableAfter(SystemTime),
}

/// The scope of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All pages that a robots.txt rule covers.
    Site,
    /// The response with its headers.
    Response,
    /// The page.
    Page,
    /// The part of the page up to a closing mark, in source order.
    Region,
    /// An element with its content, in the tree that a browser builds.
    Subtree,
    /// One link or one image.
    Node,
}

heedful_base::display!(Extent);

impl Extent {
    /// The name, in lower case.
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

    /// True if it covers the whole page.
    #[doc(hidden)]
    pub fn is_ceiling(self) -> bool {
        matches!(self, Self::Site | Self::Response | Self::Page)
    }
}

/// One statement of a publisher or of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    #[doc(hidden)]
    pub says: Says,
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
    /// The content of the directive.
    pub fn says(&self) -> Says {
        self.says
    }

    /// The bots of the pass that the directive is for.
    pub fn bots(&self) -> BotSet {
        self.bots
    }

    /// The scope of the directive.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// The convention of the directive.
    pub fn convention(&self) -> &'static str {
        self.convention
    }

    /// The source of the directive.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The place in the page, or `None` for a directive from elsewhere.
    pub fn place(&self) -> Option<Place> {
        self.origin.place()
    }

    /// The directive as it was written. A long one is cut.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A directive's number in its pass, in the order in which they were read.
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

/// One vote on one use: nothing, a denial or an allowance, with its directive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Vote {
    #[default]
    Silent,
    Allow(DirectiveId),
    Deny(DirectiveId),
}

impl Vote {
    /// The stricter of two votes. If they are equally strict, it is the first.
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

    pub(crate) fn from_statement(says: Says, usage: Use, id: DirectiveId) -> Self {
        match says {
            Says::Deny(uses) if uses.contains(usage) => Self::Deny(id),
            Says::Allow(uses) if uses.contains(usage) => Self::Allow(id),
            _ => Self::Silent,
        }
    }
}

/// The uses that the regions and elements around one token withhold, for all bots of the pass. The
/// page's own ceiling comes on top: see [`Judged::denied`](crate::Judged::denied).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    denied: [BotSet; Use::COUNT],
    winners: Vec<Winner>,
}

/// The verdict that withholds everything from every bot.
pub(crate) static SHUT: Verdict = Verdict {
    denied: [BotSet::EVERY; Use::COUNT],
    winners: Vec::new(),
};

/// A directive that withholds a use from some bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Winner {
    pub usage: Use,
    pub bots: BotSet,
    pub directive: DirectiveId,
}

impl Verdict {
    /// The denials of all these directives together.
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

    /// The bots that may not have `usage` here.
    pub fn denied(&self, usage: Use) -> BotSet {
        self.denied[usage as usize]
    }

    /// True if `bot`, which must be one of the pass, may have `usage` here, unless the page as a
    /// whole denies it: [`PageEnd::allows_at`](crate::PageEnd::allows_at) asks both.
    pub fn allows(&self, usage: Use, bot: BotId) -> bool {
        !self.denied(usage).contains(bot)
    }

    #[doc(hidden)]
    pub fn winners(&self) -> &[Winner] {
        &self.winners
    }

    /// The directive that denies `usage` to `bot`.
    pub(crate) fn winner(&self, usage: Use, bot: BotId) -> Option<DirectiveId> {
        let winner = self
            .winners
            .iter()
            .find(|winner| winner.usage == usage && winner.bots.contains(bot))?;
        Some(winner.directive)
    }

    /// Adds a directive's denials. A bot that was denied before keeps its earlier directive.
    pub(crate) fn add(&mut self, id: DirectiveId, directive: &Directive) {
        let Says::Deny(uses) = directive.says else {
            return;
        };
        for usage in uses.iter() {
            self.deny(id, usage, directive.bots);
        }
    }

    /// Adds a denial of one use for these bots.
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

/// The uses that a denial of `usage` denies, itself included. Content that may not be indexed may
/// not be shown or credited. Content that may not be shown is no material for an answer. A link
/// that may not be followed earns no credit.
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

/// The rights of one bot to a page as a whole.
///
/// ```
/// use heedful::{Bot, Use, Filter};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let page = filter.page("https://example.com/", &[], b"<meta name=robots content='noarchive, max-snippet:50'><p>one")?;
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
    entered: bool,
}

/// The policy of whatever is no bot of the pass.
pub(crate) static NOBODY: Policy = Policy {
    votes: [Vote::Deny(DirectiveId(u32::MAX)); Use::COUNT],
    reasons: [const { None }; Use::COUNT],
    max_snippet: None,
    max_image_preview: None,
    max_video_preview: None,
    unavailable_after: None,
    entered: false,
};

impl Policy {
    /// The policy for `bot` from a page's ceiling. With a clock, an expired page is not indexed.
    #[doc(hidden)]
    pub fn from_ceiling<'a>(
        ceiling: impl Iterator<Item = (DirectiveId, &'a Directive)> + Clone,
        bot: BotId,
        now: Option<SystemTime>,
    ) -> Self {
        let mut policy = Self {
            entered: true,
            ..Self::default()
        };
        let mut expiry = None;
        let directives = ceiling.filter(|(_, directive)| directive.bots.contains(bot));
        let shut = directives
            .clone()
            .any(|(_, directive)| directive.extent == Extent::Site);
        // A bot that may not enter has not seen the directives of the page.
        let directives =
            directives.filter(|(_, directive)| !shut || directive.extent == Extent::Site);
        for (id, directive) in directives.clone() {
            policy.apply(id, directive);
            if let Says::UnavailableAfter(time) = directive.says
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
            Says::Deny(_) | Says::Allow(_) => {
                for usage in Use::ALL {
                    self.vote(usage, Vote::from_statement(directive.says, usage, id));
                }
            }
            Says::MaxSnippet(characters) => least(&mut self.max_snippet, characters),
            Says::MaxImagePreview(size) => least(&mut self.max_image_preview, size),
            Says::MaxVideoPreview(seconds) => least(&mut self.max_video_preview, seconds),
            Says::UnavailableAfter(time) => least(&mut self.unavailable_after, time),
        }
        if directive.extent == Extent::Site && matches!(directive.says, Says::Deny(_)) {
            self.entered = false;
        }
    }

    fn vote(&mut self, usage: Use, vote: Vote) {
        let slot = &mut self.votes[usage as usize];
        *slot = slot.strictest(vote);
    }

    /// Adds derived denials (docs/semantics.md, section 1). A page that may not be indexed is not
    /// kept as a snapshot either.
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

    /// Denies a copy: a page of whose words none may be both indexed and kept is not kept at all.
    pub(crate) fn keep_no_copy(&mut self, id: DirectiveId, why: &Directive) {
        let archive = Use::Archive as usize;
        if !matches!(self.votes[archive], Vote::Deny(_)) {
            self.votes[archive] = Vote::Deny(id);
            self.reasons[archive] = Some(why.clone());
        }
    }

    /// True if a denial of `usage` is not stated, but follows from another one: see
    /// docs/semantics.md, section 1.
    pub fn is_derived(&self, usage: Use) -> bool {
        if self.allows(usage) {
            return false;
        }
        match self.why(usage).map(Directive::says) {
            Some(Says::Deny(uses)) => !uses.contains(usage),
            Some(_) => usage != Use::Index,
            None => false,
        }
    }

    /// True if the bot may use the page as a whole for `usage`.
    pub fn allows(&self, usage: Use) -> bool {
        !matches!(self.votes[usage as usize], Vote::Deny(_))
    }

    /// The directive that decided on `usage`: the denial, or an explicit allowance. `None` if there
    /// is no directive.
    pub fn why(&self, usage: Use) -> Option<&Directive> {
        self.reasons[usage as usize].as_ref()
    }

    /// The number of the directive that decided on `usage`, for
    /// [`Explanation::directive_index`](crate::Explanation::directive_index).
    pub fn why_id(&self, usage: Use) -> Option<DirectiveId> {
        self.votes[usage as usize].directive()
    }

    /// True if robots.txt let the page in.
    pub fn entered(&self) -> bool {
        self.entered
    }

    /// The most characters of a snippet, if limited.
    pub fn max_snippet(&self) -> Option<u32> {
        self.max_snippet
    }

    /// The largest image preview, if limited.
    pub fn max_image_preview(&self) -> Option<ImagePreview> {
        self.max_image_preview
    }

    /// The longest video preview in seconds, if limited.
    pub fn max_video_preview(&self) -> Option<u32> {
        self.max_video_preview
    }

    /// The time when the page expires, if it does.
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

    fn page(says: Says, bots: BotSet) -> Directive {
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
        let noindex = Says::Deny(Uses::new(&[Use::Index]));
        let nosnippet = Says::Deny(Uses::new(&[Use::Snippet]));
        let ceiling = [
            page(noindex, BotSet::one(BotId::nth(1))),
            page(nosnippet, BotSet::all(2)),
        ];
        let numbered = || (0..).map(DirectiveId).zip(&ceiling);
        let (first, second) = (
            Policy::from_ceiling(numbered(), BotId::FIRST, None),
            Policy::from_ceiling(numbered(), BotId::nth(1), None),
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
