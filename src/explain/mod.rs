//! Explains what each bot may use of a page: every directive, its reach, and its outcome.
//!
//! An explanation is for people: the publisher who misses a word, the operator who is asked why. An
//! [`Explanation`] has the page as each bot may have it. It also has the page's decoded source,
//! **with its withheld parts**: never put it into an index. This folder decides nothing; it reads
//! what the pass has recorded. A statement that addresses no bot of the pass is not recorded, so it
//! is not explained.

mod difference;
mod effects;
mod order;
mod part;
mod sink;
mod totals;

use std::ops::Range;

use crate::ledger::PageEnd;
use crate::note::Note;
use crate::page::Page;
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Use, Verdict};
use heedful_base::bot::{BotId, BotSet};
use heedful_robots::{RobotsTxt, Ruling, SiteFile};

pub use difference::Difference;
pub use effects::{DirectiveOutcome, Effect};
pub use part::{PartKind, SourcePart};
pub use sink::ExplainSink;
pub use totals::Totals;

use effects::BotEffects;
use order::Order;

/// The page as each bot of the pass may have it, with all directives about the page. Each directive
/// has its reach (the bytes to which it applies) and its outcome.
/// [`Filter::explain`](crate::Filter::explain) begins a pass that ends with an explanation.
///
/// ```
/// use heedful::{Bot, BotId, Use, Filter};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.write(b"<p>one <b class=robots-noindex>two</b> <b class=robots-noindex></b>")?;
/// let explanation = pass.end()?;
/// let effects = explanation.effects(BotId::FIRST);
/// for (explained, effects) in explanation.directives().iter().zip(effects) {
///     println!("{}: {}", explained.directive().text(), effects[0].outcome());
/// }
/// let is_withheld = |at: &str| {
///     let start = explanation.source().find(at).unwrap();
///     let part = explanation.parts().iter().find(|part| part.range().contains(&start)).unwrap();
///     !explanation.denied(part, Use::Index).is_empty()
/// };
/// assert!(is_withheld("two") && !is_withheld("one"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Explanation {
    pages: Vec<Page>,
    source: String,
    /// Byte offset in `source` at which each line starts.
    lines: Vec<u64>,
    parts: Vec<SourcePart>,
    directives: Vec<ExplainedDirective>,
    /// Maps a directive's number in the pass to its index in `directives`.
    order: Order,
    /// Runs of consecutive words of the body text that have one verdict, in source order.
    words: Vec<sink::WordRun>,
}

/// A directive about the page, and the byte range of the page to which it applies (its reach).
///
/// ```
/// use heedful::{Bot, Filter};
///
/// let html = b"<p>Dark <!--googleoff: index-->bread<!--googleon: index--> with rye";
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.write(html)?;
/// let explanation = pass.end()?;
/// let explained = &explanation.directives()[0];
/// assert_eq!(explained.directive().convention(), "googleoff");
/// let offset = explanation.source().find("bread").unwrap();
/// assert!(explained.reach().unwrap().contains(&(offset as u64)));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct ExplainedDirective {
    id: DirectiveId,
    directive: Directive,
    reach: Option<Range<u64>>,
}

impl ExplainedDirective {
    /// Returns the number that the pass gave to the directive.
    pub fn id(&self) -> DirectiveId {
        self.id
    }

    /// Returns the directive itself, with its text and its source.
    pub fn directive(&self) -> &Directive {
        &self.directive
    }

    /// Returns the byte range in the decoded page to which the directive applies. For an empty
    /// region, the range is empty. Returns `None` if the directive is about the whole page.
    pub fn reach(&self) -> Option<Range<u64>> {
        self.reach.clone()
    }
}

impl Explanation {
    pub(super) fn new(pages: Vec<Page>, record: sink::ExplainRecord) -> Self {
        let outcome = pages.first().map(Page::outcome);
        let (directives, order) = outcome.map(in_source_order).unwrap_or_default();
        let lines = line_starts(&record.source);
        Self {
            pages,
            source: record.source,
            lines,
            parts: record.parts,
            directives,
            order,
            words: record.words,
        }
    }

    /// Returns one page for each bot, in the order of the filter's bots. Each page has only the
    /// content that its bot may have.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
    /// let mut pass = filter.explain("https://example.com/")?;
    /// pass.write(b"<meta name=foobot content=noindex><p>Dark bread")?;
    /// let phrases: Vec<_> = pass.end()?.pages().iter().map(|page| page.phrases().len()).collect();
    /// assert_eq!(phrases, [0, 1]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// Returns the page as `bot` may have it. Returns `None` if the pass does not have this bot.
    pub fn page(&self, bot: BotId) -> Option<&Page> {
        self.pages.get(bot.index())
    }

    /// Returns the source of the whole decoded page, withheld parts included.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns all directives about the page that are addressed to a bot of the pass. Directives
    /// from robots.txt, the operator and headers come first. Directives in the page follow in
    /// source order.
    pub fn directives(&self) -> &[ExplainedDirective] {
        &self.directives
    }

    /// Returns the outcomes of each directive for `bot`, in the order of
    /// [`Explanation::directives`]. Each inner list has an outcome for each use or limit of the
    /// directive. An inner list is empty if the directive is not addressed to the bot.
    pub fn effects(&self, bot: BotId) -> Vec<Vec<Effect>> {
        let Some(page) = self.page(bot) else {
            return Vec::new();
        };
        let effects = BotEffects::new(page, &self.order);
        self.directives
            .iter()
            .map(|explained| effects.effects(explained.id, &explained.directive))
            .collect()
    }

