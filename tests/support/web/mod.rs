//! A made web: sites with their pages and robots.txt files, and what a crawler hears of them from
//! crawl to crawl. The same seed gives the same web, on every system.
//!
//! A page has about 9 kB of HTML, of which 60 % are text, and 30 links. Words are as frequent as in
//! real text (`text`). One link in eight leads to a page of the web, the others to URLs that nobody
//! fetches. Some pages say `noindex`, have an end, or have parts that are withheld. The word
//! [`WITHHELD`] stands in such parts alone.
//!
//! [`Web::state`] is a crawl of the web as it is. [`Web::recrawl`] changes the web, and is what a
//! crawler then hears. An index of all recrawls has the pages that an index of the last state has:
//! a robots.txt only ever forbids more.

mod capture;
mod plan;
mod queries;
mod text;

use plan::{FOLDERS, Plan};

pub(crate) use capture::{Answer, Capture, Html};
pub(crate) use queries::{Asked, KINDS};
pub(crate) use text::WITHHELD;

/// Time of the first crawl, in seconds since 1970.
const START: u64 = 1_750_000_000;
/// Seconds between two crawls.
const DAY: u64 = 86_400;

/// What changes between two crawls. Numbers are shares in a thousand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recrawl {
    /// Share of all pages that are fetched.
    pub(crate) fetched: usize,
    /// Share of the fetched pages that are gone: status 404.
    pub(crate) gone: usize,
    /// Share of the fetched pages that are unchanged: status 304.
    pub(crate) unchanged: usize,
    /// Number of new pages, as a share of the first crawl's pages.
    pub(crate) new: usize,
    /// Share of the sites whose robots.txt forbids one folder more.
    pub(crate) robots: usize,
    /// True if a site's robots.txt is heard again wherever a page of it is, changed or not.
    pub(crate) is_robots_repeated: bool,
}

impl Default for Recrawl {
    fn default() -> Self {
        Self {
            fetched: 50,
            gone: 200,
            unchanged: 300,
            new: 20,
            robots: 10,
            is_robots_repeated: true,
        }
    }
}

/// State of a page of the web.
#[derive(Clone, Copy, Debug)]
struct PageState {
    /// Number of times that the page changed.
    version: usize,
    /// Time at which this version was fetched first, in seconds since 1970.
    fetched: u64,
    is_gone: bool,
}

/// State of the robots.txt of a site.
#[derive(Clone, Copy, Debug)]
struct RobotsState {
    /// Number of folders that it forbids, the first ones.
    folders: usize,
    /// Time at which it was fetched first, in seconds since 1970.
    fetched: u64,
}

/// A made web, as it is at its last crawl.
#[derive(Clone, Debug)]
pub(crate) struct Web {
    plan: Plan,
    pages: Vec<PageState>,
    robots: Vec<RobotsState>,
    /// Number of crawls after the first.
    round: usize,
}

impl Web {
    /// Creates the web of a seed, with this number of pages. It has at least one.
    pub(crate) fn new(seed: u64, pages: usize) -> Self {
        Self::with_texts(seed, pages, 100)
    }

    /// Creates a web whose pages have a tenth of the usual text, for tests without optimization.
    pub(crate) fn with_short_texts(seed: u64, pages: usize) -> Self {
        Self::with_texts(seed, pages, 10)
    }

    fn with_texts(seed: u64, pages: usize, fewest_words: usize) -> Self {
        let plan = Plan {
            seed,
            first_pages: pages.max(1),
            fewest_words,
        };
        let robots = RobotsState {
            folders: 1,
            fetched: START,
        };
        let mut web = Self {
            plan,
            pages: Vec::new(),
            robots: vec![robots; plan.sites()],
            round: 0,
        };
        for _ in 0..plan.first_pages {
            web.add_page();
        }
        web
    }

