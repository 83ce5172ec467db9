//! Reports mistakes that only a comparison of a site's pages shows: canonical links to pages that
//! may not be indexed.

use std::collections::HashMap;

use url::Url;

use heedful_base::address::Key;

use super::finding::{Finding, Linted};

/// The pages of a run, for checks that compare several pages. The collection stores the URL of each
/// page, and the URL to which a canonical link of the page leads.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_lint::SitePages;
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut site = SitePages::default();
/// for (number, url, html) in [
///     (1, "https://example.com/a", "<link rel=canonical href=/b><p>Rye"),
///     (2, "https://example.com/b", "<meta name=robots content=noindex><p>Rye"),
/// ] {
///     let mut pass = heedful_lint::open(&filter, url)?;
///     pass.write(html.as_bytes())?;
///     site.add(number, url, &heedful_lint::end(pass, url, [])?);
/// }
/// let findings = site.findings();
/// assert_eq!((findings[0].0, findings[0].1.rule().id()), (1, "canonical-noindex"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct SitePages {
    /// For each page, the reason why it may not be indexed. None for a page that may be indexed.
    pages: HashMap<Key<'static>, Option<String>>,
    canonical: Vec<(u64, Key<'static>, Finding)>,
}

impl SitePages {
    /// Adds the page at `url`. [`SitePages::findings`] identifies the page by `number`, which the
    /// caller chooses. A page with an invalid URL is ignored.
    pub fn add(&mut self, number: u64, url: &str, linted: &Linted) {
        let Ok(url) = Url::parse(url) else { return };
        let key = Key::of_url(&url).into_owned();
        if let Some((target, place)) = &linted.canonical
            && *target != key
        {
            self.canonical.push((
                number,
                target.clone(),
                Finding::new("canonical-noindex", Some(*place), String::new()),
            ));
        }
        self.pages.insert(key, linted.noindex.clone());
    }

    /// Returns all findings. Each finding is paired with the number of its page, which the caller
    /// passed to [`SitePages::add`].
    pub fn findings(self) -> Vec<(u64, Finding)> {
        let mut findings = Vec::new();
        for (number, target, finding) in self.canonical {
            if let Some(Some(why)) = self.pages.get(&target) {
                let message = format!(
                    "the canonical page {target} may not be indexed, by {why}: neither of the two is found"
                );
                findings.push((number, Finding { message, ..finding }));
            }
        }
        findings
    }
}