    /// Returns the notes on what looked wrong in the page. Leaves out notes that concern only bots
    /// for which a robots.txt disallows the page.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        let entered: BotSet = self
            .pages
            .iter()
            .filter(|page| page.policy().may_fetch())
            .map(Page::bot_id)
            .collect();
        let outcome = self.pages.first().map(Page::outcome);
        outcome
            .into_iter()
            .flat_map(PageEnd::notes)
            .filter(move |note| !note.bots().and(entered).is_empty())
    }

    /// Returns the ruling of each robots.txt in `files` for each bot. A ruling tells whether the
    /// bot may fetch the page. Each ruling comes with its robots.txt, and with the bot's page.
    /// Other files, such as a tdmrep.json, are skipped, since they never disallow a page.
    #[doc(hidden)]
    pub fn rulings<'a, 'r>(
        &'a self,
        files: &'r [RobotsTxt],
    ) -> impl Iterator<Item = (&'r RobotsTxt, &'a Page, Ruling<'r>)> {
        let robots = files
            .iter()
            .filter(|file| file.site_file() == SiteFile::Robots);
        let asked = robots.flat_map(|robots| self.pages.iter().map(move |page| (robots, page)));
        asked.map(|(robots, page)| {
            (
                robots,
                page,
                robots.ruling_of(page.bot(), page.url(), page.also_at()),
            )
        })
    }

    /// Returns counts for `bot`: words, phrases and links of the page, and cuts in the bot's
    /// snapshot. All counts are 0 if the pass does not have this bot.
    pub fn totals(&self, bot: BotId) -> Totals {
        match self.page(bot) {
            Some(page) => Totals::new(page, &self.words),
            None => Totals::default(),
        }
    }

    /// Returns the parts of the page that some bots of the pass may use and others may not, in
    /// source order.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
    /// let mut pass = filter.explain("https://example.com/")?;
    /// pass.write(b"<meta name=robots content=noindex><p>Dark bread")?;
    /// assert!(pass.end()?.differences().is_empty()); // the META is for both bots
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn differences(&self) -> Vec<Difference> {
        difference::differences(&self.pages, &self.order)
    }

    /// Returns the number of the line that contains the byte offset `at` of the decoded page. Lines
    /// are counted from 1.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
    /// pass.write(b"<p>Dark\r\nbread\rwith rye")?;
    /// let explanation = pass.end()?;
    /// let offset = explanation.source().find("rye").unwrap();
    /// assert_eq!(explanation.line(offset as u64), 3);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn line(&self, at: u64) -> u32 {
        let line = self.lines.partition_point(|start| *start <= at);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// Returns the numbers of the lines that contain the first and the last byte of `range`. Lines
    /// are counted from 1. For an empty range, both numbers are the line of its start.
    pub fn lines(&self, range: &Range<u64>) -> (u32, u32) {
        (
            self.line(range.start),
            self.line(range.end.saturating_sub(1).max(range.start)),
        )
    }

    /// Returns the parts of the decoded page in source order, without gaps. All bytes of a part
    /// have the same kind and the same verdict.
    pub fn parts(&self) -> &[SourcePart] {
        &self.parts
    }

    /// Returns the bots that may not use `part` for `usage`, by a directive about this part or
    /// about the whole page.
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, Use};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
    /// pass.header("X-Robots-Tag", "nosnippet");
    /// pass.write(b"<p>Dark bread")?;
    /// let explanation = pass.end()?;
    /// let part = &explanation.parts()[0];
    /// assert!(explanation.denied(part, Use::Snippet).contains(BotId::FIRST)); // by the header
    /// assert!(explanation.denied(part, Use::Index).is_empty());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn denied(&self, part: &SourcePart, usage: Use) -> BotSet {
        let mut denied = self.verdict(part).denied(usage);
        for page in &self.pages {
            if !page.policy().allows(usage) {
                denied = denied.or(BotSet::single(page.bot_id()));
            }
        }
        denied
    }

    /// Returns the denials of the regions and elements around `part`. Denials for the whole page
    /// are not included.
    #[doc(hidden)]
    pub fn verdict(&self, part: &SourcePart) -> &Verdict {
        self.pages[0].outcome().verdict(part.verdict)
    }

    /// Returns the index in [`Explanation::directives`] of the directive with the number `id`.
    /// Returns `None` if there is no such directive.
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, Use};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
    /// pass.header("X-Robots-Tag", "nosnippet");
    /// pass.write(b"<meta name=robots content=noindex>")?;
    /// let explanation = pass.end()?;
    /// let meta = explanation.directives()[1].id();
    /// assert_eq!(explanation.directive_index(meta), Some(1));
    /// assert!(!explanation.page(BotId::FIRST).unwrap().policy().allows(Use::Index));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn directive_index(&self, id: DirectiveId) -> Option<usize> {
        self.order.0.get(id.index()).copied()
    }
}

fn in_source_order(outcome: &PageEnd) -> (Vec<ExplainedDirective>, Order) {
    let mut numbered: Vec<_> = outcome.numbered_directives().collect();
    numbered.sort_by_key(|(_, directive)| {
        let is_about_part = !directive.extent().is_page_wide();
        (directive.place().map(Place::start), is_about_part)
    });
    let mut order = Order(vec![0; numbered.len()]);
    let mut directives = Vec::with_capacity(numbered.len());
    for (at, (id, directive)) in numbered.into_iter().enumerate() {
        order.0[id.index()] = at;
        directives.push(ExplainedDirective {
            id,
            directive: directive.clone(),
            reach: outcome.reach(id),
        });
    }
    (directives, order)
}

/// Returns the byte offset in `source` at which each line starts. LF, CR and CR LF each end a line.
fn line_starts(source: &str) -> Vec<u64> {
    let bytes = source.as_bytes();
    let mut starts = vec![0];
    for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
        let is_end = bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        if is_end {
            starts.push(at as u64 + 1);
        }
    }
    starts
}
