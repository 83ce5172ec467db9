//! Stores the responses of sites to requests for their robots.txt or tdmrep.json, in the order of
//! the input. Names in the code call such a response an answer.
//!
//! Each response has the number of the next record in the input. With these numbers, this module
//! decides which responses of a site are known when a page is judged, and resolves redirects among
//! them. `answer_dates` then selects the responses that apply to the page's date.
//!
//! Each distinct response of a site is stored once, with only the dates that change a decision. So
//! memory grows with the number of distinct responses, not with the number of requests. Resolving
//! the rules of one page follows at most `robots_answers` responses, redirects included. If a site
//! exceeds a limit, all of its later pages are treated as forbidden. Nothing is fetched here.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use url::Url;

use heedful_base::address::authority;
use heedful_base::limits::{Limits, MOST_REDIRECTS, size};
use heedful_input::{Robots, RobotsAnswer};
use heedful_robots::{RobotsTxt, SiteFile, Source};

use super::answer_dates::{DatedAnswer, Timeline, select, whole_date};
use super::shelf::{Shelf, ShelfId};

/// Maximum number of dates kept per distinct response of a site.
const DATES: usize = 4;

/// Robots.txt and tdmrep.json responses of all sites, each with its position in the input.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// Sites by [`key`]. A site has one entry for each kind of file.
    sites: HashMap<Box<str>, SiteAnswers>,
    /// Number of the first record after the limit `sites` was exceeded, and the value of `news` at
    /// that time.
    too_many: Option<(u64, u64)>,
    /// Number of distinct responses of all sites.
    count: u64,
    /// Number of responses that may forbid more than the responses before them. A caller stores
    /// this number, and later asks which sites have newer responses.
    news: u64,
}

/// Limits on the number and size of the stored robots.txt and tdmrep.json responses.
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
    /// Number of distinct responses in `answers`.
    different: usize,
    /// Memory that the site's parsed files take, in bytes.
    bytes: u64,
    /// Name of the limit that the site exceeded, and number of the first record after that.
    shut: Option<(u64, &'static str)>,
    /// Value of [`Answers::news`] when this site's last new response was added.
    changed: u64,
}

/// Position of a page in a run, and the time at which it was fetched. Both decide which responses
/// of its site apply to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageTime {
    /// Number of the last record whose preceding responses apply to the page.
    pub(super) number: u64,
    /// Time at which the page was fetched.
    pub(super) fetched: Option<SystemTime>,
}

/// Content of a site's response to a request for its robots.txt or tdmrep.json.
#[derive(Clone, Debug)]
pub(super) enum AnswerMeaning {
    Rules(AnswerRules),
    /// A redirect to the same kind of file at a site, given by its key. `None` if the target is
    /// another file.
    Redirect(Option<Arc<str>>),
    Unknown,
    /// No rules, because the site exceeded the limit of this name.
    Shut(&'static str),
}

/// Rules of a site's response, stored on the shelf, or the substitute for missing rules.
#[derive(Clone, Debug)]
pub(super) struct AnswerRules {
    /// Number of the rules on the shelf. `None` if the shelf had no room or the rules could not be
    /// read: everything is forbidden then.
    pub(super) id: Option<ShelfId>,
    /// True if the response was an error or could not be used, so that it states no rules.
    pub(super) is_none: bool,
    pub(super) source: Option<Arc<Source>>,
}

impl AnswerRules {
    pub(super) fn rules(&self, shelf: &Shelf) -> RobotsTxt {
        let rules = match self.id {
            Some(id) => shelf.get(id),
            None => RobotsTxt::deny_all(),
        };
        rules.with_shared_source(self.source.clone())
    }
}

impl AnswerMeaning {
    /// Converts a response to its content, and stores its rules on the shelf. Returns `None` if the
    /// shelf has no room.
    fn new(answer: RobotsAnswer, file: SiteFile, shelf: &Shelf) -> Option<Self> {
        match answer {
            RobotsAnswer::Rules(rules) => {
                let rules = shelf.with_digest(rules);
                let id = shelf.put(&rules)?;
                Some(Self::Rules(AnswerRules {
                    id: Some(id),
                    is_none: rules.is_unavailable(),
                    source: rules.shared_source(),
                }))
            }
            RobotsAnswer::Redirect(target) => Some(Self::Redirect(target_of(&target, file))),
            RobotsAnswer::Unknown => Some(Self::Unknown),
        }
    }
}

/// Compares rules by their shelf numbers. Their sources, which differ only in dates, are ignored.
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

