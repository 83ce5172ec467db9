//! The addresses of a page: its own URLs, and the licences that it names.

use std::collections::HashSet;

use url::Url;

use crate::policy::Uses;
use crate::scope::{Licence, PassTerms};

/// The addresses of a page.
#[derive(Debug, Default)]
pub(super) struct PageSite {
    /// The page's own URLs. The pass was opened with the first.
    pub(super) urls: Vec<Url>,
    /// The addresses of the licences named so far.
    licences: HashSet<String>,
}

impl PageSite {
    /// Adds the address of a licence. Returns the number of licences so far, or 0 if this one is
    /// known.
    pub(super) fn add_licence(&mut self, address: &str) -> u64 {
        if self.licences.insert(address.to_owned()) {
            self.licences.len() as u64
        } else {
            0
        }
    }

    /// The uses that a licence denies to the page.
    pub(super) fn denied_by(&self, licence: &Licence) -> Uses {
        let mut denied = Uses::NONE;
        for url in &self.urls {
            denied = denied.union(licence.denies(url));
        }
        denied
    }

    pub(super) fn is_of_pagefind(&self, terms: &PassTerms) -> bool {
        self.urls
            .first()
            .is_some_and(|url| terms.is_of_pagefind(url))
    }
}
