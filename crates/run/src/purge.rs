//! Removes from an index the pages that are no longer allowed in it. The pages are not read again.
//!
//! A purge removes up to six kinds of content: pages that the user names; pages that a feed of
//! changes forbids; expired pages; pages that were last fetched before a date; pages that the
//! current robots.txt files disallow; and all snapshots.
//!
//! A purge parses robots.txt files for the bot and conventions of the index, and the operator's
//! denials apply too. If a site does not respond to a request, its indexed pages stay. A purge is
//! one commit. It never adds a page, because it does not read pages.

use std::collections::{BTreeSet, HashSet};
use std::thread;
use std::time::SystemTime;

use url::{Host, Url};

use heedful::{Filter, Page, Use};
use heedful_base::address;
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_evidence::IndexEvidence;
use heedful_index::decision::Basis;
use heedful_index::{Gone, Index, Search, UrlState, Writer};
use heedful_robots::SiteFile;

use super::change::{Change, PurgeChange};
use super::change_effects;
use super::earlier_responses::{merge, place, stored_rules};
use super::gate::Gate;
use super::judge::{Judgement, judge};
use super::purge_result::{Purged, RemovedPage};
use super::run_memory::MOST_JOBS;
use super::takedown::Takedown;
use super::unread_pages::unread;

/// Number of URLs that a purge examines at a time. Only these URLs and the URLs in the result are
/// in memory.
const PART: usize = 1 << 14;

/// Settings of a purge: which pages and snapshots to remove from an index.
///
/// ```
/// use heedful_index::Index;
/// use heedful_run::{Gate, Purge};
/// use heedful::{Bot, Filter, RobotsTxt};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// writer.add(&filter.page("https://example.com/private/a", &[], b"<p>one")?)?;
/// writer.commit()?;
/// drop(writer);
///
/// let gate = Gate::default().with_robots_for_all_sites(RobotsTxt::parse(b"User-agent: *\nDisallow: /private/"));
/// let purged = Purge::default().robots(gate).run(&index, 1)?;
/// assert_eq!(purged.removed_pages[0].url(), "https://example.com/private/a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct Purge {
    expired: Option<SystemTime>,
    gate: Option<Gate>,
    snapshots: bool,
    sites: Vec<Host>,
    named: Takedown,
    why: String,
    unseen_since: Option<SystemTime>,
    changes: Vec<PurgeChange>,
}

impl Purged {
    /// Adds the outcome of each judged URL to a list of the result. Returns the URLs of the pages
    /// that stay. Pages that lose their snapshots are left out.
    fn sort(&mut self, judged: Vec<(String, UrlOutcome)>, search: &Search) -> Result<Vec<String>> {
        let mut stay = Vec::new();
        for (url, outcome) in judged {
            match outcome {
                UrlOutcome::Silent(site) => {
                    self.unresponsive_sites.insert(site);
                    stay.push(url);
                }
                UrlOutcome::Gone(reason, why) => {
                    self.removed_pages.push(RemovedPage::new(url, reason, why));
                }
                UrlOutcome::Unasked => stay.push(url),
                UrlOutcome::Stays {
                    is_bare,
                    is_limited,
                } => {
                    if is_limited {
                        self.restricted_pages.push(url.clone());
                    }
                    if is_bare && search.has_snapshot(&url)? {
                        self.without_snapshot.push(url);
                    } else {
                        stay.push(url);
                    }
                }
            }
        }
        Ok(stay)
    }

    /// Removes from the index the pages and snapshots that the result lists. Does not commit.
    fn remove(
        &self,
        writer: &mut Writer,
        gate: Option<(&Gate, &Filter)>,
        search: &Search,
    ) -> Result<()> {
        for page in &self.removed_pages {
            let url = page.url.as_str();
            let reason = page.reason;
            let why = page.why.as_str();
            let Some((gate, filter)) = gate.filter(|_| reason == Gone::Robots) else {
                writer.with_basis(Basis::default(), |writer| {
                    writer.remove_captured(url, reason, why, page.denied_at)
                })?;
                continue;
            };
            let fetched = search.captured(url)?;
            writer.with_basis(
                gate.basis(url, fetched).unwrap_or_default(),
                |writer| match page.denied_at {
                    None => writer.remove_ruled(
                        url,
                        reason,
                        why,
                        gate.for_url(url, fetched).forbidden_since(filter, url),
                    ),
                    found => writer.remove_captured(url, reason, why, found),
                },
            )?;
        }
        for url in &self.without_snapshot {
            writer.remove_snapshot(url)?;
        }
        Ok(())
    }

