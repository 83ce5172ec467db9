//! Stores the responses of sites to requests for their robots.txt or tdmrep.json, in the order of
//! the input.
//!
//! Each response has the number of the next record in the input. By these numbers, this module
//! decides which responses of a site are known when a page is judged. It also resolves redirects
//! from one site to another. `response_dates` then selects the responses that apply to the page's
//! date.
//!
//! Each distinct response of a site is stored once, with only those dates that change a decision.
//! So memory grows with the number of distinct responses, not with the number of requests.
//! Resolving the rules of one page follows at most `robots_answers` responses, including redirects.
//! If a site exceeds a limit, all of its later pages are excluded. This module fetches nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::mem;
use std::sync::Arc;
use std::time::SystemTime;

use url::Url;

use heedful_base::address::authority;
use heedful_base::limits::{Limits, MOST_REDIRECTS, size};
use heedful_input::{Robots, SiteFileResponse};
use heedful_robots::{RobotsTxt, SiteFile, Source};

use super::response_dates::{DatedResponse, Timeline, select, whole_date};
use super::shelf::{Shelf, ShelfId};

/// Maximum number of stored responses of a site, as a multiple of the limit `responses`. That limit
/// counts distinct responses. Here, equal responses that the site gave at different times count
/// separately.
const DATES: usize = 4;

/// Robots.txt and tdmrep.json responses of all sites, each with its position in the input.
#[derive(Debug, Default)]
pub(super) struct RobotsResponses {
    /// Responses of each site, by [`key`]. A site has one key for each kind of file.
    sites: HashMap<Box<str>, SiteResponses>,
    /// Two numbers about the time at which the limit `sites` was exceeded. The first is the number,
    /// within the run, of the next record in the input. The second is the value that the field
    /// `stricter_count` had at that time. `None` if the limit was not exceeded.
    sites_exceeded: Option<(u64, u64)>,
    /// Number of distinct responses of all sites.
    count: u64,
    /// Number of responses so far that may forbid more than the earlier responses of their site. A
    /// caller stores this number. Later the caller asks which sites have newer responses of this
    /// kind.
    stricter_count: u64,
}

/// Limits on the number and size of the robots.txt and tdmrep.json responses that a run stores.
#[derive(Debug)]
pub(super) struct ResponseLimits {
    sites: usize,
    responses: usize,
    bytes: u64,
    redirects: usize,
    values: BTreeMap<&'static str, u64>,
}

/// Responses of one site to requests for one kind of file, robots.txt or tdmrep.json.
#[derive(Debug, Default)]
struct SiteResponses {
    responses: Timeline<ResponseContent>,
    /// Number of distinct responses in the field `responses`.
    different: usize,
    /// Memory that the parsed files of the site take, in bytes.
    bytes: u64,
    /// Number, within the run, of the first record after the site exceeded a limit, and the name of
    /// that limit. `None` if the site exceeded no limit.
    exceeded_limit: Option<(u64, &'static str)>,
    /// Value of [`RobotsResponses::stricter_count`] when the last new response of this site was
    /// added.
    count_at_change: u64,
}

/// Position of a page in a run, and the time at which the page was fetched. Both decide which
/// responses of its site apply to the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageTime {
    /// Number of the page's record in the run. Only responses that precede this record in the input
    /// apply to the page.
    pub(super) number: u64,
    /// Time at which the page was fetched. `None` if unknown.
    pub(super) fetched: Option<SystemTime>,
}

