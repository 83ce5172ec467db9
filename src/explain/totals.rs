//! What one bot may have of a page, counted.

use crate::page::Page;
use crate::policy::Facet;
use crate::walk::VerdictId;

/// What one bot may have of a page, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    words: u64,
    kept: [u64; 8],
    phrases: usize,
    links: usize,
    followed: usize,
    credited: usize,
    cuts: usize,
}

impl Totals {
    pub(super) fn of(page: &Page, words: &[(VerdictId, u64)]) -> Self {
        Self {
            words: words.iter().map(|(_, count)| count).sum(),
            kept: Facet::ALL.map(|facet| kept(page, facet, words)),
            phrases: page.phrases().len(),
            links: page.links().len(),
            followed: page.links().iter().filter(|link| link.may_follow()).count(),
            credited: page.links().iter().filter(|link| link.may_credit()).count(),
            cuts: cuts(page),
        }
    }

    /// Words of the body text, with blanks between.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Those of them that the bot may have for `facet`.
    pub fn kept(&self, facet: Facet) -> u64 {
        self.kept[facet as usize]
    }

    /// Those of them that it may not.
    pub fn withheld(&self, facet: Facet) -> u64 {
        self.words - self.kept(facet)
    }

    /// Phrases of the body text that may be indexed.
    pub fn phrases(&self) -> usize {
        self.phrases
    }

    /// Links that lead somewhere.
    pub fn links(&self) -> usize {
        self.links
    }

    /// Those of them that may be followed.
    pub fn followed(&self) -> usize {
        self.followed
    }

    /// Those of them whose text may be credited.
    pub fn credited(&self) -> usize {
        self.credited
    }

    /// Parts that a snapshot leaves out; none where there is no snapshot at all.
    pub fn cuts(&self) -> usize {
        self.cuts
    }
}

fn kept(page: &Page, facet: Facet, words: &[(VerdictId, u64)]) -> u64 {
    if !page.policy().allows(facet) {
        return 0;
    }
    let may = |verdict: VerdictId| !page.outcome().verdict(verdict).denied(facet).contains(page.number());
    words.iter().filter(|(verdict, _)| may(*verdict)).map(|(_, count)| count).sum()
}

/// Parts that follow on each other are one.
fn cuts(page: &Page) -> usize {
    if !page.policy().allows(Facet::Archive) {
        return 0;
    }
    let (mut cuts, mut end) = (0, None);
    for exclusion in page.exclusions().filter(|exclusion| exclusion.facet() == Facet::Archive) {
        let range = exclusion.range();
        cuts += usize::from(end.is_none_or(|end| range.start > end));
        end = end.max(Some(range.end));
    }
    cuts
}
