//! Counts the words, phrases and links of a page for one bot, and the cuts in the bot's snapshot.

use crate::page::Page;
use crate::policy::Use;

use super::sink::WordRun;

/// Counts for one page and one bot: words, phrases, links and cuts. A cut is a place where the
/// bot's snapshot leaves something out. Words and links have two counts: one of all, and one of
/// those that the bot may use.
///
/// ```
/// use heedful::{Bot, BotId, Filter, Use};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.write(b"<p>Dark <!--googleoff: index-->bread<!--googleon: index--> with rye")?;
/// let totals = pass.end()?.totals(BotId::FIRST);
/// assert_eq!(totals.words(), 4);
/// assert_eq!(totals.withheld_words(Use::Index), 1);
/// assert_eq!(totals.phrases(), 2);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    words: u64,
    /// For each use, the number of words for which no directive about a part of the page denies the
    /// use. Directives about the whole page are ignored.
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

    /// Returns the number of words in the body text, whether withheld or not. A word that the end
    /// of a phrase divides counts once for each piece.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Returns the number of words that the bot may use for `usage`. The verdict at the start of
    /// each word decides. For [`Use::Index`] this is the number of words in [`Page::phrases`].
    pub fn allowed_words(&self, usage: Use) -> u64 {
        if self.allowed[usage as usize] {
            self.words_allowed_in_parts(usage)
        } else {
            0
        }
    }

    /// Returns the number of words for which no directive about a part of the page denies `usage`.
    /// Directives about the whole page are ignored.
    #[doc(hidden)]
    pub fn words_allowed_in_parts(&self, usage: Use) -> u64 {
        self.kept_in_parts[usage as usize]
    }

    /// Returns the number of words that the bot may not use for `usage`.
    pub fn withheld_words(&self, usage: Use) -> u64 {
        self.words - self.allowed_words(usage)
    }

    /// Returns the number of phrases of the body text that the bot may index.
    pub fn phrases(&self) -> usize {
        self.phrases
    }

    /// Returns the number of links in [`Page::links`], whether the bot may follow them or not.
    pub fn links(&self) -> usize {
        self.links
    }

    /// Returns the number of links that the bot may follow.
    pub fn followed(&self) -> usize {
        self.followed
    }

    /// Returns the number of links whose anchor text the bot may credit to the link's target.
    pub fn credited(&self) -> usize {
        self.credited
    }

    /// Returns the number of places where the bot's snapshot leaves something out. 0 if the bot may
    /// not have a snapshot.
    pub fn cuts(&self) -> usize {
        self.cuts
    }
}

/// Returns the number of all words in `words`. Also returns, for each use, the number of words for
/// which no directive about a part of the page denies this use. Directives about the whole page are
/// ignored.
fn count(page: &Page, words: &[WordRun]) -> (u64, [u64; Use::COUNT]) {
    let mut all = 0;
    let mut kept = [0; Use::COUNT];
    let mut before = None;
    for run in words {
        let verdict = page.outcome().verdict(run.verdict);
        // Text that was withheld only at the end of the page splits a word too.
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

/// Returns the number of places where the bot's snapshot leaves something out. Adjacent withheld
/// ranges count as one place.
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
