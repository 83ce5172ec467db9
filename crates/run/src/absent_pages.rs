//! Finds the indexed pages of a site that a complete input of the site no longer contains.
//!
//! A URL counts as contained in the input if any outcome of the run has it. The outcomes of skipped
//! records and of failed pages count too. A damaged record without a URL may be any page of the
//! site, so these records are counted and reported. Memory grows by eight bytes per URL. This
//! module removes nothing from the index; the caller decides.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use url::Url;

use heedful_base::address::Key;
use heedful_base::error::Result;
use heedful_index::Search;

use super::outcome::Outcome;

/// Collects the URLs in an input that contains a whole site. Then finds the indexed pages of the
/// site whose URLs are not in that input.
///
/// ```
/// use heedful_index::{Gone, Index};
/// use heedful_input::Inputs;
/// use heedful_run::{Run, WholeSite, apply_outcome, survey};
/// use heedful::{Bot, Filter, Url};
///
/// let (site, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let url: Url = "https://example.com/".parse()?;
/// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
/// for pages in [["rye.html", "oats.html"], ["rye.html", "spelt.html"]] {
///     for page in ["rye.html", "oats.html", "spelt.html"] {
///         let file = site.path().join(page);
///         if pages.contains(&page) { std::fs::write(file, "<p>bread")? } else { let _ = std::fs::remove_file(file); }
///     }
///     let inputs = Inputs::default().url(url.clone()).open(&[site.path()])?;
///     let (gate, filter) = survey(&inputs, index.terms()?.filter()?)?;
///     let (mut writer, mut whole) = (index.writer(1)?, WholeSite::new(&url));
///     Run::new(&inputs, &gate, 1).filter(&filter, |outcome, _| {
///         whole.note(&outcome);
///         apply_outcome(&mut writer, &outcome).map(drop)
///     })?;
///     for url in whole.absent(&index.search()?)?.urls {
///         writer.remove(&url, Gone::Absent, "")?;
///     }
///     writer.commit()?;
/// }
/// assert_eq!(index.search()?.urls()?, ["https://example.com/rye.html", "https://example.com/spelt.html"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WholeSite {
    /// Prefix that all URLs of the site have in common.
    site: String,
    named: HashSet<u64>,
    /// Hasher with a random key, so that a site cannot construct two URLs with the same hash.
    hashes: RandomState,
    unnamed: u64,
    /// Number of outcomes of the run whose URL belongs to the site.
    of_site: u64,
}

/// Indexed pages of a site that are missing from a complete input of this site.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AbsentPages {
    /// URLs of the absent pages, sorted.
    pub urls: Vec<String>,
    /// Number of pages of the site in the index, including the absent pages.
    pub pages: usize,
    /// Number of outcomes of the run whose URL belongs to the site.
    pub named: u64,
    /// Number of damaged records in the input that may hide a page of the site. The URL of such a
    /// record is unknown, or data after the record was not read.
    pub unnamed: u64,
}

impl WholeSite {
    /// Creates an empty list of URLs for a site. The site consists of all URLs that begin with a
    /// prefix. The prefix is `site` without its query. A `/` is added if the path does not end with
    /// one.
    pub fn new(site: &Url) -> Self {
        let mut site = site.clone();
        site.set_query(None);
        if !site.path().ends_with('/') {
            site.set_path(&format!("{}/", site.path()));
        }
        let site = Key::of_url(&site).as_str().to_owned();
        Self {
            site,
            named: HashSet::new(),
            hashes: RandomState::new(),
            unnamed: 0,
            of_site: 0,
        }
    }

    /// Adds the URL of an outcome to the list of URLs that the input contains.
    pub fn note(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Pages(filtered) | Outcome::Unchanged(filtered) => {
                if let Some(page) = filtered.pages.first() {
                    self.name(page.url());
                }
            }
            Outcome::Damage(damage) if damage.url().is_none() || damage.unread() > 0 => {
                self.unnamed += 1;
            }
            other => {
                if let Some(url) = other.url() {
                    self.name(url);
                }
            }
        }
    }

    fn name(&mut self, url: &str) {
        let key = Key::parse(url);
        self.of_site += u64::from(key.as_str().starts_with(&self.site));
        self.named.insert(self.hashes.hash_one(key.as_str()));
    }

    /// Returns the indexed pages of the site that are missing from the input. A page is missing if
    /// [`WholeSite::note`] did not add its URL.
    ///
    /// # Errors
    /// Fails if the index of `search` is damaged.
    pub fn absent(&self, search: &Search) -> Result<AbsentPages> {
        let mut urls = search.urls_under(&self.site)?;
        let pages = urls.len();
        urls.retain(|url| !self.named.contains(&self.hashes.hash_one(url.as_str())));
        Ok(AbsentPages {
            urls,
            pages,
            named: self.of_site,
            unnamed: self.unnamed,
        })
    }
}

impl AbsentPages {
    /// True if more than half of the site's indexed pages are missing from the input. That often
    /// means that the input is incomplete.
    pub fn is_majority_absent(&self) -> bool {
        self.urls.len() * 2 > self.pages
    }
}
