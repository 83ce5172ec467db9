//! The addresses of a page: its own URLs, the base of its addresses, and the licences that it names.

use std::collections::HashSet;

use url::Url;

use crate::policy::Facets;
use crate::scope::{Licence, PassTerms};

/// The addresses of a page.
#[derive(Debug)]
pub(super) struct Site {
    /// The base of relative addresses.
    pub(super) base: Url,
    has_base: bool,
    /// The page's own URLs. The pass was opened with the first.
    pub(super) urls: Vec<Url>,
    /// The addresses of the licences named so far.
    licences: HashSet<String>,
}

impl Site {
    pub(super) fn new(url: &Url) -> Self {
        Self { base: url.clone(), has_base: false, urls: Vec::new(), licences: HashSet::new() }
    }

    /// Takes a base for relative addresses. Returns true if it is the first, since only the first counts.
    pub(super) fn stands_at(&mut self, href: &str) -> bool {
        let is_first = !std::mem::replace(&mut self.has_base, true);
        if is_first {
            self.base = self.base.join(href.trim()).unwrap_or_else(|_| self.base.clone());
        }
        is_first
    }

    /// Takes the address of a licence. Returns the number of licences so far, or 0 if this one was named before.
    pub(super) fn names_licence(&mut self, address: &str) -> u64 {
        if self.licences.insert(address.to_owned()) { self.licences.len() as u64 } else { 0 }
    }

    /// The facets that a licence denies to the page.
    pub(super) fn denied_by(&self, licence: &Licence) -> Facets {
        self.urls.iter().fold(Facets::NONE, |denied, url| denied.with(licence.denies(url)))
    }

    pub(super) fn is_of_pagefind(&self, terms: &PassTerms) -> bool {
        self.urls.first().is_some_and(|url| terms.is_of_pagefind(url))
    }
}
