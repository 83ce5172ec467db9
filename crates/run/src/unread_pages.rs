//! Computes the policies of pages without reading the pages, from the current robots.txt and
//! tdmrep.json files of their sites.
//!
//! The function `unread` computes the policies by a filter pass over a page without bytes.
//! [`UrlPolicies`] computes equal policies for many URLs, and is faster. A policy depends only on
//! those rules, records, licences and denials that match the URL. So the policies of a site are
//! cached by these matches: URLs with the same matches share their policies. The matches themselves
//! are compared, not a hash of them, so the result is exact. A URL whose scheme is neither `http`
//! nor `https` gets its policies from a filter pass. Errors are never cached.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use url::{Position, Url};

use heedful::internals::extract;
use heedful::internals::scope::PassTerms;
use heedful::{Filter, Licence, Page, Policy};
use heedful_base::error::{Error, Result};
use heedful_index::decision::{Basis, SiteFileRef};
use heedful_robots::{MatchKey, PageMatcher, PageUrl, RobotsState, RobotsTxt};

use super::gate::{Gate, GateRules};
use super::named_documents;

/// Maximum number of sites whose policies are cached. In a sorted list of URLs, variants of one
/// site often alternate. Such variants are `http` and `https`, or the host with and without `www`.
const SITES: usize = 4;
/// Maximum size of the cache of policies of one site. An entry of the cache has a [`MatchKey`] and
/// policies. Its size is the count of numbers in the key, plus [`POLICY`] for each policy.
const KEPT: usize = 1 << 14;
const POLICY: usize = 16;

/// Judges a page by its URL and the robots.txt and tdmrep.json rules `gate_rules`. The page is not
/// read. `also` is a second URL of the same page.
pub(super) fn unread(
    url: &str,
    also: Option<&Url>,
    gate_rules: GateRules<'_>,
    filter: &Filter,
) -> Result<Page> {
    let mut pass = filter.open(url)?;
    if let Some(also) = also {
        pass.also_at(also);
    }
    for robots in gate_rules.robots {
        pass.robots_txt(&robots);
    }
    pass.end()
}

/// Judges URLs without reading their pages. A URL is judged by the robots.txt and tdmrep.json of
/// its site, and by the operator's denials.
///
/// The fastest order is a list of URLs that is grouped by site. The files of a site are then looked
/// up in the gate once per group. A list in another order has the same results, but is judged more
/// slowly.
///
/// ```
/// use heedful_run::{Gate, UrlPolicies};
/// use heedful::{Bot, Use, Filter, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nContent-Signal: /news/ ai-train=no\nDisallow: /private/");
/// let gate = Gate::default().for_site(&"https://site.example/".parse()?, robots);
/// let mut urls = UrlPolicies::new(&gate, &Filter::new(Bot::new("FooBot")?));
/// assert!(urls.policies("https://site.example/a")?[0].allows(Use::Train));
/// let news = urls.policies("https://site.example/news/1")?;
/// assert!(news[0].allows(Use::Index) && !news[0].allows(Use::Train));
/// assert!(!urls.policies("https://site.example/private/1")?[0].may_fetch());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct UrlPolicies<'a> {
    gate: &'a Gate,
    terms: Arc<PassTerms>,
    /// Policies of a page to which no directive applies, one per bot.
    open: Arc<[Policy]>,
    /// Most recently used sites, the one of the last URL first.
    sites: Vec<SitePolicies<'a>>,
    /// True if the last judged URL belongs to `sites[0]`.
    is_of_site: bool,
    matched: MatchKey,
    without_robots: BTreeSet<String>,
    urls_without_robots: u64,
}

impl<'a> UrlPolicies<'a> {
    /// Creates a judge of URLs with the files of `gate`, and with the bots, conventions, denials
    /// and limits of `filter`. Do not add files to the gate afterwards: they would apply only to
    /// sites that were not judged yet.
    pub fn new(gate: &'a Gate, filter: &Filter) -> Self {
        let terms = filter.terms.clone();
        let open = terms
            .bots
            .each()
            .map(|(bot, _)| Policy::from_page_wide(std::iter::empty(), bot, None))
            .collect();
        Self {
            gate,
            terms,
            open,
            sites: Vec::with_capacity(SITES),
            is_of_site: false,
            matched: MatchKey::default(),
            without_robots: BTreeSet::new(),
            urls_without_robots: 0,
        }
    }

