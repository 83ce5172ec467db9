//! The answers of sites that were asked for their robots.txt or tdmrep.json, each with the number
//! of the record after it.
//!
//! The different answers of a site are kept, each with the dates that matter (`over_time`). Memory
//! grows with the answers of sites, not with how often they were asked. A question about a page
//! follows at most as many answers as a limit allows, through redirects too. A site that passes a
//! limit is shut.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use url::Url;

use heedful_base::address::authority;
use heedful_base::limits::{Limits, MOST_REDIRECTS, size};
use heedful_input::{Robots, RobotsAnswer};
use heedful_robots::{RobotsTxt, SiteFile, Source};

use super::over_time::{DatedAnswer, Timeline, select, whole_date};
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
    /// The number of answers that may forbid more than those before. A remembered number shows
    /// which came since.
    news: u64,
}

/// The limits of the answers that are kept.
#[derive(Debug)]
pub(super) struct AnswerLimits {
    sites: usize,
    answers: usize,
    bytes: u64,
    redirects: usize,
    values: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Default)]
struct SiteAnswers {
    answers: Timeline<AnswerMeaning>,
    /// The number of different ones.
    different: usize,
    /// The bytes that its files take in memory.
    bytes: u64,
    /// The record from which on it passes a limit, and that limit.
    shut: Option<(u64, &'static str)>,
    /// The number of all news when this site last gave a new answer.
    changed: u64,
}

/// The place of a page in a run, and its date: both decide which answers count.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageTime {
    /// The number of the record up to which answers count.
    pub(super) number: u64,
    /// When the page was fetched.
    pub(super) fetched: Option<SystemTime>,
}

/// The meaning of a site's answer.
#[derive(Clone, Debug)]
pub(super) enum AnswerMeaning {
    Rules(AnswerRules),
    /// A redirect to the same file of another site, or None if it leads elsewhere.
    Redirect(Option<Arc<str>>),
    Unknown,
    /// The site passed this limit.
    Shut(&'static str),
}

/// Rules, or their substitute.
#[derive(Clone, Debug)]
pub(super) struct AnswerRules {
    /// None for rules that found no room or could not be read: they may forbid anything.
    pub(super) id: Option<ShelfId>,
    /// True if the site gave no usable answer.
    pub(super) is_none: bool,
    pub(super) source: Option<Arc<Source>>,
}

impl AnswerRules {
    pub(super) fn rules(&self, shelf: &Shelf) -> RobotsTxt {
        let rules = match self.id {
            Some(id) => shelf.get(id),
            None => RobotsTxt::shut(),
        };
        rules.with_source(self.source.clone())
    }
}

impl AnswerMeaning {
    /// The meaning of an answer; None if there is no room for it.
    fn new(answer: RobotsAnswer, file: SiteFile, shelf: &Shelf) -> Option<Self> {
        match answer {
            RobotsAnswer::Rules(rules) => {
                let rules = shelf.with_digest(rules);
                let id = shelf.put(&rules)?;
                Some(Self::Rules(AnswerRules {
                    id: Some(id),
                    is_none: rules.is_no_answer(),
                    source: rules.shared_source(),
                }))
            }
            RobotsAnswer::Redirect(target) => Some(Self::Redirect(target_of(&target, file))),
            RobotsAnswer::Unknown => Some(Self::Unknown),
        }
    }
}

/// Sources differ by their dates alone.
impl PartialEq for AnswerMeaning {
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

impl Default for AnswerLimits {
    fn default() -> Self {
        Self::new(&Limits::default())
    }
}

impl AnswerLimits {
    pub(super) fn new(limits: &Limits) -> Self {
        let values = [
            ("sites", limits.sites),
            ("robots_answers", limits.robots_answers),
            ("robots_site_bytes", limits.robots_site_bytes),
            ("robots_file_bytes", limits.robots_file_bytes),
        ];
        Self {
            sites: size(limits.sites),
            answers: size(limits.robots_answers),
            bytes: limits.robots_site_bytes,
            redirects: size(limits.redirects.min(MOST_REDIRECTS)),
            values: values.into(),
        }
    }

    /// The limit that so many answers, or so many bytes of them, pass.
    pub(super) fn limit_passed(&self, answers: usize, bytes: u64) -> Option<&'static str> {
        if answers > self.answers {
            Some("robots_answers")
        } else if bytes > self.bytes {
            Some("robots_site_bytes")
        } else {
            None
        }
    }