/// Content of a site's response to a request for its robots.txt or tdmrep.json: rules, a redirect,
/// or no rules.
#[derive(Clone, Debug)]
pub(super) enum ResponseContent {
    Rules(ResponseRules),
    /// A redirect. The value is the [`key`] of the file to which it leads. The value is `None` if
    /// the redirect leads to another kind of file.
    Redirect(Option<Arc<str>>),
    Unknown,
    /// No rules are stored, because the site exceeded the limit with this name.
    LimitExceeded(&'static str),
}

/// Reference to the rules of a site's response. The rules are stored on the run's [`Shelf`]. If the
/// response states no rules, the shelf contains substitute rules.
#[derive(Clone, Debug)]
pub(super) struct ResponseRules {
    /// Number by which the rules are found on the [`Shelf`]. `None` if the shelf had no room, or if
    /// the stored rules could not be read. Everything is then forbidden.
    pub(super) id: Option<ShelfId>,
    /// True if the response states no rules. It was an error, or could not be used.
    pub(super) is_none: bool,
    pub(super) source: Option<Arc<Source>>,
}

impl ResponseRules {
    pub(super) fn rules(&self, shelf: &Shelf) -> RobotsTxt {
        let rules = match self.id {
            Some(id) => shelf.get(id),
            None => RobotsTxt::deny_all(),
        };
        rules.with_shared_source(self.source.clone())
    }
}

impl ResponseContent {
    /// Converts a site's response for a file to its content. Stores the rules of the response on
    /// `shelf`. Returns `None` if the shelf has no room.
    fn new(response: SiteFileResponse, file: SiteFile, shelf: &Shelf) -> Option<Self> {
        match response {
            SiteFileResponse::Rules(rules) => {
                let rules = shelf.with_digest(rules);
                let id = shelf.put(&rules)?;
                Some(Self::Rules(ResponseRules {
                    id: Some(id),
                    is_none: rules.is_unavailable(),
                    source: rules.shared_source(),
                }))
            }
            SiteFileResponse::Redirect(target) => Some(Self::Redirect(target_of(&target, file))),
            SiteFileResponse::Unknown => Some(Self::Unknown),
        }
    }
}

impl Eq for ResponseContent {}

/// Hashes only the data that [`PartialEq`] compares.
impl Hash for ResponseContent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        mem::discriminant(self).hash(state);
        match self {
            Self::Rules(rules) => rules.id.hash(state),
            Self::Redirect(target) => target.hash(state),
            Self::Unknown => (),
            Self::LimitExceeded(limit) => limit.hash(state),
        }
    }
}

/// Two contents with rules are equal if their rules have the same number on the [`Shelf`], which
/// stores equal rules once. The sources of the rules are not compared, since they differ only in
/// dates.
impl PartialEq for ResponseContent {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rules(one), Self::Rules(other)) => one.id == other.id,
            (Self::Redirect(one), Self::Redirect(other)) => one == other,
            (Self::Unknown, Self::Unknown) => true,
            (Self::LimitExceeded(one), Self::LimitExceeded(other)) => one == other,
            _ => false,
        }
    }
}

impl Default for ResponseLimits {
    fn default() -> Self {
        Self::new(&Limits::default())
    }
}

impl ResponseLimits {
    pub(super) fn new(limits: &Limits) -> Self {
        let values = [
            ("sites", limits.sites),
            ("robots_answers", limits.robots_answers),
            ("robots_site_bytes", limits.robots_site_bytes),
            ("robots_file_bytes", limits.robots_file_bytes),
        ];
        Self {
            sites: size(limits.sites),
            responses: size(limits.robots_answers),
            bytes: limits.robots_site_bytes,
            redirects: size(limits.redirects.min(MOST_REDIRECTS)),
            values: values.into(),
        }
    }

    /// Returns the name of the limit that a site with this number of responses, or with this number
    /// of bytes, exceeds. Returns `None` if it exceeds none.
    pub(super) fn limit_passed(&self, responses: usize, bytes: u64) -> Option<&'static str> {
        if responses > self.responses {
            Some("robots_answers")
        } else if bytes > self.bytes {
            Some("robots_site_bytes")
        } else {
            None
        }
    }

    /// Returns rules for a file that forbid everything. They name the exceeded limit as the reason.
    pub(super) fn deny_all_by_limit(&self, file: SiteFile, limit: &'static str) -> RobotsTxt {
        file.closed_by_limit(limit, self.values.get(limit).copied().unwrap_or_default())
    }
}

