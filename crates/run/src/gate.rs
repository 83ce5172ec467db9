//! Collects the robots.txt and tdmrep.json files of a run, and selects the ones that apply to each
//! page.
//!
//! Rules are read from the robots.txt files in the inputs, from files that accompany single pages,
//! and from the user. If the run is configured so, it also requests files from sites, and uses the
//! responses that earlier runs over an index received. `response_dates` selects among the responses
//! of a site by their dates. A page is read only if all selected files allow it. The gate does not
//! read pages; the filter decides by the rules that the gate returns.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::SystemTime;

use url::Url;

use heedful::Filter;
use heedful_base::address::authority;
use heedful_base::bot::Bot;
use heedful_base::error::Result;
use heedful_base::limits::Limits;
use heedful_index::Search;
use heedful_index::decision::{Basis, Originals, PageDigest, SiteFileRef};
use heedful_input::fetch::{Fetcher, at_once};
use heedful_input::{FetchedPage, Input, Robots};
use heedful_robots::{Mode, RobotsNote, RobotsTxt, SiteFile, Source};

use super::earlier_responses::EarlierResponses;
use super::named_documents;
use super::odd_lines::OddRecords;
use super::response_dates::{DatedResponse, select, whole_date};
use super::responses::{PageTime, ResponseContent, ResponseLimits, RobotsResponses};
use super::shelf::Shelf;
use super::site_requests::SiteRequests;

/// The robots.txt and tdmrep.json files of a run, and the rule for sites without a robots.txt.
///
/// ```
/// use heedful_input::Inputs;
/// use heedful_run::{Gate, Outcome, Run};
/// use heedful::{Bot, Filter, RobotsTxt, Url};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("rye.html"), "<p>Rye")?;
/// let site: Url = "https://example.com/".parse()?;
/// let inputs = Inputs::default().url(site.clone()).open(&[folder.path()])?;
/// let gate = Gate::from_inputs(&inputs)?.for_site(&site, RobotsTxt::parse(b"User-agent: FooBot\nDisallow: /rye"));
/// Run::new(&inputs, &gate, 1).filter(&Filter::new(Bot::new("FooBot")?), |outcome, _| {
///     if let Outcome::Pages(filtered) = outcome {
///         assert!(!filtered.pages[0].policy().may_fetch());
///     }
///     Ok(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct Gate {
    /// Store of the parsed files that sites sent, both in this run and in earlier runs.
    shelf: Shelf,
    /// Limits on the number and size of the stored responses of sites.
    most: ResponseLimits,
    /// Responses of sites that were read from the inputs before the first page was judged.
    found: RobotsResponses,
    /// Robots.txt and tdmrep.json files that the user passed for single sites. The key is the site.
    given: HashMap<String, Vec<RobotsTxt>>,
    /// Robots.txt and tdmrep.json files of input folders that contain only a part of a site. The
    /// key is the site. They can forbid a page, but they do not count as the site's own robots.txt.
    parts: HashMap<String, Vec<RobotsTxt>>,
    /// Robots.txt and tdmrep.json files that the user passed for every site.
    everywhere: Vec<RobotsTxt>,
    /// Rules that exclude all pages of a site without a robots.txt. `None` unless the user requires
    /// every site to have one.
    required: Option<RobotsTxt>,
    /// Requests to sites for files that the inputs do not have. `None` if the gate requests no
    /// files.
    asking: Option<SiteRequests>,
    /// Responses that earlier runs received from sites and stored in an index. `None` if the run
    /// does not apply them.
    remembered: Option<EarlierResponses>,
    /// Responses of sites that were read from a pipe. They become known while pages are judged,
    /// because a pipe is read only once.
    ///
    /// The lock is necessary because several threads use this field. The thread that reads the pipe
    /// adds responses, and filter threads select among the responses.
    late: RwLock<RobotsResponses>,
    /// Mode in which all robots.txt files are parsed. `None` if the user does not set one.
    mode: Option<Mode>,
    /// Doubtful lines of the robots.txt files from inputs, the user or sites. The files in the
    /// field `everywhere` are not included.
    odd: OddRecords,
    /// Doubtful lines of the robots.txt files that accompany single pages. If a site has several of
    /// these files, only the first is included.
    brought: OddRecords,
}