    /// The rules for a site whose files pass a limit.
    pub(super) fn shut_by(&self, file: SiteFile, limit: &'static str) -> RobotsTxt {
        file.closed_by_limit(limit, self.values.get(limit).copied().unwrap_or_default())
    }
}

impl Answers {
    /// Notes an answer of a site, given before the record of this number.
    pub(super) fn note(&mut self, number: u64, robots: Robots, shelf: &Shelf, most: &AnswerLimits) {
        let file = robots.file();
        let key = key(robots.authority(), file).into_owned();
        if self.sites.len() >= most.sites && !self.sites.contains_key(key.as_str()) {
            if self.too_many.is_none() {
                self.count += 1;
                self.news += 1;
                self.too_many = Some((number, self.news));
            }
            return;
        }
        let site = self.sites.entry(key.into_boxed_str()).or_default();
        if site.shut.is_some() {
            return;
        }
        let date = whole_date(robots.fetched(), SystemTime::now());
        let (is_news, is_new) = match AnswerMeaning::new(robots.into_answer(), file, shelf) {
            Some(what) => {
                let is_new = !site.answers.has(&what);
                let answer = DatedAnswer { date, number, what };
                (site.add(answer, is_new, shelf, most), is_new)
            }
            None => {
                site.shut = Some((number, "robots_file_bytes"));
                (true, true)
            }
        };
        self.count += u64::from(is_new);
        if is_news {
            self.news += 1;
            site.changed = self.news;
        }
    }

    pub(super) fn has(&self, site: &str, file: SiteFile) -> bool {
        self.sites.contains_key(&*key(site, file))
    }

    /// The sites with an answer for any file; some may come twice.
    pub(super) fn sites(&self) -> impl Iterator<Item = &str> {
        self.sites.keys().map(|key| site_of_key(key))
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
        for site in self.sites.values() {
            if let Some((_, limit)) = site.shut {
                *shut.entry(limit).or_default() += 1;
            }
        }
        if self.too_many.is_some() {
            shut.insert("sites", 0);
        }
        shut
    }

    /// The answers of a site about its file of this kind, up to the record of this number. They are
    /// empty if the site gave none.
    pub(super) fn site_answers(
        &self,
        site: &str,
        file: SiteFile,
        number: u64,
    ) -> Vec<DatedAnswer<AnswerMeaning>> {
        let limit = match self.sites.get(&*key(site, file)) {
            Some(known) => match known.limit_before(number) {
                Some(limit) => limit,
                None => return known.until(number).cloned().collect(),
            },
            None if self.has_too_many_before(number) => "sites",
            None => return Vec::new(),
        };
        vec![DatedAnswer {
            date: None,
            number,
            what: AnswerMeaning::Shut(limit),
        }]
    }

    /// True if there were more sites than are kept, up to the record of this number.
    fn has_too_many_before(&self, number: u64) -> bool {
        self.too_many.is_some_and(|(first, _)| first <= number)
    }

    /// True if a site gave an answer before the record of this number.
    pub(super) fn is_known(&self, site: &str, file: SiteFile, number: u64) -> bool {
        match self.sites.get(&*key(site, file)) {
            Some(known) => {
                known.limit_before(number).is_some() || known.until(number).next().is_some()
            }
            None => self.has_too_many_before(number),
        }
    }

    /// True if an answer is none: it lets no page in, although no rule requires that.
    pub(super) fn is_none(&self, what: &AnswerMeaning) -> bool {
        match what {
            AnswerMeaning::Rules(ruled) => ruled.is_none,
            AnswerMeaning::Redirect(Some(target)) => !self.sites.contains_key(&**target),
            AnswerMeaning::Redirect(None) | AnswerMeaning::Unknown | AnswerMeaning::Shut(_) => true,
        }
    }

    /// The rules that these answers of a site mean for a page that was fetched at this time,
    /// through redirects. One that leads astray, in a circle or too far means that anything may be
    /// forbidden.
    pub(super) fn rules(
        &self,
        site: &str,
        file: SiteFile,
        answers: &[DatedAnswer<AnswerMeaning>],
        time: PageTime,
        shelf: &Shelf,
        most: &AnswerLimits,
    ) -> Vec<RobotsTxt> {
        let site = &*key(site, file);
        let mut walk = AnswersWalk {
            answers: self,
            file,
            time,
            shelf,
            most,
            path: vec![site],
            seen: HashSet::from([site]),
            steps: 0,
            bytes: 0,
            found: Vec::new(),
        };
        walk.add(answers);
        walk.found
    }

    /// Returns true if a site, or one that it redirects to, gave a new answer since that count of
    /// answers.
    pub(super) fn has_news(
        &self,
        site: &str,
        file: SiteFile,
        since: u64,
        most: &AnswerLimits,
    ) -> bool {
        let site = &*key(site, file);
        if !self.sites.contains_key(site) {
            return self.too_many.is_some_and(|(_, changed)| changed > since);
        }
        let mut open = vec![site];
        let mut seen = HashSet::from([site]);
        while let Some(site) = open.pop() {
            let Some(known) = self.sites.get(site) else {
                continue;
            };
            if known.changed > since || seen.len() > most.answers {
                return true;
            }
            for answer in known.answers.answers() {
                if let AnswerMeaning::Redirect(Some(target)) = &answer.what
                    && seen.insert(target)
                {
                    open.push(target);
                }
            }
        }
        false
    }
}

impl SiteAnswers {
    fn until(&self, number: u64) -> impl Iterator<Item = &DatedAnswer<AnswerMeaning>> {
        self.answers
            .answers()
            .iter()
            .filter(move |answer| answer.number <= number)
    }