    /// Stores in the index the denied uses of the pages that stay in it. Does not commit.
    fn limit(
        &self,
        writer: &mut Writer,
        gate: &Gate,
        filter: &Filter,
        search: &Search,
    ) -> Result<()> {
        for url in &self.restricted_pages {
            let also = also_at(search, url)?;
            let fetched = search.captured(url)?;
            let page = unread(
                url,
                also.as_ref(),
                gate.for_url(url, fetched).without_failed_responses(),
                filter,
            )?;
            writer.with_basis(gate.basis(url, fetched).unwrap_or_default(), |writer| {
                writer.confirm(&page, None)
            })?;
        }
        Ok(())
    }
}

impl Purge {
    /// Makes the purge remove the pages that have expired at `time`, by the `unavailable_after` of
    /// the page.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    /// use heedful_run::Purge;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?).now(SystemTime::UNIX_EPOCH);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let html = b"<meta name=robots content='unavailable_after: 2020-01-01'><p>Rye";
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://site.example/rye", &[], html)?)?;
    /// writer.commit()?;
    /// drop(writer);
    ///
    /// let in_2017 = SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000);
    /// assert!(Purge::default().expired(in_2017).preview(&index, 1)?.removed_pages.is_empty());
    /// let purged = Purge::default().expired(SystemTime::now()).preview(&index, 1)?;
    /// assert_eq!(purged.removed_pages[0].url(), "https://site.example/rye");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn expired(mut self, time: SystemTime) -> Self {
        self.expired = Some(time);
        self
    }

    /// Makes the purge remove the pages that the robots.txt files of this gate disallow for the bot
    /// of the index.
    pub fn robots(mut self, gate: Gate) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Makes the purge remove all snapshots (stored copies of pages). Their pages stay in the
    /// index.
    pub fn snapshots(mut self) -> Self {
        self.snapshots = true;
        self
    }

    /// Makes the purge remove the page with the URL `named`, or all pages that match the pattern
    /// `named`. A text that begins with `/` is a pattern of paths. Any other text with `*` is a
    /// pattern of URLs. A pattern must match up to the end of the URL. This method may be called
    /// repeatedly.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`] if the text is neither a URL nor a pattern.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    /// use heedful_run::Purge;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// for url in ["https://site.example/rye", "https://site.example/rye/old"] {
    ///     writer.add(&filter.page(url, &[], b"<p>Rye")?)?;
    /// }
    /// writer.commit()?;
    /// drop(writer);
    ///
    /// Purge::default().url("https://site.example/rye")?.run(&index, 1)?;
    /// assert_eq!(index.search()?.urls()?, ["https://site.example/rye/old"]);
    /// assert!(Purge::default().url("rye").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn url(mut self, named: &str) -> Result<Self> {
        self.named.add(named)?;
        Ok(self)
    }

    /// Returns the first pattern of paths that the user named. A pattern of paths begins with `/`.
    /// It matches pages of every site, unless [`Purge::site`] restricts the purge. Returns `None`
    /// if the user named no pattern of paths.
    ///
    /// ```
    /// use heedful_run::Purge;
    ///
    /// let purge = Purge::default().url("https://site.example/drafts/*")?;
    /// assert_eq!(purge.path_pattern(), None);
    /// assert_eq!(purge.url("/drafts/*")?.path_pattern(), Some("/drafts/*"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn path_pattern(&self) -> Option<&str> {
        self.named.path_pattern()
    }

    /// Makes the purge remove the page with this URL, in which `*` is an ordinary character. Pass
    /// URLs from a sitemap or an index here. May be called repeatedly.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`] if the text is not an absolute URL.
    ///
    /// ```
    /// use heedful_run::Purge;
    ///
    /// assert!(Purge::default().page("https://site.example/2*3").is_ok());
    /// assert!(Purge::default().page("/drafts/*").is_err());
    /// ```
    pub fn page(mut self, url: &str) -> Result<Self> {
        self.named.add_page(url)?;
        Ok(self)
    }

    /// Sets the reason for the removal of the pages that the user named. The index stores this
    /// reason.
    pub fn why(mut self, why: &str) -> Self {
        why.clone_into(&mut self.why);
        self
    }

    /// Makes the purge apply one change of a feed. If the change denies indexing, the page is
    /// removed. If the change denies archiving, the page loses its snapshot (stored copy). Other
    /// denied uses are stored in the index.
    ///
    /// A change for another bot has no effect. A change that is older than the capture in the index
    /// has no effect either. This method may be called repeatedly.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    /// use heedful_run::{Change, Purge};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://site.example/rye", &[], b"<p>Rye")?)?;
    /// writer.commit()?;
    /// drop(writer);
    ///
    /// let change = Change::parse(r#"{"url":"https://site.example/rye","date":null,"bot":"FooBot",
    ///     "forbidden":["index"],"allowed":[],"why":{"index":"noindex"}}"#)?;
    /// let purged = Purge::default().change(&change).preview(&index, 1)?;
    /// assert_eq!(purged.removed_pages[0].why(), "noindex");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn change(mut self, change: &Change) -> Self {
        let change = PurgeChange::new(change, self.changes.last());
        if self.changes.last() != Some(&change) {
            self.changes.push(change);
        }
        self
    }

    /// Makes the purge remove the pages that were last fetched before `time`. A response of the
    /// site that the page is not modified (304) counts as a fetch. Pages without a capture time
    /// stay.
    pub fn unseen_since(mut self, time: SystemTime) -> Self {
        self.unseen_since = Some(time);
        self
    }

    /// Restricts the purge to the pages of this host and its subdomains. May be called repeatedly,
    /// for several hosts.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`] if the text is not a host name.
    ///
    /// ```
    /// use heedful_run::Purge;
    ///
    /// assert!(Purge::default().site("site.example").is_ok());
    /// assert!(Purge::default().site("https://site.example/rye").is_err());
    /// ```
    pub fn site(mut self, host: &str) -> Result<Self> {
        let Some(host) = address::host(host) else {
            let message = format!("`{host}` is no host, as site.example is");
            return Err(Error::setting(message));
        };
        self.sites.push(host);
        Ok(self)
    }

    /// Returns what the purge would remove from an index, and changes nothing. URLs are judged on
    /// `jobs` threads.
    ///
    /// # Errors
    /// Fails if the index is damaged or cannot be read.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    /// use heedful_run::Purge;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://site.example/rye", &[], b"<p>Rye")?)?;
    /// writer.commit()?;
    /// drop(writer);
    ///
    /// let found = Purge::default().url("/rye*")?.why("on request").preview(&index, 1)?;
    /// assert_eq!(found.removed_pages[0].why(), "on request");
    /// assert_eq!(index.search()?.urls()?, ["https://site.example/rye"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn preview(&self, index: &Index, jobs: usize) -> Result<Purged> {
        let search = index.search()?;
        let bot = index.terms()?.bot()?;
        let changes = self.changes.iter();
        let mut changes = changes
            .filter(|change| bot.is_called(&change.bot))
            .peekable();
        // A feed may name a page by another form of its URL, so its changes need all URLs at once.
        let size = if changes.peek().is_none() {
            PART
        } else {
            usize::MAX
        };
        let filter = index.terms()?.filter()?;
        let expired: BTreeSet<_> = match self.expired {
            Some(time) => search.expired(time)?.into_iter().collect(),
            None => BTreeSet::new(),
        };
        let mut found = Purged::default();
        let mut unknown: BTreeSet<_> = self.named.urls().collect();
        if let Some(gate) = &self.gate {
            gate.ask_ahead(
                self.pages(&search)
                    .filter_map(|url| Url::parse(&url.ok()?).ok()),
                None,
            );
        }
        let mut listed = self.pages(&search);
        loop {
            let mut urls: Vec<_> = listed.by_ref().take(size).collect::<Result<_>>()?;
            if urls.is_empty() {
                break;
            }
            found.pages += urls.len();
            self.drop_named(&search, &mut urls, &mut unknown, &mut found)?;
            if changes.peek().is_some() {
                let gone = self.tombstones(&search);
                let gone = gone.collect::<Result<Vec<_>>>()?;
                change_effects::sort(changes.by_ref(), &gone, &mut urls, &search, &mut found)?;
            }
            self.drop_unseen(&search, &mut urls, &mut found)?;
            for url in urls.extract_if(.., |url| expired.contains(url)) {
                found
                    .removed_pages
                    .push(RemovedPage::new(url, Gone::Expired, ""));
            }
            if let Some(gate) = &self.gate {
                urls = found.sort(judged(&urls, gate, &filter, &search, jobs)?, &search)?;
            }
            if self.snapshots {
                for url in urls {
                    if search.has_snapshot(&url)? {
                        found.without_snapshot.push(url);
                    }
                }
            }
        }
        if self.sites.is_empty() && !self.named.is_empty() {
            found.unknown.extend(unknown.into_iter().map(str::to_owned));
        }
        if let Some(gate) = &self.gate {
            self.find_allowed(gate, &filter, &search, jobs, &mut found)?;
        }
        found.removed_pages.sort_by(|a, b| a.url.cmp(&b.url));
        let gone: HashSet<String> = found
            .removed_pages
            .iter()
            .map(|page| page.url.clone())
            .collect();
        for urls in [
            &mut found.without_snapshot,
            &mut found.restricted_pages,
            &mut found.allowed,
        ] {
            urls.retain(|url| !gone.contains(url));
            urls.sort();
            urls.dedup();
        }
        found.denied.retain(|(url, ..)| !gone.contains(url));
        Ok(found)
    }

    /// Runs the purge: removes from an index the content that [`Purge::preview`] would report. The
    /// removal is one commit.
    ///
    /// # Errors
    /// Fails if the index is damaged, or cannot be read or written. Also fails if another program
    /// has opened the index for writing.
    pub fn run(&self, index: &Index, jobs: usize) -> Result<Purged> {
        let mut writer = index.clone().with_evidence().writer(1)?;
        let found = self.preview(index, jobs)?;
        let filter = index.terms()?.filter()?;
        let search = index.search()?;
        match &self.gate {
            Some(gate) => {
                found.remove(&mut writer, Some((gate, &filter)), &search)?;
                found.limit(&mut writer, gate, &filter, &search)?;
            }
            None => found.remove(&mut writer, None, &search)?,
        }
        change_effects::deny(&found.denied, &mut writer, &filter)?;
        writer.commit()?;
        Ok(found)
    }

    /// Finds the removed URLs that may be indexed again, and adds them to `found.allowed`. Such a
    /// URL was removed by an earlier run because of a robots.txt. The files of `gate` allow the URL
    /// now.
    fn find_allowed(
        &self,
        gate: &Gate,
        filter: &Filter,
        search: &Search,
        jobs: usize,
        found: &mut Purged,
    ) -> Result<()> {
        let mut listed = self.tombstones(search);
        loop {
            let gone: Vec<_> = listed.by_ref().take(PART).collect::<Result<_>>()?;
            if gone.is_empty() {
                return Ok(());
            }
            let mut of_robots = Vec::new();
            for url in gone {
                let known = search.known(&url, None)?;
                let is_of_robots = matches!(
                    known,
                    Some(UrlState::Gone {
                        reason: Gone::Robots,
                        ..
                    })
                );
                if is_of_robots {
                    of_robots.push(url);
                }
            }
            for (url, judged) in judged(&of_robots, gate, filter, search, jobs)? {
                if matches!(judged, UrlOutcome::Stays { .. }) {
                    found.allowed.push(url);
                }
            }
        }
    }

    fn drop_named<'a>(
        &'a self,
        search: &Search,
        urls: &mut Vec<String>,
        unknown: &mut BTreeSet<&'a str>,
        found: &mut Purged,
    ) -> Result<()> {
        if self.named.is_empty() {
            return Ok(());
        }
        let mut stay = Vec::new();
        for url in std::mem::take(urls) {
            // Only a page at the URL of its folder has a second URL.
            let also = if url.ends_with('/') {
                search.also_at(&url)?
            } else {
                None
            };
            let mut is_named = false;
            for url in [Some(&url), also.as_ref()].into_iter().flatten() {
                if let Some(named) = self.named.find(url) {
                    unknown.remove(named);
                }
                is_named |= self.named.matches(url);
            }
            if is_named {
                let removed = RemovedPage::new(url, Gone::Removed, self.why.as_str());
                found.removed_pages.push(removed);
            } else {
                stay.push(url);
            }
        }
        *urls = stay;
        Ok(())
    }

    fn drop_unseen(
        &self,
        search: &Search,
        urls: &mut Vec<String>,
        found: &mut Purged,
    ) -> Result<()> {
        let Some(since) = self.unseen_since else {
            return Ok(());
        };
        let mut stay = Vec::new();
        for url in std::mem::take(urls) {
            match search.fetched(&url)? {
                Some(fetched) if fetched < since => {
                    found
                        .removed_pages
                        .push(RemovedPage::new(url, Gone::Unseen, ""));
                }
                Some(_) => stay.push(url),
                None => {
                    found.undated += 1;
                    stay.push(url);
                }
            }
        }
        *urls = stay;
        Ok(())
    }

    /// Iterates over the URLs of the pages that this purge examines.
    fn pages<'a>(&'a self, search: &'a Search) -> Box<dyn Iterator<Item = Result<String>> + 'a> {
        let Some(sites) = self.only_sites() else {
            return Box::new(self.of_sites(search.iter_urls("")));
        };
        let urls = sites
            .into_iter()
            .flat_map(|site| match search.urls_of_site(&site) {
                Ok(urls) => urls.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            });
        Box::new(self.of_sites(urls))
    }

    /// Iterates over the URLs of removed pages that this purge examines. The purge finds out which
    /// of these URLs may be indexed again.
    ///
    /// If the purge examines only some sites, URLs with a user name are left out. They do not begin
    /// with the URL of a site.
    fn tombstones<'a>(&'a self, search: &'a Search) -> impl Iterator<Item = Result<String>> + 'a {
        let beginnings = match self.only_sites() {
            Some(sites) => sites.iter().map(|site| format!("{site}/")).collect(),
            None => vec![String::new()],
        };
        let gone = beginnings
            .into_iter()
            .flat_map(|beginning| search.iter_tombstone_urls(&beginning));
        self.of_sites(gone)
    }

    /// Keeps only the URLs of the sites to which [`Purge::site`] restricts this purge. Errors are
    /// kept too.
    fn of_sites<'a>(
        &'a self,
        urls: impl Iterator<Item = Result<String>> + 'a,
    ) -> impl Iterator<Item = Result<String>> + 'a {
        urls.filter(|url| url.as_ref().map_or(true, |url| self.is_of_sites(url)))
    }

    /// Returns the sites whose pages this purge can change. Returns `None` if it can change pages
    /// of any site.
    fn only_sites(&self) -> Option<BTreeSet<String>> {
        let is_for_any = !self.changes.is_empty()
            || self.unseen_since.is_some()
            || self.expired.is_some()
            || self.snapshots;
        if is_for_any {
            return None;
        }
        let mut sites = self.named.only_sites()?;
        if let Some(gate) = &self.gate {
            sites.extend(gate.only_sites()?);
        }
        Some(sites)
    }

    fn is_of_sites(&self, url: &str) -> bool {
        if self.sites.is_empty() {
            return true;
        }
        match address::host_of(url) {
            Some(host) => self.sites.iter().any(|site| address::is_in(&host, site)),
            None => false,
        }
    }
}