    /// Returns the name of the limit that this number of responses or bytes exceeds, if any.
    pub(super) fn limit_passed(&self, answers: usize, bytes: u64) -> Option<&'static str> {
        if answers > self.answers {
            Some("robots_answers")
        } else if bytes > self.bytes {
            Some("robots_site_bytes")
        } else {
            None
        }
    }

    /// Returns rules that forbid everything, with the exceeded limit as the reason.
    pub(super) fn shut_by(&self, file: SiteFile, limit: &'static str) -> RobotsTxt {
        file.closed_by_limit(limit, self.values.get(limit).copied().unwrap_or_default())
    }
}

impl Answers {
    /// Adds a site's response that precedes the record `number` in the input.
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

    /// Iterates over the sites with a response for any kind of file. A site with several kinds of
    /// files is yielded several times.
    pub(super) fn sites(&self) -> impl Iterator<Item = &str> {
        self.sites.keys().map(|key| site_of_key(key))
    }

    /// Returns the number of distinct responses of all sites.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of responses that may forbid more than the responses before them.
    pub(super) fn news(&self) -> u64 {
        self.news
    }

    /// Returns the number of sites that exceeded each limit, by the name of the limit. It is 0 for
    /// the limit `sites`, since the sites beyond it are not counted.
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

    /// Returns the responses for a file of a site that precede the record `number`; empty if there
    /// are none. If the site exceeded a limit, returns one response, which has the name of the
    /// limit.
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

    /// True if the limit `sites` was exceeded before the record `number`.
    fn has_too_many_before(&self, number: u64) -> bool {
        self.too_many.is_some_and(|(first, _)| first <= number)
    }

    /// True if a site gave a response for this file before the record `number`, or exceeded a limit
    /// by then.
    pub(super) fn is_known(&self, site: &str, file: SiteFile, number: u64) -> bool {
        match self.sites.get(&*key(site, file)) {
            Some(known) => {
                known.limit_before(number).is_some() || known.until(number).next().is_some()
            }
            None => self.has_too_many_before(number),
        }
    }

    /// True if a response states no rules: a server error, a redirect to an unknown target, or an
    /// exceeded limit. Such a response excludes all pages of the site, although no rule demands
    /// that.
    pub(super) fn is_none(&self, what: &AnswerMeaning) -> bool {
        match what {
            AnswerMeaning::Rules(ruled) => ruled.is_none,
            AnswerMeaning::Redirect(Some(target)) => !self.sites.contains_key(&**target),
            AnswerMeaning::Redirect(None) | AnswerMeaning::Unknown | AnswerMeaning::Shut(_) => true,
        }
    }

    /// Follows the redirects in `answers`, and returns the rules that apply to a page. A redirect
    /// yields rules that forbid everything if it leads in a circle, over too many steps or to
    /// another file.
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

    /// True if a new response was added after `since`, an earlier value of [`Answers::news`]. It
    /// may be a response of the site or of a site that it redirects to.
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

    /// Returns the limit that the site exceeded before the record `number`, if any.
    fn limit_before(&self, number: u64) -> Option<&'static str> {
        match self.shut {
            Some((first, limit)) if first <= number => Some(limit),
            _ => None,
        }
    }

    /// Adds a response of this site. Returns true if the site may now forbid more than before.
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

/// Iterates over the distinct contents of `answers`, each at its last occurrence.
fn last_of_each(answers: &[DatedAnswer<AnswerMeaning>]) -> impl Iterator<Item = &AnswerMeaning> {
    let meanings = answers.iter().map(|answer| &answer.what).enumerate();
    meanings.filter_map(|(at, what)| {
        let is_last = answers[at + 1..].iter().all(|later| later.what != *what);
        is_last.then_some(what)
    })
}

/// Returns the key of a site's file in [`Answers`]: the site, and the path if the
/// file is not robots.txt.
fn key(authority: &str, file: SiteFile) -> Cow<'_, str> {
    match file {
        SiteFile::Robots => authority.into(),
        other => format!("{authority}{}", other.path()).into(),
    }
}

/// Returns the site of a key that was made by [`key`].
fn site_of_key(key: &str) -> &str {
    // Only the key of a file other than robots.txt has a path after the site.
    match key.match_indices('/').nth(2) {
        Some((end, _)) => &key[..end],
        None => key,
    }
}

/// Returns the key of the file to which a redirect leads. Returns `None` if the target is not this
/// kind of file.
fn target_of(target: &str, file: SiteFile) -> Option<Arc<str>> {
    let url = Url::parse(target).ok()?;
    if url.path() != file.path() {
        return None;
    }
    Some(key(&authority(&url), file).into())
}

/// Depth-first walk over a site and the sites that it redirects to. Each site is visited once,
/// however many redirects lead to it.
struct AnswersWalk<'a> {
    answers: &'a Answers,
    file: SiteFile,
    time: PageTime,
    shelf: &'a Shelf,
    most: &'a AnswerLimits,
    /// Chain of redirects from the first site to the current one.
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

    /// Appends the rules of `answers` to `found`, and follows redirects.
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
