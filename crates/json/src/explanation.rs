//! JSON of an explanation: for each directive of a page, what the directive decided. One object per
//! page has the decisions for all bots.
//!
//! Directives are referred to by their index in the array `directives`. A directive without any
//! effect is listed in this array too.

use serde::Serialize;

use heedful::{
    Difference, Directive, Effect, Explanation, Page, StatementContent, Totals, Use, Uses,
};
use heedful_base::date::rfc3339;
use heedful_base::error::Error;
use heedful_lint::vendor::VendorReading;
use heedful_robots::RobotsTxt;

use super::parts::{DirectiveJson, ErrorJson, NoteJson, VerdictJson};
use super::robots::RulingJson;

/// JSON of the [`Explanation`] of a page. If the page cannot be explained, the JSON has the error
/// instead.
///
/// # Examples
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_json::ExplanationJson;
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.explain("https://example.com/")?;
/// pass.write(b"<meta name=robots content=nosnippet><p>Rye")?;
/// let explanation = pass.end()?;
///
/// let value = serde_json::to_value(ExplanationJson::new(&explanation, &[])).unwrap();
/// assert_eq!(value["directives"][0]["convention"], "meta");
/// assert_eq!(value["bots"][0]["verdict"]["snippet"], false);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug, Serialize)]
pub struct ExplanationJson<'a> {
    url: &'a str,
    robots: Vec<RulingJson<'a>>,
    bots: Vec<BotJson<'a>>,
    directives: Vec<DirectiveEffectsJson<'a>>,
    notes: Vec<NoteForJson<'a>>,
    differences: Vec<DifferenceJson<'a>>,
    readings: Vec<ReadingJson<'a>>,
    error: Option<ErrorJson>,
}

impl<'a> ExplanationJson<'a> {
    /// Converts `explanation`, the explanation of a page. Adds the rulings of the robots.txt files
    /// `robots` on that page.
    pub fn new(explanation: &'a Explanation, robots: &'a [RobotsTxt]) -> Self {
        let pages = explanation.pages();
        let url = pages.first().map_or("", Page::url);
        let rulings = explanation.rulings(robots);
        Self {
            url,
            robots: rulings
                .map(|(robots, page, ruling)| RulingJson::new(robots, &ruling, page.bot(), url))
                .collect(),
            bots: pages
                .iter()
                .map(|page| BotJson::new(explanation, page))
                .collect(),
            directives: directives(explanation),
            notes: notes(explanation),
            differences: explanation
                .differences()
                .iter()
                .map(|d| DifferenceJson::new(explanation, d))
                .collect(),
            readings: Vec::new(),
            error: None,
        }
    }

    /// Adds `readings`: the decisions that other vendors would make about the page by their own
    /// rules.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_json::ExplanationJson;
    /// use heedful_lint::vendor::Vendor;
    ///
    /// let yandex = Vendor::parse("yandex")?;
    /// let explain = || {
    ///     let mut pass = yandex.filter(SystemTime::now())?.explain("https://example.com/")?;
    ///     pass.write(b"<meta name=robots content=noindex><p>Rye")?;
    ///     pass.end()
    /// };
    /// let readings = [yandex.reading(explain()?)];
    /// let explanation = explain()?;
    ///
    /// let json = ExplanationJson::new(&explanation, &[]).with_readings(&readings);
    /// let value = serde_json::to_value(json).unwrap();
    /// assert_eq!(value["readings"][0]["vendor"], "yandex");
    /// assert_eq!(value["readings"][0]["uses"][0]["allowed"], false);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn with_readings(mut self, readings: &'a [VendorReading]) -> Self {
        self.readings = readings.iter().map(ReadingJson::new).collect();
        self
    }

    /// Creates the JSON of the page at `url`, which has no explanation because of `error`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::error::Error;
    /// use heedful_json::ExplanationJson;
    ///
    /// let json = ExplanationJson::failed("https://example.com/", &Error::limit("links", 10));
    /// assert_eq!(serde_json::to_value(json).unwrap()["error"]["kind"], "limit");
    /// ```
    pub fn failed(url: &'a str, error: &Error) -> Self {
        Self {
            url,
            robots: Vec::new(),
            bots: Vec::new(),
            directives: Vec::new(),
            notes: Vec::new(),
            differences: Vec::new(),
            readings: Vec::new(),
            error: Some(ErrorJson::new(error)),
        }
    }
}

/// JSON of the decisions about a page for one bot.
#[derive(Debug, Serialize)]
struct BotJson<'a> {
    bot: &'a str,
    verdict: VerdictJson,
    why: Vec<ExplainedWhyJson>,
    totals: TotalsJson,
}

/// JSON of a use that a bot may not make of the page as a whole. `directive` is the index of the
/// directive that denies the use, in the list of all directives of the page.
#[derive(Debug, Serialize)]
struct ExplainedWhyJson {
    #[serde(rename = "use")]
    usage: &'static str,
    directive: Option<usize>,
    /// True if the directive denies another use, and that denial implies the denial of `usage`.
    derived: bool,
}

