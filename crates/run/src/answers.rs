//! The answers of sites that were asked for their robots.txt or tdmrep.json, each with the number
//! of the record after it.
//!
//! The different answers of a site are kept, each with the dates that matter (`over_time`). Memory
//! grows with what sites say, not with how often they were asked. A question about a page follows
//! at most as many answers as a limit says, through redirects too. A site that passes a limit is
//! shut.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use url::Url;

use heedful_base::address::authority;
use heedful_base::limits::{Limits, MOST_REDIRECTS, size};
use heedful_input::{Robots, RobotsAnswer};
use heedful_robots::{RobotsTxt, SiteFile, Source};

use super::over_time::{DatedAnswers, Timeline, counting, dated};
use super::shelf::{Shelf, ShelfId};

/// The dates of a site's answers that are kept, for each answer that may differ.
const DATES: usize = 4;

/// The answers of all sites, in the order of the input.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The sites by [`key`]: each file of a site has its own entry.
    sites: HashMap<Box<str>, SiteAnswers>,
    /// The record from which on there were more sites than are kept, and the count of answers then.
    too_many: Option<(u64, u64)>,
    /// The number of different answers.
    count: u64,
    /// The number of answers that may forbid more than those before. A remembered number tells
    /// which came since.
    news: u64,
}

/// The limits of what is kept.
#[derive(Debug)]
pub(super) struct Most {
    sites: usize,
    answers: usize,
    bytes: u64,
    redirects: usize,
    values: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Default)]
struct SiteAnswers {
    answers: Timeline<What>,
    /// The number of different ones.
    different: usize,
    /// The bytes that its files take in memory.
    bytes: u64,
    /// The record from which on it passes a limit, and that limit.
    shut: Option<(u64, &'static str)>,
    /// The number of all news when this site last said something new.
    changed: u64,
}

/// The meaning of an answer.
#[derive(Clone, Debug)]
pub(super) enum What {
    Rules(Ruled),
    /// A redirect to the same file of another site, or None if it leads elsewhere.
    Redirect(Option<Arc<str>>),
    Unknown,
    /// The site passed this limit.
    Shut(&'static str),
}

/// Rules, or what stands for them.
#[derive(Clone, Debug)]
pub(super) struct Ruled {
    /// None stands for rules that found no room or could not be read: they may forbid anything.
    pub(super) id: Option<ShelfId>,
    /// True if the site gave no usable answer.
    pub(super) is_none: bool,
    pub(super) source: Option<Arc<Source>>,
}

impl Ruled {
    pub(super) fn rules(&self, shelf: &Shelf) -> RobotsTxt {
        self.id
            .map_or_else(RobotsTxt::shut, |id| shelf.get(id))
            .with_source(self.source.clone())
    }
}

/// Sources differ by their dates alone.
impl PartialEq for What {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rules(one), Self::Rules(other)) => one.id == other.id,
            (Self::Redirect(one), Self::Redirect(other)) => one == other,
            (Self::Unknown, Self::Unknown) => true,
            (Self::Shut(one), Self::Shut(other)) => one == other,
            _ => false,
        }
    }
}

impl Default for Most {
    fn default() -> Self {
        Self::of(&Limits::default())
    }
}

impl Most {
    pub(super) fn of(limits: &Limits) -> Self {
        let values = [
            ("sites", limits.sites),
            ("robots_answers", limits.robots_answers),
            ("robots_site_bytes", limits.robots_site_bytes),
            ("robots_file_bytes", limits.robots_file_bytes),
        ];
        let (sites, answers) = (size(limits.sites), size(limits.robots_answers));
        let redirects = size(limits.redirects.min(MOST_REDIRECTS));
        Self {
            sites,
            answers,
            bytes: limits.robots_site_bytes,
            redirects,
            values: values.into(),
        }
    }

    /// The limit that so many answers, or so many bytes of them, pass.
    pub(super) fn limit_passed(&self, answers: usize, bytes: u64) -> Option<&'static str> {
        match () {
            () if answers > self.answers => Some("robots_answers"),
            () if bytes > self.bytes => Some("robots_site_bytes"),
            () => None,
        }
    }

    /// The rules for a site whose files pass a limit.
    pub(super) fn shut_by(&self, file: SiteFile, limit: &'static str) -> RobotsTxt {
        file.closed_by_limit(limit, self.values.get(limit).copied().unwrap_or_default())
    }
}