impl Gate {
    /// Creates a gate without robots.txt files. `limits` are the limits on the files that may be
    /// added.
    pub fn with_limits(limits: &Limits) -> Self {
        Self {
            shelf: Shelf::new(limits),
            most: ResponseLimits::new(limits),
            ..Self::default()
        }
    }

    /// Creates a gate with all robots.txt and tdmrep.json files in the inputs. A file also applies
    /// to pages that come before it in an input.
    ///
    /// # Errors
    /// Fails if an input cannot be read at all. Damaged records of an input are ignored.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Url};
    /// use heedful_input::Inputs;
    /// use heedful_run::{Gate, UrlPolicies};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /drafts/")?;
    /// std::fs::write(folder.path().join("rye.html"), "<p>Rye")?;
    /// let site: Url = "https://site.example/".parse()?;
    /// let inputs = Inputs::default().url(site).open(&[folder.path()])?;
    /// let gate = Gate::from_inputs(&inputs)?;
    /// let mut urls = UrlPolicies::new(&gate, &Filter::new(Bot::new("FooBot")?));
    /// assert!(!urls.policies("https://site.example/drafts/1")?[0].may_fetch());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_inputs(inputs: &[Input]) -> Result<Self> {
        Self::default().with_inputs(inputs)
    }

    /// Makes the gate also store the original bytes of robots.txt and tdmrep.json files, as
    /// evidence. The limit `robots_file_bytes` applies to the total size of the stored files. This
    /// method must be called before any file is added.
    pub fn keeping_originals(mut self, limits: &Limits) -> Self {
        self.shelf.originals = Some(Originals::new(limits));
        self
    }

    /// Returns the original bytes of robots.txt and tdmrep.json files. Returns `None` unless
    /// [`Gate::keeping_originals`] was called.
    pub fn originals(&self) -> Option<&Originals> {
        self.shelf.originals.as_ref()
    }

    /// Returns the basis of a decision about a URL whose page is not read. The basis refers to the
    /// robots.txt and tdmrep.json files of the URL's site. Returns `None` if the run keeps no
    /// evidence.
    pub(super) fn basis(&self, url: &str, fetched: Option<SystemTime>) -> Option<Basis> {
        let originals = self.originals()?;
        let files = self.for_url(url, fetched).files(url, originals);
        Some(Basis::new(None, [], files).kept_in(originals))
    }

    /// Creates a gate with these robots.txt files, which the caller found in rows or records of
    /// inputs.
    pub fn from_robots(found: impl IntoIterator<Item = Robots>) -> Self {
        let mut gate = Self::default();
        for robots in found {
            gate.add_robots(robots);
        }
        gate
    }

    /// Adds a robots.txt that was read from an input before the first page.
    pub fn add_robots(&mut self, robots: Robots) {
        note_odd(&self.odd, &robots);
        if robots.is_of_part() {
            let parts = self.parts.entry(robots.authority().to_owned()).or_default();
            if let Some(rules) = robots.rules() {
                parts.push(self.shelf.with_digest(rules.clone()));
            }
            return;
        }
        self.found.note(0, robots, &self.shelf, &self.most);
    }

    /// Adds a robots.txt that was read from a pipe. `number` is the number, in the run, of the
    /// record that directly follows it.
    pub(super) fn add_robots_before(&self, number: u64, robots: Robots) {
        note_odd(&self.odd, &robots);
        let mut late = self.late.write().unwrap_or_else(PoisonError::into_inner);
        late.note(number, robots, &self.shelf, &self.most);
    }

    /// Returns the number of responses from pipes that possibly forbid more than the earlier
    /// responses of their site. A response is a robots.txt or tdmrep.json, or an error in its
    /// place. The responses in all other inputs are read before the first page is judged, so they
    /// are not counted. The number never decreases, so callers compare it to detect new responses.
    pub(super) fn stricter_count(&self) -> u64 {
        self.late_responses().stricter_count()
    }

    /// Returns the sites whose robots.txt or tdmrep.json is in the inputs.
    pub(super) fn sites(&self) -> BTreeSet<String> {
        let late = self.late_responses();
        let parts = self.parts.keys().map(String::as_str);
        let sites = self.found.sites().chain(late.sites()).chain(parts);
        sites.map(str::to_owned).collect()
    }

    /// Returns the sites of the pages for which this gate can have rules. Returns `None` if it can
    /// have rules for a page of any site.
    pub(super) fn only_sites(&self) -> Option<BTreeSet<String>> {
        let is_for_any = !self.everywhere.is_empty()
            || self.required.is_some()
            || self.asking.is_some()
            || self.remembered.is_some()
            || self.sites_over_limits().contains_key("sites");
        let mut sites = self.sites();
        sites.extend(self.given.keys().cloned());
        (!is_for_any).then_some(sites)
    }

    /// True if `site` possibly forbids more than at an earlier time, because of a new response in a
    /// pipe. `since` is the value of [`Gate::stricter_count`] at that time. A response is a
    /// robots.txt or tdmrep.json, or an error in its place. Only pipes have responses between
    /// pages: all other inputs are searched for responses before the first page is judged.
    pub(super) fn has_stricter(&self, site: &str, since: u64) -> bool {
        let responses = self.late_responses();
        SiteFile::ALL
            .into_iter()
            .any(|file| responses.has_stricter(site, file, since, &self.most))
    }

    /// True if a robots.txt of this site was read from a pipe between its pages.
    pub fn has_late_robots(&self, site: &str) -> bool {
        self.late_responses().has(site, SiteFile::Robots)
    }

    fn late_responses(&self) -> RwLockReadGuard<'_, RobotsResponses> {
        self.late.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Maps the name of each limit to the number of sites that exceeded it. All pages of these
    /// sites are excluded. For the limit `sites` the number is 0, since the sites beyond this limit
    /// are not counted.
    pub fn sites_over_limits(&self) -> BTreeMap<&'static str, u64> {
        let mut shut = self.found.sites_over_limits();
        for (limit, sites) in self.late_responses().sites_over_limits() {
            *shut.entry(limit).or_default() += sites;
        }
        shut
    }

    /// Adds a robots.txt for one site. The robots.txt files of that site in the inputs still apply.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt};
    /// use heedful_run::{Gate, UrlPolicies};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/");
    /// let gate = Gate::default().for_site(&"https://a.example/".parse()?, robots);
    /// let mut urls = UrlPolicies::new(&gate, &Filter::new(Bot::new("FooBot")?));
    /// assert!(!urls.policies("https://a.example/drafts/1")?[0].may_fetch());
    /// assert!(urls.policies("https://b.example/drafts/1")?[0].may_fetch());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_site(mut self, site: &Url, robots: RobotsTxt) -> Self {
        let robots = self.shelf.with_digest(robots);
        self.odd.add(&authority(site), &robots);
        self.given.entry(authority(site)).or_default().push(robots);
        self
    }

    /// Adds all robots.txt and tdmrep.json files in `inputs` to the gate.
    ///
    /// # Errors
    /// Fails if an input cannot be read at all.
    pub fn with_inputs(mut self, inputs: &[Input]) -> Result<Self> {
        for input in inputs {
            input.each_robots(&mut |robots| self.add_robots(robots))?;
        }
        Ok(self)
    }

    /// Returns the number of distinct responses to requests for robots.txt or tdmrep.json. A
    /// response is a file, a redirect or an HTTP error such as 404. Equal responses of one site
    /// count once, even if their dates differ. Only responses that were read from the inputs before
    /// the first page are counted.
    pub fn response_count(&self) -> u64 {
        self.found.count()
    }

    /// Adds a robots.txt or tdmrep.json that applies to the pages of every site. A site's own file
    /// still applies, even if only an earlier run received it.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt};
    /// use heedful_run::{Gate, UrlPolicies};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/");
    /// let gate = Gate::default().with_robots_for_all_sites(robots);
    /// let mut urls = UrlPolicies::new(&gate, &Filter::new(Bot::new("FooBot")?));
    /// assert!(!urls.policies("https://a.example/drafts/1")?[0].may_fetch());
    /// assert!(urls.policies("https://b.example/rye")?[0].may_fetch());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn with_robots_for_all_sites(mut self, robots: RobotsTxt) -> Self {
        self.everywhere.push(self.shelf.with_digest(robots));
        self
    }

    /// Sets the mode in which every robots.txt is interpreted. Without this call, a file keeps the
    /// mode that was set with [`RobotsTxt::mode`]. If none was set, the file is interpreted by RFC
    /// 9309.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Makes the gate exclude all pages of a site if the robots.txt of the site is missing.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_run::{Gate, UrlPolicies};
    ///
    /// let gate = Gate::default().required();
    /// let mut urls = UrlPolicies::new(&gate, &Filter::new(Bot::new("FooBot")?));
    /// assert!(!urls.policies("https://site.example/rye")?[0].may_fetch());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn required(mut self) -> Self {
        self.required = Some(RobotsTxt::deny_all());
        self
    }

    /// Makes the gate request files from sites over HTTP. Each kind in `files` is requested once
    /// per site, unless the inputs contain the file. `now` is the time at which the age of cached
    /// copies is measured.
    pub fn with_fetcher(mut self, files: &[SiteFile], fetcher: Fetcher, now: SystemTime) -> Self {
        self.asking = Some(SiteRequests::new(files, fetcher, now));
        self
    }

    /// Makes the gate also apply the responses of sites that earlier runs stored in an index.
    /// `search` reads this index, and must be opened before the run.
    ///
    /// Without these responses, an older crawl would add pages that sites have forbidden since
    /// then. A crawl without robots.txt files would add pages that sites forbade before.
    ///
    /// [`withdraw`](super::withdraw) stores the responses that this run received in the index.
    pub fn with_earlier_responses(mut self, search: Search) -> Self {
        self.remembered = Some(EarlierResponses::new(search));
        self
    }

    /// Returns the files that were requested from sites. A key is the site, followed by the file's
    /// path unless the file is robots.txt. The value is the problem that occurred with the file, if
    /// any.
    pub fn fetched_files(&self) -> BTreeMap<String, Option<String>> {
        match &self.asking {
            Some(asking) => asking.troubles(),
            None => BTreeMap::new(),
        }
    }

    /// Returns the doubtful lines of robots.txt files. The files are those from the user, from the
    /// inputs and from requests to sites, and those that accompany single pages.
    ///
    /// The keys of the map are sites. For a file that applies to every site, the key is the name of
    /// the file. Sites without doubtful lines are omitted. At most ten thousand sites are included.
    ///
    /// If several pages of a site are accompanied by a robots.txt, only the first of these files is
    /// included.
    ///
    /// ```
    /// use heedful::RobotsTxt;
    /// use heedful_run::Gate;
    ///
    /// let gate = Gate::default().for_site(
    ///     &"https://site.example/".parse()?,
    ///     RobotsTxt::parse(b"User-agent: *\nDissallow: /drafts/"),
    /// );
    /// assert_eq!(gate.doubtful_lines()["https://site.example"][0].line(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn doubtful_lines(&self) -> BTreeMap<String, Vec<RobotsNote>> {
        let mut doubts: BTreeMap<String, Vec<RobotsNote>> = BTreeMap::new();
        self.odd.report(&mut doubts);
        self.brought.report(&mut doubts);
        for robots in &self.everywhere {
            let odd = OddRecords::default();
            odd.add(robots.source().map_or("every site", Source::place), robots);
            odd.report(&mut doubts);
        }
        for notes in doubts.values_mut() {
            notes.sort_by_key(|note| (note.line(), note.kind()));
            notes.dedup();
        }
        doubts
    }

    /// Requests the robots.txt and tdmrep.json of the sites of these URLs. A file that is known
    /// already is not requested. Many requests are sent at a time, so no page has to wait for the
    /// response of its own site. Does nothing unless [`Gate::with_fetcher`] was called. Stops when
    /// `stop` is set.
    pub(super) fn ask_ahead(&self, urls: impl IntoIterator<Item = Url>, stop: Option<&AtomicBool>) {
        let Some(asking) = &self.asking else { return };
        let mut sites = BTreeMap::new();
        for url in urls {
            if url.scheme() == "file" {
                continue;
            }
            let site = authority(&url);
            for file in SiteFile::ALL {
                if !self.is_known(&site, file) {
                    sites
                        .entry((site.clone(), file))
                        .or_insert_with(|| url.clone());
                }
            }
        }
        let sites: Vec<_> = sites.into_iter().collect();
        at_once(&sites, |((site, file), url)| {
            if !stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                asking.ask(site, *file, url, &self.shelf, &self.odd);
            }
        });
    }

    /// True if the gate requests missing robots.txt or tdmrep.json files from sites.
    pub(super) fn is_asking(&self) -> bool {
        self.asking.is_some()
    }

    fn is_known(&self, site: &str, file: SiteFile) -> bool {
        file == SiteFile::Robots && self.given.contains_key(site) || self.found.has(site, file)
    }

    /// Returns the robots.txt and tdmrep.json rules for a page of an input. `number` is the number
    /// of the page's record in the run.
    pub(super) fn for_page<'a>(&'a self, document: &'a FetchedPage, number: u64) -> GateRules<'a> {
        self.page_rules(
            PageTime {
                number,
                fetched: document.captured(),
            },
            web_url(document.url()).as_ref(),
            document.robots(),
        )
    }

    /// Returns the robots.txt and tdmrep.json rules for the page at a URL that was fetched at
    /// `fetched`. All responses in the inputs are considered, wherever they stand.
    pub(super) fn for_url(&self, url: &str, fetched: Option<SystemTime>) -> GateRules<'_> {
        self.page_rules(
            PageTime {
                number: u64::MAX,
                fetched,
            },
            web_url(url).as_ref(),
            None,
        )
    }

    /// Returns the robots.txt and tdmrep.json rules for all pages of the site of a URL. They do not
    /// depend on a page's date.
    pub(super) fn for_site_of(&self, url: &Url) -> GateRules<'_> {
        self.page_rules(
            PageTime {
                number: u64::MAX,
                fetched: None,
            },
            Some(url),
            None,
        )
    }

    /// Returns the rules in each response of a site for its robots.txt or tdmrep.json, with the
    /// date of the response. `file` selects the kind of file. Only responses in the inputs of this
    /// run are included.
    pub(super) fn history(
        &self,
        site: &str,
        file: SiteFile,
    ) -> Vec<(Option<SystemTime>, RobotsTxt)> {
        let mut history = Vec::new();
        for responses in [&self.found, &*self.late_responses()] {
            for response in responses.site_responses(site, file, u64::MAX) {
                let date = response.date;
                let rules = responses.rules(
                    site,
                    file,
                    &[response],
                    PageTime {
                        number: u64::MAX,
                        fetched: date,
                    },
                    &self.shelf,
                    &self.most,
                );
                history.extend(rules.into_iter().map(|rules| (date, rules)));
            }
        }
        history
    }

    /// Returns the limits on the number and size of the stored responses of sites.
    pub(super) fn limits(&self) -> &ResponseLimits {
        &self.most
    }

    /// Returns the rules for the page at `url` from the site's file of kind `file`. If this run has
    /// no response for the file, the gate requests the file. It requests nothing if
    /// [`Gate::with_fetcher`] was not called, or if `has_rules` is true.
    ///
    /// `has_rules` is true if such a file accompanies the page, or if the user passed such a file
    /// for its site.
    fn site_rules(
        &self,
        site: &str,
        file: SiteFile,
        url: &Url,
        time: PageTime,
        has_rules: bool,
    ) -> FileRules {
        let is_brought = has_rules
            || self.found.is_known(site, file, u64::MAX)
            || self.late_responses().is_known(site, file, time.number);
        let now = match &self.asking {
            Some(asking) if !is_brought => asking.ask(site, file, url, &self.shelf, &self.odd),
            _ => None,
        };
        let late = self.late_responses();
        // The last store is for answers to earlier runs, for which no redirects are kept.
        let stores = [
            (&self.found, u64::MAX),
            (&*late, time.number),
            (&self.found, u64::MAX),
        ];
        let mut found: Vec<StoredResponse> = Vec::new();
        for (store, (responses, until)) in stores.iter().enumerate().take(EARLIER) {
            for response in responses.site_responses(site, file, *until) {
                found.push(response.map(|meaning| (store, meaning)));
            }
        }
        // A file for all sites is no response of this site, so it replaces none.
        let is_as_of_now =
            has_rules || now.is_some() || found.iter().any(|response| response.date.is_none());
        let fetched = match time.fetched {
            None if !is_brought && now.is_none() => Some(SystemTime::now()),
            fetched => fetched,
        };
        if let Some(remembered) = &self.remembered {
            for response in remembered.responses(site, file, &self.shelf).iter() {
                // An answer or a page without a date counts as of now, which is later than all
                // earlier runs.
                let counts = match (response.date, fetched) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some(date), Some(fetched)) => date >= fetched || !is_as_of_now,
                };
                if counts {
                    found.push(response.clone().map(|meaning| (EARLIER, meaning)));
                }
            }
        }
        let found = select(found, fetched, |(store, meaning)| {
            stores[*store].0.is_none(meaning)
        });
        let mut rules: Vec<_> = now.into_iter().collect();
        let is_earlier = !is_brought && rules.is_empty();
        for (store, (responses, until)) in stores.into_iter().enumerate() {
            let mut of_store = Vec::new();
            for response in &found {
                let is_of_store = response.content.0 == store;
                if is_of_store && (store < EARLIER || !is_repeated(response, &found)) {
                    of_store.push(response.clone().map(|(_, meaning)| meaning));
                }
            }
            if !of_store.is_empty() {
                let time = PageTime {
                    number: until,
                    fetched,
                };
                rules.extend(responses.rules(site, file, &of_store, time, &self.shelf, &self.most));
            }
        }
        FileRules {
            is_earlier: is_earlier && !rules.is_empty(),
            rules,
        }
    }

    fn in_mode(&self, robots: RobotsTxt) -> RobotsTxt {
        if let Some(mode) = self.mode {
            robots.mode(mode)
        } else {
            robots
        }
    }

    /// Collects the robots.txt and tdmrep.json files with rules for a page. The page is allowed
    /// only if each of these files allows it. No file has precedence over another.
    ///
    /// The files are added in this order:
    ///
    /// 1. the robots.txt that accompanies the page (`own`);
    /// 2. the user's files for the page's site;
    /// 3. the robots.txt of the site, from the inputs, from requests and from earlier runs;
    /// 4. the rules of [`Gate::required`], if no file was added in steps 1 to 3;
    /// 5. the tdmrep.json of the site;
    /// 6. the robots.txt and tdmrep.json of input folders that contain only a part of the site;
    /// 7. the user's files for every site.
    fn page_rules<'a>(
        &'a self,
        time: PageTime,
        url: Option<&Url>,
        own: Option<&'a RobotsTxt>,
    ) -> GateRules<'a> {
        let site = url.map(authority);
        if let (Some(site), Some(own)) = (&site, own) {
            self.brought.add_first(site, own);
        }
        let mut robots: Vec<_> = own.into_iter().map(Cow::Borrowed).collect();
        let mut is_earlier = false;
        if let (Some(url), Some(site)) = (url, &site) {
            let given = self.given.get(site).into_iter().flatten();
            robots.extend(given.map(Cow::Borrowed));
            let found = self.site_rules(site, SiteFile::Robots, url, time, !robots.is_empty());
            robots.extend(found.rules.into_iter().map(Cow::Owned));
            is_earlier = found.is_earlier;
        }
        let is_without = robots.is_empty();
        if is_without && site.is_some() {
            robots.extend(self.required.as_ref().map(Cow::Borrowed));
        }
        let has_no_response = robots.iter().any(|robots| robots.is_unavailable());
        if let (Some(url), Some(site)) = (url, &site) {
            let reservations = self.site_rules(site, SiteFile::Tdmrep, url, time, false);
            robots.extend(reservations.rules.into_iter().map(Cow::Owned));
            robots.extend(
                self.parts
                    .get(site)
                    .into_iter()
                    .flatten()
                    .map(Cow::Borrowed),
            );
        }
        let site_without_robots = site.filter(|_| is_without);
        robots.extend(self.everywhere.iter().map(Cow::Borrowed));
        if self.mode.is_some() {
            robots = robots
                .into_iter()
                .map(|robots| Cow::Owned(self.in_mode(robots.into_owned())))
                .collect();
        }
        GateRules {
            robots,
            site_without_robots,
            is_earlier,
            has_no_response,
            headers: &[],
            originals: self.originals(),
        }
    }
}

