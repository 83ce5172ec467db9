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
        if let Some((target, place)) = linted
            .canonical
            .clone()
            .filter(|(target, _)| *target != key)
        {
            self.canonical.push((
                number,
                target,
                Finding::new("canonical-noindex", Some(place), String::new()),
            ));
        }
        self.pages.insert(key, linted.noindex.clone());
    }

    /// The findings, each with the number of its page.
    pub fn findings(self) -> Vec<(u64, Finding)> {
        let told = |(number, target, finding): (u64, Key<'static>, Finding)| {
            let why = self.pages.get(&target)?.as_ref()?;
            let message = format!(
                "the canonical page {target} may not be indexed, by {why}: neither of the two is found"
            );
            Some((number, Finding { message, ..finding }))
        };
        self.canonical.into_iter().filter_map(told).collect()
    }
}