    /// Returns the judged sites whose robots.txt is unknown. The second value is the number of
    /// judged URLs of these sites. URLs that may not be fetched are not counted. If no URL of a
    /// site may be fetched, the site is left out.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_run::{Gate, UrlPolicies};
    ///
    /// let gate = Gate::default();
    /// let mut urls = UrlPolicies::new(&gate, &Filter::new(Bot::new("FooBot")?));
    /// urls.policies("https://site.example/rye")?;
    /// urls.policies("https://site.example/oats")?;
    /// let (sites, count) = urls.without_robots();
    /// assert_eq!((sites.len(), count), (1, 2));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn without_robots(&self) -> (&BTreeSet<String>, u64) {
        (&self.without_robots, self.urls_without_robots)
    }

    /// Returns the rules by which the last URL was judged: those in the robots.txt and tdmrep.json
    /// of its site. Returns `None` if no URL was judged. Also returns `None` if the last URL is
    /// neither `http` nor `https`.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt};
    /// use heedful_run::{Gate, UrlPolicies};
    ///
    /// let gate = Gate::default().with_robots_for_all_sites(RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/"));
    /// let mut urls = UrlPolicies::new(&gate, &Filter::new(Bot::new("FooBot")?));
    /// assert!(urls.gate_rules().is_none());
    /// urls.policies("https://site.example/rye")?;
    /// let rules = urls.gate_rules().unwrap();
    /// assert_eq!(rules.robots.len(), 1);
    /// assert_eq!(rules.site_without_robots.as_deref(), Some("https://site.example"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn gate_rules(&self) -> Option<&GateRules<'a>> {
        match self.sites.first() {
            Some(site) if self.is_of_site => Some(&site.gate_rules),
            _ => None,
        }
    }

    /// Returns the state of the robots.txt by which the last URL was judged. If that URL is neither
    /// `http` nor `https`, returns [`RobotsState::Absent`].
    pub(crate) fn robots_state(&self) -> RobotsState {
        let robots = self.gate_rules().into_iter().flat_map(|at| &at.robots);
        robots
            .map(|robots| RobotsState::from_robots(robots))
            .max()
            .unwrap_or_default()
    }

    /// Returns the basis of the decision about the last judged URL. Returns `None` if the run keeps
    /// no evidence.
    pub(crate) fn basis(&self) -> Option<Basis> {
        let gate_rules = self.gate_rules()?;
        let originals = gate_rules.originals?;
        let site = self.sites.first()?;
        let mut files = gate_rules.files(&site.prefix, originals);
        files.extend(site.documents.iter().cloned());
        Some(Basis::new(None, [], files).kept_in(originals))
    }

    /// Returns the policies of the page at a URL, in the order of the filter's bots. The page is
    /// not read. It is judged only by the robots.txt and tdmrep.json of its site, and by the
    /// operator's denials.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Url`](heedful_base::error::ErrorKind::Url) if the URL is not
    /// absolute. Fails with [`ErrorKind::Limit`](heedful_base::error::ErrorKind::Limit) if the
    /// directives for the page exceed a limit.
    pub fn policies(&mut self, url: &str) -> Result<Arc<[Policy]>> {
        for at in 0..self.sites.len() {
            if let Some(length) = self.sites[at].plain(url) {
                self.sites[..=at].rotate_right(1);
                return self.of_page(&url[..length]);
            }
        }
        self.is_of_site = false;
        let url = Url::parse(url).map_err(|_| Error::url(url))?;
        if !matches!(url.scheme(), "http" | "https") {
            return read_policies(
                &self.terms,
                &url,
                &self.gate.for_url(url.as_str(), None).robots,
            );
        }
        let prefix = &url[..Position::BeforePath];
        match self.sites.iter().position(|site| site.prefix == prefix) {
            Some(at) => self.sites[..=at].rotate_right(1),
            None => {
                self.sites.truncate(SITES - 1);
                let site = SitePolicies::new(&url, self.gate.for_site_of(&url), &self.terms);
                self.sites.insert(0, site);
            }
        }
        self.of_page(&url[..Position::AfterQuery])
    }

    /// Returns the policies of a page. The page's site must be the first item of the field `sites`.
    /// The URL must be normalized and have no fragment.
    fn of_page(&mut self, url: &str) -> Result<Arc<[Policy]>> {
        self.is_of_site = true;
        let policies = self.policies_of_page(url)?;
        let site = &mut self.sites[0];
        if let Some(without) = &site.gate_rules.site_without_robots
            && policies.iter().any(Policy::may_fetch)
        {
            self.urls_without_robots += 1;
            if !std::mem::replace(&mut site.is_counted, true) {
                self.without_robots.insert(without.clone());
            }
        }
        Ok(policies)
    }

    fn policies_of_page(&mut self, url: &str) -> Result<Arc<[Policy]>> {
        let Self {
            terms,
            sites,
            matched,
            open,
            ..
        } = self;
        let site = &mut sites[0];
        let page = PageUrl::of_normal(url, &url[site.prefix.len()..]);
        site.find_matches(&page, terms, matched);
        if matched.is_empty() && site.has_no_general_directive {
            return Ok(open.clone());
        }
        if let Some(policies) = site.known.get(matched) {
            return Ok(policies.clone());
        }
        let url = Url::parse(url).map_err(|_| Error::url(url))?;
        let policies = read_policies(terms, &url, &site.gate_rules.robots)?;
        site.keep(matched.clone(), policies.clone());
        Ok(policies)
    }
}

