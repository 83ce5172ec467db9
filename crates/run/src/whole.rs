//! An input that is the whole truth of a site: pages that it no longer names are no longer there.
//!
//! Every outcome for a URL names it: a page, a record that is passed over, a page that failed.
//! Damage without a URL may have named any page, so it is counted and reported. Memory
//! grows by eight bytes a URL.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use url::Url;

use heedful_base::address::Key;
use heedful_base::error::Result;
use heedful_index::Search;

use super::outcome::Outcome;

/// A site, and the URLs that its input names.
///
/// ```
/// use heedful_index::{Gone, Index};
/// use heedful_input::Inputs;
/// use heedful_run::{Run, WholeSite, settle, survey};
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
///         settle(&mut writer, &outcome).map(drop)
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
    /// What the URLs of the site begin with.
    site: String,
    named: HashSet<u64>,
    /// The key of the hashes is drawn by chance, so a site cannot choose two URLs with one hash.
    hashes: RandomState,
    unnamed: u64,
    /// The number of URLs of the site among those that were named.
    of_site: u64,
}

/// The pages of a site that an index has and the input did not name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AbsentPages {
    /// Their URLs, in order.
    pub urls: Vec<String>,
    /// The number of pages of the site that the index has, these included.
    pub pages: usize,
    /// The number of times that the input named a URL of the site.
    pub named: u64,
    /// The number of records that could not be read, and may have named any of them.
    pub unnamed: u64,
}

impl WholeSite {
    /// The site of all URLs under this one.
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

    /// Notes the URL of an outcome.
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

    /// The pages of the site that an index has and that were not named.
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
    /// True if this is more than half of what the index has of the site.
    pub fn is_most(&self) -> bool {
        self.urls.len() * 2 > self.pages
    }
}
