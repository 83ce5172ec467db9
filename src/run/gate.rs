//! Who may enter at all: the robots.txt files of all inputs, each page's own, what the user gives, and, if asked for,
//! what the sites say now.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::SystemTime;

use url::Url;

use crate::error::Result;
use crate::fetch::{Fetched, Fetcher};
use crate::input::{Answer, Document, Input, Robots, authority};
use crate::robots_txt::{Mode, RobotsNote, RobotsTxt, Source};

/// The robots.txt files of all inputs, and what to do without one.
#[derive(Debug, Default)]
pub struct Gate {
    sites: HashMap<String, Vec<RobotsTxt>>,
    everywhere: Option<RobotsTxt>,
    /// What stands for a robots.txt that is not at hand, if one is required.
    required: Option<RobotsTxt>,
    asking: Option<Asking>,
    heard: RwLock<Heard>,
    /// How all of them are read.
    mode: Option<Mode>,
    /// What looks odd in those that pages brought along: of each site, the first one's.
    brought: Mutex<HashMap<String, Vec<RobotsNote>>>,
}

/// Of so many sites it is kept what their pages brought along.
const MOST_BROUGHT: usize = 10_000;

/// What sites were found to answer, in the order of the input, each with the number of the record behind it.
type Heard = HashMap<String, Vec<(u64, Answer)>>;

impl Gate {
    /// Reads the robots.txt files of the inputs, wherever they stand in them.
    ///
    /// # Errors
    /// When an input cannot be read at all.
    pub fn of(inputs: &[Input]) -> Result<Self> {
        let mut found = Vec::new();
        for input in inputs {
            found.extend(input.robots()?);
        }
        Ok(Self::with(found))
    }

    /// With these robots.txt files, as rows or records of inputs are.
    pub fn with(found: Vec<Robots>) -> Self {
        let mut heard = Heard::default();
        for robots in found {
            note(&mut heard, 0, robots);
        }
        let sites = heard.keys().map(|site| (site.clone(), rules(site, &heard, u64::MAX, RobotsTxt::REDIRECTS)));
        Self { sites: sites.collect(), ..Self::default() }
    }

    /// A robots.txt came by, before the record of this number.
    pub(super) fn hear(&self, number: u64, robots: Robots) {
        note(&mut self.heard.write().unwrap_or_else(PoisonError::into_inner), number, robots);
    }

    /// The sites whose robots.txt came by while pages did, with how often.
    pub(super) fn heard(&self) -> HashMap<String, usize> {
        let heard = self.heard.read().unwrap_or_else(PoisonError::into_inner);
        heard.iter().map(|(site, answers)| (site.clone(), answers.len())).collect()
    }

    /// Whether a site's robots.txt came by while pages did.
    pub fn has_heard(&self, site: &str) -> bool {
        self.heard.read().unwrap_or_else(PoisonError::into_inner).contains_key(site)
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

    /// Reads every robots.txt in this way, in place of RFC 9309 or what it says itself.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
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

    /// What is not beyond doubt in the robots.txt files that were given, found, or asked for: by site, or by the file's name for
    /// one that is for every site. Sites without such lines are left out. Of what pages bring along, the first of a site.
    pub fn doubts(&self) -> BTreeMap<String, Vec<RobotsNote>> {
        let mut doubts: BTreeMap<String, Vec<RobotsNote>> = BTreeMap::new();
        let mut add = |name: &str, robots: &RobotsTxt| {
            let notes = doubts_of(robots);
            if !notes.is_empty() {
                doubts.entry(name.to_owned()).or_default().extend(notes);
            }
        };
        for (site, robots) in self.sites.iter().flat_map(|(site, all)| all.iter().map(move |robots| (site, robots))) {
            add(site, robots);
        }
        for (site, answers) in self.heard.read().unwrap_or_else(PoisonError::into_inner).iter() {
            for (_, answer) in answers {
                if let Answer::Rules(robots) = answer {
                    add(site, robots);
                }
            }
        }
        for (site, robots) in self.asking.iter().flat_map(Asking::answers) {
            add(&site, &robots);
        }
        if let Some(robots) = &self.everywhere {
            add(robots.source().map_or("every site", Source::place), robots);
        }
        for (site, notes) in self.brought.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            if !notes.is_empty() {
                doubts.entry(site.clone()).or_default().extend(notes);
            }
        }
        for notes in doubts.values_mut() {
            notes.sort_by_key(|note| (note.line(), note.kind()));
            notes.dedup();
        }
        doubts
    }

    /// What is at hand for a page.
    pub(super) fn for_page<'a>(&'a self, document: &'a Document, number: u64) -> AtTheGate<'a> {
        self.before(number, document.url(), document.robots())
    }

