//! The policies of a page for the bots of its pass: what each bot may do with the page as a whole.
//!
//! A policy follows only from the directives about the whole page, with one exception: a bot that
//! may index none of the page's words may not store a copy of the page.

use url::Url;

use crate::ledger::PageEnd;
use crate::policy::{DENYING_POLICY, Policy, Use, Verdict, Winner, derived};
use crate::sink::parts::VerdictSink;
use heedful_base::bot::{Bot, BotId, BotSet, Bots};
use heedful_robots::RobotsState;

use super::shared::{BotClasses, SharedValues};

/// Creates the policy of each bot in `all` from the directives about the whole page. The bots in
/// `silenced` may index no word of the page, so they may not store a copy of the page either.
pub(super) fn policies(outcome: &PageEnd, all: BotSet, silenced: BotSet) -> SharedValues<Policy> {
    let mut classes = BotClasses::new(all);
    for directive in outcome.page_wide_directives() {
        classes.split(directive.bots());
    }
    for winner in index_denials(outcome) {
        classes.split(winner.bots.and(silenced));
    }
    SharedValues::new(&classes, |bot| {
        let mut policy =
            Policy::from_page_wide(outcome.numbered_page_wide_directives(), bot, outcome.now());
        if silenced.contains(bot)
            && let Some(winner) = index_denials(outcome).find(|winner| winner.bots.contains(bot))
            && let Some(why) = outcome.directive(winner.directive)
        {
            policy.keep_no_copy(winner.directive, why);
        }
        policy
    })
}

/// Returns all denials of [`Use::Index`] for parts of the page.
fn index_denials(outcome: &PageEnd) -> impl Iterator<Item = &Winner> {
    let winners = outcome.verdicts.iter().flat_map(Verdict::winners);
    winners.filter(|winner| winner.usage == Use::Index)
}

/// Records in `withheld` that `usage` is denied to `bots`. Does the same for each use that a denial
/// of `usage` denies too. `withheld` has, for each use, the bots to which the use is denied.
fn add_denied(withheld: &mut [BotSet; Use::COUNT], usage: Use, bots: BotSet) {
    for denied in derived(usage) {
        withheld[*denied as usize] = withheld[*denied as usize].or(bots);
    }
}

/// Size of a page, and the number of its bytes that a pass for policies has parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolicyScan {
    /// Number of bytes of the decoded page.
    pub(crate) length: u64,
    /// Number of bytes of the decoded page that were parsed.
    pub(crate) read: u64,
    /// True if any tag of the page has a `rel` that denies following a link. Tags in bytes that
    /// were not parsed count too.
    pub(crate) has_rel: bool,
}

/// The policies of one page: a [`Policy`] for each bot of the pass. They are equal to those of the
/// [`Page`](crate::Page)s that a full pass over the same page returns.
///
/// ```
/// use heedful::{Bot, Filter, Use};
///
/// let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
/// let mut pass = filter.open_policies("https://example.com/rye")?;
/// pass.write(b"<meta name=barbot content=noarchive><p>Dark bread")?;
/// let policies = pass.end()?;
/// for (bot, policy) in policies.each() {
///     assert_eq!(policy.allows(Use::Archive), bot.name() == "FooBot");
/// }
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct PagePolicies {
    url: Url,
    bots: Bots,
    policies: SharedValues<Policy>,
    /// For each use, the bots to which the use is denied for at least one part of the page.
    parts: [BotSet; Use::COUNT],
    scan: PolicyScan,
    robots: RobotsState,
}

impl PagePolicies {
    pub(crate) fn new(
        url: Url,
        bots: Bots,
        parts: &VerdictSink,
        scan: PolicyScan,
        robots: RobotsState,
        outcome: &PageEnd,
    ) -> Self {
        let all = bots.all();
        let policies = policies(outcome, all, outcome.bots_without_words(parts.words(), all));
        let mut withheld = [BotSet::NONE; Use::COUNT];
        for part in &parts.audit.closed {
            add_denied(&mut withheld, part.winner.usage, part.winner.bots);
        }
        if scan.has_rel {
            add_denied(&mut withheld, Use::Follow, all);
        }
        Self {
            url,
            bots,
            policies,
            parts: withheld,
            robots,
            scan,
        }
    }

    /// Returns the URL with which the pass was opened, in normal form.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the state of the robots.txt by which the page was judged, like
    /// [`Page::robots_state`](crate::Page::robots_state).
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsState, RobotsTxt};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open_policies("https://example.com/")?;
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nAllow: /"));
    /// assert_eq!(pass.end()?.robots_state(), RobotsState::Rules);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots_state(&self) -> RobotsState {
        self.robots
    }

    /// Returns the length of the decoded page in bytes.
    pub fn length(&self) -> u64 {
        self.scan.length
    }

    /// Returns the number of bytes of the decoded page that the pass parsed. All other bytes were
    /// skipped, since they cannot change a policy.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open_policies("https://example.com/")?;
    /// pass.write(b"<meta name=robots content=noarchive>")?;
    /// pass.write("<p>Dark bread with rye.".repeat(100).as_bytes())?;
    /// let policies = pass.end()?;
    /// assert!(policies.bytes_read() < policies.length() / 10);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn bytes_read(&self) -> u64 {
        self.scan.read
    }

    /// Returns each bot with its policy, in the order of the filter's bots.
    pub fn each(&self) -> impl Iterator<Item = (&Bot, &Policy)> {
        self.bots
            .each()
            .map(|(id, bot)| (bot, self.policies.get(id)))
    }

    /// Returns the numbers of the bots in the pass, in the order of [`PagePolicies::each`].
    #[doc(hidden)]
    pub fn ids(&self) -> impl Iterator<Item = BotId> {
        self.bots.each().map(|(id, _)| id)
    }

    /// Returns the policy for `bot`. Returns a policy that allows nothing if `bot` is not a bot of
    /// the pass.
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, Use};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open_policies("https://example.com/")?;
    /// pass.header("X-Robots-Tag", "noarchive");
    /// let policies = pass.end()?;
    /// let policy = policies.policy(BotId::FIRST);
    /// assert!(policy.allows(Use::Index) && !policy.allows(Use::Archive));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn policy(&self, bot: BotId) -> &Policy {
        if self.bots.all().contains(bot) {
            self.policies.get(bot)
        } else {
            &DENYING_POLICY
        }
    }

    /// True if `bot` may use the page as a whole for `usage`, but not every part of the page. A
    /// denial of another use may be the cause. For example, a part that may not be indexed may not
    /// be shown either.
    ///
    /// ```
    /// use heedful::{Bot, BotId, Use, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open_policies("https://example.com/")?;
    /// pass.write(b"<p>one <!--noindex-->two<!--/noindex-->")?;
    /// let policies = pass.end()?;
    /// assert!(policies.policy(BotId::FIRST).allows(Use::Input));
    /// assert!(policies.has_parts(Use::Input, BotId::FIRST));
    /// assert!(!policies.has_parts(Use::Archive, BotId::FIRST));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn has_parts(&self, usage: Use, bot: BotId) -> bool {
        self.policy(bot).allows(usage) && self.parts[usage as usize].contains(bot)
    }
}
