//! The bots for which a page is checked, and the robots.txt files that may disallow the page for
//! them.

use std::borrow::Cow;

use heedful_base::bot::Bot;
use heedful_robots::{RobotsTxt, Ruling};

/// The bots for which one page is checked, and the robots.txt files that may disallow the page.
/// `url` is the URL of the page. `also` is a second URL of the same page, or `None`.
pub(super) struct RobotsLint<'a> {
    pub(super) bots: &'a [Bot],
    pub(super) robots: &'a [Cow<'a, RobotsTxt>],
    pub(super) url: &'a str,
    pub(super) also: Option<&'a str>,
}

impl RobotsLint<'_> {
    /// Returns the ruling of the first robots.txt that disallows the page for `bot`. Returns None
    /// if `bot` may fetch the page.
    pub(super) fn denial(&self, bot: &Bot) -> Option<Ruling<'_>> {
        let rulings = self
            .robots
            .iter()
            .map(|robots| robots.ruling_of(bot, self.url, self.also));
        rulings.into_iter().find(|ruling| !ruling.allowed())
    }
}
