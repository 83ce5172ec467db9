//! One page explained in HTML: what each bot may do, the source with what is withheld, and all directives. Then come
//! the content for the index and the cache, and the links.

use std::collections::BTreeSet;

use askama::Template;

use crate::bot::{BotId, BotSet};
use crate::explain::{Difference, Effect, Explanation, Fate, Heard};
use crate::note::Note;
use crate::page::Page;
use crate::policy::{Facet, Says};
use crate::robots_txt::RobotsTxt;
use crate::sink::snapshot::{CutMark, Dressing};
use crate::vendor::Reading;

use super::links::{LinksView, links};
use super::matrix::Matrix;
use super::others;
use super::render::rendered;
use super::source::{Anchor, anchor, escape, letter, source};
use super::tamed::tamed;
use super::wording;

/// The maximum bytes of a copy that is also drawn.
const DRAWN: usize = 512 << 10;

#[derive(Template)]
#[template(path = "page.html", config = "src/report/askama.toml")]
struct View<'a> {
    url: &'a str,
    back: Option<&'a str>,
    bots: Vec<&'a str>,
    rulings: Vec<RulingView>,
    verdict: Vec<BotRow>,
    limits: Vec<(String, usize)>,
    facets: Vec<FacetView>,
    /// A sentence on what is withheld as a whole, for each bot that is denied something.
    wholes: Vec<(usize, String)>,
    source: String,
    bytes: String,
    lines: String,
    rules: Vec<RuleView<'a>>,
    differences: Vec<DifferenceView>,
    notes: Vec<NoteView<'a>>,
    texts: Vec<TextView<'a>>,
    copies: Vec<CopyView>,
    links: Vec<LinksView<'a>>,
    /// How others would read the page, as HTML.
    others: String,
}

/// The ruling of a robots.txt for one bot.
struct RulingView {
    bot: String,
    allowed: bool,
    why: String,
}

/// The permissions of one bot.
struct BotRow {
    bot: String,
    cells: Vec<Cell>,
}

struct Cell {
    name: &'static str,
    /// The state: `yes`, `no`, or `part`.
    state: &'static str,
    words: String,
    rule: Option<usize>,
}

struct FacetView {
    name: &'static str,
    letter: char,
    /// The numbers of the bots to which the whole page is denied.
    whole: Vec<usize>,
    is_used: bool,
}

struct RuleView<'a> {
    number: usize,
    anchor: Option<Anchor>,
    place: String,
    dialect: &'a str,
    text: &'a str,
    says: String,
    reach: String,
    reach_anchor: Option<Anchor>,
    fates: Vec<FateView>,
}

struct FateView {
    bots: String,
    fate: &'static str,
    words: String,
    by: Option<usize>,
}

struct DifferenceView {
    facets: String,
    lines: String,
    anchor: Anchor,
    may: String,
    may_not: Vec<(String, usize)>,
}

struct NoteView<'a> {
    anchor: Option<Anchor>,
    place: String,
    kind: &'a str,
    message: &'a str,
}

/// What the index gets, for bots that get the same.
struct TextView<'a> {
    bots: String,
    totals: String,
    fields: Vec<(&'static str, &'a [String])>,
    phrases: &'a [String],
    is_out: bool,
}

/// The copy, for bots that may keep the same.
struct CopyView {
    bots: String,
    /// The source of the copy with cuts marked; None if it may not be kept.
    html: Option<String>,
    cuts: usize,
    drawn: Option<String>,
}

/// The HTML of a report.
pub(super) fn page(
    explanation: &Explanation,
    robots: &[RobotsTxt],
    readings: &[Reading],
    back: Option<&str>,
) -> String {
    let matrix = Matrix::of(explanation, readings);
    let rules = rules(explanation);
    let links = links(explanation);
    let notes: Vec<_> = explanation.notes().map(note).collect();
    let differences = differences(explanation);
    let mut anchors = anchors(&rules, &links, &notes, &differences);
    if !readings.is_empty() {
        anchors.extend(others::anchors(&matrix));
    }
    let pages = explanation.pages();
    let view = View {
        url: pages.first().map_or("", Page::url),
        back,
        bots: pages.iter().map(|page| page.bot().name()).collect(),
        rulings: rulings(explanation, robots),
        verdict: verdict(explanation),
        limits: limits(explanation),
        facets: facets(explanation),
        wholes: pages.iter().filter_map(whole).collect(),
        source: source(explanation, &anchors),
        bytes: wording::count(explanation.source().len() as u64, "byte"),
        lines: wording::count(u64::from(explanation.line(u64::MAX)), "line"),
        rules,
        differences,
        notes,
        texts: texts(explanation),
        copies: copies(explanation),
        links,
        others: others::others(&matrix),
    };
    rendered(&view)
}