/// Removes indexed pages that the robots.txt files in the inputs of a run disallow, and returns the
/// removed pages. A page is removed even if these inputs do not contain it. So two consecutive runs
/// have the same result as one run over the inputs of both.
///
/// `gate` is the gate of the run and must have the earlier responses of the index
/// ([`Gate::with_earlier_responses`]). `filter` is the filter of the run, and `search` must be
/// opened before the run. Pages that were added or removed since the last commit are not judged
/// again.
///
/// Also stores in the index the robots.txt and tdmrep.json responses of the sites in the gate.
/// Later runs use these responses. This function does not commit.
///
/// # Errors
/// Fails if the index of `search` and `writer` is damaged or cannot be written.
pub fn withdraw(
    gate: &Gate,
    filter: &Filter,
    search: &Search,
    writer: &mut Writer,
    jobs: usize,
) -> Result<Vec<RemovedPage>> {
    let mut dropped = Vec::new();
    for site in gate.sites() {
        let mut urls = search.urls_of_site(&site)?;
        urls.retain(|url| !writer.has_pending(url));
        let mut found = Purged::default();
        found.sort(judged(&urls, gate, filter, search, jobs)?, search)?;
        found.remove(writer, Some((gate, filter)), search)?;
        found.limit(writer, gate, filter, search)?;
        remember(gate, &site, search, writer)?;
        dropped.append(&mut found.removed_pages);
    }
    Ok(dropped)
}

