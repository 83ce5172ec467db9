//! The policies of a page for the bots of its pass: what each may do with the page as a whole.
//!
//! They follow from the directives about the whole page. One thing follows from its parts: a bot
//! from which all words are withheld gets no copy.

use url::Url;

use crate::ledger::PageEnd;
use crate::policy::{NOBODY, Policy, Use, Verdict, Winner, derived};
use crate::sink::parts::VerdictSink;
use heedful_base::bot::{Bot, BotId, BotSet, Bots};

use super::shared::{BotClasses, SharedValues};

/// The policies that a page's ceiling makes. To the silenced it denies the copy too.
pub(super) fn policies(outcome: &PageEnd, all: BotSet, silenced: BotSet) -> SharedValues<Policy> {
    let mut classes = BotClasses::new(all);
    for directive in outcome.ceiling() {
        classes.split(directive.bots());
    }
    for winner in index_denials(outcome) {
        classes.split(winner.bots.and(silenced));
    }
    SharedValues::new(&classes, |bot| {
        let mut policy = Policy::from_ceiling(outcome.numbered_ceiling(), bot, outcome.now());
        if silenced.contains(bot)
            && let Some(winner) = index_denials(outcome).find(|winner| winner.bots.contains(bot))
            && let Some(why) = outcome.directive(winner.directive)
        {
            policy.keep_no_copy(winner.directive, why);
        }
        policy
    })
}

/// The denials of the index that decide in some part of the page.
fn index_denials(outcome: &PageEnd) -> impl Iterator<Item = &Winner> {
    let winners = outcome.verdicts.iter().flat_map(Verdict::winners);
    winners.filter(|winner| winner.usage == Use::Index)
}

/// Adds bots to a use that they are denied, and to the uses that follow from it.
fn add_denied(withheld: &mut [BotSet; Use::COUNT], usage: Use, bots: BotSet) {
    for denied in derived(usage) {
        withheld[*denied as usize] = withheld[*denied as usize].or(bots);
    }
}

/// The parts of its page that a pass for policies has read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolicyScan {
    /// The bytes of the decoded page.
    pub(crate) length: u64,
    /// Those that were read.
    pub(crate) read: u64,
    /// Some tag denies that its link is followed. It need not be among what was read.
    pub(crate) has_rel: bool,
}

/// The policies of one page, a [`Policy`] for each bot of the pass. They are those of its
/// [`Page`](crate::Page)s.
#[derive(Debug)]
pub struct PagePolicies {
    url: Url,
    bots: Bots,
    policies: SharedValues<Policy>,
    /// For each use, the bots from which a part of the page is withheld.
    parts: [BotSet; Use::COUNT],
    scan: PolicyScan,
}

impl PagePolicies {
    pub(crate) fn new(
        url: Url,
        bots: Bots,
        parts: &VerdictSink,
        scan: PolicyScan,
        outcome: &PageEnd,
    ) -> Self {
        let all = bots.all();
        let policies = policies(outcome, all, outcome.silenced(parts.words(), all));
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
            scan,
        }
    }

    /// The URL that the pass was opened with, in normal form.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The bytes of the decoded page.
    pub fn length(&self) -> u64 {
        self.scan.length
    }

    /// The bytes of the decoded page that were read to know its policies. The others can say
    /// nothing about the page as a whole, and were passed over.
    pub fn bytes_read(&self) -> u64 {
        self.scan.read
    }

    /// Each bot with its policy, in the order of the filter's bots.
    pub fn each(&self) -> impl Iterator<Item = (&Bot, &Policy)> {
        self.bots
            .each()
            .map(|(id, bot)| (bot, self.policies.get(id)))
    }

    /// The numbers of the bots, in that order.
    #[doc(hidden)]
    pub fn ids(&self) -> impl Iterator<Item = BotId> {
        self.bots.each().map(|(id, _)| id)
    }

    /// The policy for a bot. It allows nothing to whatever is no bot of the pass.
    pub fn policy(&self, bot: BotId) -> &Policy {
        if self.bots.all().contains(bot) {
            self.policies.get(bot)
        } else {
            &NOBODY
        }
    }

    /// True if the bot may use the page as a whole for `usage`, but not all parts of it: one of the
    /// page's [exclusions](crate::Page::exclusions) denies that, by statement or by what follows
    /// from one. A part that may not be indexed may not be shown either.
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
