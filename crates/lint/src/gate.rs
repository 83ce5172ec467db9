//! Who asks for a page, and what may keep them out.

use std::borrow::Cow;

use heedful_base::bot::Bot;
use heedful_robots::{RobotsTxt, Ruling};

/// The bots that ask for the page, and the robots.txt files that may keep them out.
pub(super) struct RobotsLint<'a> {
    pub(super) bots: &'a [Bot],
    pub(super) robots: &'a [Cow<'a, RobotsTxt>],
    pub(super) url: &'a str,
    pub(super) also: Option<&'a str>,
}

impl RobotsLint<'_> {
    /// The ruling that keeps a bot out.
    pub(super) fn denial(&self, bot: &Bot) -> Option<Ruling<'_>> {
        let rulings = self
            .robots
            .iter()
            .map(|robots| robots.ruling_of(bot, self.url, self.also));
        rulings.into_iter().find(|ruling| !ruling.allowed())
    }
}
