//! The origin of a page: its addresses, its response, and the robots.txt files that kept it out. No
//! decision depends on it here.

use std::time::SystemTime;

use url::Url;

use heedful_base::bot::{BotId, BotSet};
use heedful_robots::{RobotsState, RobotsTxt};

/// The addresses of a page.
#[derive(Debug)]
pub struct PageOrigin {
    #[doc(hidden)]
    pub url: Url,
    /// Another URL of the page.
    #[doc(hidden)]
    pub also: Option<Url>,
    /// The site of files that the page is in.
    #[doc(hidden)]
    pub site: Option<Url>,
    #[doc(hidden)]
    pub response: PageResponse,
}

/// What the response says of the page. It rules nothing.
#[derive(Clone, Debug, Default)]
pub struct PageResponse {
    pub(super) content_type: Option<String>,
    pub(super) language: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) fetched: Option<SystemTime>,
    /// The robots.txt that the page was judged by.
    pub(crate) robots: RobotsState,
    /// Those that keep the page out.
    pub(crate) blocking: BlockingRobots,
}

impl PageResponse {
    /// Takes a header line; of several with one name the first counts.
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

/// The robots.txt files that keep bots out, each with the bots that none before it kept out. They
/// are kept as they were asked, which costs no copy of them, so the rule is looked up only if
/// somebody asks for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockingRobots(Vec<(BotSet, RobotsTxt)>);

impl BlockingRobots {
    /// Adds a file, read as the pass reads it, that keeps out these bots.
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
