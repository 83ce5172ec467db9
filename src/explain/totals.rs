//! Counts of the parts of a page that one bot may have.

use crate::page::Page;
use crate::policy::Use;

use super::sink::WordRun;

/// Counts of the parts of a page that one bot may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    words: u64,
    /// The kept words, without regard to denials for the whole page.
    kept_in_parts: [u64; Use::COUNT],
    allowed: [bool; Use::COUNT],
    phrases: usize,
    links: usize,
    followed: usize,
    credited: usize,
    cuts: usize,
}

impl Totals {
    pub(super) fn new(page: &Page, words: &[WordRun]) -> Self {
        let (words, kept) = count(page, words);
        Self {
            words,
            kept_in_parts: kept,
            allowed: Use::ALL.map(|usage| page.policy().allows(usage)),
            phrases: page.phrases().len(),
            links: page.links().len(),
            followed: page.links().iter().filter(|link| link.may_follow()).count(),
            credited: page.links().iter().filter(|link| link.may_credit()).count(),
            cuts: cuts(page),
        }
    }

    /// The number of words of the body text. A word in which a phrase ends counts as several.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// The number of words that the bot may have for `usage`, by their start. For `index` this is
    /// the number of words in the phrases.
    pub fn kept(&self, usage: Use) -> u64 {
        if self.allowed[usage as usize] {
            self.kept_in_parts(usage)
        } else {
            0
        }
    }

    /// The number of words that no directive about a part withholds, whatever holds for the whole
    /// page.
    #[doc(hidden)]
    pub fn kept_in_parts(&self, usage: Use) -> u64 {
        self.kept_in_parts[usage as usize]
    }

    /// The number of words that the bot may not have for `usage`.
    pub fn withheld(&self, usage: Use) -> u64 {
        self.words - self.kept(usage)
    }

    /// The number of phrases of the body text that may be indexed.
    pub fn phrases(&self) -> usize {
        self.phrases
    }

    /// The number of links whose targets a bot can visit.
    pub fn links(&self) -> usize {
        self.links
    }

    /// The number of links that may be followed.
    pub fn followed(&self) -> usize {
        self.followed
    }

    /// The number of links whose text may be credited.
    pub fn credited(&self) -> usize {
        self.credited
    }

    /// The number of parts that a snapshot leaves out. It is 0 if there is no snapshot at all.
    pub fn cuts(&self) -> usize {
        self.cuts
    }
}

/// The number of all words, and of those that are kept for each use.
fn count(page: &Page, words: &[WordRun]) -> (u64, [u64; Use::COUNT]) {
    let mut all = 0;
    let mut kept = [0; Use::COUNT];
    let mut before = None;
    for run in words {
        let verdict = page.outcome().verdict(run.verdict);
        // Text that was withheld late ends a phrase too.
        let may_index = !verdict.denied(Use::Index).contains(page.bot_id());
        let goes_on =
            before.replace(may_index) == Some(may_index) && run.go_on.contains(page.bot_id());
        let count = run.count - u64::from(goes_on);
        all += count;
        for usage in Use::ALL {
            if !verdict.denied(usage).contains(page.bot_id()) {
                kept[usage as usize] += count;
            }
        }
    }
    (all, kept)
}

/// The number of cuts. Parts that follow on each other are one.
fn cuts(page: &Page) -> usize {
    if !page.policy().allows(Use::Archive) {
        return 0;
    }
    let mut cuts = 0;
    let mut end = None;
    for exclusion in page.exclusions() {
        if exclusion.usage() != Use::Archive {
            continue;
        }
        let range = exclusion.range();
        cuts += usize::from(end.is_none_or(|end| range.start > end));
        end = end.max(Some(range.end));
    }
    cuts
}