/// Adds to the index the robots.txt and tdmrep.json responses that this run received from `site`. A
/// response without rules, such as a server error, is not added and replaces no stored response.
fn remember(gate: &Gate, site: &str, search: &Search, writer: &mut Writer) -> Result<()> {
    let now = SystemTime::now();
    for file in SiteFile::ALL {
        let mut answers = Vec::new();
        for (date, rules) in gate.history(site, file) {
            if !rules.is_unavailable() {
                answers.push((date.unwrap_or(now), rules.to_bytes()));
            }
        }
        let place = place(site, file);
        let known = stored_rules(search, &place)?;
        let merged = merge(&known, answers, file, gate.limits());
        if merged != known {
            writer.keep_rules(&place, &merged)?;
        }
    }
    Ok(())
}

/// Outcome of a purge for one URL. It does not contain the page, since a purge may have millions of
/// outcomes.
enum UrlOutcome {
    Stays { is_bare: bool, is_limited: bool },
    Gone(Gone, String),
    Silent(String),
    Unasked,
}

impl UrlOutcome {
    fn from_judgement(judged: Judgement) -> Self {
        match judged {
            Judgement::In(page) => Self::Stays {
                is_bare: false,
                is_limited: is_limited(&page),
            },
            Judgement::Bare(page) => Self::Stays {
                is_bare: true,
                is_limited: is_limited(&page),
            },
            Judgement::Gone(reason, why) => Self::Gone(reason, why),
            Judgement::Silent(site) => Self::Silent(site),
            Judgement::Unasked => Self::Unasked,
        }
    }
}

