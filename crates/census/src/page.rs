//! The counts that one page adds to a census.
//!
//! Characters of text are counted for each verdict while the page is read. Neither text nor URL is
//! stored. All other counts of a page are made after its pass. A page adds one to the number of
//! pages of a row, even if it has several statements of the row. Each of these statements adds one
//! to the row's number of statements.

use std::collections::BTreeMap;

use heedful::internals::policy::derived;
use heedful::{
    Directive, DirectiveId, Extent, Judged, PageEnd, Policy, Sink, Use, Verdict, VerdictId,
};
use heedful_base::bot::{BotId, BotSet};
use heedful_base::error::Result;

use super::names::{Audience, Carrier, PagePlace, StatementSide};
use super::row::{CensusRow, CensusStatement, ConventionId, Count, subjects_and_kind};

/// Uses that concern text. All other uses concern links or images.
const OF_TEXT: [Use; 6] = [
    Use::Index,
    Use::Archive,
    Use::Snippet,
    Use::Translate,
    Use::Train,
    Use::Input,
];

/// Sink of a census: counts the characters of visible text, separately for each verdict. Stores no
/// text.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_census::{Counter, Tally};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let counter = Counter::new(&filter)?;
/// // A function that feeds passes with this sink.
/// let feed = |mut pass: heedful::Pass<Tally>| {
///     pass.write(b"<p>Rye")?;
///     Ok(pass)
/// };
/// assert_eq!(counter.page("https://a.example/", feed)?, counter.page("https://a.example/b", feed)?);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Tally {
    /// Verdict of the latest visible text, and the number of characters since this verdict began.
    /// These characters are not yet in `characters`.
    run: (VerdictId, u64),
    characters: BTreeMap<VerdictId, u64>,
    /// Buffer into which the text of a token is decoded.
    room: String,
}

impl Tally {
    fn flush(&mut self) {
        let (verdict, characters) = std::mem::take(&mut self.run);
        if characters > 0 {
            *self.characters.entry(verdict).or_default() += characters;
        }
    }
}

impl Sink for Tally {
    #[inline]
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        if judged.is_visible_text() && !judged.token().is_blank() {
            if self.run.0 != judged.id() {
                self.flush();
                self.run.0 = judged.id();
            }
            self.run.1 += characters(judged.token().text_in(&mut self.room));
        }
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        self.flush();
        Ok(())
    }
}

/// Returns the number of characters of `text`, without white space.
fn characters(text: &str) -> u64 {
    let count = if text.is_ascii() {
        let bytes = text.bytes();
        bytes.filter(|b| !matches!(b, b' ' | b'\t'..=b'\r')).count()
    } else {
        text.chars().filter(|c| !c.is_whitespace()).count()
    };
    count as u64
}

/// Counts that one page adds to a census. Neither the URL nor the text of the page is stored.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter, RobotsTxt};
/// use heedful_census::{CensusRow, Counter};
///
/// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /");
/// let page = counter.page("https://example.com/", |mut pass| {
///     pass.robots_txt(&robots);
///     pass.write(b"<p>Rye")?;
///     Ok(pass)
/// })?;
/// assert!(page.has(CensusRow::KeptOut { bot: 0 }) && !page.has(CensusRow::Entered));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageCount {
    /// Hash of the page's site. The site is the host of the page's URL.
    pub(super) site: u64,
    pub(super) rows: BTreeMap<CensusRow, Count>,
}

impl PageCount {
    /// True if this page is counted in the census row `row`.
    pub fn has(&self, row: CensusRow) -> bool {
        self.rows.contains_key(&row)
    }
}

/// Result of a finished pass over a page: the sink with the counted characters, and the directives
/// and policies of the page.
pub(super) type CountedPass = (Tally, PageEnd);

/// Bots for which a census reads each page. The first `count` bots are the census's own. One more
/// bot, without a name, follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Readers {
    pub(super) count: usize,
}

impl Readers {
    fn all(self) -> BotSet {
        BotSet::all(self.count)
    }

    /// Returns the bot without a name. Only statements to all bots apply to it.
    fn nobody(self) -> BotId {
        BotId::nth(self.count)
    }
}

impl PageCount {
    /// Counts a page. `site` is the hash of the page's site. `all` is the result of reading the
    /// page with all conventions. `obeyed` is the result with only the conventions that the filter
    /// obeys. `obeyed` is `None` if both results would be the same.
    pub(super) fn new(
        site: u64,
        readers: Readers,
        all: &CountedPass,
        obeyed: Option<&CountedPass>,
    ) -> Self {
        let mut rows = CensusRows {
            rows: BTreeMap::new(),
            readers,
            entered: bots_let_in(&all.1, readers),
        };
        rows.page(&all.1);
        rows.effects(StatementSide::All, all);
        rows.effects(StatementSide::Obeyed, obeyed.unwrap_or(all));
        Self {
            site,
            rows: rows.rows,
        }
    }
}

/// Returns the bots that robots.txt allows to fetch the page.
fn bots_let_in(end: &PageEnd, readers: Readers) -> BotSet {
    let mut bots = readers.all();
    for directive in end.page_wide_directives() {
        if directive.extent() == Extent::Site {
            bots = bots.without(directive.bots());
        }
    }
    bots
}

/// Counts that one page adds to a census, by row. Rows in which the page is not counted are
/// missing.
struct CensusRows {
    rows: BTreeMap<CensusRow, Count>,
    readers: Readers,
    entered: BotSet,
}