    fn bring(&self, site: &str, robots: &RobotsTxt) {
        let mut brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        if brought.len() < MOST_BROUGHT && !brought.contains_key(site) {
            brought.insert(site.to_owned(), doubts_of(robots));
        }
    }

    /// The same for a URL, with a robots.txt of its own.
    pub(super) fn for_url<'a>(&'a self, url: &str, own: Option<&'a RobotsTxt>) -> AtTheGate<'a> {
        self.before(u64::MAX, url, own)
    }

    /// What is at hand for a URL at the record of this number.
    fn before<'a>(&'a self, number: u64, url: &str, own: Option<&'a RobotsTxt>) -> AtTheGate<'a> {
        let url = Url::parse(url).ok().filter(|url| url.scheme() != "file");
        let site = url.as_ref().map(authority);
        if let (Some(site), Some(own)) = (&site, own) {
            self.bring(site, own);
        }
        let found = site.as_ref().and_then(|site| self.sites.get(site)).map_or(&[][..], Vec::as_slice);
        let mut robots: Vec<_> = own.into_iter().chain(found).map(Cow::Borrowed).collect();
        if let Some(site) = &site {
            let heard = self.heard.read().unwrap_or_else(PoisonError::into_inner);
            let has_answered = heard.get(site).is_some_and(|answers| answers.iter().any(|(at, _)| *at <= number));
            if has_answered {
                robots.extend(rules(site, &heard, number, RobotsTxt::REDIRECTS).into_iter().map(Cow::Owned));
            }
        }
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
        if let Some(mode) = self.mode {
            robots = robots.into_iter().map(|robots| Cow::Owned(robots.into_owned().mode(mode))).collect();
        }
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

    fn answers(&self) -> Vec<(String, RobotsTxt)> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = |answer: &OnceLock<Fetched>| Some(answer.get()?.robots.clone());
        sites.iter().filter_map(|(site, fetched)| Some((site.clone(), answer(fetched)?))).collect()
    }

    fn sites(&self) -> BTreeMap<String, Option<String>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let trouble = |answer: &OnceLock<Fetched>| answer.get().and_then(|fetched| fetched.trouble.clone());
        sites.iter().map(|(site, answer)| (site.clone(), trouble(answer))).collect()
    }
}

/// A page's robots.txt files.
#[derive(Debug, Default)]
pub struct AtTheGate<'a> {
    /// All of them must let the page in.
    pub robots: Vec<Cow<'a, RobotsTxt>>,
    /// The site, if no robots.txt was at hand for it.
    pub without: Option<String>,
    /// Whether the site's answer is none, which lets nobody in.
    pub silent: bool,
}

fn doubts_of(robots: &RobotsTxt) -> Vec<RobotsNote> {
    robots.notes().into_iter().filter(|note| note.kind().is_doubt()).collect()
}

fn note(heard: &mut Heard, number: u64, robots: Robots) {
    heard.entry(robots.authority().to_owned()).or_default().push((number, robots.into_answer()));
}

/// What a site's robots.txt files say up to the record of this number, through redirects; a site that was asked several times
/// means all its answers. What cannot be had, because a redirect leads astray, in a circle or too far, may forbid anything.
fn rules(site: &str, heard: &Heard, number: u64, redirects: usize) -> Vec<RobotsTxt> {
    let mut all = Vec::new();
    follow(site, (heard, number, redirects), &mut Vec::new(), &mut HashSet::new(), &mut all);
    all
}

/// Each site once, however many lead to it; `path` is who led here.
fn follow(
    site: &str,
    (heard, number, redirects): (&Heard, u64, usize),
    path: &mut Vec<String>,
    seen: &mut HashSet<String>,
    all: &mut Vec<RobotsTxt>,
) {
    let before = all.len();
    path.push(site.to_owned());
    seen.insert(site.to_owned());
    let found = heard.get(site).map_or(&[][..], Vec::as_slice);
    for (_, answer) in found.iter().filter(|(at, _)| *at <= number) {
        match answer {
            Answer::Rules(file) => all.push(file.clone()),
            Answer::Unknown => (),
            Answer::Redirect(target) => match Url::parse(target).ok().filter(|url| url.path() == "/robots.txt") {
                Some(url) if path.len() <= redirects && !path.contains(&authority(&url)) => {
                    if !seen.contains(&authority(&url)) {
                        follow(&authority(&url), (heard, number, redirects), path, seen, all);
                    }
                }
                _ => all.push(RobotsTxt::shut()),
            },
        }
    }
    if all.len() == before {
        all.push(RobotsTxt::shut());
    }
    path.pop();
}