fn anchors(
    rules: &[RuleView<'_>],
    links: &[LinksView<'_>],
    notes: &[NoteView<'_>],
    differences: &[DifferenceView],
) -> BTreeSet<Anchor> {
    let of_rules = rules.iter().flat_map(|rule| [rule.anchor, rule.reach_anchor]).flatten();
    let of_links = links.iter().flat_map(|group| group.links.iter().map(|link| link.anchor));
    let of_notes = notes.iter().filter_map(|note| note.anchor);
    of_rules.chain(of_links).chain(of_notes).chain(differences.iter().map(|difference| difference.anchor)).collect()
}

fn rulings(explanation: &Explanation, robots: &[RobotsTxt]) -> Vec<RulingView> {
    let pages = explanation.pages();
    let asked = robots.iter().flat_map(|robots| pages.iter().map(move |page| (robots, page)));
    let view = |(robots, page): (&RobotsTxt, &Page)| {
        let ruling = robots.ruling_of(page.bot(), page.url(), page.also_at());
        RulingView { bot: page.bot().name().to_owned(), allowed: ruling.allowed(), why: wording::ruling(&ruling) }
    };
    asked.map(view).collect()
}

fn verdict(explanation: &Explanation) -> Vec<BotRow> {
    let row = |page: &Page| {
        let state = if page.policy().entered() { "yes" } else { "no" };
        let enter = Cell { name: "enter", state, words: String::new(), rule: None };
        let cells = Facet::ALL.into_iter().map(|facet| cell(explanation, page, facet));
        BotRow { bot: page.bot().name().to_owned(), cells: std::iter::once(enter).chain(cells).collect() }
    };
    explanation.pages().iter().map(row).collect()
}

/// The limits that are in force for some bot.
fn limits(explanation: &Explanation) -> Vec<(String, usize)> {
    let effects: Vec<_> = explanation.pages().iter().map(|page| explanation.effects(page.bot_id())).collect();
    let is_limit = |heard: &Heard| !matches!(heard.directive().says(), Says::Deny(_) | Says::Allow(_));
    let limit = |(number, heard): (usize, &Heard)| {
        let is_in_force = |bot: &usize| wording::fate(&effects[*bot][number]) == Some(Fate::Obeyed);
        let bots: BotSet = (0..effects.len()).filter(is_in_force).map(BotId::nth).collect();
        let whom =
            if effects.len() == 1 { String::new() } else { format!(" for {}", wording::bots(explanation, bots)) };
        (is_limit(heard) && !bots.is_empty()).then(|| (format!("{}{whom}:", wording::says(heard.directive())), number))
    };
    explanation.heard().iter().enumerate().filter_map(limit).collect()
}

fn cell(explanation: &Explanation, page: &Page, facet: Facet) -> Cell {
    if !page.policy().allows(facet) {
        let rule = page.policy().why_id(facet).and_then(|why| explanation.number_of(why));
        let words = if page.policy().is_derived(facet) { "derived".to_owned() } else { String::new() };
        return Cell { name: facet.name(), state: "no", words, rule };
    }
    let words = wording::withheld_part(explanation, page, facet);
    Cell { name: facet.name(), state: if words.is_empty() { "yes" } else { "part" }, words, rule: None }
}

fn facets(explanation: &Explanation) -> Vec<FacetView> {
    let pages = explanation.pages();
    let view = |facet: Facet| {
        let is_whole = |page: &&Page| !page.policy().allows(facet);
        let whole: Vec<_> = pages.iter().filter(is_whole).map(|page| page.bot_id().index()).collect();
        let in_part = explanation.parts().iter().any(|part| !explanation.verdict(part).denied(facet).is_empty());
        FacetView { name: facet.name(), letter: letter(facet), is_used: in_part || !whole.is_empty(), whole }
    };
    Facet::ALL.into_iter().map(view).collect()
}

/// A sentence on what is withheld from a bot as a whole.
fn whole(page: &Page) -> Option<(usize, String)> {
    if !page.policy().entered() {
        return Some((
            page.bot_id().index(),
            "robots.txt keeps this bot out: it reads nothing of the page.".to_owned(),
        ));
    }
    let denied = Facet::ALL.into_iter().filter(|facet| !page.policy().allows(*facet)).map(Facet::name);
    let names = denied.collect::<Vec<_>>().join(", ");
    let told =
        format!("The whole page is withheld from {names}. The marked parts below would be withheld in any case.");
    (!names.is_empty()).then(|| (page.bot_id().index(), told))
}

fn rules(explanation: &Explanation) -> Vec<RuleView<'_>> {
    let effects: Vec<_> = explanation.pages().iter().map(|page| explanation.effects(page.bot_id())).collect();
    let view = |(number, heard)| rule(explanation, number, heard, &effects);
    explanation.heard().iter().enumerate().map(view).collect()
}

fn rule<'a>(
    explanation: &'a Explanation,
    number: usize,
    heard: &'a Heard,
    effects: &[Vec<Vec<Effect>>],
) -> RuleView<'a> {
    let directive = heard.directive();
    let mut fates = Vec::new();
    for (set, effects) in wording::alike(effects.iter().map(|of_bot| of_bot[number].as_slice())) {
        let bots = if explanation.pages().len() == 1 { String::new() } else { wording::bots(explanation, set) };
        if effects.is_empty() {
            fates.push(FateView {
                bots: bots.clone(),
                fate: "idle",
                words: wording::no_effect(directive).to_owned(),
                by: None,
            });
        }
        for (fate, what, by) in wording::fates(effects) {
            let what = if what.is_empty() { what } else { format!("{what}: ") };
            let words = format!("{what}{}", wording::fate_words(fate, heard));
            fates.push(FateView { bots: bots.clone(), fate: fate.name(), words, by });
        }
    }
    RuleView {
        number,
        anchor: directive.place().map(anchor),
        place: directive.place().map_or_else(String::new, |place| format!("{}:{}", place.line(), place.column())),
        dialect: directive.dialect(),
        text: directive.text(),
        says: wording::says(directive),
        reach: wording::reach(explanation, heard),
        reach_anchor: reach_anchor(explanation, heard),
        fates,
    }
}