impl RobotsResponses {
    /// Adds a site's response to a request for a site file. In the input, this response directly
    /// precedes the record `number`.
    pub(super) fn note(
        &mut self,
        number: u64,
        robots: Robots,
        shelf: &Shelf,
        most: &ResponseLimits,
    ) {
        let file = robots.file();
        let key = key(robots.authority(), file).into_owned();
        if self.sites.len() >= most.sites && !self.sites.contains_key(key.as_str()) {
            if self.sites_exceeded.is_none() {
                self.count += 1;
                self.stricter_count += 1;
                self.sites_exceeded = Some((number, self.stricter_count));
            }
            return;
        }
        let site = self.sites.entry(key.into_boxed_str()).or_default();
        if site.exceeded_limit.is_some() {
            return;
        }
        let date = whole_date(robots.fetched(), SystemTime::now());
        let (is_news, is_new) = match ResponseContent::new(robots.into_response(), file, shelf) {
            Some(content) => {
                let is_new = !site.responses.has(&content);
                let response = DatedResponse {
                    date,
                    number,
                    content,
                };
                (site.add(response, is_new, shelf, most), is_new)
            }
            None => {
                site.exceeded_limit = Some((number, "robots_file_bytes"));
                (true, true)
            }
        };
        self.count += u64::from(is_new);
        if is_news {
            self.stricter_count += 1;
            site.count_at_change = self.stricter_count;
        }
    }

    pub(super) fn has(&self, site: &str, file: SiteFile) -> bool {
        self.sites.contains_key(&*key(site, file))
    }

    /// Iterates over the sites that gave a response for any kind of file. A site with several kinds
    /// of files is yielded several times.
    pub(super) fn sites(&self) -> impl Iterator<Item = &str> {
        self.sites.keys().map(|key| site_of_key(key))
    }

    /// Returns the number of distinct responses of all sites.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of responses so far that may forbid more than the earlier responses of
    /// their site.
    pub(super) fn stricter_count(&self) -> u64 {
        self.stricter_count
    }