impl<'a> BotJson<'a> {
    fn new(explanation: &'a Explanation, page: &'a Page) -> Self {
        let why = |usage: Use| {
            let directive = explanation.directive_index(page.policy().why_id(usage)?);
            Some(ExplainedWhyJson {
                usage: usage.name(),
                directive,
                derived: page.policy().is_derived(usage),
            })
        };
        Self {
            bot: page.bot().name(),
            verdict: VerdictJson::new(page.policy()),
            why: Use::ALL.into_iter().filter_map(why).collect(),
            totals: TotalsJson::new(&explanation.totals(page.bot_id())),
        }
    }
}

/// JSON of the numbers of words, links and excluded parts of a page, counted for one bot.
#[derive(Debug, Serialize)]
struct TotalsJson {
    words: u64,
    withheld: WithheldJson,
    phrases: usize,
    links: usize,
    followed: usize,
    credited: usize,
    cuts: usize,
}

/// JSON of the numbers of words of a page that are withheld from a bot, one number for each use.
#[derive(Debug, Serialize)]
struct WithheldJson {
    index: u64,
    follow: u64,
    anchor: u64,
    archive: u64,
    snippet: u64,
    image: u64,
    translate: u64,
    train: u64,
    input: u64,
}

impl TotalsJson {
    fn new(totals: &Totals) -> Self {
        Self {
            words: totals.words(),
            withheld: WithheldJson {
                index: totals.withheld_words(Use::Index),
                follow: totals.withheld_words(Use::Follow),
                anchor: totals.withheld_words(Use::Anchor),
                archive: totals.withheld_words(Use::Archive),
                snippet: totals.withheld_words(Use::Snippet),
                image: totals.withheld_words(Use::Image),
                translate: totals.withheld_words(Use::Translate),
                train: totals.withheld_words(Use::Train),
                input: totals.withheld_words(Use::Input),
            },
            phrases: totals.phrases(),
            links: totals.links(),
            followed: totals.followed(),
            credited: totals.credited(),
            cuts: totals.cuts(),
        }
    }
}

/// JSON of a directive of a page. The JSON includes the byte range to which the directive applies,
/// and the effects of the directive on each bot.
#[derive(Debug, Serialize)]
struct DirectiveEffectsJson<'a> {
    #[serde(flatten)]
    directive: DirectiveJson<'a>,
    extent: &'static str,
    deny: Vec<&'static str>,
    allow: Vec<&'static str>,
    limit: Option<ExplainedLimitJson>,
    start: Option<u64>,
    end: Option<u64>,
    first_line: Option<u32>,
    last_line: Option<u32>,
    effects: Vec<EffectJson<'a>>,
    robots_line: Option<u32>,
}

/// JSON of a limit that a directive sets, and of the limit's value. An example is the maximum
/// length of an excerpt.
#[derive(Debug, Serialize)]
struct ExplainedLimitJson {
    name: &'static str,
    value: String,
}

/// JSON of the effect of a directive on one use by one bot, or on all uses by that bot.
#[derive(Debug, Serialize)]
struct EffectJson<'a> {
    bot: &'a str,
    #[serde(rename = "use")]
    usage: Option<&'static str>,
    outcome: &'static str,
    by: Option<usize>,
}

/// Converts all directives of the page, each with its effects on all bots.
fn directives(explanation: &Explanation) -> Vec<DirectiveEffectsJson<'_>> {
    let mut effects: Vec<Vec<EffectJson<'_>>> = explanation
        .directives()
        .iter()
        .map(|_| Vec::new())
        .collect();
    for page in explanation.pages() {
        for (all, of_bot) in effects.iter_mut().zip(explanation.effects(page.bot_id())) {
            for effect in of_bot {
                all.push(EffectJson::new(page.bot().name(), &effect));
            }
        }
    }
    let mut directives = Vec::new();
    for (heard, effects) in explanation.directives().iter().zip(effects) {
        let directive = heard.directive();
        let reach = heard.reach();
        let lines = reach.as_ref().map(|reach| explanation.lines(reach));
        let (first_line, last_line) = lines.unzip();
        directives.push(DirectiveEffectsJson {
            directive: DirectiveJson::new(directive),
            extent: directive.extent().name(),
            deny: names(
                matches!(directive.says(), StatementContent::Deny(_)),
                directive,
            ),
            allow: names(
                matches!(directive.says(), StatementContent::Allow(_)),
                directive,
            ),
            limit: limit(directive.says()),
            start: reach.as_ref().map(|reach| reach.start),
            end: reach.as_ref().map(|reach| reach.end),
            first_line,
            last_line,
            effects,
            robots_line: directive.origin().robots_line(),
        });
    }
    directives
}

