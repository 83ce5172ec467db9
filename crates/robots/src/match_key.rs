//! Numbers of the robots.txt rules and records that match a page. Together they are a key for the
//! page's policy.
//!
//! A site's files have the same effect on two pages if the same rules and records match both pages.
//! The key is exact: pages with equal keys have equal rules and records, since no number is a hash.
//! A record that matches all pages has no number. A number is valid only for its own file, while
//! that file is in memory.

use smallvec::SmallVec;

use heedful_base::bot::Bot;

use super::matching::Pattern;
use super::mode::Mode;
use super::page_url::PageUrl;
use super::parsed::RobotsTxt;
use super::site_file::SiteFile;

/// Key of a page: the rules and records that match the page. Two pages of a site with equal keys
/// match the same rules and records. Each pair has the number of a source and the number of a rule
/// or record in this source. A source is, for example, the rules of one robots.txt for one bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct MatchKey(SmallVec<[(usize, usize); 8]>);

impl MatchKey {
    /// Adds the numbers of rules or records that match the page. All of them are from one source,
    /// such as a robots.txt, and `source` is the number of this source. Sources must be added in
    /// ascending order of their numbers.
    #[doc(hidden)]
    pub fn add(&mut self, source: usize, numbers: impl Iterator<Item = usize>) {
        self.0.extend(numbers.map(|number| (source, number)));
    }

    /// Removes all numbers, so that the key can be used for another page.
    #[doc(hidden)]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// True if no rule and no record matches the page.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the count of numbers in the key. The key has two numbers for each rule or record
    /// that matches. The first is the number of the source. The second is the number of the rule or
    /// record in this source.
    #[doc(hidden)]
    pub fn len(&self) -> usize {
        2 * self.0.len()
    }
}

/// A robots.txt or tdmrep.json, prepared for queries by several bots about many pages.
#[derive(Debug)]
#[doc(hidden)]
pub struct PageMatcher {
    robots: RobotsTxt,
    /// True if the file is a tdmrep.json without fetch rules. Every page may then be fetched, so
    /// [`PageMatcher::denial`] needs no query.
    is_open: bool,
    /// For each bot, the patterns of the records that restrict how the bot may use pages. Patterns
    /// that match all pages are left out.
    records: Vec<Vec<Pattern>>,
    /// True if a record for one of the bots matches all pages of the site.
    says_of_all: bool,
}

impl PageMatcher {
    /// Prepares `robots` for queries by `bots`, in the mode that `robots` has.
    #[doc(hidden)]
    pub fn new(robots: RobotsTxt, bots: &[Bot]) -> Self {
        let mut records = Vec::with_capacity(bots.len());
        let mut says_of_all = false;
        for bot in bots {
            let mut patterns = robots.patterns_of_use(bot);
            let all = patterns.len();
            // A record that matches all pages distinguishes none.
            patterns.retain(|pattern| !pattern.matches_all());
            says_of_all |= patterns.len() < all;
            records.push(patterns);
        }
        let is_open = robots.site_file() == SiteFile::Tdmrep
            && robots.blanket.is_none()
            && !has_rules(&robots);
        Self {
            robots,
            is_open,
            records,
            says_of_all,
        }
    }

    /// True if a record of the file, for one of the bots, matches all pages of its site.
    #[doc(hidden)]
    pub fn matches_all_pages(&self) -> bool {
        self.says_of_all
    }

    /// Adds the rules and records of this file that match `page` to `matched`. If a rule denies the
    /// page to a bot, adds only this rule for the bot. Otherwise adds the bot's records that match.
    ///
    /// In `matched`, a source number states from which list a rule or record is. The bot `bots[n]`
    /// has two source numbers. The number `2 * (source + n)` is for its rules, and the next number
    /// is for its records. Sources must be added in ascending order. So `2 * source` must be
    /// greater than all source numbers in `matched`.
    #[doc(hidden)]
    pub fn add_matches(
        &self,
        bots: &[Bot],
        page: &PageUrl<'_>,
        source: usize,
        matched: &mut MatchKey,
    ) {
        for (at, (bot, records)) in bots.iter().zip(&self.records).enumerate() {
            match self.denial(bot, page) {
                Some(rule) => matched.add(2 * (source + at), std::iter::once(rule)),
                None if records.is_empty() => {}
                None => matched.add(2 * (source + at) + 1, matching(records, page)),
            }
        }
    }

    /// Returns the number ([`Ruling::number`](super::ruling::Ruling::number)) of the rule that
    /// denies `page` to `bot`, or `None` if the page is allowed.
    fn denial(&self, bot: &Bot, page: &PageUrl<'_>) -> Option<usize> {
        if self.is_open {
            return None;
        }
        let ruling = if self.robots.get_mode() == Mode::Google {
            self.robots.ruling(bot, page.as_str())
        } else {
            self.robots.ruling_on(bot, page.path_as_str(), page.path())
        };
        if ruling.allowed() {
            return None;
        }
        Some(ruling.number())
    }
}

/// True if any parsed variant of the file (with or without repairs) has an `Allow` or `Disallow`
/// rule.
fn has_rules(robots: &RobotsTxt) -> bool {
    let mut files = robots.readings.for_mode(Mode::Rfc9309).iter();
    files.any(|file| file.lines().any(|line| line.is_rule()))
}

/// Compares the patterns `records` with the path of `page`, and returns a number for each pattern
/// that matches. Pattern and path are compared in two forms: in normal form, and with
/// percent-encoded reserved characters decoded. Bit 1 of the number is set if the normal forms
/// match. Bit 0 is set if the decoded forms match. The higher bits are the index of the pattern.
fn matching(records: &[Pattern], page: &PageUrl<'_>) -> impl Iterator<Item = usize> {
    records
        .iter()
        .enumerate()
        .filter_map(|(at, pattern)| match pattern.matches_each(page.path()) {
            [false, false] => None,
            [as_it_stands, alike] => {
                Some(at << 2 | usize::from(as_it_stands) << 1 | usize::from(alike))
            }
        })
}