    /// The limit that it passed, up to the record of this number.
    fn limit_before(&self, number: u64) -> Option<&'static str> {
        match self.shut {
            Some((first, limit)) if first <= number => Some(limit),
            _ => None,
        }
    }

    /// Adds an answer. Returns true if more may be forbidden now.
    fn add(
        &mut self,
        answer: DatedAnswer<AnswerMeaning>,
        is_new: bool,
        shelf: &Shelf,
        most: &AnswerLimits,
    ) -> bool {
        if is_new {
            self.different += 1;
            if let AnswerMeaning::Rules(AnswerRules { id: Some(id), .. }) = &answer.what {
                self.bytes += shelf.held(*id);
            }
        }
        if let Some(limit) = most.limit_passed(self.different, self.bytes) {
            self.shut = Some((answer.number, limit));
        }
        let is_news = self.answers.add(answer);
        self.answers.shorten(most.answers.saturating_mul(DATES));
        is_news || self.shut.is_some()
    }
}

/// The meanings of answers, the last of equal ones alone.
fn last_of_each(answers: &[DatedAnswer<AnswerMeaning>]) -> impl Iterator<Item = &AnswerMeaning> {
    let meanings = answers.iter().map(|answer| &answer.what).enumerate();
    meanings.filter_map(|(at, what)| {
        let is_last = answers[at + 1..].iter().all(|later| later.what != *what);
        is_last.then_some(what)
    })
}

/// The key for answers about a file of a site.
fn key(authority: &str, file: SiteFile) -> Cow<'_, str> {
    match file {
        SiteFile::Robots => authority.into(),
        other => format!("{authority}{}", other.path()).into(),
    }
}

/// The site of such a key.
fn site_of_key(key: &str) -> &str {
    // The key for another file than robots.txt has its path after the site.
    match key.match_indices('/').nth(2) {
        Some((end, _)) => &key[..end],
        None => key,
    }
}

/// The site to whose file of this kind a redirect leads; None if it leads to something else.
fn target_of(target: &str, file: SiteFile) -> Option<Arc<str>> {
    let url = Url::parse(target).ok()?;
    if url.path() != file.path() {
        return None;
    }
    Some(key(&authority(&url), file).into())
}

/// A walk from a site along its redirects. It visits each site once, however many lead to it.
struct AnswersWalk<'a> {
    answers: &'a Answers,
    file: SiteFile,
    time: PageTime,
    shelf: &'a Shelf,
    most: &'a AnswerLimits,
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
        if let Some(limit) = known.limit_before(self.time.number) {
            return self.found.push(self.most.shut_by(self.file, limit));
        }
        self.path.push(name);
        self.seen.insert(name);
        let answers = known.until(self.time.number).cloned().collect();
        self.add(&select(answers, self.time.fetched, |what| {
            self.answers.is_none(what)
        }));
        self.path.pop();
    }

    /// Adds the rules that answers mean, through redirects.
    fn add(&mut self, answers: &[DatedAnswer<AnswerMeaning>]) {
        let before = self.found.len();
        for what in last_of_each(answers) {
            self.steps += 1;
            if self.steps > self.most.answers {
                return self
                    .found
                    .push(self.most.shut_by(self.file, "robots_answers"));
            }
            match what {
                AnswerMeaning::Rules(ruled) if self.is_too_much(ruled) => {
                    return self
                        .found
                        .push(self.most.shut_by(self.file, "robots_site_bytes"));
                }
                AnswerMeaning::Rules(ruled) => self.found.push(ruled.rules(self.shelf)),
                AnswerMeaning::Unknown => (),
                AnswerMeaning::Shut(limit) => self.found.push(self.most.shut_by(self.file, limit)),
                AnswerMeaning::Redirect(Some(target)) if self.may_go(target) => {
                    if !self.seen.contains(&**target) {
                        self.follow(target);
                    }
                }
                AnswerMeaning::Redirect(_) => self.found.extend(self.file.misplaced()),
            }
        }
        if self.found.len() == before {
            self.found.extend(self.file.misplaced());
        }
    }

    fn is_too_much(&mut self, ruled: &AnswerRules) -> bool {
        if let Some(id) = ruled.id {
            self.bytes += self.shelf.held(id);
        }
        self.bytes > self.most.bytes
    }

    fn may_go(&self, target: &str) -> bool {
        self.path.len() <= self.most.redirects && !self.path.contains(&target)
    }
}
