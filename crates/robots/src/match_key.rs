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

/// Key of a page: pairs of a source number and the number of a rule or record that matches the
/// page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct MatchKey(SmallVec<[(usize, usize); 8]>);

impl MatchKey {
    /// Adds each of `numbers` to the key, paired with `source`. `source` is the number of a source,
    /// and `numbers` are those of its rules or records that match the page. Sources must be added
    /// in ascending order.
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

    /// Count of all numbers in the key, the numbers of sources included.
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
    /// True if the file is a tdmrep.json that denies no fetch, so that no ruling is needed.
    is_open: bool,
    /// For each bot, the patterns of its records on uses of pages, without patterns that match all
    /// pages.
    records: Vec<Vec<Pattern>>,
    /// True if a record of the file matches all pages of the site.
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

    /// True if a record of the file matches all pages of its site.
    #[doc(hidden)]
    pub fn matches_all_pages(&self) -> bool {
        self.says_of_all
    }

    /// Adds the numbers of the rules and records that match `page` to `matched`. Each bot has two
    /// source numbers; those of the first bot are `2 * source` and `2 * source + 1`. If a rule
    /// denies the page to the bot, that rule is added under the first source number. Otherwise the
    /// records that match are added under the second.
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

    /// Returns the number of the rule that denies `page` to `bot`. `None` if no rule does.
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

/// True if any parsed variant of a file has a rule.
fn has_rules(robots: &RobotsTxt) -> bool {
    let mut files = robots.readings.for_mode(Mode::Rfc9309).iter();
    files.any(|file| file.lines().any(|line| line.is_rule()))
}

/// Returns the numbers of the records that match `page` in at least one of two forms: the normal
/// form, and the same with encoded reserved characters decoded. The low two bits of a number are a
/// bitmask of the forms in which the record matches.
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
