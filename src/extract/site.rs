//! Addresses of a page: its own URLs, and those of the licences that it names.

use std::collections::HashSet;

use url::Url;

use crate::policy::Uses;
use crate::scope::{Licence, PassTerms};

/// Addresses of a page. They are the page's own URLs, and the URLs of the licences that the page
/// names.
#[derive(Debug, Default)]
pub(super) struct PageSite {
    /// URLs of the page. The first is the one with which the pass was opened.
    pub(super) urls: Vec<Url>,
    /// Addresses of the licences that the page has named so far.
    licences: HashSet<String>,
}

impl PageSite {
    /// Adds the address of a licence. Returns the number of licences so far, or 0 if the address is
    /// known already.
    pub(super) fn add_licence(&mut self, address: &str) -> u64 {
        if self.licences.insert(address.to_owned()) {
            self.licences.len() as u64
        } else {
            0
        }
    }

    /// Returns the uses that a licence denies for any URL of the page.
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