    /// Returns what a crawler hears that fetches the whole web as it is: the robots.txt of each
    /// site, then each page that is there and may be fetched. Times are those of the first crawl
    /// that heard the same.
    pub(crate) fn state(&self) -> impl Iterator<Item = Capture> + '_ {
        let robots = (0..self.robots.len()).map(|site| self.robots_txt(site));
        let is_there = |page: &usize| !self.pages[*page].is_gone && self.is_allowed(*page);
        let pages = (0..self.pages.len()).filter(is_there);
        robots.chain(pages.map(|page| self.page(page)))
    }

    /// Changes the web, and returns what a crawler hears of it: robots.txt files, then pages. What
    /// robots.txt forbids is not fetched.
    pub(crate) fn recrawl(&mut self, shares: &Recrawl) -> Vec<Capture> {
        self.round += 1;
        let mut chance = self.plan.chance("recrawl", self.round, 0);
        let mut sites = Vec::new();
        for site in 0..self.robots.len() {
            if chance.is_one(shares.robots) && self.robots[site].folders < FOLDERS / 2 {
                self.robots[site] = RobotsState {
                    folders: self.robots[site].folders + 1,
                    fetched: self.now(),
                };
                sites.push(site);
            }
        }
        let mut pages = Vec::new();
        for page in 0..self.pages.len() {
            // As many numbers are drawn for each page, so that a share changes nothing else.
            let is_fetched = chance.is_one(shares.fetched);
            let [is_gone, is_unchanged] =
                [shares.gone, shares.unchanged].map(|share| chance.is_one(share));
            if is_fetched && self.is_allowed(page) {
                pages.push(self.fetch(page, is_gone, is_unchanged));
            }
        }
        for _ in 0..self.plan.first_pages * shares.new / 1000 {
            let page = self.add_page();
            if self.is_allowed(page) {
                pages.push(self.page(page));
            }
        }
        if shares.is_robots_repeated {
            sites.extend(pages.iter().map(|page| page.site));
            sites.sort_unstable();
            sites.dedup();
        }
        let robots = sites.into_iter().map(|site| self.robots_txt(site));
        robots.chain(pages).collect()
    }

    /// Returns `count` queries over the first crawl's pages, sorted by their kinds.
    pub(crate) fn queries(&self, count: usize) -> Vec<Asked> {
        self.plan.queries(count)
    }

    /// Returns the time of this crawl, in seconds since 1970.
    fn now(&self) -> u64 {
        START + self.round as u64 * DAY
    }

    /// Returns the time at which this crawl fetches a page: after all robots.txt files.
    fn time_of(&self, page: usize) -> u64 {
        self.now() + 1 + page as u64 % (DAY - 1)
    }

    fn add_page(&mut self) -> usize {
        let page = self.pages.len();
        self.pages.push(PageState {
            version: 0,
            fetched: self.time_of(page),
            is_gone: false,
        });
        page
    }

    /// Fetches a page again. A page that was gone comes back with a new text, unless it stays gone.
    fn fetch(&mut self, page: usize, is_gone: bool, is_unchanged: bool) -> Capture {
        let fetched = self.time_of(page);
        let state = &mut self.pages[page];
        let was_gone = std::mem::replace(&mut state.is_gone, is_gone);
        if is_gone {
            return self.capture(page, fetched, Answer::Missing);
        }
        if is_unchanged && !was_gone {
            return self.capture(page, fetched, Answer::Unchanged);
        }
        state.version += 1;
        state.fetched = fetched;
        self.page(page)
    }

    fn is_allowed(&self, page: usize) -> bool {
        let robots = self.robots[self.plan.site_of(page)];
        self.plan.folder_of(page) >= robots.folders
    }

    fn robots_txt(&self, site: usize) -> Capture {
        let RobotsState { folders, fetched } = self.robots[site];
        Capture {
            url: format!("{}/robots.txt", Plan::authority(site)),
            site,
            fetched,
            answer: Answer::Robots(Plan::robots_txt(folders)),
        }
    }

    fn page(&self, page: usize) -> Capture {
        let PageState {
            version, fetched, ..
        } = self.pages[page];
        let html = Html {
            plan: self.plan,
            page,
            version,
        };
        self.capture(page, fetched, Answer::Page(html))
    }

    fn capture(&self, page: usize, fetched: u64, answer: Answer) -> Capture {
        Capture {
            url: self.plan.url_of(page),
            site: self.plan.site_of(page),
            fetched,
            answer,
        }
    }
}