/// Number of the store with the responses that earlier runs received. [`Gate::site_rules`] numbers
/// its stores of responses from 0. Stores with lower numbers have the responses that this run
/// received.
const EARLIER: usize = 2;

/// A response of a site, with the number of the store that contains it.
type StoredResponse = DatedResponse<(usize, ResponseContent)>;

/// True if `all` has an equal response that this run received. The equal response must have the
/// same or a later date.
fn is_repeated(response: &StoredResponse, all: &[StoredResponse]) -> bool {
    all.iter().any(|other| {
        other.content.0 < EARLIER
            && other.content.1 == response.content.1
            && other.date >= response.date
    })
}

/// Rules that apply to a page, from one kind of file of its site: robots.txt or tdmrep.json.
struct FileRules {
    rules: Vec<RobotsTxt>,
    /// True if these rules are known only from earlier runs.
    is_earlier: bool,
}

/// Rules for one page: the robots.txt and tdmrep.json files that apply to the page, and extra
/// header lines for its HTTP response.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct GateRules<'a> {
    /// Parsed robots.txt and tdmrep.json files. The page is allowed only if all of them allow it.
    pub robots: Vec<Cow<'a, RobotsTxt>>,
    /// Site of the page if no robots.txt of the site is known, otherwise `None`.
    pub site_without_robots: Option<String>,
    /// True if this run has no robots.txt of the site, but an earlier run stored one in an index.
    /// The rules are then from the earlier run.
    pub is_earlier: bool,
    /// True if all pages of the site are excluded because the site gave no usable response.
    pub has_no_response: bool,
    /// Header lines that are added to the HTTP response of the page. See
    /// [`Run::headers`](super::Run::headers).
    pub headers: &'a [(String, String)],
    /// Store of the original bytes of robots.txt and tdmrep.json files. `None` if the run keeps no
    /// evidence.
    pub(super) originals: Option<&'a Originals>,
}

