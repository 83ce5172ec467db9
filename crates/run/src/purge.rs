//! Removes from an index what may no longer be in it, without reading its pages again.
//!
//! There are six kinds: what the user names; what a feed of changes forbids; what has expired; what
//! was not fetched again since a day; what the robots.txt files of today keep out; or only the
//! snapshots. Robots.txt files are read for the bot and the conventions that the index remembers,
//! together with what the operator denies. A site that was asked and does not answer says nothing
//! about what is indexed already. A purge is one commit.

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

use super::change::{Change, KeptPage};
use super::changed;
use super::gate::Gate;
use super::judge::{Judgement, judge};
use super::purged::{Dropped, Purged};
use super::remembered::{joined, kept, place};
use super::takedown::Takedown;
use super::under_way::MOST_JOBS;
use super::unread::unread;

/// The settings of a purge: what to remove from an index.
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
/// let gate = Gate::default().everywhere(RobotsTxt::parse(b"User-agent: *\nDisallow: /private/"));
/// let purged = Purge::default().robots(gate).run(&index, 1)?;
/// assert_eq!(purged.dropped[0].url(), "https://example.com/private/a");
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
    changes: Vec<KeptPage>,
}

impl Purged {
    /// Adds URLs by what becomes of them. Returns those that stay as they are.
    fn sort(&mut self, judged: Vec<(String, UrlFate)>, search: &Search) -> Result<Vec<String>> {
        let mut stay = Vec::new();
        for (url, fate) in judged {
            match fate {
                UrlFate::Silent(site) => {
                    self.silent.insert(site);
                    stay.push(url);
                }
                UrlFate::Gone(reason, why) => self.dropped.push(Dropped::new(url, reason, why)),
                UrlFate::Unasked => stay.push(url),
                UrlFate::Stays {
                    is_bare,
                    is_limited,
                } => {
                    self.limited.extend(is_limited.then(|| url.clone()));
                    let loses_copy = is_bare && search.has_snapshot(&url)?;
                    if loses_copy {
                        &mut self.bare
                    } else {
                        &mut stay
                    }
                    .push(url);
                }
            }
        }
        Ok(stay)
    }

