//! Renders the report on one explained page as HTML.
//!
//! The report shows the permitted uses of each bot, the source of the page with withheld parts
//! shaded, and all directives. Below them it shows the text for the index, the copy for the cache,
//! and the links of the page.

use std::collections::{BTreeSet, HashSet};

use askama::Template;

use heedful::{
    CutMark, DirectiveOutcome, Dressing, ExplainedDirective, Explanation, Page, Place, Use,
};
use heedful_lint::vendor::VendorReading;
use heedful_robots::RobotsTxt;

use super::explanation_words::{
    DifferenceWording, OutcomeWording, PermissionWording, UseWording, Wording,
};
use super::links::{LinksView, links};
use super::matrix::Matrix;
use super::render::render;
use super::sandbox::disarm;
use super::source::{SourceAnchor, anchor, escape, letter, source};
use super::{others, wording};

/// Maximum size of a copy of a page that the report displays in a frame, in bytes. For a larger
/// copy, the report shows only the source.
const DRAWN: usize = 512 << 10;

#[derive(Template)]
#[template(path = "page.html", config = "askama.toml")]
struct PageView<'a> {
    url: &'a str,
    back: Option<&'a str>,
    bots: Vec<&'a str>,
    words: &'a Wording<'a>,
    uses: Vec<UseView>,
    /// Bots to which a use of the whole page is denied. Each pair has the index of a bot in `bots`,
    /// and a sentence about the denied uses.
    wholes: Vec<(usize, String)>,
    source: String,
    bytes: String,
    lines: String,
    /// Row of the page's source that is shown first when the report is opened.
    first: Option<SourceAnchor>,
    rules: Vec<RuleView>,
    notes: Vec<Option<SourceAnchor>>,
    texts: Vec<TextView<'a>>,
    copies: Vec<CopyView>,
    links: Vec<LinksView<'a>>,
    /// HTML of the section that shows how other vendors would treat the page.
    others: String,
}

struct UseView {
    name: &'static str,
    letter: char,
    /// Indexes in [`PageView::bots`] of the bots to which this use of the whole page is denied.
    whole: Vec<usize>,
    is_used: bool,
}

/// Targets of the two links that the report shows beside a directive. Both lead to rows of the
/// page's source. `anchor` is the row that contains the directive. `reach` is the first row to
/// which the directive applies.
struct RuleView {
    anchor: Option<SourceAnchor>,
    reach: Option<SourceAnchor>,
}

/// Text of the page that may be indexed. `bots` has the names of the bots that may index exactly
/// this text.
struct TextView<'a> {
    bots: String,
    totals: String,
    fields: Vec<(&'static str, &'a [String])>,
    phrases: &'a [String],
    is_out: bool,
}

/// Copy of the page that a cache may store. `bots` has the names of the bots that may store exactly
/// this copy.
struct CopyView {
    bots: String,
    /// HTML that shows the source of the copy. A highlighted sign replaces each removed part of the
    /// page. `None` if no copy may be stored.
    html: Option<String>,
    cuts: usize,
    drawn: Option<String>,
}

/// Renders, as HTML, the report about the page of `explanation`. `readings` show how other vendors
/// treat this page. `back` is the address of an overview to which the report links.
pub(super) fn page(
    explanation: &Explanation,
    robots: &[RobotsTxt],
    readings: &[VendorReading],
    back: Option<&str>,
) -> String {
    let matrix = Matrix::new(explanation, readings);
    let words = Wording::new(explanation, robots);
    let mut rules = Vec::new();
    for explained in explanation.directives() {
        rules.push(RuleView::new(explanation, explained));
    }
    let links = links(explanation);
    let mut notes = Vec::new();
    for note in explanation.notes() {
        notes.push(note.place().map(anchor));
    }
    let mut anchors = anchors(&rules, &links, &notes, &words);
    if !readings.is_empty() {
        anchors.extend(others::anchors(&matrix));
    }
    let first = first_finding(&rules, &notes);
    let pages = explanation.pages();
    let view = PageView {
        url: pages.first().map_or("", Page::url),
        back,
        bots: pages.iter().map(|page| page.bot().name()).collect(),
        words: &words,
        uses: uses(explanation),
        wholes: pages.iter().filter_map(whole).collect(),
        source: source(explanation, &anchors, first),
        first,
        bytes: wording::count(explanation.source().len() as u64, "byte"),
        lines: wording::count(u64::from(explanation.line(u64::MAX)), "line"),
        rules,
        notes,
        texts: texts(explanation),
        copies: copies(explanation),
        links,
        others: others::others(&matrix),
    };
    render(&view)
}

