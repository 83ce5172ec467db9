//! Collects the sites that mark their content for the search tool Pagefind (docs/semantics.md,
//! section 4.5).
//!
//! As soon as one page of a site has the attribute `data-pagefind-body`, Pagefind leaves out all
//! pages of that site that lack the attribute. These sites are collected before any page is
//! filtered, so the order of pages and the number of threads change nothing. A page that contains
//! the name of the attribute but cannot be parsed counts as having it. The pages of a pipe cannot
//! be read in advance; for them the switch `pagefind-site` decides.

use std::collections::HashSet;

use url::Url;

use heedful::internals::convention::PAGEFIND_BODY;
use heedful::{Conventions, Filter};
use heedful_base::address::authority;
use heedful_base::bot::Bot;
use heedful_base::error::Result;
use heedful_input::{FetchedPage, SpelledWord};

use super::feed::pass_document;
use super::gate::GateRules;

/// Sites with at least one page that has the attribute `data-pagefind-body`.
#[derive(Debug)]
pub(super) struct PagefindSites {
    found: HashSet<String>,
    /// Filter that searches a page for the attribute. It obeys no convention except that of
    /// Pagefind.
    probe: Filter,
}

/// Byte string that every page with the attribute `data-pagefind-body` contains.
pub(super) const WORD: SpelledWord = SpelledWord(b"data-pagefind-body", 13);

impl PagefindSites {
    pub(super) fn new() -> Result<Self> {
        let conventions = Conventions::parse(&format!("none,+{PAGEFIND_BODY}"))?;
        Ok(Self {
            found: HashSet::new(),
            probe: Filter::new(Bot::new("heedful")?).conventions(conventions),
        })
    }

    pub(super) fn add(&mut self, document: &FetchedPage) {
        let Ok(url) = Url::parse(document.url()) else {
            return;
        };
        let site = authority(&url);
        if !self.found.contains(&site)
            && may_mark(document.bytes())
            && self.marks(document).unwrap_or(true)
        {
            self.found.insert(site);
        }
    }

    fn marks(&self, document: &FetchedPage) -> Result<bool> {
        let pass = pass_document(
            self.probe.open(document.url())?,
            document,
            &GateRules::default(),
        )?;
        let page = pass.end()?;
        Ok(page
            .directives()
            .any(|directive| directive.convention() == PAGEFIND_BODY))
    }

    /// Returns a copy of `filter` that also knows these sites, which mark their content for the
    /// search tool Pagefind.
    pub(super) fn known_to(self, filter: Filter) -> Filter {
        filter.pagefind_sites(&self.found)
    }
}

/// True if a page may have the attribute `data-pagefind-body`. If a NUL is in the first 1,024
/// bytes, each character of the page may have two bytes. This function does not decode such a page,
/// and returns true.
fn may_mark(page: &[u8]) -> bool {
    page.iter().take(1024).any(|byte| *byte == 0) || WORD.is_in(page)
}
