//! Who may enter at all: the robots.txt files of all inputs, each page's own, what the user gives, and, if asked for,
//! what the sites say now.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use url::Url;

use crate::error::Result;
use crate::fetch::{Fetched, Fetcher};
use crate::input::{Answer, Document, Input, authority};
use crate::robots_txt::RobotsTxt;

/// The robots.txt files of all inputs, and what to do without one.
#[derive(Debug, Default)]
pub struct Gate {
    sites: HashMap<String, Vec<RobotsTxt>>,
    everywhere: Option<RobotsTxt>,
    /// What stands for a robots.txt that is not at hand, if one is required.
    required: Option<RobotsTxt>,
    asking: Option<Asking>,
}

impl Gate {
    /// Reads the robots.txt files of the inputs, wherever they stand in them.
    ///
    /// # Errors
    /// When an input cannot be read at all.
    pub fn of(inputs: &[Input]) -> Result<Self> {
        let mut answers: HashMap<String, Vec<Answer>> = HashMap::new();
        for input in inputs {
            for robots in input.robots()? {
                answers.entry(robots.authority().to_owned()).or_default().push(robots.into_answer());
            }
        }
        let sites = answers.keys().map(|site| (site.clone(), rules(site, &answers, RobotsTxt::REDIRECTS))).collect();
        Ok(Self { sites, ..Self::default() })
    }

    /// The robots.txt of a site, besides those that are there.
    pub fn for_site(mut self, site: &Url, robots: RobotsTxt) -> Self {
        self.sites.entry(authority(site)).or_default().push(robots);
        self
    }

    /// Those of more inputs too.
    ///
    /// # Errors
    /// When an input cannot be read at all.
    pub fn and(mut self, inputs: &[Input]) -> Result<Self> {
        for (site, robots) in Self::of(inputs)?.sites {
            self.sites.entry(site).or_default().extend(robots);
        }
        Ok(self)
    }

    /// A robots.txt for every site, besides its own.
    pub fn everywhere(mut self, robots: RobotsTxt) -> Self {
        self.everywhere = Some(robots);
        self
    }

    /// Keeps out the pages of a site whose robots.txt is not at hand.
    pub fn required(mut self) -> Self {
        self.required = Some(RobotsTxt::shut());
        self
    }

    /// Asks a site for its robots.txt, once, if none is at hand for it. `now` is the clock by which copies grow old.
    pub fn asking(mut self, fetcher: Fetcher, now: SystemTime) -> Self {
        self.asking = Some(Asking { fetcher, now, sites: Mutex::default() });
        self
    }

    /// The sites that were asked, each with what went wrong.
    pub fn asked(&self) -> BTreeMap<String, Option<String>> {
        self.asking.as_ref().map(Asking::sites).unwrap_or_default()
    }

    /// What is at hand for a page.
    pub(super) fn for_page<'a>(&'a self, document: &'a Document) -> AtTheGate<'a> {
        self.for_url(document.url(), document.robots())
    }

    /// The same for a URL, with a robots.txt of its own.
    pub(super) fn for_url<'a>(&'a self, url: &str, own: Option<&'a RobotsTxt>) -> AtTheGate<'a> {
        let url = Url::parse(url).ok().filter(|url| url.scheme() != "file");
        let site = url.as_ref().map(authority);
        let found = site.as_ref().and_then(|site| self.sites.get(site)).map_or(&[][..], Vec::as_slice);
        let mut robots: Vec<_> = own.into_iter().chain(found).map(Cow::Borrowed).collect();
        if robots.is_empty()
            && let (Some(asking), Some(url), Some(site)) = (&self.asking, &url, &site)
        {
            robots.push(Cow::Owned(asking.ask(site, url)));
        }
        let without = if robots.is_empty() { site } else { None };
        if without.is_some() {
            robots.extend(self.required.as_ref().map(Cow::Borrowed));
        }
        let silent = robots.iter().any(|robots| robots.is_no_answer());
        robots.extend(self.everywhere.as_ref().map(Cow::Borrowed));
        AtTheGate { robots, without, silent }
    }
}

/// Sites are asked as their pages come, each by the first of its pages; the others wait.
#[derive(Debug)]
struct Asking {
    fetcher: Fetcher,
    now: SystemTime,
    sites: Mutex<HashMap<String, Arc<OnceLock<Fetched>>>>,
}

impl Asking {
    fn ask(&self, site: &str, url: &Url) -> RobotsTxt {
        let answer = {
            let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(sites.entry(site.to_owned()).or_default())
        };
        answer.get_or_init(|| self.fetcher.robots(url, self.now)).robots.clone()
    }

    fn sites(&self) -> BTreeMap<String, Option<String>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let trouble = |answer: &OnceLock<Fetched>| answer.get().and_then(|fetched| fetched.trouble.clone());
        sites.iter().map(|(site, answer)| (site.clone(), trouble(answer))).collect()
    }
}

/// A page's robots.txt files.
#[derive(Debug)]
pub struct AtTheGate<'a> {
    /// All of them must let the page in.
    pub robots: Vec<Cow<'a, RobotsTxt>>,
    /// The site, if no robots.txt was at hand for it.
    pub without: Option<String>,
    /// Whether the site's answer is none, which lets nobody in.
    pub silent: bool,
}

/// What a site's robots.txt files say, through redirects; a site that was asked several times means all its answers.
/// What cannot be had, because a redirect leads astray or too far, may forbid anything.
fn rules(site: &str, answers: &HashMap<String, Vec<Answer>>, redirects: usize) -> Vec<RobotsTxt> {
    let Some(found) = answers.get(site) else { return vec![RobotsTxt::shut()] };
    let mut all = Vec::new();
    for answer in found {
        match answer {
            Answer::Rules(rules) => all.push(rules.clone()),
            Answer::Redirect(target) => match Url::parse(target).ok().filter(|url| url.path() == "/robots.txt") {
                Some(url) if redirects > 0 => all.extend(rules(&authority(&url), answers, redirects - 1)),
                _ => all.push(RobotsTxt::shut()),
            },
        }
    }
    all
}
