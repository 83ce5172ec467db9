//! A report on many pages. It shows their directives, the shares of their words that are withheld,
//! unclosed regions, and the slowest pages.
//!
//! The memory of the report is bounded. Each table has a maximum number of rows. At most [`KEPT`]
//! directives and [`KEPT`] hosts are counted separately; all further ones share one count. Shares
//! of words are computed for the first bot only.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use askama::Template;
use url::Url;

use heedful::{DirectiveOutcome, Explanation, NoteKind, Page, Use};
use heedful_base::bot::{Bot, BotId};
use heedful_base::error::Error;

use super::explanation_words::place;
use super::render::render;
use super::wording;

/// Maximum number of different directives that the report counts separately. Further directives are
/// counted together, as [`OTHERS`]. The same maximum applies to hosts.
const KEPT: usize = 50_000;
const OTHERS: &str = "(others)";

/// Identity of a page in a report on many pages: its record in the inputs, and its URL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId {
    /// Name of the file that contains the page, and the offset or number of the page's record in
    /// that file.
    pub origin: String,
    /// URL of the page.
    pub url: String,
}

/// A report on many pages. It collects totals and tables while pages are added.
///
/// ```
/// use std::time::Duration;
/// use heedful::{Bot, Filter};
/// use heedful_report::{Overview, PageId};
///
/// let bot = Bot::new("FooBot")?;
/// let mut overview = Overview::new(&[bot.clone()], 10);
/// let mut pass = Filter::new(bot).explain("https://site.example/rye")?;
/// pass.write(b"<p>Rye <!--noindex-->and rue<!--/noindex-->")?;
/// let page = PageId { origin: "rye.html".to_owned(), url: "https://site.example/rye".to_owned() };
/// overview.add(&page, &pass.end()?, Duration::from_millis(2));
///
/// assert_eq!(overview.pages(), 1);
/// assert!(overview.linked_pages().contains(&page));
/// let html = overview.html(|page| Some(format!("{}.report.html", page.origin)));
/// assert!(html.contains("rye.html.report.html"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Overview {
    most: usize,
    bots: Vec<BotTotals>,
    pages: u64,
    failed: u64,
    bytes: u64,
    /// Histogram of the pages by the share of their words that is withheld. The first bar counts
    /// pages without withheld words, and each further bar covers a tenth.
    shares: [u64; 11],
    conventions: BTreeMap<&'static str, u64>,
    rules: HashMap<(&'static str, String), RuleTotals>,
    hosts: HashMap<String, HostTotals>,
    notes: BTreeMap<NoteKind, (u64, u64)>,
    withheld: Vec<WithheldPage>,
    unclosed: Vec<Unclosed>,
    unclosed_more: u64,
    slowest: Vec<SlowPage>,
    failures: Vec<(PageId, String)>,
}

/// Totals of all pages of the report for one bot.
#[derive(Clone, Debug, Default)]
struct BotTotals {
    name: String,
    entered: u64,
    indexed: u64,
    words: u64,
    allowed_words: u64,
    links: u64,
    followed: u64,
}

#[derive(Debug)]
struct RuleTotals {
    pages: u64,
    times: u64,
    obeyed: u64,
    first: PageId,
}

#[derive(Debug, Default)]
struct HostTotals {
    pages: u64,
    kept_out: u64,
    noindex: u64,
    words: u64,
    withheld: u64,
    /// Page with the most withheld words among the pages of the host, and the number of these
    /// words. `None` if no page has withheld words.
    worst: Option<(u64, PageId)>,
}

#[derive(Clone, Debug)]
struct WithheldPage {
    page: PageId,
    words: u64,
    withheld: u64,
    rules: usize,
    state: &'static str,
}

impl WithheldPage {
    /// Returns two numbers of words of the page: withheld words, and all words. If the whole page
    /// is withheld, its words may be unknown, so the result is `(1, 1)`.
    fn parts(&self) -> (u64, u64) {
        if self.state.is_empty() {
            (self.withheld, self.words)
        } else {
            (1, 1)
        }
    }