impl Answers {
    /// Notes an answer of a site, given before the record of this number.
    pub(super) fn note(&mut self, number: u64, robots: Robots, (shelf, most): (&Shelf, &Most)) {
        let file = robots.file();
        let key = key(robots.authority(), file).into_owned();
        if self.sites.len() >= most.sites && !self.sites.contains_key(key.as_str()) {
            if self.too_many.is_none() {
                (self.count, self.news) = (self.count + 1, self.news + 1);
                self.too_many = Some((number, self.news));
            }
            return;
        }
        let site = self.sites.entry(key.into_boxed_str()).or_default();
        if site.shut.is_some() {
            return;
        }
        let date = dated(robots.fetched(), SystemTime::now());
        let what = match robots.into_answer() {
            RobotsAnswer::Rules(rules) => {
                let rules = shelf.named(rules);
                let (is_none, source) = (rules.is_no_answer(), rules.shared_source());
                shelf.put(&rules).map(|id| {
                    What::Rules(Ruled {
                        id: Some(id),
                        is_none,
                        source,
                    })
                })
            }
            RobotsAnswer::Redirect(target) => Some(What::Redirect(target_of(&target, file))),
            RobotsAnswer::Unknown => Some(What::Unknown),
        };
        let is_known = what.as_ref().is_some_and(|what| site.answers.has(what));
        let is_news = site.take(
            what.map(|what| DatedAnswers { date, number, what }),
            number,
            is_known,
            (shelf, most),
        );
        self.count += u64::from(!is_known);
        if is_news {
            self.news += 1;
            site.changed = self.news;
        }
    }

    pub(super) fn has(&self, (site, file): (&str, SiteFile)) -> bool {
        self.sites.contains_key(&*key(site, file))
    }

    /// The sites that were heard, by whichever file; some may come twice.
    pub(super) fn sites(&self) -> impl Iterator<Item = &str> {
        // The key for another file than robots.txt has its path behind the site.
        let site = |key: &'_ str| {
            key.match_indices('/')
                .nth(2)
                .map_or(key.len(), |(end, _)| end)
        };
        self.sites.keys().map(move |key| &key[..site(key)])
    }

    /// The number of different answers.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The number of answers that may forbid more than those before.
    pub(super) fn news(&self) -> u64 {
        self.news
    }

    /// The number of sites that each limit shut; 0 for the limit of sites, whose sites are not
    /// counted.
    pub(super) fn shut(&self) -> BTreeMap<&'static str, u64> {
        let mut shut = BTreeMap::new();
        for (_, limit) in self.sites.values().filter_map(|site| site.shut) {
            *shut.entry(limit).or_default() += 1;
        }
        if self.too_many.is_some() {
            shut.insert("sites", 0);
        }
        shut
    }

    /// The answers of a site about its file of this kind, up to the record of this number. They are
    /// empty if the site was not heard.
    pub(super) fn said(
        &self,
        (site, file): (&str, SiteFile),
        number: u64,
    ) -> Vec<DatedAnswers<What>> {
        let shut = |limit| {
            vec![DatedAnswers {
                date: None,
                number,
                what: What::Shut(limit),
            }]
        };
        match self.sites.get(&*key(site, file)) {
            Some(known) if known.shut.is_some_and(|(at, _)| at <= number) => {
                known.shut.map(|(_, limit)| shut(limit)).unwrap_or_default()
            }
            Some(known) => known.until(number).cloned().collect(),
            None if self.too_many.is_some_and(|(at, _)| at <= number) => shut("sites"),
            None => Vec::new(),
        }
    }

    /// True if a site was heard before the record of this number.
    pub(super) fn is_heard(&self, (site, file): (&str, SiteFile), number: u64) -> bool {
        match self.sites.get(&*key(site, file)) {
            Some(known) => {
                known.shut.is_some_and(|(at, _)| at <= number)
                    || known.until(number).next().is_some()
            }
            None => self.too_many.is_some_and(|(at, _)| at <= number),
        }
    }

    /// True if an answer is none: it lets nobody in, although nobody asked for that.
    pub(super) fn is_none(&self, what: &What) -> bool {
        match what {
            What::Rules(ruled) => ruled.is_none,
            What::Redirect(target) => !target
                .as_ref()
                .is_some_and(|target| self.sites.contains_key(&**target)),
            What::Unknown | What::Shut(_) => true,
        }
    }

    /// The rules that these answers of a site mean for a page that was fetched at this time,
    /// through redirects. One that leads astray, in a circle or too far means that anything may be
    /// forbidden.
    pub(super) fn rules(
        &self,
        ((site, file), said): ((&str, SiteFile), &[DatedAnswers<What>]),
        (number, fetched): (u64, Option<SystemTime>),
        (shelf, most): (&Shelf, &Most),
    ) -> Vec<RobotsTxt> {
        let site = &*key(site, file);
        let (path, seen, found) = (vec![site], HashSet::from([site]), Vec::new());
        let mut walk = AnswersWalk {
            answers: self,
            file,
            number,
            fetched,
            shelf,
            most,
            path,
            seen,
            steps: 0,
            bytes: 0,
            found,
        };
        walk.hear(said);
        walk.found
    }

    /// Returns true if a site, or one that it redirects to, said something new since that count of
    /// answers.
    pub(super) fn has_news(&self, (site, file): (&str, SiteFile), since: u64, most: &Most) -> bool {
        let site = &*key(site, file);
        if !self.sites.contains_key(site) {
            return self.too_many.is_some_and(|(_, changed)| changed > since);
        }
        let (mut open, mut seen) = (vec![site], HashSet::from([site]));
        while let Some(site) = open.pop() {
            let Some(known) = self.sites.get(site) else {
                continue;
            };
            if known.changed > since || seen.len() > most.answers {
                return true;
            }
            let targets = known
                .answers
                .said()
                .iter()
                .filter_map(|said| match &said.what {
                    What::Redirect(Some(target)) => Some(&**target),
                    _ => None,
                });
            open.extend(targets.filter(|target| seen.insert(target)));
        }
        false
    }
}