/// The place where the reach of a directive begins: mostly in its own line, after it.
fn reach_anchor(explanation: &Explanation, heard: &Heard) -> Option<Anchor> {
    let start = heard.reach()?.start;
    let line = explanation.line(start);
    let here = heard.directive().place().filter(|place| place.line() == line && place.start() <= start);
    let column = here.and_then(|place| {
        let between = usize::try_from(place.start()).ok()?..usize::try_from(start).ok()?;
        let characters = explanation.source().get(between)?.chars().count();
        Some(place.column().saturating_add(u32::try_from(characters).ok()?))
    });
    Some(Anchor::new(line, column.unwrap_or(1)))
}

fn differences(explanation: &Explanation) -> Vec<DifferenceView> {
    let view = |difference: &Difference| {
        let range = difference.range();
        let is_whole = range == (0..explanation.source().len() as u64);
        let lines = explanation.lines(&range);
        let may_not = difference.denials().into_iter().filter_map(|(bots, directive)| {
            Some((wording::bots(explanation, bots), explanation.number_of(directive)?))
        });
        DifferenceView {
            facets: wording::names(difference.facets()),
            lines: if is_whole { "the whole page".to_owned() } else { wording::lines(lines) },
            anchor: Anchor::new(lines.0, 1),
            may: wording::bots(explanation, wording::may(explanation, difference)),
            may_not: may_not.collect(),
        }
    };
    explanation.differences().iter().map(view).collect()
}