/// Computes the policies of a URL by a filter pass over a page without bytes. The cache is not
/// used.
fn read_policies(
    terms: &Arc<PassTerms>,
    url: &Url,
    robots: &[Cow<'_, RobotsTxt>],
) -> Result<Arc<[Policy]>> {
    let end = extract::unread_page(terms, url, robots.iter().map(AsRef::as_ref))?;
    Ok(terms
        .bots
        .each()
        .filter_map(|(bot, _)| end.policy(bot))
        .collect())
}

/// The rules of a site's robots.txt and tdmrep.json, and a cache of the policies of its pages. The
/// pages are not read.
#[derive(Debug)]
struct SitePolicies<'a> {
    /// Common prefix of the site's URLs, before the path: scheme and authority.
    prefix: String,
    gate_rules: GateRules<'a>,
    files: Vec<PageMatcher>,
    licences: Vec<Licence>,
    /// References to the RSL documents that were requested for the licences of the site. Empty if
    /// the run keeps no evidence.
    documents: Vec<SiteFileRef>,
    /// True if the site has no licence, and none of the records in its files matches all pages.
    /// Then a page has no directive at all unless something matches its URL.
    has_no_general_directive: bool,
    /// True if the site is in the result of [`UrlPolicies::without_robots`].
    is_counted: bool,
    known: HashMap<MatchKey, Arc<[Policy]>>,
    /// Size of the cache in the field `known`, in the unit of [`KEPT`].
    cache_size: usize,
}

impl<'a> SitePolicies<'a> {
    /// Creates the cached entry for the site of `url`, with its licences and its matchers.
    fn new(url: &Url, gate_rules: GateRules<'a>, terms: &PassTerms) -> Self {
        named_documents::begin();
        let mut licences = Vec::new();
        for robots in &gate_rules.robots {
            licences.extend(extract::site_licences(
                &terms.apply_mode(robots),
                url,
                terms,
            ));
        }
        let mut files = Vec::new();
        for robots in &gate_rules.robots {
            let robots = terms.apply_mode(robots).into_owned();
            files.push(PageMatcher::new(robots, terms.bots.list()));
        }
        let documents = match gate_rules.originals {
            Some(originals) => named_documents::take(originals),
            None => Vec::new(),
        };
        let has_no_general_directive =
            licences.is_empty() && !files.iter().any(PageMatcher::matches_all_pages);
        let prefix = url[..Position::BeforePath].to_owned();
        Self {
            prefix,
            gate_rules,
            files,
            licences,
            documents,
            has_no_general_directive,
            is_counted: false,
            known: HashMap::new(),
            cache_size: 0,
        }
    }