impl SiteAnswers {
    fn until(&self, number: u64) -> impl Iterator<Item = &DatedAnswers<What>> {
        self.answers
            .said()
            .iter()
            .filter(move |said| said.number <= number)
    }

    /// Takes an answer, or None if there was no room for it. Returns true if more may be forbidden
    /// now.
    fn take(
        &mut self,
        said: Option<DatedAnswers<What>>,
        number: u64,
        is_known: bool,
        (shelf, most): (&Shelf, &Most),
    ) -> bool {
        let Some(said) = said else {
            self.shut = Some((number, "robots_file_bytes"));
            return true;
        };
        if !is_known {
            self.different += 1;
            self.bytes += if let What::Rules(Ruled { id: Some(id), .. }) = &said.what {
                shelf.held(*id)
            } else {
                0
            };
        }
        self.shut = most
            .limit_passed(self.different, self.bytes)
            .map(|limit| (number, limit));
        let is_news = self.answers.add(said);
        self.answers.shorten(most.answers.saturating_mul(DATES));
        is_news || self.shut.is_some()
    }
}

/// The answers, the last of equal ones alone.
fn last_of_each(said: &[DatedAnswers<What>]) -> impl Iterator<Item = &DatedAnswers<What>> {
    let is_last = |(at, one): &(usize, &DatedAnswers<What>)| {
        said[at + 1..].iter().all(|later| later.what != one.what)
    };
    said.iter()
        .enumerate()
        .filter(is_last)
        .map(|(_, said)| said)
}

/// The key for answers about a file of a site.
fn key(authority: &str, file: SiteFile) -> Cow<'_, str> {
    match file {
        SiteFile::Robots => authority.into(),
        other => format!("{authority}{}", other.path()).into(),
    }
}

/// The site to whose file of this kind a redirect leads; None if it leads to something else.
fn target_of(target: &str, file: SiteFile) -> Option<Arc<str>> {
    let url = Url::parse(target)
        .ok()
        .filter(|url| url.path() == file.path())?;
    Some(key(&authority(&url), file).into())
}

/// A walk from a site along its redirects. It visits each site once, however many lead to it.
struct AnswersWalk<'a> {
    answers: &'a Answers,
    file: SiteFile,
    number: u64,
    fetched: Option<SystemTime>,
    shelf: &'a Shelf,
    most: &'a Most,
    /// The sites that led here.
    path: Vec<&'a str>,
    seen: HashSet<&'a str>,
    steps: usize,
    bytes: u64,
    found: Vec<RobotsTxt>,
}

impl AnswersWalk<'_> {
    fn follow(&mut self, site: &str) {
        let Some((name, known)) = self.answers.sites.get_key_value(site) else {
            return self.found.extend(self.file.misplaced());
        };
        if let Some((_, limit)) = known.shut.filter(|(at, _)| *at <= self.number) {
            return self.found.push(self.most.shut_by(self.file, limit));
        }
        self.path.push(name);
        self.seen.insert(name);
        let said = known.until(self.number).cloned().collect();
        self.hear(&counting(said, self.fetched, |what| {
            self.answers.is_none(what)
        }));
        self.path.pop();
    }

    fn hear(&mut self, said: &[DatedAnswers<What>]) {
        let before = self.found.len();
        for DatedAnswers { what, .. } in last_of_each(said) {
            self.steps += 1;
            if self.steps > self.most.answers {
                return self
                    .found
                    .push(self.most.shut_by(self.file, "robots_answers"));
            }
            match what {
                What::Rules(ruled) if self.is_too_much(ruled) => {
                    return self
                        .found
                        .push(self.most.shut_by(self.file, "robots_site_bytes"));
                }
                What::Rules(ruled) => self.found.push(ruled.rules(self.shelf)),
                What::Unknown => (),
                What::Shut(limit) => self.found.push(self.most.shut_by(self.file, limit)),
                What::Redirect(Some(target)) if self.may_go(target) => {
                    if !self.seen.contains(&**target) {
                        self.follow(target);
                    }
                }
                What::Redirect(_) => self.found.extend(self.file.misplaced()),
            }
        }
        if self.found.len() == before {
            self.found.extend(self.file.misplaced());
        }
    }

    fn is_too_much(&mut self, ruled: &Ruled) -> bool {
        self.bytes += ruled.id.map_or(0, |id| self.shelf.held(id));
        self.bytes > self.most.bytes
    }

    fn may_go(&self, target: &str) -> bool {
        self.path.len() <= self.most.redirects && !self.path.contains(&target)
    }
}