    /// Removes the pages and the snapshots, without a commit.
    fn remove(
        &self,
        writer: &mut Writer,
        gate: Option<(&Gate, &Filter)>,
        search: &Search,
    ) -> Result<()> {
        for page in &self.dropped {
            let (url, reason, why) = (page.url.as_str(), page.reason, page.why.as_str());
            let Some((gate, filter)) = gate.filter(|_| reason == Gone::Robots) else {
                writer.with_basis(Basis::default(), |writer| {
                    writer.remove_captured(url, reason, why, page.found)
                })?;
                continue;
            };
            let fetched = search.captured(url)?;
            writer.with_basis(
                gate.basis(url, fetched).unwrap_or_default(),
                |writer| match page.found {
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
        for url in &self.bare {
            writer.remove_snapshot(url)?;
        }
        Ok(())
    }

    /// Keeps in mind what pages that stay may no longer be used for, without a commit.
    fn limit(
        &self,
        writer: &mut Writer,
        (gate, filter): (&Gate, &Filter),
        search: &Search,
    ) -> Result<()> {
        for url in &self.limited {
            let also = also_at(search, url)?;
            let fetched = search.captured(url)?;
            let page = unread(
                url,
                also.as_ref(),
                gate.for_url(url, fetched).told(),
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
    /// Removes what has expired at `time`.
    pub fn expired(mut self, time: SystemTime) -> Self {
        self.expired = Some(time);
        self
    }

    /// Removes what the robots.txt files of a gate keep out.
    pub fn robots(mut self, gate: Gate) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Removes all snapshots.
    pub fn snapshots(mut self) -> Self {
        self.snapshots = true;
        self
    }

    /// Removes the page with this URL. With `*` it is a pattern, for URLs or, if it begins with
    /// `/`, for paths; it must match to the end. May be called again.
    ///
    /// # Errors
    /// Fails if it is neither a URL nor a path.
    pub fn url(mut self, named: &str) -> Result<Self> {
        self.named.add(named)?;
        Ok(self)
    }

    /// Removes the page with this URL, in which a star is only a star: as a sitemap or an index
    /// names it. May be called again.
    ///
    /// # Errors
    /// Fails if it is no URL.
    pub fn page(mut self, url: &str) -> Result<Self> {
        self.named.add_page(url)?;
        Ok(self)
    }

    /// Sets the reason that the index keeps with the pages that are named.
    pub fn why(mut self, why: &str) -> Self {
        why.clone_into(&mut self.why);
        self
    }

    /// Applies a line of a feed. A page that may not be indexed any more is removed; one that may
    /// not be kept loses its snapshot; other uses are denied from now on. A change for another bot
    /// has no effect, nor has one that is older than the page in the index. May be called again.
    pub fn change(mut self, change: &Change) -> Self {
        let change = KeptPage::of(change, self.changes.last());
        if self.changes.last() != Some(&change) {
            self.changes.push(change);
        }
        self
    }

    /// Removes the pages that were last fetched before `time`. A page that was found unchanged was
    /// fetched.
    pub fn unseen_since(mut self, time: SystemTime) -> Self {
        self.unseen_since = Some(time);
        self
    }

    /// Looks only at this host and its subdomains. May be called again.
    ///
    /// # Errors
    /// When the text is no host.
    pub fn site(mut self, host: &str) -> Result<Self> {
        let found = address::host(host);
        self.sites.push(
            found.ok_or_else(|| {
                Error::setting(format!("`{host}` is no host, as site.example is"))
            })?,
        );
        Ok(self)
    }

    /// Returns what would be removed from an index.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn look(&self, index: &Index, jobs: usize) -> Result<Purged> {
        let search = index.search()?;
        let mut found = Purged::default();
        let mut urls = self.of_sites(search.urls()?);
        found.pages = urls.len();
        self.drop_named(&search, &mut urls, &mut found)?;
        let bot = index.terms()?.bot()?;
        let changes = self
            .changes
            .iter()
            .filter(|change| bot.is_called(&change.bot));
        changed::sort(
            changes,
            (&self.of_sites(search.gone()?), &mut urls),
            &search,
            &mut found,
        )?;
        self.drop_unseen(&search, &mut urls, &mut found)?;
        if let Some(time) = self.expired {
            let expired: BTreeSet<_> = search.expired(time)?.into_iter().collect();
            let expired = urls.extract_if(.., |url| expired.contains(url));
            found
                .dropped
                .extend(expired.map(|url| Dropped::new(url, Gone::Expired, "")));
        }
        if let Some(gate) = &self.gate {
            self.judge(
                gate,
                &index.terms()?.filter()?,
                &search,
                &mut urls,
                jobs,
                &mut found,
            )?;
        }
        if self.snapshots {
            for url in urls {
                if search.has_snapshot(&url)? {
                    found.bare.push(url);
                }
            }
        }
        found.dropped.sort_by(|a, b| a.url.cmp(&b.url));
        let gone: HashSet<String> = found.dropped.iter().map(|page| page.url.clone()).collect();
        for urls in [&mut found.bare, &mut found.limited, &mut found.allowed] {
            urls.retain(|url| !gone.contains(url));
            urls.sort();
            urls.dedup();
        }
        found.denied.retain(|(url, ..)| !gone.contains(url));
        Ok(found)
    }

    /// Removes it, in one commit.
    ///
    /// # Errors
    /// When the index is damaged or cannot be written, or another program is writing to it.
    pub fn run(&self, index: &Index, jobs: usize) -> Result<Purged> {
        let mut writer = index.clone().with_evidence().writer(1)?;
        let found = self.look(index, jobs)?;
        let (filter, search) = (index.terms()?.filter()?, index.search()?);
        found.remove(
            &mut writer,
            self.gate.as_ref().map(|gate| (gate, &filter)),
            &search,
        )?;
        if let Some(gate) = &self.gate {
            found.limit(&mut writer, (gate, &filter), &search)?;
        }
        changed::deny(&found.denied, &mut writer, &filter)?;
        writer.commit()?;
        writer.drop_empty_snapshot_files()?;
        Ok(found)
    }

    fn judge(
        &self,
        gate: &Gate,
        filter: &Filter,
        search: &Search,
        urls: &mut Vec<String>,
        jobs: usize,
        found: &mut Purged,
    ) -> Result<()> {
        *urls = found.sort(judged(urls, (gate, filter), search, jobs)?, search)?;
        let mut gone = Vec::new();
        for url in self.of_sites(search.gone()?) {
            if matches!(
                search.known(&url, None)?,
                Some(UrlState::Gone {
                    reason: Gone::Robots,
                    ..
                })
            ) {
                gone.push(url);
            }
        }
        for (url, judged) in judged(&gone, (gate, filter), search, jobs)? {
            if matches!(judged, UrlFate::Stays { .. }) {
                found.allowed.push(url);
            }
        }
        Ok(())
    }

    fn drop_named(
        &self,
        search: &Search,
        urls: &mut Vec<String>,
        found: &mut Purged,
    ) -> Result<()> {
        if self.named.is_empty() {
            return Ok(());
        }
        let mut unknown: BTreeSet<_> = self.named.urls().collect();
        let mut is_named = |url: &String| -> Result<bool> {
            // Only a page at the URL of its folder has another one.
            let also = if url.ends_with('/') {
                search.also_at(url)?
            } else {
                None
            };
            let mut is_named = false;
            for url in [Some(url), also.as_ref()].into_iter().flatten() {
                if let Some(named) = self.named.named(url) {
                    unknown.remove(named);
                }
                is_named |= self.named.names(url);
            }
            Ok(is_named)
        };
        let (named, stay) = parted(std::mem::take(urls), &mut is_named)?;
        *urls = stay;
        if self.sites.is_empty() {
            found.unknown.extend(unknown.into_iter().map(str::to_owned));
        }
        let dropped = |url| Dropped::new(url, Gone::Removed, self.why.as_str());
        found.dropped.extend(named.into_iter().map(dropped));
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
        let undated = &mut found.undated;
        let mut is_unseen = |url: &String| -> Result<bool> {
            let fetched = search.fetched(url)?;
            *undated += usize::from(fetched.is_none());
            Ok(fetched.is_some_and(|fetched| fetched < since))
        };
        let (unseen, stay) = parted(std::mem::take(urls), &mut is_unseen)?;
        *urls = stay;
        let dropped = |url| Dropped::new(url, Gone::Unseen, "");
        found.dropped.extend(unseen.into_iter().map(dropped));
        Ok(())
    }

    fn of_sites(&self, mut urls: Vec<String>) -> Vec<String> {
        if self.sites.is_empty() {
            return urls;
        }
        urls.retain(|url| {
            let host = address::host_of(url);
            host.is_some_and(|host| self.sites.iter().any(|site| address::is_in(&host, site)))
        });
        urls
    }
}

/// The URLs for which `is_one` is true, and the others.
fn parted(
    urls: Vec<String>,
    is_one: &mut dyn FnMut(&String) -> Result<bool>,
) -> Result<(Vec<String>, Vec<String>)> {
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    for url in urls {
        if is_one(&url)? {
            &mut ones
        } else {
            &mut others
        }
        .push(url);
    }
    Ok((ones, others))
}

/// Removes the pages of an index that the robots.txt files of a run's inputs keep out by now,
/// although the inputs do not name them. So two runs, one after the other, leave what one run over
/// both of their inputs would. `gate` is that of the run, which remembers the index
/// ([`Gate::remembering`]), `filter` its filter, and `search` was opened before it. What the sites
/// said is kept for later runs. Nothing is committed. A page that was added or removed since the
/// last commit is not judged again.
///
/// # Errors
/// Fails if the index is damaged or cannot be written.
pub fn withdraw(
    gate: &Gate,
    filter: &Filter,
    search: &Search,
    writer: &mut Writer,
    jobs: usize,
) -> Result<Vec<Dropped>> {
    let mut dropped = Vec::new();
    for site in gate.sites() {
        let mut urls = search.urls_under(&format!("{site}/"))?;
        urls.retain(|url| !writer.has_pending(url));
        let mut found = Purged::default();
        found.sort(judged(&urls, (gate, filter), search, jobs)?, search)?;
        found.remove(writer, Some((gate, filter)), search)?;
        found.limit(writer, (gate, filter), search)?;
        remember(gate, &site, search, writer)?;
        dropped.append(&mut found.dropped);
    }
    Ok(dropped)
}

/// Keeps what a site said to this run. What is no answer is not kept: it changes nothing of what is
/// there.
fn remember(gate: &Gate, site: &str, search: &Search, writer: &mut Writer) -> Result<()> {
    let now = SystemTime::now();
    for file in SiteFile::ALL {
        let said = gate
            .history((site, file))
            .into_iter()
            .filter(|(_, rules)| !rules.is_no_answer());
        let said: Vec<_> = said
            .map(|(date, rules)| (date.unwrap_or(now), rules.stored()))
            .collect();
        let place = place(site, file);
        let known = kept(search, &place)?;
        let joined = joined(&known, said, file, gate.most());
        if joined != known {
            writer.keep_rules(&place, &joined)?;
        }
    }
    Ok(())
}

/// The fate of a URL. It holds no page, since there may be millions of URLs.
enum UrlFate {
    Stays { is_bare: bool, is_limited: bool },
    Gone(Gone, String),
    Silent(String),
    Unasked,
}

impl UrlFate {
    fn of(judged: Judgement) -> Self {
        let is_limited = |page: &Page| {
            [Use::Input, Use::Train, Use::Translate, Use::Image]
                .iter()
                .any(|usage| !page.policy().allows(*usage))
        };
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

/// Another URL of a page, as the index remembers it.
fn also_at(search: &Search, url: &str) -> Result<Option<Url>> {
    Ok(search.also_at(url)?.and_then(|also| Url::parse(&also).ok()))
}

/// The judgement of each URL today, in order.
fn judged(
    urls: &[String],
    (gate, filter): (&Gate, &Filter),
    search: &Search,
    jobs: usize,
) -> Result<Vec<(String, UrlFate)>> {
    gate.ask_ahead(urls.iter().filter_map(|url| Url::parse(url).ok()), None);
    let share = urls.len().div_ceil(jobs.clamp(1, MOST_JOBS)).max(1);
    let judge_all = |urls: &[String]| -> Result<Vec<_>> {
        let one = |url: &String| {
            let also = also_at(search, url)?;
            let judged = judge(
                url,
                also.as_ref(),
                gate.for_url(url, search.captured(url)?),
                filter,
            )?;
            Ok((url.clone(), UrlFate::of(judged)))
        };
        urls.iter().map(one).collect()
    };
    let parts: Vec<Result<Vec<_>>> = thread::scope(|scope| {
        let threads: Vec<_> = urls
            .chunks(share)
            .map(|part| scope.spawn(move || judge_all(part)))
            .collect();
        let panicked = || Err(ErrorKind::Internal("a judge panicked".to_owned()).into());
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| panicked()))
            .collect()
    });
    Ok(parts
        .into_iter()
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect())
}