impl<'a> EffectJson<'a> {
    fn new(bot: &'a str, effect: &Effect) -> Self {
        Self {
            bot,
            usage: effect.usage().map(Use::name),
            outcome: effect.outcome().name(),
            by: effect.overruled_by(),
        }
    }
}

/// If `is_so` is true, returns the names of the uses that `directive` denies or allows. Otherwise
/// returns an empty list.
fn names(is_so: bool, directive: &Directive) -> Vec<&'static str> {
    match directive.says() {
        StatementContent::Deny(uses) | StatementContent::Allow(uses) if is_so => {
            uses.iter().map(Use::name).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the limit that a directive sets. `None` if the directive denies or allows uses.
fn limit(says: StatementContent) -> Option<ExplainedLimitJson> {
    let (name, value) = match says {
        StatementContent::MaxSnippet(characters) => ("max_snippet", characters.to_string()),
        StatementContent::MaxImagePreview(size) => ("max_image_preview", size.name().to_owned()),
        StatementContent::MaxVideoPreview(seconds) => ("max_video_preview", seconds.to_string()),
        StatementContent::UnavailableAfter(time) => ("unavailable_after", rfc3339(time)?),
        StatementContent::Deny(_) | StatementContent::Allow(_) => return None,
    };
    Some(ExplainedLimitJson { name, value })
}

/// JSON of a note on doubtful markup of a page, with the names of the bots that the note concerns.
#[derive(Debug, Serialize)]
struct NoteForJson<'a> {
    #[serde(flatten)]
    note: NoteJson<'a>,
    bots: Vec<&'a str>,
}

/// Converts all notes of the page.
fn notes(explanation: &Explanation) -> Vec<NoteForJson<'_>> {
    let mut notes = Vec::new();
    for note in explanation.notes() {
        let mut bots = Vec::new();
        for page in explanation.pages() {
            if note.bots().contains(page.bot_id()) {
                bots.push(page.bot().name());
            }
        }
        notes.push(NoteForJson {
            note: NoteJson::new(note),
            bots,
        });
    }
    notes
}

/// JSON of the decisions that one vendor, such as Google, would make about a page. The vendor's own
/// rules are applied.
#[derive(Debug, Serialize)]
struct ReadingJson<'a> {
    vendor: &'static str,
    rule: &'static str,
    source: &'static str,
    words: u64,
    uses: Vec<UseJson<'a>>,
}

/// JSON of a vendor's decision about one use of a page. A use is listed only if the vendor obeys
/// what pages state about this use.
#[derive(Debug, Serialize)]
struct UseJson<'a> {
    #[serde(rename = "use")]
    usage: &'static str,
    allowed: bool,
    in_part: bool,
    why: Option<DirectiveJson<'a>>,
}

impl<'a> ReadingJson<'a> {
    fn new(reading: &'a VendorReading) -> Self {
        let vendor = reading.vendor();
        let one = |usage: &Use| UseJson {
            usage: usage.name(),
            allowed: reading.allows(*usage),
            in_part: reading.is_in_part(*usage),
            why: reading.why_not(*usage).map(DirectiveJson::new),
        };
        Self {
            vendor: vendor.name(),
            rule: vendor.rule(),
            source: vendor.source(),
            words: reading.words(),
            uses: vendor.uses().iter().map(one).collect(),
        }
    }
}

/// JSON of a part of a page that some bots may use and others may not.
#[derive(Debug, Serialize)]
struct DifferenceJson<'a> {
    uses: Vec<&'static str>,
    start: u64,
    end: u64,
    first_line: u32,
    last_line: u32,
    may: Vec<&'a str>,
    may_not: Vec<MayNotJson<'a>>,
}

/// JSON of a bot that may not use a part of the page. `directive` is the index of the directive
/// that denies this use, in the list of all directives of the page.
#[derive(Debug, Serialize)]
struct MayNotJson<'a> {
    bot: &'a str,
    directive: usize,
}

impl<'a> DifferenceJson<'a> {
    fn new(explanation: &'a Explanation, difference: &Difference) -> Self {
        let range = difference.range();
        let (first_line, last_line) = explanation.lines(&range);
        let mut may = Vec::new();
        for page in explanation.pages() {
            if !difference.denied_bots().contains(page.bot_id()) {
                may.push(page.bot().name());
            }
        }
        let mut may_not = Vec::new();
        for (bot, directive) in difference.why() {
            if let Some(page) = explanation.page(*bot)
                && let Some(directive) = explanation.directive_index(*directive)
            {
                may_not.push(MayNotJson {
                    bot: page.bot().name(),
                    directive,
                });
            }
        }
        Self {
            uses: Uses::iter(difference.uses()).map(Use::name).collect(),
            start: range.start,
            end: range.end,
            first_line,
            last_line,
            may,
            may_not,
        }
    }
}