    /// Maps the name of each limit to the number of sites that exceeded it. For the limit `sites`
    /// the number is 0, since the sites beyond this limit are not counted.
    pub(super) fn sites_over_limits(&self) -> BTreeMap<&'static str, u64> {
        let mut shut = BTreeMap::new();
        for site in self.sites.values() {
            if let Some((_, limit)) = site.exceeded_limit {
                *shut.entry(limit).or_default() += 1;
            }
        }
        if self.sites_exceeded.is_some() {
            shut.insert("sites", 0);
        }
        shut
    }

    /// Returns the responses for a file of a site that precede the record `number` in the input. If
    /// the site exceeded a limit before that record, returns a single response with the name of the
    /// limit.
    pub(super) fn site_responses(
        &self,
        site: &str,
        file: SiteFile,
        number: u64,
    ) -> Vec<DatedResponse<ResponseContent>> {
        let limit = match self.sites.get(&*key(site, file)) {
            Some(known) => match known.limit_before(number) {
                Some(limit) => limit,
                None => return known.until(number).cloned().collect(),
            },
            None if self.has_too_many_before(number) => "sites",
            None => return Vec::new(),
        };
        vec![DatedResponse {
            date: None,
            number,
            content: ResponseContent::LimitExceeded(limit),
        }]
    }

    /// True if the limit `sites` was exceeded before the record `number` of the input.
    fn has_too_many_before(&self, number: u64) -> bool {
        self.sites_exceeded
            .is_some_and(|(first, _)| first <= number)
    }

    /// True if the site gave a response for this file before the record `number`. Also true if the
    /// site exceeded a limit before that record.
    pub(super) fn is_known(&self, site: &str, file: SiteFile, number: u64) -> bool {
        match self.sites.get(&*key(site, file)) {
            Some(known) => {
                known.limit_before(number).is_some() || known.until(number).next().is_some()
            }
            None => self.has_too_many_before(number),
        }
    }

    /// True if a site's response states no rules. It is then a server error, a redirect to an
    /// unknown target, or an exceeded limit. Such a response excludes all pages of the site,
    /// although no rule of the site demands that.
    pub(super) fn is_none(&self, what: &ResponseContent) -> bool {
        match what {
            ResponseContent::Rules(ruled) => ruled.is_none,
            ResponseContent::Redirect(Some(target)) => !self.sites.contains_key(&**target),
            ResponseContent::Redirect(None)
            | ResponseContent::Unknown
            | ResponseContent::LimitExceeded(_) => true,
        }
    }

    /// Returns the rules of `responses`, and follows the redirects among them. `responses` are the
    /// responses that apply to a page. A redirect that leads in a circle, over too many steps, or
    /// to another kind of file yields rules that forbid everything.
    pub(super) fn rules(
        &self,
        site: &str,
        file: SiteFile,
        responses: &[DatedResponse<ResponseContent>],
        time: PageTime,
        shelf: &Shelf,
        most: &ResponseLimits,
    ) -> Vec<RobotsTxt> {
        let site = &*key(site, file);
        let mut walk = AnswersWalk {
            responses: self,
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
        walk.add(responses);
        walk.found
    }

    /// True if a file of a site may forbid more now than at an earlier time. `since` is the value
    /// of [`RobotsResponses::stricter_count`] at that time. If the file redirects to other sites,
    /// new responses of those sites count too.
    pub(super) fn has_stricter(
        &self,
        site: &str,
        file: SiteFile,
        since: u64,
        most: &ResponseLimits,
    ) -> bool {
        let site = &*key(site, file);
        if !self.sites.contains_key(site) {
            return self.sites_exceeded.is_some_and(|(_, count)| count > since);
        }
        let mut open = vec![site];
        let mut seen = HashSet::from([site]);
        while let Some(site) = open.pop() {
            let Some(known) = self.sites.get(site) else {
                continue;
            };
            if known.count_at_change > since || seen.len() > most.responses {
                return true;
            }
            for response in known.responses.responses() {
                if let ResponseContent::Redirect(Some(target)) = &response.content
                    && seen.insert(target)
                {
                    open.push(target);
                }
            }
        }
        false
    }
}

impl SiteResponses {
    fn until(&self, number: u64) -> impl Iterator<Item = &DatedResponse<ResponseContent>> {
        self.responses
            .responses()
            .iter()
            .filter(move |response| response.number <= number)
    }

    /// Returns the name of the limit that the site exceeded before the record `number`, or `None`.
    fn limit_before(&self, number: u64) -> Option<&'static str> {
        match self.exceeded_limit {
            Some((first, limit)) if first <= number => Some(limit),
            _ => None,
        }
    }

    /// Adds a response of this site. Returns true if the site may forbid more now than before,
    /// otherwise false.
    fn add(
        &mut self,
        response: DatedResponse<ResponseContent>,
        is_new: bool,
        shelf: &Shelf,
        most: &ResponseLimits,
    ) -> bool {
        if is_new {
            self.different += 1;
            if let ResponseContent::Rules(ResponseRules { id: Some(id), .. }) = &response.content {
                self.bytes += shelf.memory(*id);
            }
        }
        if let Some(limit) = most.limit_passed(self.different, self.bytes) {
            self.exceeded_limit = Some((response.number, limit));
        }
        let is_news = self.responses.add(response);
        self.responses.shorten(most.responses.saturating_mul(DATES));
        is_news || self.exceeded_limit.is_some()
    }
}

/// Returns the distinct contents of `responses`. A content that is repeated stands at the position
/// of its last occurrence.
fn last_of_each(responses: &[DatedResponse<ResponseContent>]) -> Vec<&ResponseContent> {
    let mut seen = HashSet::with_capacity(responses.len());
    let mut contents: Vec<_> = responses
        .iter()
        .rev()
        .map(|response| &response.content)
        .filter(|content| seen.insert(*content))
        .collect();
    contents.reverse();
    contents
}