    fn share(&self) -> String {
        let (part, whole) = self.parts();
        percent(part, whole)
    }

    /// Returns the key by which withheld pages are sorted: the share of words that is withheld,
    /// then the number of withheld words.
    fn rank(&self) -> (u64, u64) {
        let (part, whole) = self.parts();
        (share(part, whole), self.withheld)
    }
}

#[derive(Clone, Debug)]
struct Unclosed {
    page: PageId,
    place: String,
    convention: &'static str,
    /// Number of withheld words of the whole page, inside and outside of the unclosed region.
    withheld: u64,
}

#[derive(Clone, Debug)]
struct SlowPage {
    page: PageId,
    took: Duration,
    bytes: u64,
}

impl Overview {
    /// Creates an empty report on many pages for these bots. Each of its tables has at most `most`
    /// rows.
    pub fn new(bots: &[Bot], most: usize) -> Self {
        Self {
            most,
            bots: bots.iter().map(BotTotals::new).collect(),
            pages: 0,
            failed: 0,
            bytes: 0,
            shares: [0; 11],
            conventions: BTreeMap::new(),
            rules: HashMap::new(),
            hosts: HashMap::new(),
            notes: BTreeMap::new(),
            withheld: Vec::new(),
            unclosed: Vec::new(),
            unclosed_more: 0,
            slowest: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Adds the explanation of a page to the report. `took` is the time in which the page was read.
    pub fn add(&mut self, page: &PageId, explanation: &Explanation, took: Duration) {
        self.pages += 1;
        let bytes = explanation.source().len() as u64;
        self.bytes += bytes;
        for (totals, page) in self.bots.iter_mut().zip(explanation.pages()) {
            totals.add(explanation, page);
        }
        self.add_share(page, explanation);
        self.add_rules(page, explanation);
        self.add_notes(page, explanation);
        self.slowest.push(SlowPage {
            page: page.clone(),
            took,
            bytes,
        });
        keep(&mut self.slowest, self.most, |slow| slow.took.as_nanos());
    }

    /// Adds to the report a page that could not be read, together with the error.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_report::{Overview, PageId};
    ///
    /// let mut overview = Overview::new(&[Bot::new("FooBot")?], 10);
    /// let error = Filter::new(Bot::new("FooBot")?).page("no URL", &[], b"").unwrap_err();
    /// overview.fail(PageId { origin: "crawl.warc".to_owned(), url: "no URL".to_owned() }, &error);
    /// assert_eq!(overview.pages(), 1);
    /// assert!(overview.html(|_| None).contains("no URL"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn fail(&mut self, page: PageId, error: &Error) {
        self.pages += 1;
        self.failed += 1;
        if self.failures.len() < self.most {
            self.failures.push((page, error.to_string()));
        }
    }

    /// Returns the number of pages in the report, including pages that could not be read.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    fn add_share(&mut self, page: &PageId, explanation: &Explanation) {
        let policy = explanation.pages()[0].policy();
        let totals = explanation.totals(BotId::FIRST);
        let words = totals.words();
        let withheld = totals.withheld_words(Use::Index);
        let tenth = match withheld {
            // No word of a page that is kept out was read, so its words are unknown.
            _ if !policy.allows(Use::Index) => 10,
            0 => 0,
            _ => (withheld * 10).div_ceil(words.max(1)).clamp(1, 10),
        };
        self.shares[usize::try_from(tenth).unwrap_or(10)] += 1;
        let state = if !policy.may_fetch() {
            "kept out"
        } else if !policy.allows(Use::Index) {
            "noindex"
        } else {
            ""
        };
        let rules = explanation.directives().len();
        if rules > 0 {
            self.withheld.push(WithheldPage {
                page: page.clone(),
                words,
                withheld,
                rules,
                state,
            });
            keep(&mut self.withheld, self.most, WithheldPage::rank);
        }
        let name = host_name(&page.url);
        let is_known = self.hosts.contains_key(&name) || self.hosts.len() < KEPT;
        let host = self
            .hosts
            .entry(if is_known { name } else { OTHERS.to_owned() })
            .or_default();
        host.pages += 1;
        host.kept_out += u64::from(!policy.may_fetch());
        host.noindex += u64::from(policy.may_fetch() && !policy.allows(Use::Index));
        host.words += words;
        host.withheld += withheld;
        let worst = host.worst.as_ref();
        if worst.is_none_or(|(worst, _)| withheld > *worst) {
            host.worst = Some((withheld, page.clone()));
        }
    }