/// Returns the row of the page's source that is shown first when the report is opened. It is the
/// row of the first directive for a part of the page. If there is no such directive, it is the row
/// of the first directive of any kind. If there is no directive, it is the row of the first note.
fn first_finding(rules: &[RuleView], notes: &[Option<SourceAnchor>]) -> Option<SourceAnchor> {
    let parts = rules.iter().filter(|rule| rule.reach.is_some());
    let first_part = parts.filter_map(|rule| rule.anchor).min();
    let first_rule = rules.iter().filter_map(|rule| rule.anchor).min();
    first_part
        .or(first_rule)
        .or(notes.iter().flatten().min().copied())
}

fn anchors(
    rules: &[RuleView],
    links: &[LinksView<'_>],
    notes: &[Option<SourceAnchor>],
    words: &Wording<'_>,
) -> BTreeSet<SourceAnchor> {
    let mut anchors = BTreeSet::new();
    for rule in rules {
        anchors.extend(rule.anchor);
        anchors.extend(rule.reach);
    }
    for group in links {
        anchors.extend(group.links.iter().map(|link| link.anchor));
    }
    anchors.extend(notes.iter().flatten());
    anchors.extend(words.differences.iter().map(DifferenceWording::anchor));
    anchors
}

fn uses(explanation: &Explanation) -> Vec<UseView> {
    Use::ALL
        .into_iter()
        .map(|usage| UseView::new(explanation, usage))
        .collect()
}

impl UseView {
    fn new(explanation: &Explanation, usage: Use) -> Self {
        let mut whole = Vec::new();
        for page in explanation.pages() {
            if !page.policy().allows(usage) {
                whole.push(page.bot_id().index());
            }
        }
        let in_part = explanation
            .parts()
            .iter()
            .any(|part| !explanation.verdict(part).denied(usage).is_empty());
        Self {
            name: usage.name(),
            letter: letter(usage),
            is_used: in_part || !whole.is_empty(),
            whole,
        }
    }
}

/// Returns a sentence about the uses of the whole page that are denied to one bot. The bot is that
/// of `page`. The number is the index of the bot in [`PageView::bots`]. Returns `None` if no use is
/// denied.
fn whole(page: &Page) -> Option<(usize, String)> {
    if !page.policy().may_fetch() {
        return Some((
            page.bot_id().index(),
            "robots.txt keeps this bot out: it reads nothing of the page.".to_owned(),
        ));
    }
    let mut names = Vec::new();
    for usage in Use::ALL {
        if !page.policy().allows(usage) {
            names.push(usage.name());
        }
    }
    if names.is_empty() {
        return None;
    }
    let sentence = format!(
        "The whole page is withheld from {}. The marked parts below would be withheld in any case.",
        names.join(", ")
    );
    Some((page.bot_id().index(), sentence))
}

impl RuleView {
    fn new(explanation: &Explanation, explained: &ExplainedDirective) -> Self {
        Self {
            anchor: explained.directive().place().map(anchor),
            reach: reach_anchor(explanation, explained),
        }
    }
}

/// Returns the first row of the page's source to which a directive applies. The report splits a
/// long line of the source into several rows. If the directive is on the same line, as is usual,
/// the row is exact. Otherwise the first row of the line is returned. Returns `None` if the
/// directive is about the whole page.
fn reach_anchor(explanation: &Explanation, explained: &ExplainedDirective) -> Option<SourceAnchor> {
    let start = explained.reach()?.start;
    let line = explanation.line(start);
    let mut column = None;
    if let Some(place) = explained.directive().place()
        && place.line() == line
        && place.start() <= start
    {
        column = column_after(explanation, place, start);
    }
    Some(SourceAnchor::new(line, column.unwrap_or(1)))
}

/// Returns the column of the byte offset `byte` in the page's source. The offset must be in the
/// line of `place`. Returns `None` if the offset is before the start of `place`. Also returns
/// `None` if the offset is not valid in the source.
fn column_after(explanation: &Explanation, place: Place, byte: u64) -> Option<u32> {
    let between = usize::try_from(place.start()).ok()?..usize::try_from(byte).ok()?;
    let characters = explanation.source().get(between)?.chars().count();
    let characters = u32::try_from(characters).ok()?;
    Some(place.column().saturating_add(characters))
}

fn texts(explanation: &Explanation) -> Vec<TextView<'_>> {
    let pages = explanation.pages();
    let read = |page: &'_ Page| {
        (
            page.title().to_vec(),
            page.description().to_vec(),
            page.phrases().to_vec(),
            page.alternative().to_vec(),
            page.policy().allows(Use::Index),
        )
    };
    let groups = wording::group_bots(pages.iter().map(read));
    let mut views = Vec::new();
    for (set, _) in groups {
        let Some(page) = explanation.page(set.first()) else {
            continue;
        };
        let mut fields = vec![
            ("Title", page.title()),
            ("Description", page.description()),
            ("Headings", page.headings()),
            ("Alternative texts", page.alternative()),
        ];
        fields.retain(|(_, phrases)| !phrases.is_empty());
        views.push(TextView {
            bots: wording::bots(explanation, set),
            totals: wording::totals(&explanation.totals(set.first())),
            fields,
            phrases: page.phrases(),
            is_out: !page.policy().allows(Use::Index),
        });
    }
    views
}

