//! Why a page is read as it is, as JSON: one object per page, with all bots in it.

use serde::Serialize;

use heedful::{Difference, Directive, Effect, Explanation, Page, Says, Totals, Use, Uses};
use heedful_base::date::rfc3339;
use heedful_base::error::Error;
use heedful_lint::vendor::VendorReading;
use heedful_robots::RobotsTxt;

use super::parts::{DirectiveJson, ErrorJson, NoteJson, VerdictJson};
use super::robots::RulingJson;

/// An [`Explanation`] as JSON, or the error that took its place.
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
    /// An explained page, with the robots.txt files that were asked about it.
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

    /// Adds the readings of other vendors.
    pub fn with_readings(mut self, readings: &'a [VendorReading]) -> Self {
        self.readings = readings.iter().map(ReadingJson::new).collect();
        self
    }

    /// A page of which nothing is used, because of an error.
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

/// The page as one bot may have it.
#[derive(Debug, Serialize)]
struct BotJson<'a> {
    bot: &'a str,
    verdict: VerdictJson,
    why: Vec<ExplainedWhyJson>,
    totals: TotalsJson,
}

/// The directive that decided about the whole page.
#[derive(Debug, Serialize)]
struct ExplainedWhyJson {
    #[serde(rename = "use")]
    usage: &'static str,
    directive: Option<usize>,
    /// True if the denial follows from another denial of the directive.
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

/// The number of words withheld from each use.
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
                index: totals.withheld(Use::Index),
                follow: totals.withheld(Use::Follow),
                anchor: totals.withheld(Use::Anchor),
                archive: totals.withheld(Use::Archive),
                snippet: totals.withheld(Use::Snippet),
                image: totals.withheld(Use::Image),
                translate: totals.withheld(Use::Translate),
                train: totals.withheld(Use::Train),
                input: totals.withheld(Use::Input),
            },
            phrases: totals.phrases(),
            links: totals.links(),
            followed: totals.followed(),
            credited: totals.credited(),
            cuts: totals.cuts(),
        }
    }
}

/// A directive and its effects.
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

#[derive(Debug, Serialize)]
struct ExplainedLimitJson {
    name: &'static str,
    value: String,
}

#[derive(Debug, Serialize)]
struct EffectJson<'a> {
    bot: &'a str,
    #[serde(rename = "use")]
    usage: Option<&'static str>,
    fate: &'static str,
    by: Option<usize>,
}

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
            deny: names(matches!(directive.says(), Says::Deny(_)), directive),
            allow: names(matches!(directive.says(), Says::Allow(_)), directive),
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
            fate: effect.outcome().name(),
            by: effect.overruled_by(),
        }
    }
}

fn names(is_so: bool, directive: &Directive) -> Vec<&'static str> {
    match directive.says() {
        Says::Deny(uses) | Says::Allow(uses) if is_so => uses.iter().map(Use::name).collect(),
        _ => Vec::new(),
    }
}

fn limit(says: Says) -> Option<ExplainedLimitJson> {
    let (name, value) = match says {
        Says::MaxSnippet(characters) => ("max_snippet", characters.to_string()),
        Says::MaxImagePreview(size) => ("max_image_preview", size.name().to_owned()),
        Says::MaxVideoPreview(seconds) => ("max_video_preview", seconds.to_string()),
        Says::UnavailableAfter(time) => ("unavailable_after", rfc3339(time)?),
        Says::Deny(_) | Says::Allow(_) => return None,
    };
    Some(ExplainedLimitJson { name, value })
}

/// A note, and the bots that it concerns.
#[derive(Debug, Serialize)]
struct NoteForJson<'a> {
    #[serde(flatten)]
    note: NoteJson<'a>,
    bots: Vec<&'a str>,
}

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

/// A page as a vendor would read it.
#[derive(Debug, Serialize)]
struct ReadingJson<'a> {
    vendor: &'static str,
    rule: &'static str,
    source: &'static str,
    words: u64,
    uses: Vec<UseJson<'a>>,
}

/// The decision of a vendor, by its own rules, about a use for which it obeys pages.
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
            uses: vendor.heeds().iter().map(one).collect(),
        }
    }
}

/// A part of the page that some bots may have and others may not.
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
