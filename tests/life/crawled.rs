//! Puts into an index what a crawler hears of a made web, as a run of the program would: robots.txt
//! is heard before pages, and takes out the pages that it forbids.

use std::collections::{BTreeMap, BTreeSet};

use heedful::{Filter, Page, RobotsTxt};
use heedful_index::{Gone, Writer};

use crate::web::{Answer, Capture};

/// What was heard so far, for one index.
pub(crate) struct Crawled {
    filter: Filter,
    robots: BTreeMap<usize, RobotsTxt>,
    /// URLs of the pages of each site that were heard.
    urls: BTreeMap<usize, BTreeSet<String>>,
}

impl Crawled {
    pub(crate) fn new(filter: Filter) -> Self {
        Self {
            filter,
            robots: BTreeMap::new(),
            urls: BTreeMap::new(),
        }
    }

    /// Puts what was heard at a URL into the index of `writer`.
    pub(crate) fn write(&mut self, capture: &Capture, writer: &mut Writer) {
        let time = Some(capture.time());
        let url = &capture.url;
        match &capture.answer {
            Answer::Robots(text) => self.write_robots(text, capture, writer),
            Answer::Page(html) => {
                let page = self.page(capture, html.text().as_bytes());
                writer.add_captured(&page, time).unwrap();
                let urls = self.urls.entry(capture.site).or_default();
                urls.insert(url.clone());
            }
            Answer::Missing => {
                writer.retire(url, Gone::Status(404), "", time).unwrap();
            }
            Answer::Unchanged => {
                writer.confirm(&self.page(capture, b""), time).unwrap();
            }
        }
    }

    /// Filters a page. The robots.txt of its site is heard first.
    fn page(&self, capture: &Capture, html: &[u8]) -> Page {
        let mut pass = self.filter.open(&capture.url).unwrap();
        if let Some(robots) = self.robots.get(&capture.site) {
            pass.robots_txt(robots);
        }
        pass.write(html).unwrap();
        pass.end().unwrap()
    }

    fn write_robots(&mut self, text: &str, capture: &Capture, writer: &mut Writer) {
        let robots = RobotsTxt::parse(text.as_bytes());
        self.robots.insert(capture.site, robots);
        let Some(urls) = self.urls.remove(&capture.site) else {
            return;
        };
        for url in urls {
            let of_url = Capture {
                url: url.clone(),
                ..capture.clone()
            };
            if self.page(&of_url, b"").policy().may_fetch() {
                self.urls.entry(capture.site).or_default().insert(url);
            } else {
                let time = Some(capture.time());
                writer
                    .remove_captured(&url, Gone::Robots, "", time)
                    .unwrap();
            }
        }
    }
}