/// True if a page denies at least one of the uses `input`, `train`, `translate` and `image`. Such a
/// page may stay in the index, which stores the denial.
fn is_limited(page: &Page) -> bool {
    [Use::Input, Use::Train, Use::Translate, Use::Image]
        .iter()
        .any(|usage| !page.policy().allows(*usage))
}

/// Returns the second URL that the index stores for the page at `url`. For example, the page of a
/// folder may have a second URL that ends in `index.html`. Returns `None` if there is no second
/// URL.
fn also_at(search: &Search, url: &str) -> Result<Option<Url>> {
    Ok(search.also_at(url)?.and_then(|also| Url::parse(&also).ok()))
}

/// Judges each URL by the current robots.txt and tdmrep.json files of its site, on `jobs` threads.
/// Returns the outcomes in the order of `urls`.
fn judged(
    urls: &[String],
    gate: &Gate,
    filter: &Filter,
    search: &Search,
    jobs: usize,
) -> Result<Vec<(String, UrlOutcome)>> {
    gate.ask_ahead(urls.iter().filter_map(|url| Url::parse(url).ok()), None);
    let share = urls.len().div_ceil(jobs.clamp(1, MOST_JOBS)).max(1);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for part in urls.chunks(share) {
            threads.push(scope.spawn(move || judge_part(part, gate, filter, search)));
        }
        let mut parts = Vec::new();
        for thread in threads {
            parts.push(match thread.join() {
                Ok(part) => part,
                Err(_) => Err(ErrorKind::Internal("a judge panicked".to_owned()).into()),
            });
        }
        let mut all = Vec::with_capacity(urls.len());
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    })
}

/// Judges the URLs of one thread. Returns the outcomes in the order of `urls`.
fn judge_part(
    urls: &[String],
    gate: &Gate,
    filter: &Filter,
    search: &Search,
) -> Result<Vec<(String, UrlOutcome)>> {
    let mut judged = Vec::with_capacity(urls.len());
    for url in urls {
        let also = also_at(search, url)?;
        let rules = gate.for_url(url, search.captured(url)?);
        let judgement = judge(url, also.as_ref(), rules, filter)?;
        judged.push((url.clone(), UrlOutcome::from_judgement(judgement)));
    }
    Ok(judged)
}