impl GateRules<'_> {
    /// Returns the date of the latest file that disallows the page at `url` for `bot`. Files
    /// without a date are ignored. Returns `None` if no file with a date disallows the page.
    pub(super) fn forbidden_at(&self, bot: &Bot, url: &str) -> Option<SystemTime> {
        let now = SystemTime::now();
        self.forbidding(bot, url)
            .filter_map(|rules| whole_date(rules.source()?.fetched(), now))
            .max()
    }

    /// Returns the latest date of the files that disallow the page at `url` for any bot of
    /// `filter`. A file without a date counts as dated now. If no file disallows the page, returns
    /// the current time.
    pub(super) fn forbidden_since(&self, filter: &Filter, url: &str) -> SystemTime {
        let now = SystemTime::now();
        let bots = filter.terms.bots.list().iter();
        let dates = bots.flat_map(|bot| self.forbidding(bot, url)).map(|rules| {
            let fetched = rules.source().and_then(Source::fetched);
            whole_date(fetched, now).unwrap_or(now)
        });
        dates.max().unwrap_or(now)
    }

    fn forbidding(&self, bot: &Bot, url: &str) -> impl Iterator<Item = &RobotsTxt> {
        self.robots
            .iter()
            .map(AsRef::as_ref)
            .filter(|rules: &&RobotsTxt| !rules.ruling(bot, url).allowed())
    }

    /// Removes the rules that replace a failed response, such as a server error. These rules
    /// exclude all pages of a site. All other rules remain.
    pub(super) fn without_failed_responses(mut self) -> Self {
        if self.has_no_response {
            self.robots.retain(|robots| !robots.is_unavailable());
        }
        self
    }

    /// Returns references to the robots.txt and tdmrep.json files with rules for a page, for the
    /// evidence of the page. A reference has no URL if its file is at the standard URL on the
    /// page's own site.
    pub(super) fn files(&self, url: &str, originals: &Originals) -> Vec<SiteFileRef> {
        let own = web_url(url).as_ref().map(authority);
        let mut files = Vec::with_capacity(self.robots.len());
        for robots in &self.robots {
            let kept = robots
                .as_ref()
                .clone()
                .keep_response(|bytes| originals.keep(bytes));
            let file = kept.site_file();
            let mut place = kept.source().map(Source::place).unwrap_or_default();
            if let Some(own) = &own
                && place.strip_prefix(own.as_str()) == Some(file.path())
            {
                place = "";
            }
            let (status, digest) = match kept.source().and_then(Source::sent_digest) {
                Some(sent) => (sent.status, sent.digest),
                None => (None, None),
            };
            files.push(SiteFileRef::new(file.name(), place, status, digest));
        }
        files
    }

    /// Calls `judge` for a page, and returns its result together with the basis of the decision.
    /// The basis is `None` if the run keeps no evidence. `now` returns the time of the judgement if
    /// the result depends on that time.
    pub(crate) fn judging<T>(
        &self,
        document: &FetchedPage,
        judge: impl FnOnce() -> Result<T>,
        now: impl FnOnce(&T) -> Option<SystemTime>,
    ) -> Result<(T, Option<Basis>)> {
        let Some(originals) = self.originals else {
            return Ok((judge()?, None));
        };
        named_documents::begin();
        let judged = judge()?;
        let files = self
            .files(document.url(), originals)
            .into_iter()
            .chain(named_documents::take(originals))
            .collect();
        let head = document.headers().iter().chain(self.headers);
        let basis =
            Basis::new(Some(PageDigest::new(document.bytes())), head, files).kept_in(originals);
        let basis = basis
            .cut(document.is_cut())
            .utf_8(document.is_decoded())
            .also_at(document.file_url());
        let basis = basis.judged_at(now(&judged));
        Ok((judged, Some(basis)))
    }
}

/// Parses an absolute URL. Returns `None` for `file:` URLs, which have no site, and for invalid
/// URLs.
fn web_url(url: &str) -> Option<Url> {
    match Url::parse(url) {
        Ok(url) if url.scheme() != "file" => Some(url),
        _ => None,
    }
}

fn note_odd(odd: &OddRecords, robots: &Robots) {
    if let Some(rules) = robots.rules() {
        odd.add(robots.authority(), rules);
    }
}