impl CensusRows {
    fn row(&mut self, row: CensusRow) -> &mut Count {
        self.rows.entry(row).or_insert(Count::PAGE)
    }

    /// Counts the page in the row `row`. Adds `times` statements and `text` characters to this row.
    fn add(&mut self, row: CensusRow, times: u64, text: u64) {
        let count = self.row(row);
        count.times += times;
        count.text += text;
    }

    /// Counts the page itself, its statements and its notes.
    fn page(&mut self, end: &PageEnd) {
        self.row(CensusRow::Pages);
        let entered = self.entered;
        for bot in self.readers.all().without(entered).iter() {
            self.row(CensusRow::KeptOut { bot: number(bot) });
        }
        if !entered.is_empty() {
            self.row(CensusRow::Entered);
        }
        for directive in end.directives() {
            self.statement(directive);
        }
        for note in end.notes() {
            if !note.bots().and(entered).is_empty() {
                let convention = note.convention().map(ConventionId::find_or_other);
                self.row(CensusRow::Noted(note.kind(), convention));
            }
        }
    }

    /// Counts a publisher's statement. If a bot may not fetch the page, only the robots.txt rule
    /// that disallows the page is counted for this bot.
    fn statement(&mut self, directive: &Directive) {
        let bots = if directive.extent() == Extent::Site {
            self.readers.all()
        } else {
            self.entered
        };
        if directive.bots().and(bots).is_empty() {
            return;
        }
        let Some(carrier) = Carrier::from_directive(directive) else {
            return;
        };
        let convention = ConventionId::find_or_other(directive.convention());
        let audience = if directive.bots().contains(self.readers.nobody()) {
            Audience::Everyone
        } else {
            Audience::Named
        };
        self.add(CensusRow::Convention(convention), 1, 0);
        let (subjects, effect) = subjects_and_kind(directive);
        for subject in subjects {
            self.add(CensusRow::About(subject, effect), 1, 0);
            self.add(
                CensusRow::Said(CensusStatement {
                    convention,
                    carrier,
                    subject,
                    effect,
                    audience,
                }),
                1,
                0,
            );
        }
    }

    /// Counts the uses that the combined statements of the page deny to each bot. `by` says with
    /// which conventions the page was read. Bots that may not fetch the page are left out.
    fn effects(&mut self, by: StatementSide, (tally, end): &CountedPass) {
        for bot in self.entered.iter() {
            let Some(policy) = end.policy(bot) else {
                continue;
            };
            let text = tally.characters.values().sum();
            if by == StatementSide::All {
                self.row(CensusRow::Text { bot: number(bot) }).text = text;
            }
            for usage in Use::ALL {
                if policy.allows(usage) {
                    self.denied_in_parts(by, bot, usage, (tally, end));
                } else {
                    self.denied(by, bot, usage, &policy, text);
                }
            }
        }
    }

    /// Counts a page whose policy denies the use `usage` to the bot `id` for the whole page. `text`
    /// is the number of characters of the page.
    fn denied(&mut self, by: StatementSide, id: BotId, usage: Use, policy: &Policy, text: u64) {
        let bot = number(id);
        let text = if OF_TEXT.contains(&usage) { text } else { 0 };
        self.add(
            CensusRow::Denied {
                by,
                bot,
                usage,
                part: PagePlace::Page,
            },
            0,
            text,
        );
        if let Some(why) = policy.why(usage) {
            let convention = ConventionId::find_or_other(why.convention());
            self.add(
                CensusRow::Withheld {
                    by,
                    bot,
                    convention,
                    usage,
                },
                0,
                text,
            );
        }
    }

    /// Counts the text that regions and elements of the page withhold from the bot `id` for the use
    /// `usage`.
    fn denied_in_parts(
        &mut self,
        by: StatementSide,
        id: BotId,
        usage: Use,
        (tally, end): (&Tally, &PageEnd),
    ) {
        if !OF_TEXT.contains(&usage) {
            return;
        }
        let bot = number(id);
        for (verdict, text) in &tally.characters {
            let Some(decider) = decides(end.verdict(*verdict), usage, id) else {
                continue;
            };
            let Some(directive) = end.directive(decider) else {
                continue;
            };
            self.add(
                CensusRow::Denied {
                    by,
                    bot,
                    usage,
                    part: PagePlace::Text,
                },
                0,
                *text,
            );
            let convention = ConventionId::find_or_other(directive.convention());
            self.add(
                CensusRow::Withheld {
                    by,
                    bot,
                    convention,
                    usage,
                },
                0,
                *text,
            );
        }
    }
}

/// Returns the directive by which `verdict` denies the use `usage` to `bot`, directly or as a
/// consequence of another denied use. Returns `None` if the verdict allows the use.
fn decides(verdict: &Verdict, usage: Use, bot: BotId) -> Option<DirectiveId> {
    let mut winners = verdict.winners().iter();
    let winner = winners
        .find(|winner| winner.bots.contains(bot) && derived(winner.usage).contains(&usage))?;
    Some(winner.directive)
}

fn number(bot: BotId) -> u8 {
    u8::try_from(bot.index()).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_no_text() {
        for (text, expected) in [
            ("", 0),
            (" \t\r\n\x0B\x0C", 0),
            ("a b", 2),
            ("\u{1}\u{1f}x", 3),
            ("ä\u{a0}\u{3000}ö", 2),
        ] {
            assert_eq!(characters(text), expected, "{text:?}");
        }
    }
}