    fn add_rules(&mut self, page: &PageId, explanation: &Explanation) {
        let mut here: BTreeMap<(&'static str, &str), (u64, bool)> = BTreeMap::new();
        for (explained, effects) in explanation
            .directives()
            .iter()
            .zip(explanation.effects(BotId::FIRST))
        {
            let directive = explained.directive();
            let (times, is_obeyed) = here
                .entry((directive.convention(), directive.text()))
                .or_default();
            *times += 1;
            *is_obeyed |= wording::outcome(&effects) == Some(DirectiveOutcome::Obeyed);
        }
        let conventions: BTreeSet<_> = here.keys().map(|(convention, _)| *convention).collect();
        for convention in conventions {
            *self.conventions.entry(convention).or_default() += 1;
        }
        for ((convention, text), (times, is_obeyed)) in here {
            let key = (convention, text.to_owned());
            let is_known = self.rules.contains_key(&key) || self.rules.len() < KEPT;
            let key = if is_known {
                key
            } else {
                (convention, OTHERS.to_owned())
            };
            let rule = self.rules.entry(key).or_insert_with(|| RuleTotals {
                pages: 0,
                times: 0,
                obeyed: 0,
                first: page.clone(),
            });
            rule.pages += 1;
            rule.times += times;
            rule.obeyed += u64::from(is_obeyed);
        }
    }

    fn add_notes(&mut self, page: &PageId, explanation: &Explanation) {
        let mut kinds = BTreeSet::new();
        for note in explanation.notes() {
            let (pages, times) = self.notes.entry(note.kind()).or_default();
            *pages += u64::from(kinds.insert(note.kind()));
            *times += 1;
            if note.kind() != NoteKind::UnclosedRegion {
                continue;
            }
            let withheld = explanation.totals(BotId::FIRST).withheld_words(Use::Index);
            self.unclosed.push(Unclosed {
                page: page.clone(),
                place: place(note.place()),
                convention: note.convention().unwrap_or_default(),
                withheld,
            });
            self.unclosed_more += u64::from(self.unclosed.len() > self.most);
            keep(&mut self.unclosed, self.most, |unclosed| unclosed.withheld);
        }
    }

    fn top_rules(&self) -> Vec<(&(&'static str, String), &RuleTotals)> {
        let mut rules: Vec<_> = self.rules.iter().collect();
        rules.sort_by(|(key, rule), (other_key, other)| {
            (other.pages, other.times, *key).cmp(&(rule.pages, rule.times, *other_key))
        });
        rules.truncate(self.most);
        rules
    }

    fn top_hosts(&self) -> Vec<(&String, &HostTotals)> {
        let mut hosts: Vec<_> = self.hosts.iter().collect();
        hosts.sort_by(|(name, host), (other_name, other)| {
            (other.pages, *name).cmp(&(host.pages, *other_name))
        });
        hosts.truncate(self.most);
        hosts
    }

    fn top_withheld(&self) -> Vec<&WithheldPage> {
        sorted(&self.withheld, self.most, WithheldPage::rank)
    }

    fn top_unclosed(&self) -> Vec<&Unclosed> {
        sorted(&self.unclosed, self.most, |region| region.withheld)
    }

    fn slowest(&self) -> Vec<&SlowPage> {
        sorted(&self.slowest, self.most, |page| page.took.as_nanos())
    }

    /// Returns the pages to which the overview has links. The caller renders a
    /// [`Report`](crate::Report) on each of them.
    pub fn linked_pages(&self) -> BTreeSet<PageId> {
        let mut pages = BTreeSet::new();
        for (_, rule) in self.top_rules() {
            pages.insert(rule.first.clone());
        }
        for (_, host) in self.top_hosts() {
            if let Some((_, page)) = &host.worst {
                pages.insert(page.clone());
            }
        }
        for row in self.top_withheld() {
            pages.insert(row.page.clone());
        }
        for row in self.top_unclosed() {
            pages.insert(row.page.clone());
        }
        for row in self.slowest() {
            pages.insert(row.page.clone());
        }
        pages
    }

    /// Renders the overview as an HTML page. `view` returns the address of the report on one page,
    /// or `None` if the overview shall have no link to it.
    pub fn html(&self, view: impl Fn(&PageId) -> Option<String>) -> String {
        let mut rules = Vec::new();
        for ((convention, text), rule) in self.top_rules() {
            rules.push(RuleRow {
                convention,
                text,
                rule,
                view: view(&rule.first),
            });
        }
        let mut pages = Vec::new();
        for page in self.top_withheld() {
            pages.push(PageRow {
                page,
                share: page.share(),
                view: view(&page.page),
            });
        }
        let mut hosts = Vec::new();
        for (name, host) in self.top_hosts() {
            hosts.push(HostRow {
                name,
                host,
                share: percent(host.withheld, host.words),
                view: host.worst.as_ref().and_then(|(_, page)| view(page)),
            });
        }
        let mut notes = Vec::new();
        for (kind, (pages, times)) in &self.notes {
            notes.push((
                kind.name(),
                wording::grouped(*pages),
                wording::grouped(*times),
            ));
        }
        let mut unclosed = Vec::new();
        for region in self.top_unclosed() {
            unclosed.push((region, view(&region.page)));
        }
        let mut slowest = Vec::new();
        for slow in self.slowest() {
            slowest.push(SlowRow {
                slow,
                milliseconds: format!("{:.1}", slow.took.as_secs_f64() * 1e3),
                view: view(&slow.page),
            });
        }
        render(&OverviewView {
            overview: self,
            counts: OverviewCounts::new(self),
            shares: bars(
                &[
                    "none", "to 10 %", "to 20 %", "to 30 %", "to 40 %", "to 50 %", "to 60 %",
                    "to 70 %", "to 80 %", "to 90 %", "to 100 %",
                ],
                &self.shares,
            ),
            conventions: self.convention_bars(),
            rules,
            pages,
            hosts,
            notes,
            unclosed,
            slowest,
        })
    }

    fn convention_bars(&self) -> Vec<OverviewBar> {
        let mut conventions: Vec<_> = self.conventions.iter().collect();
        conventions.sort_by_key(|(name, pages)| (std::cmp::Reverse(**pages), **name));
        conventions.truncate(12);
        let mut names = Vec::new();
        let mut counts = Vec::new();
        for (name, pages) in conventions {
            names.push(*name);
            counts.push(*pages);
        }
        bars(&names, &counts)
    }
}

impl BotTotals {
    fn new(bot: &Bot) -> Self {
        Self {
            name: bot.name().to_owned(),
            ..Self::default()
        }
    }

    fn add(&mut self, explanation: &Explanation, page: &Page) {
        let totals = explanation.totals(page.bot_id());
        let policy = page.policy();
        self.entered += u64::from(policy.may_fetch());
        self.indexed += u64::from(policy.allows(Use::Index));
        self.words += totals.words();
        self.allowed_words += totals.allowed_words(Use::Index);
        self.links += totals.links() as u64;
        self.followed += totals.followed() as u64;
    }

    /// Returns the bot's totals as the formatted cells of a table row.
    fn cells(&self) -> [String; 6] {
        [
            self.name.clone(),
            wording::grouped(self.entered),
            wording::grouped(self.indexed),
            format!(
                "{} ({})",
                wording::grouped(self.allowed_words),
                percent(self.allowed_words, self.words)
            ),
            wording::grouped(self.words),
            format!(
                "{} of {}",
                wording::grouped(self.followed),
                wording::grouped(self.links)
            ),
        ]
    }
}

/// Returns the host of a URL, or an empty string if the URL has no host.
fn host_name(url: &str) -> String {
    match Url::parse(url) {
        Ok(url) => url.host_str().unwrap_or_default().to_owned(),
        Err(_) => String::new(),
    }
}

/// Returns the ratio of `part` to `whole` in parts per million.
fn share(part: u64, whole: u64) -> u64 {
    (u128::from(part) * 1_000_000 / u128::from(whole.max(1)))
        .try_into()
        .unwrap_or(u64::MAX)
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Shortens `rows` to the `most` rows with the greatest keys. To save time, `rows` is not changed
/// if it has at most 16 rows, or at most twice `most` rows.
fn keep<T: Clone, K: Ord>(rows: &mut Vec<T>, most: usize, key: impl Fn(&T) -> K) {
    if rows.len() > most.saturating_mul(2).max(16) {
        rows.sort_by_key(|row| std::cmp::Reverse(key(row)));
        rows.truncate(most);
    }
}

fn sorted<T, K: Ord>(rows: &[T], most: usize, key: impl Fn(&T) -> K) -> Vec<&T> {
    let mut rows: Vec<&T> = rows.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(key(row)));
    rows.truncate(most);
    rows
}

/// A bar in a chart of the overview, with its name, its count, and its length. The length is
/// relative to the longest bar of the chart.
struct OverviewBar {
    name: String,
    count: String,
    length: u64,
    top: usize,
}

fn bars(names: &[&str], counts: &[u64]) -> Vec<OverviewBar> {
    let longest = counts.iter().copied().max().unwrap_or(0).max(1);
    let mut bars = Vec::new();
    for (at, (name, count)) in names.iter().zip(counts).enumerate() {
        bars.push(OverviewBar {
            name: (*name).to_owned(),
            count: wording::grouped(*count),
            length: (count * 300).div_ceil(longest),
            top: at * 22,
        });
    }
    bars
}

/// Totals of all pages of the report, formatted as text.
struct OverviewCounts {
    pages: String,
    bytes: String,
    failed: String,
    hosts: String,
    bots: Vec<[String; 6]>,
}

impl OverviewCounts {
    fn new(overview: &Overview) -> Self {
        Self {
            pages: wording::count(overview.pages, "page"),
            bytes: wording::size(overview.bytes),
            failed: wording::grouped(overview.failed),
            hosts: wording::count(overview.hosts.len() as u64, "host"),
            bots: overview.bots.iter().map(BotTotals::cells).collect(),
        }
    }
}

#[derive(Template)]
#[template(path = "overview.html", config = "askama.toml")]
struct OverviewView<'a> {
    overview: &'a Overview,
    counts: OverviewCounts,
    shares: Vec<OverviewBar>,
    conventions: Vec<OverviewBar>,
    rules: Vec<RuleRow<'a>>,
    pages: Vec<PageRow<'a>>,
    hosts: Vec<HostRow<'a>>,
    notes: Vec<(&'static str, String, String)>,
    unclosed: Vec<(&'a Unclosed, Option<String>)>,
    slowest: Vec<SlowRow<'a>>,
}

struct RuleRow<'a> {
    convention: &'static str,
    text: &'a str,
    rule: &'a RuleTotals,
    view: Option<String>,
}

struct PageRow<'a> {
    page: &'a WithheldPage,
    share: String,
    view: Option<String>,
}

struct HostRow<'a> {
    name: &'a str,
    host: &'a HostTotals,
    share: String,
    view: Option<String>,
}

struct SlowRow<'a> {
    slow: &'a SlowPage,
    milliseconds: String,
    view: Option<String>,
}
