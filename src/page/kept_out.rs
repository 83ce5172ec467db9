//! The robots.txt that kept a page out, and its rule. It decides nothing: the policy did.
//!
//! The files are kept as they were asked, which costs no copy of them. So the rule is looked up only if somebody asks.

use crate::bot::{BotId, BotSet};
use crate::robots_txt::{RobotsTxt, Ruling};

use super::Page;

/// The files that let some bots not in, each with the bots that none before it kept out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keepers(Vec<(BotSet, RobotsTxt)>);

impl Keepers {
    /// Adds a file, read as the pass reads it, that keeps out these bots.
    pub(crate) fn add(&mut self, bots: BotSet, robots: RobotsTxt) {
        self.0.push((bots, robots));
    }

    fn of(&self, bot: BotId) -> Option<&RobotsTxt> {
        self.0.iter().find(|(bots, _)| bots.contains(bot)).map(|(_, robots)| robots)
    }
}

impl Page {
    /// The robots.txt that kept the page out, with its answer: the rule, its line and group, or the status that decided.
    /// Of several that do, it is the first. `None` if the page entered.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/drafts/rye")?;
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/"));
    /// let page = pass.end()?;
    /// assert!(!page.policy().entered());
    /// let (_, ruling) = page.kept_out_by().expect("a rule keeps it out");
    /// assert_eq!((ruling.line(), ruling.rule().as_deref()), (Some(2), Some("Disallow: /drafts/")));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn kept_out_by(&self) -> Option<(&RobotsTxt, Ruling<'_>)> {
        let robots = self.recording.response.keepers.of(self.bot)?;
        Some((robots, robots.ruling_of(self.bot(), self.url(), self.also_at())))
    }
}