/// Returns the key of a site's file in [`RobotsResponses`]. It is the site, followed by the path of
/// the file unless the file is robots.txt.
fn key(authority: &str, file: SiteFile) -> Cow<'_, str> {
    match file {
        SiteFile::Robots => authority.into(),
        other => format!("{authority}{}", other.path()).into(),
    }
}

/// Returns the site that is part of a key made by [`key`].
fn site_of_key(key: &str) -> &str {
    // Only the key of a file other than robots.txt has a path after the site.
    match key.match_indices('/').nth(2) {
        Some((end, _)) => &key[..end],
        None => key,
    }
}

/// Returns the key of the file to which a redirect leads. Returns `None` if the redirect leads to
/// another kind of file than `file`.
fn target_of(target: &str, file: SiteFile) -> Option<Arc<str>> {
    let url = Url::parse(target).ok()?;
    if url.path() != file.path() {
        return None;
    }
    Some(key(&authority(&url), file).into())
}

/// Depth-first walk over a site and the sites to which its robots.txt redirects. Each site is
/// visited once, however many redirects lead to it.
struct AnswersWalk<'a> {
    responses: &'a RobotsResponses,
    file: SiteFile,
    time: PageTime,
    shelf: &'a Shelf,
    most: &'a ResponseLimits,
    /// Sites on the chain of redirects, from the first site to the current one.
    path: Vec<&'a str>,
    seen: HashSet<&'a str>,
    steps: usize,
    bytes: u64,
    found: Vec<RobotsTxt>,
}

impl AnswersWalk<'_> {
    fn follow(&mut self, site: &str) {
        let Some((name, known)) = self.responses.sites.get_key_value(site) else {
            return self.found.extend(self.file.for_missing_target());
        };
        if let Some(limit) = known.limit_before(self.time.number) {
            return self
                .found
                .push(self.most.deny_all_by_limit(self.file, limit));
        }
        self.path.push(name);
        self.seen.insert(name);
        let responses = known.until(self.time.number).cloned().collect();
        self.add(&select(responses, self.time.fetched, |what| {
            self.responses.is_none(what)
        }));
        self.path.pop();
    }

    /// Appends the rules of `responses` to `found`, and follows redirects to other sites.
    fn add(&mut self, responses: &[DatedResponse<ResponseContent>]) {
        let before = self.found.len();
        for what in last_of_each(responses) {
            self.steps += 1;
            if self.steps > self.most.responses {
                return self
                    .found
                    .push(self.most.deny_all_by_limit(self.file, "robots_answers"));
            }
            match what {
                ResponseContent::Rules(ruled) if self.is_too_much(ruled) => {
                    return self
                        .found
                        .push(self.most.deny_all_by_limit(self.file, "robots_site_bytes"));
                }
                ResponseContent::Rules(ruled) => self.found.push(ruled.rules(self.shelf)),
                ResponseContent::Unknown => (),
                ResponseContent::LimitExceeded(limit) => self
                    .found
                    .push(self.most.deny_all_by_limit(self.file, limit)),
                ResponseContent::Redirect(Some(target)) if self.may_go(target) => {
                    if !self.seen.contains(&**target) {
                        self.follow(target);
                    }
                }
                ResponseContent::Redirect(_) => self.found.extend(self.file.for_missing_target()),
            }
        }
        if self.found.len() == before {
            self.found.extend(self.file.for_missing_target());
        }
    }

    fn is_too_much(&mut self, ruled: &ResponseRules) -> bool {
        if let Some(id) = ruled.id {
            self.bytes += self.shelf.memory(id);
        }
        self.bytes > self.most.bytes
    }

    fn may_go(&self, target: &str) -> bool {
        self.path.len() <= self.most.redirects && !self.path.contains(&target)
    }
}
