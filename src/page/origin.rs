//! The circumstances of a page: its URLs, its response, and the robots.txt files that disallow it
//! for some bots. This file decides nothing about the page.

use std::time::SystemTime;

use url::Url;

use heedful_base::bot::{BotId, BotSet};
use heedful_robots::{RobotsState, RobotsTxt};

/// The URLs of a page, and data of its response.
#[derive(Debug)]
pub struct PageOrigin {
    #[doc(hidden)]
    pub url: Url,
    /// Second URL of the page, from [`Pass::also_at`](crate::Pass::also_at). `None` if the page has
    /// only one URL.
    #[doc(hidden)]
    pub also: Option<Url>,
    /// URL under which the folder that contains the page's file is published. `None` if the page is
    /// not a file of a local folder.
    #[doc(hidden)]
    pub site: Option<Url>,
    #[doc(hidden)]
    pub response: PageResponse,
}

/// Facts about a page's response, such as its HTTP status. Methods of [`Page`](super::Page) return
/// them. No decision depends on them.
#[derive(Clone, Debug, Default)]
pub struct PageResponse {
    pub(super) content_type: Option<String>,
    pub(super) language: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) fetched: Option<SystemTime>,
    /// State of the robots.txt by which the page was judged.
    pub(crate) robots: RobotsState,
    /// The robots.txt files that disallow the page for some bots of the pass.
    pub(crate) blocking: BlockingRobots,
}

impl PageResponse {
    /// Stores the value of a `Content-Type` or `Content-Language` header. Ignores all other
    /// headers, empty values, and a `Content-Language` with several languages. If such a header
    /// occurs several times, the first value is stored.
    pub(crate) fn header(&mut self, name: &str, value: &str) {
        let name = name.trim();
        let value = value.trim();
        let kept = if name.eq_ignore_ascii_case("content-type") {
            &mut self.content_type
        } else if name.eq_ignore_ascii_case("content-language") && !value.contains(',') {
            &mut self.language
        } else {
            return;
        };
        if kept.is_none() && !value.is_empty() {
            *kept = Some(value.to_owned());
        }
    }
}

/// The robots.txt files that disallow the page for some bots of the pass, in the order in which the
/// caller gave them. Each file is paired with bots. For these bots, the file is the first one that
/// disallows the page.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockingRobots(Vec<(BotSet, RobotsTxt)>);

impl BlockingRobots {
    /// Adds a robots.txt that disallows the page for `bots`. The mode of `robots` must be the mode
    /// in which the pass interprets this file.
    pub(crate) fn add(&mut self, bots: BotSet, robots: RobotsTxt) {
        self.0.push((bots, robots));
    }

    pub(super) fn find(&self, bot: BotId) -> Option<&RobotsTxt> {
        for (bots, robots) in &self.0 {
            if bots.contains(bot) {
                return Some(robots);
            }
        }
        None
    }
}
