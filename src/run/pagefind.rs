//! Sites that mark what Pagefind may find (docs/semantics.md, section 4.5).
//!
//! Pagefind leaves out the pages without `data-pagefind-body` as soon as one page of a site has it. Collected before any
//! page is filtered, so that order and threads change nothing. A page that holds the name and cannot be read counts as one
//! that has the attribute. What cannot be read twice is not at hand: there the switch `pagefind-site` says it.

use std::collections::HashSet;

use url::Url;

use crate::bot::Bot;
use crate::dialect::{Dialects, PAGEFIND_BODY};
use crate::error::Result;
use crate::filter::Filter;
use crate::input::{Document, Word, authority};

use super::feed::fed;
use super::gate::AtTheGate;

/// The sites found so far.
#[derive(Debug)]
pub(super) struct PagefindSites {
    found: HashSet<String>,
    /// Hears nothing but the attribute.
    probe: Filter,
}

/// What a page that has the attribute must hold.
pub(super) const WORD: Word = Word(b"data-pagefind-body", 13);

impl PagefindSites {
    pub(super) fn new() -> Result<Self> {
        let dialects = Dialects::parse(&format!("none,+{PAGEFIND_BODY}"))?;
        Ok(Self { found: HashSet::new(), probe: Filter::new(Bot::new("heedful")?).dialects(dialects) })
    }

    pub(super) fn add(&mut self, document: &Document) {
        let Ok(url) = Url::parse(document.url()) else { return };
        let site = authority(&url);
        if !self.found.contains(&site) && may_mark(document.bytes()) && self.marks(document).unwrap_or(true) {
            self.found.insert(site);
        }
    }

    fn marks(&self, document: &Document) -> Result<bool> {
        let pass = fed(self.probe.open(document.url())?, document, &AtTheGate::default(), &[])?;
        let page = pass.end()?;
        Ok(page.directives().any(|directive| directive.dialect() == PAGEFIND_BODY))
    }

    /// A filter that knows them, besides those that it knows.
    pub(super) fn known_to(self, filter: Filter) -> Filter {
        filter.pagefind_sites(&self.found)
    }
}

/// Whether a page may have the attribute. Of one in two bytes a character nothing is known before it is read.
fn may_mark(page: &[u8]) -> bool {
    page.iter().take(1024).any(|byte| *byte == 0) || WORD.is_in(page)
}