/// Returns a sentinel, which is a short text that does not occur in the page's source. A sentinel
/// is a number between two special characters. The number is the first one that the source does not
/// have between these characters.
///
/// In a copy of the page, a sentinel marks each place where a part was cut out. A sentinel begins
/// and ends with different characters. So no part of a sentinel can form another sentinel with the
/// text beside it.
fn sentinel(source: &str) -> String {
    let begin = '\u{E123}';
    let end = '\u{E124}';
    let mut taken = HashSet::new();
    for text in source.split(begin).skip(1) {
        if let Some((number, _)) = text.split_once(end) {
            taken.insert(number);
        }
    }
    let mut number = 0;
    while taken.contains(number.to_string().as_str()) {
        number += 1;
    }
    format!("{begin}{number}{end}")
}

fn copies(explanation: &Explanation) -> Vec<CopyView> {
    let pages = explanation.pages();
    let mark = sentinel(explanation.source());
    let dressing = Dressing::default().mark(CutMark::new(&mark));
    let groups = wording::group_bots(pages.iter().map(|page| page.snapshot(&dressing)));
    let mut views = Vec::new();
    for (set, copy) in groups {
        let mut drawn = None;
        if let Some(page) = explanation.page(set.first())
            && let Some(copy) = page.snapshot(&Dressing::default().no_scripts())
            && copy.len() <= DRAWN
        {
            drawn = Some(escaped(&disarm(&copy)));
        }
        views.push(CopyView {
            bots: wording::bots(explanation, set),
            cuts: explanation.totals(set.first()).cuts(),
            html: copy.map(|copy| marked(&copy, &mark)),
            drawn,
        });
    }
    views
}

/// Renders the source of a copy as escaped HTML. The sentinel `mark` is at each place of the copy
/// where a part of the page was cut out. A highlighted sign replaces each sentinel.
fn marked(copy: &str, mark: &str) -> String {
    let comment = format!("<!--{mark}-->");
    let mut out = String::with_capacity(copy.len() * 5 / 4);
    for (at, block) in blocks(copy).into_iter().enumerate() {
        out.push_str(if at > 0 {
            "</div><div class=block>"
        } else {
            "<div class=block>"
        });
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

/// Splits the source of a copy at line ends into pieces of about 8 KiB each.
fn blocks(text: &str) -> Vec<&str> {
    const BYTES: usize = 8 << 10;
    let mut blocks = Vec::new();
    let mut rest = text;
    while rest.len() > BYTES {
        let from = rest.ceil_char_boundary(BYTES);
        let Some(line) = rest[from..].find('\n') else {
            break;
        };
        let (block, after) = rest.split_at(from + line + 1);
        blocks.push(block);
        rest = after;
    }
    blocks.push(rest);
    blocks
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

impl OutcomeWording {
    /// Returns a sign for the outcome of a directive. It helps readers who cannot distinguish the
    /// colours.
    fn sign(&self) -> &'static str {
        match self.outcome {
            Some(DirectiveOutcome::Obeyed) => "\u{25CF}",
            Some(DirectiveOutcome::Overruled) => "\u{25CB}",
            _ => "\u{2013}",
        }
    }

    fn class(&self) -> &'static str {
        match self.outcome {
            Some(DirectiveOutcome::Obeyed) => "yes",
            Some(DirectiveOutcome::Overruled) => "no",
            _ => "soft",
        }
    }
}

impl UseWording {
    fn sign(&self) -> &'static str {
        match self.permission {
            PermissionWording::Yes => "\u{2713}",
            PermissionWording::No => "\u{2717}",
            PermissionWording::InPart => "\u{25D0}",
        }
    }

    fn class(&self) -> &'static str {
        match self.permission {
            PermissionWording::Yes => "yes",
            PermissionWording::No => "no",
            PermissionWording::InPart => "part",
        }
    }
}

impl DifferenceWording {
    fn anchor(&self) -> SourceAnchor {
        SourceAnchor::new(self.first_line, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_short_and_not_of_the_page() {
        let many: String = (0..1000)
            .map(|number| format!("\u{E123}{number}\u{E124}"))
            .collect();
        for page in [
            "",
            "\u{E123}",
            "\u{E123}0\u{E123}0\u{E124}",
            "\u{E123}1\u{E124}",
            &"\u{E123}".repeat(10_000),
            &many,
        ] {
            let mark = sentinel(page);
            assert!(!page.contains(&mark) && mark.len() < 12, "{mark:?}");
        }
    }
}
