//! Finds the indexed pages of a site whose URLs are no longer in a complete input.
//!
//! A URL is in the input if an outcome has it: a page, a skipped record, a failed page. A damaged
//! record without a URL may be any page, so such records are counted and reported. Memory grows by
//! eight bytes per URL. Nothing is removed here; the caller decides.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use url::Url;

use heedful_base::address::Key;
use heedful_base::error::Result;
use heedful_index::Search;

use super::outcome::Outcome;

/// The URLs of one site that a complete input contains. An indexed page of the site is absent if
/// its URL is not among them.
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
    /// Common prefix of all URLs of the site.
    site: String,
    named: HashSet<u64>,
    /// Hasher with a random key, so that a site cannot construct two URLs with the same hash.
    hashes: RandomState,
    unnamed: u64,
    /// Number of outcomes with a URL of the site.
    of_site: u64,
}

/// Indexed pages of a site whose URLs are not in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AbsentPages {
    /// URLs of the absent pages, sorted.
    pub urls: Vec<String>,
    /// Number of pages of the site in the index, including the absent ones.
    pub pages: usize,
    /// Number of outcomes with a URL of the site.
    pub named: u64,
    /// Number of damaged records without a URL, each of which may be an absent page.
    pub unnamed: u64,
}

impl WholeSite {
    /// Creates an empty list for the site that consists of all URLs under `site`.
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

    /// Adds the URL of an outcome to the list.
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

    /// Returns the indexed pages of the site whose URLs no outcome has.
    ///
    /// # Errors
    /// Fails if the index is damaged.
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
    /// True if more than half of the site's indexed pages are absent, which often means that the
    /// input is incomplete.
    pub fn is_most(&self) -> bool {
        self.urls.len() * 2 > self.pages
    }
}
