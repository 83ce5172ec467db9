//! Decides who may enter. The rules come from the robots.txt files of all inputs, from each page's
//! own, and from the user. If asked for, they come from the sites too, as they answer now.

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

use super::answers::{AnswerLimits, AnswerMeaning, Answers, PageTime};
use super::asking::SiteRequests;
use super::consulted;
use super::odd::OddRecords;
use super::over_time::{DatedAnswer, select, whole_date};
use super::remembered::Remembered;
use super::shelf::Shelf;

/// The robots.txt files of all inputs, and the rule for a site without one.
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
///         assert!(!filtered.pages[0].policy().entered());
///     }
///     Ok(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct Gate {
    shelf: Shelf,
    most: AnswerLimits,
    /// The answers in inputs that were read beforehand.
    found: Answers,
    given: HashMap<String, Vec<RobotsTxt>>,
    /// The files of folders that are parts of sites. They can forbid, and are no answers of their
    /// sites.
    parts: HashMap<String, Vec<RobotsTxt>>,
    everywhere: Vec<RobotsTxt>,
    /// The rules for a site whose robots.txt is missing, if one is required.
    required: Option<RobotsTxt>,
    asking: Option<SiteRequests>,
    /// The answers of sites to earlier runs, as an index keeps them.
    remembered: Option<Remembered>,
    /// The answers that come among the pages.
    late: RwLock<Answers>,
    /// The mode in which all of them are read.
    mode: Option<Mode>,
    odd: OddRecords,
    /// The odd lines of robots.txt files that came with pages: those of the first file of each
    /// site.
    brought: OddRecords,
}

impl Gate {
    /// A gate without robots.txt files, which keeps as many as these limits allow.
    pub fn with_limits(limits: &Limits) -> Self {
        Self {
            shelf: Shelf::new(limits),
            most: AnswerLimits::new(limits),
            ..Self::default()
        }
    }

    /// Reads the robots.txt files of the inputs, wherever they are in them.
    ///
    /// # Errors
    /// When an input cannot be read at all.
    pub fn from_inputs(inputs: &[Input]) -> Result<Self> {
        Self::default().and(inputs)
    }

    /// Keeps the files of sites as they were sent, for evidence, up to the limit
    /// `robots_file_bytes`. Call it before any file is added.
    pub fn keeping_originals(mut self, limits: &Limits) -> Self {
        self.shelf.originals = Some(Originals::new(limits));
        self
    }

    /// The files of sites as they were sent, if they are kept.
    pub fn originals(&self) -> Option<&Originals> {
        self.shelf.originals.as_ref()
    }

    /// What a decision about this URL rests on, if only its site was asked. None if no evidence is
    /// kept.
    pub(super) fn basis(&self, url: &str, fetched: Option<SystemTime>) -> Option<Basis> {
        let originals = self.originals()?;
        let files = self.for_url(url, fetched).files(url, originals);
        Some(Basis::new(None, [], files).kept_in(originals))
    }

    /// A gate with these robots.txt files, which come from rows or records of inputs.
    pub fn from_robots(found: impl IntoIterator<Item = Robots>) -> Self {
        let mut gate = Self::default();
        for robots in found {
            gate.add_robots(robots);
        }
        gate
    }

    /// Adds a robots.txt of an input that is read beforehand.
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

    /// Adds a robots.txt that came among the pages, before the record of this number.
    pub(super) fn add_robots_before(&self, number: u64, robots: Robots) {
        note_odd(&self.odd, &robots);
        let mut late = self.late.write().unwrap_or_else(PoisonError::into_inner);
        late.note(number, robots, &self.shelf, &self.most);
    }

    /// The number of answers among the pages that may forbid more than those before.
    pub(super) fn news(&self) -> u64 {
        self.late_answers().news()
    }

    /// The sites whose robots.txt or tdmrep.json the inputs brought, beforehand or among the pages.
    pub(super) fn sites(&self) -> BTreeSet<String> {
        let late = self.late_answers();
        let parts = self.parts.keys().map(String::as_str);
        let sites = self.found.sites().chain(late.sites()).chain(parts);
        sites.map(str::to_owned).collect()
    }

    /// Returns true if something new came for a site since that number of answers.
    pub(super) fn has_news(&self, site: &str, since: u64) -> bool {
        let answers = self.late_answers();
        SiteFile::ALL
            .into_iter()
            .any(|file| answers.has_news(site, file, since, &self.most))
    }

    /// Returns true if a site's robots.txt came among the pages.
    pub fn has_robots(&self, site: &str) -> bool {
        self.late_answers().has(site, SiteFile::Robots)
    }

