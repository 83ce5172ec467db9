//! The rules and records of a site's files that match a page, as numbers.
//!
//! The files of a site have the same effect on two pages if the same rules and records match both.
//! So these numbers are a key for the policy of a page. They are exact: equal keys come from equal
//! rules and records, never from a hash. A record that matches all pages has no number.
//!
//! A number is good only for the files that it is from, while they are kept.

use smallvec::SmallVec;

use heedful_base::bot::Bot;

use super::matching::Pattern;
use super::mode::Mode;
use super::page_url::PageUrl;
use super::parsed::RobotsTxt;
use super::site_file::SiteFile;

/// The numbers of the rules and records that match a page, each after the number of its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct MatchKey(SmallVec<[(usize, usize); 8]>);

impl MatchKey {
    /// Adds the numbers of a source. The sources come in ascending order.
    #[doc(hidden)]
    pub fn add(&mut self, source: usize, numbers: impl Iterator<Item = usize>) {
        self.0.extend(numbers.map(|number| (source, number)));
    }

    #[doc(hidden)]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// True if nothing matches.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The count of all numbers.
    #[doc(hidden)]
    pub fn len(&self) -> usize {
        2 * self.0.len()
    }
}

/// A file of a site, ready to be asked about many pages.
#[derive(Debug)]
#[doc(hidden)]
pub struct PageMatcher {
    robots: RobotsTxt,
    /// It has no rule, so it keeps no bot out.
    is_open: bool,
    /// For each bot the paths of its records on use.
    records: Vec<Vec<Pattern>>,
    /// Some records match all pages.
    says_of_all: bool,
}

impl PageMatcher {
    /// Prepares a file in the mode in which it is read.
    #[doc(hidden)]
    pub fn new(robots: RobotsTxt, bots: &[Bot]) -> Self {
        let mut records = Vec::with_capacity(bots.len());
        let mut says_of_all = false;
        for bot in bots {
            let mut patterns = robots.patterns_of_use(bot);
            let all = patterns.len();
            // It is the same for every page.
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

    /// Adds the rules and records that match a page with an absolute path. The parts are numbered
    /// from `source` on, one for each bot. For a bot that may not fetch the page it is the rule,
    /// else the records.
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

    /// The number of the rule that keeps a bot out.
    fn denial(&self, bot: &Bot, page: &PageUrl<'_>) -> Option<usize> {
        if self.is_open {
            return None;
        }
        let ruling = if self.robots.read_by() == Mode::Google {
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

/// True if any reading of a file has a rule.
fn has_rules(robots: &RobotsTxt) -> bool {
    let mut files = robots.readings.for_mode(Mode::Rfc9309).iter();
    files.any(|file| file.lines().any(|line| line.is_rule()))
}

/// The numbers of the records that match, in either way of comparing reserved characters.
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