fn note(note: &Note) -> NoteView<'_> {
    let place = note.place();
    NoteView {
        anchor: place.map(anchor),
        place: place.map_or_else(String::new, |place| format!("{}:{}", place.line(), place.column())),
        kind: note.kind().name(),
        message: note.message(),
    }
}

fn texts(explanation: &Explanation) -> Vec<TextView<'_>> {
    let pages = explanation.pages();
    let read = |page: &'_ Page| {
        (
            page.title().to_vec(),
            page.description().to_vec(),
            page.phrases().to_vec(),
            page.alternative().to_vec(),
            page.policy().allows(Facet::Index),
        )
    };
    let groups = wording::alike(pages.iter().map(read));
    let view = |(set, _): (BotSet, _)| {
        let page = explanation.page(set.first())?;
        let fields = [
            ("Title", page.title()),
            ("Description", page.description()),
            ("Headings", page.headings()),
            ("Alternative texts", page.alternative()),
        ];
        Some(TextView {
            bots: wording::bots(explanation, set),
            totals: wording::totals(&explanation.totals(set.first())),
            fields: fields.into_iter().filter(|(_, phrases)| !phrases.is_empty()).collect(),
            phrases: page.phrases(),
            is_out: !page.policy().allows(Facet::Index),
        })
    };
    groups.into_iter().filter_map(view).collect()
}

/// A mark that does not occur in the page.
fn sentinel(source: &str) -> String {
    let mut mark = "\u{E123}".to_owned();
    while source.contains(&mark) {
        mark.push('\u{E123}');
    }
    mark
}

fn copies(explanation: &Explanation) -> Vec<CopyView> {
    let pages = explanation.pages();
    let mark = sentinel(explanation.source());
    let dressing = Dressing::default().mark(CutMark::new(&mark));
    let groups = wording::alike(pages.iter().map(|page| page.snapshot(&dressing)));
    let view = |(set, copy): (BotSet, Option<String>)| {
        let drawn = explanation.page(set.first()).and_then(|page| page.snapshot(&Dressing::default().no_scripts()));
        let drawn = drawn.filter(|copy| copy.len() <= DRAWN);
        CopyView {
            bots: wording::bots(explanation, set),
            cuts: explanation.totals(set.first()).cuts(),
            html: copy.map(|copy| marked(&copy, &mark)),
            drawn: drawn.map(|copy| escaped(&tamed(&copy))),
        }
    };
    groups.into_iter().map(view).collect()
}

/// The source of a copy with its marks highlighted.
fn marked(copy: &str, mark: &str) -> String {
    let comment = format!("<!--{mark}-->");
    let mut out = String::with_capacity(copy.len() * 5 / 4);
    for (at, block) in blocks(copy).into_iter().enumerate() {
        out.push_str(if at > 0 { "</div><div class=block>" } else { "<div class=block>" });
        for (number, kept) in block.replace(&comment, mark).split(mark).enumerate() {
            if number > 0 {
                out.push_str("<mark>[...]</mark>");
            }
            escape(kept, &mut out);
        }
    }
    out.push_str("</div>");
    out
}

/// A text in pieces of about a hundred lines, cut at line ends.
fn blocks(text: &str) -> Vec<&str> {
    const BYTES: usize = 8 << 10;
    let mut blocks = Vec::new();
    let mut rest = text;
    while rest.len() > BYTES {
        let from = rest.ceil_char_boundary(BYTES);
        let Some(end) = rest[from..].find('\n').map(|at| from + at + 1) else { break };
        blocks.push(&rest[..end]);
        rest = &rest[end..];
    }
    blocks.push(rest);
    blocks
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

impl FateView {
    /// A sign beside the word, for those who see no colour.
    fn sign(&self) -> &'static str {
        match self.fate {
            "obeyed" => "\u{25CF}",
            "overruled" => "\u{25CB}",
            _ => "\u{2013}",
        }
    }
}

impl Cell {
    fn sign(&self) -> &'static str {
        match self.state {
            "yes" => "\u{2713}",
            "no" => "\u{2717}",
            _ => "\u{25D0}",
        }
    }

    fn word(&self) -> &'static str {
        match self.state {
            "yes" => "yes",
            "no" => "no",
            _ => "in part",
        }
    }
}