    fn late_answers(&self) -> RwLockReadGuard<'_, Answers> {
        self.late.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The limits that shut sites, each with the number of sites; 0 if that is unknown.
    pub fn shut_by_limits(&self) -> BTreeMap<&'static str, u64> {
        let mut shut = self.found.shut();
        for (limit, sites) in self.late_answers().shut() {
            *shut.entry(limit).or_default() += sites;
        }
        shut
    }

    /// Adds a robots.txt for a site, besides those found.
    pub fn for_site(mut self, site: &Url, robots: RobotsTxt) -> Self {
        let robots = self.shelf.with_digest(robots);
        self.odd.add(&authority(site), &robots);
        self.given.entry(authority(site)).or_default().push(robots);
        self
    }

    /// Adds the robots.txt files of more inputs.
    ///
    /// # Errors
    /// When an input cannot be read at all.
    pub fn and(mut self, inputs: &[Input]) -> Result<Self> {
        for input in inputs {
            input.each_robots(&mut |robots| self.add_robots(robots))?;
        }
        Ok(self)
    }

    /// The number of different answers of sites that inputs brought.
    pub fn known(&self) -> u64 {
        self.found.count()
    }

    /// Adds a robots.txt, or a tdmrep.json, for every site, besides its own.
    pub fn everywhere(mut self, robots: RobotsTxt) -> Self {
        self.everywhere.push(self.shelf.with_digest(robots));
        self
    }

    /// Reads every robots.txt in this mode, in place of RFC 9309 or its own mode.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Keeps out the pages of a site whose robots.txt is missing.
    pub fn required(mut self) -> Self {
        self.required = Some(RobotsTxt::shut());
        self
    }

    /// Asks a site for these files, each once, if the inputs have none for it. The age of copies is
    /// counted up to `now`.
    pub fn asking(mut self, files: &[SiteFile], fetcher: Fetcher, now: SystemTime) -> Self {
        self.asking = Some(SiteRequests::new(files, fetcher, now));
        self
    }

    /// Judges pages also by the answers of sites to earlier runs, as an index keeps them. Without
    /// these, an older crawl that is indexed again brings back what sites have forbidden since, and
    /// a crawl without robots.txt files what they forbade before. `search` is opened before the
    /// run, and [`withdraw`](super::withdraw) writes the answers that this run knows.
    pub fn remembering(mut self, search: Search) -> Self {
        self.remembered = Some(Remembered::new(search));
        self
    }

    /// The sites that were asked, each with what went wrong.
    pub fn asked(&self) -> BTreeMap<String, Option<String>> {
        match &self.asking {
            Some(asking) => asking.troubles(),
            None => BTreeMap::new(),
        }
    }

    /// The doubtful lines of the robots.txt files that were given, found, or asked for. The key is
    /// the site, or the file's name if it is for every site. Sites without such lines are left out,
    /// and so are those beyond ten thousand. Of the files that came with pages, only the first of
    /// each site counts.
    pub fn doubts(&self) -> BTreeMap<String, Vec<RobotsNote>> {
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

    /// Asks the sites of these URLs for missing files, many at a time, if sites are to be asked.
    /// Then no page waits for its site alone. It stops when `stop` is set.
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

    /// Returns true if sites are asked for missing files.
    pub(super) fn is_asking(&self) -> bool {
        self.asking.is_some()
    }

    fn is_known(&self, site: &str, file: SiteFile) -> bool {
        file == SiteFile::Robots && self.given.contains_key(site) || self.found.has(site, file)
    }

    /// The rules for a page.
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

    /// The rules for the page at a URL, as it was fetched at this time.
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

    /// The rules for the pages of the site of a URL on the web.
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

    /// The rules of a site's files of this kind in the inputs, with the dates.
    pub(super) fn history(
        &self,
        site: &str,
        file: SiteFile,
    ) -> Vec<(Option<SystemTime>, RobotsTxt)> {
        let mut history = Vec::new();
        for answers in [&self.found, &*self.late_answers()] {
            for answer in answers.site_answers(site, file, u64::MAX) {
                let date = answer.date;
                let rules = answers.rules(
                    site,
                    file,
                    &[answer],
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

    /// The limits of the answers that are kept of a site.
    pub(super) fn most(&self) -> &AnswerLimits {
        &self.most
    }

    /// The rules that a site's file gives for a page, the one at this URL. `has_rules` is true if
    /// the page has others, as of now. If this run knows none, the site is asked, if sites are to
    /// be asked.
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
            || self.late_answers().is_known(site, file, time.number);
        let now = match &self.asking {
            Some(asking) if !is_brought => asking.ask(site, file, url, &self.shelf, &self.odd),
            _ => None,
        };
        let late = self.late_answers();
        // The last is for answers to earlier runs, of which no redirects are kept.
        let stores = [
            (&self.found, u64::MAX),
            (&*late, time.number),
            (&self.found, u64::MAX),
        ];
        let mut found: Vec<StoredAnswer> = Vec::new();
        for (store, (answers, until)) in stores.iter().enumerate().take(EARLIER) {
            for answer in answers.site_answers(site, file, *until) {
                found.push(answer.map(|meaning| (store, meaning)));
            }
        }
        let is_given = now.is_some()
            || self
                .everywhere
                .iter()
                .any(|rules| rules.site_file() == file);
        let is_as_of_now =
            has_rules || is_given || found.iter().any(|answer| answer.date.is_none());
        let fetched = match time.fetched {
            None if !is_brought && !is_given => Some(SystemTime::now()),
            fetched => fetched,
        };
        if let Some(remembered) = &self.remembered {
            for answer in remembered.answers(site, file, &self.shelf).iter() {
                // An answer as of now comes after those to earlier runs, and so does a page without
                // a date.
                let counts = match (answer.date, fetched) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some(date), Some(fetched)) => date >= fetched || !is_as_of_now,
                };
                if counts {
                    found.push(answer.clone().map(|meaning| (EARLIER, meaning)));
                }
            }
        }
        let found = select(found, fetched, |(store, meaning)| {
            stores[*store].0.is_none(meaning)
        });
        let mut rules: Vec<_> = now.into_iter().collect();
        let is_earlier = !is_brought && rules.is_empty();
        for (store, (answers, until)) in stores.into_iter().enumerate() {
            let mut of_store = Vec::new();
            for answer in &found {
                let is_of_store = answer.what.0 == store;
                if is_of_store && (store < EARLIER || !is_repeated(answer, &found)) {
                    of_store.push(answer.clone().map(|(_, meaning)| meaning));
                }
            }
            if !of_store.is_empty() {
                let time = PageTime {
                    number: until,
                    fetched,
                };
                rules.extend(answers.rules(site, file, &of_store, time, &self.shelf, &self.most));
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

    /// The rules for a page.
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
        let silent = robots.iter().any(|robots| robots.is_no_answer());
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
        let without = site.filter(|_| is_without);
        robots.extend(self.everywhere.iter().map(Cow::Borrowed));
        if self.mode.is_some() {
            robots = robots
                .into_iter()
                .map(|robots| Cow::Owned(self.in_mode(robots.into_owned())))
                .collect();
        }
        GateRules {
            robots,
            without,
            is_earlier,
            silent,
            headers: &[],
            originals: self.originals(),
        }
    }
}

/// The number of the store of answers to earlier runs.
const EARLIER: usize = 2;

/// An answer of a site, with the number of the store that has it.
type StoredAnswer = DatedAnswer<(usize, AnswerMeaning)>;

/// True if a site gave the same answer at that time or later, and to this run.
fn is_repeated(answer: &StoredAnswer, all: &[StoredAnswer]) -> bool {
    all.iter().any(|other| {
        other.what.0 < EARLIER && other.what.1 == answer.what.1 && other.date >= answer.date
    })
}

/// The rules of a site's file for a page.
struct FileRules {
    rules: Vec<RobotsTxt>,
    /// True if all of them were read by earlier runs.
    is_earlier: bool,
}

/// The robots.txt files of a page, and the other files in which its site speaks of it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct GateRules<'a> {
    /// All of them must let the page in.
    pub robots: Vec<Cow<'a, RobotsTxt>>,
    /// The site, if no robots.txt of it is known.
    pub without: Option<String>,
    /// True if the site's robots.txt was read by earlier runs alone.
    pub is_earlier: bool,
    /// True if the site gave no answer, which lets nobody in.
    pub silent: bool,
    /// Header lines that are added to the response: see [`Run::headers`](super::Run::headers).
    pub headers: &'a [(String, String)],
    /// The files as they were sent, if evidence is kept.
    pub(super) originals: Option<&'a Originals>,
}

impl GateRules<'_> {
    /// When the last of the files with a date that keep a page out was fetched.
    pub(super) fn forbidden_at(&self, bot: &Bot, url: &str) -> Option<SystemTime> {
        let now = SystemTime::now();
        self.forbidding(bot, url)
            .filter_map(|rules| whole_date(rules.source()?.fetched(), now))
            .max()
    }

    /// Since when the site of a page forbids it. A file without a date does so now.
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

    /// The same without the answers that are none. An answer of another time still forbids.
    pub(super) fn without_silence(mut self) -> Self {
        if self.silent {
            self.robots.retain(|robots| !robots.is_no_answer());
        }
        self
    }

    /// The files that were asked about a page, as evidence names them. Files at their place on the
    /// page's own site need no place.
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

    /// Judges a document, and returns the basis of the decision. The basis is None if no evidence
    /// is kept. `now` returns when the document was judged, if it expires.
    pub(crate) fn judging<T>(
        &self,
        document: &FetchedPage,
        judge: impl FnOnce() -> Result<T>,
        now: impl FnOnce(&T) -> Option<SystemTime>,
    ) -> Result<(T, Option<Basis>)> {
        let Some(originals) = self.originals else {
            return Ok((judge()?, None));
        };
        consulted::begin();
        let judged = judge()?;
        let files = self
            .files(document.url(), originals)
            .into_iter()
            .chain(consulted::take(originals))
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

/// A URL that has a site.
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
