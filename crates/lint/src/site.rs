//! Problems that show only between the pages of a run.

use std::collections::HashMap;

use url::Url;

use heedful_base::address::Key;

use super::finding::{Finding, Linted};

/// The pages of a run and their canonical links. It keeps one URL for each page, and two for one
/// with a canonical page.
#[derive(Debug, Default)]
pub struct SitePages {
    /// The reason why each page may not be indexed; None for a page that may be.
    pages: HashMap<Key<'static>, Option<String>>,
    canonical: Vec<(u64, Key<'static>, Finding)>,
}

impl SitePages {
    /// Adds a page. `number` is the caller's number for it.
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

    /// The findings, each with the number of its page.
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
