//! Where a page stands: its own URLs, what addresses are relative to, the licences that it names.

use std::collections::HashSet;

use url::Url;

use crate::policy::Facets;
use crate::scope::{Licence, Terms};

/// Where the page stands.
#[derive(Debug)]
pub(super) struct Site {
    /// What addresses are relative to.
    pub(super) base: Url,
    has_base: bool,
    /// The page's own URLs; the first is the one that it was opened with.
    pub(super) urls: Vec<Url>,
    /// The licences that were named so far.
    licences: HashSet<String>,
}

impl Site {
    pub(super) fn new(url: &Url) -> Self {
        Self { base: url.clone(), has_base: false, urls: Vec::new(), licences: HashSet::new() }
    }

    /// The page says what addresses are relative to. Says whether it is the first to do so, and so counts.
    pub(super) fn stands_at(&mut self, href: &str) -> bool {
        let is_first = !std::mem::replace(&mut self.has_base, true);
        if is_first {
            self.base = self.base.join(href.trim()).unwrap_or_else(|_| self.base.clone());
        }
        is_first
    }

    /// A licence is named. Returns how many are so far, or 0 if this one was named before.
    pub(super) fn names_licence(&mut self, address: &str) -> u64 {
        if self.licences.insert(address.to_owned()) { self.licences.len() as u64 } else { 0 }
    }

    /// What a licence denies of the page.
    pub(super) fn denied_by(&self, licence: &Licence) -> Facets {
        self.urls.iter().fold(Facets::NONE, |denied, url| denied.with(licence.denies(url)))
    }

    pub(super) fn is_of_pagefind(&self, terms: &Terms) -> bool {
        self.urls.first().is_some_and(|url| terms.is_of_pagefind(url))
    }
}