    /// Returns the length of a URL without its fragment, in bytes. Returns `None` unless the URL is
    /// normalized and belongs to this site.
    fn plain(&self, url: &str) -> Option<usize> {
        let rest = url.strip_prefix(&*self.prefix)?;
        if !rest.starts_with('/') {
            return None;
        }
        let path = match memchr::memchr(b'#', rest.as_bytes()) {
            Some(fragment) => &rest[..fragment],
            None => rest,
        };
        is_plain(path.as_bytes()).then_some(self.prefix.len() + path.len())
    }

    /// Sets `matched` to everything that matches the URL of a page: denials of the operator,
    /// licences, rules and records.
    fn find_matches(&self, page: &PageUrl<'_>, terms: &PassTerms, matched: &mut MatchKey) {
        matched.clear();
        let denials = terms
            .denials()
            .enumerate()
            .filter(|(_, denial)| denial.is_about(page));
        matched.add(0, denials.map(|(at, _)| at));
        for (at, licence) in self.licences.iter().enumerate() {
            matched.add(
                1 + at,
                licence.denies_page(page).iter().map(|usage| usage as usize),
            );
        }
        let bots = terms.bots.list();
        for (at, file) in self.files.iter().enumerate() {
            file.add_matches(
                bots,
                page,
                1 + self.licences.len() + at * bots.len(),
                matched,
            );
        }
    }

    fn keep(&mut self, matched: MatchKey, policies: Arc<[Policy]>) {
        self.cache_size += matched.len() + POLICY * policies.len();
        if self.cache_size > KEPT {
            self.known.clear();
            self.cache_size = matched.len() + POLICY * policies.len();
        }
        self.known.insert(matched, policies);
    }
}

/// True if the URL parser certainly leaves a path and its query unchanged. False if that is
/// uncertain.
fn is_plain(path: &[u8]) -> bool {
    let mut is_unchanged = true;
    for byte in path {
        is_unchanged &= UNCHANGED[usize::from(*byte)];
    }
    // A segment of dots, also of encoded ones, moves in the path.
    is_unchanged
        && !memchr::memchr_iter(b'.', path).any(|at| path[at - 1] == b'/')
        && !memchr::memchr_iter(b'%', path)
            .any(|at| matches!(path.get(at + 1..at + 3), Some([b'2', b'E' | b'e'])))
}

/// Bytes that the URL parser leaves unchanged in a path and in a query.
const UNCHANGED: [bool; 256] = {
    let mut unchanged = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        unchanged[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let others = b"/-_.~?=&+,:;!()@[]*$%";
    let mut at = 0;
    while at < others.len() {
        unchanged[others[at] as usize] = true;
        at += 1;
    }
    unchanged
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn the_parser_changes_no_plain_path(path in "(/|\\.|\\?|%2[eEfF]|[ -~]|[a-z]|\\PC){0,12}") {
            let (site, path) = ("https://site.example", format!("/{path}"));
            if is_plain(path.as_bytes()) {
                let url = format!("{site}{path}");
                prop_assert_eq!(Url::parse(&url).unwrap().to_string(), url);
            }
        }
    }

    #[test]
    fn usual_paths_are_plain() {
        for path in [
            "/",
            "/a/b.html?c=d&e=%20x",
            "/2024/05/a-b_c~d",
            "/%E4%BD%A0?q=a+b",
            "/a.b.c/..d",
        ] {
            assert_eq!(is_plain(path.as_bytes()), path != "/a.b.c/..d", "{path}");
        }
        for path in [
            "/.", "/a/../b", "/%2e", "/a b", "/ä", "/a\\b", "/?'", "/\u{7f}", "/a\tb",
        ] {
            assert!(!is_plain(path.as_bytes()), "{path}");
        }
    }
}
