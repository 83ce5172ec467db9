//! Checks the laws of an explanation of a page, as properties of generated pages.
//!
//! * The parts of an explanation make up the source of the page. The pages in the explanation are
//!   those that a filter returns. It does not matter how the source is cut into pieces.
//! * The words that an explanation counts for the index are the words of the page's phrases. A word
//!   that is split by the end of a phrase is counted twice.
//! * The differences between bots are those of the verdicts, byte by byte.
//! * A directive that is idle or overruled everywhere has no effect. Without it nothing changes.
//! * A directive that is obeyed somewhere has an effect. Without it, another directive is the
//!   reason, or some content is no longer withheld. The functions that test for exceptions describe
//!   them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ops::Range;

use heedful::{
    Bot, BotId, Conventions, Directive, DirectiveOutcome, Effect, ExplainedDirective, Explanation,
    Extent, Filter, NoteKind, Page, StatementContent, Use,
};
use proptest::prelude::*;

use crate::pieces;

/// Pieces of conventions that are not in [`pieces::PIECES`], and names for bots' numbers.
const MORE: [&str; 26] = [
    "<!--noindex-->",
    "<!--/noindex-->",
    "<!--googleoff: index-->",
    "<!--googleon: index-->",
    "<!--googleoff: snippet-->",
    "<!--googleon: snippet-->",
    "<!--TYPO3SEARCH_begin-->",
    "<!--TYPO3SEARCH_end-->",
    "<noindex>",
    "</noindex>",
    "<div data-pagefind-body>",
    "<section data-pagefind-ignore>",
    "<div data-elastic-exclude>",
    "<p data-elastic-include>",
    "</section>",
    "<div class=robots-nocontent>",
    "<a href=four rel=ugc>",
    "<p class='robots-noanchortext'>",
    "<div class='robots-noindex'>",
    "<div class='robots-index'>",
    "<div class='robots-nofollow'>",
    "<div class='robots-follow'>",
    "<html class='robots-noindex'>",
    "<p class='robot1-index'>",
    "<meta name=foobot content=nofollow>",
    "<div data-nosnippet>",
];

/// A statement in a page. The first three fields are its text, a text of the same length without
/// effect, and its convention. The last field is None, except for a convention of which one tag may
/// contain several statements. For such a convention it says whether the statement denies, and
/// which use.
type Token = (
    &'static str,
    &'static str,
    &'static str,
    Option<(bool, Use)>,
);

const TOKENS: [Token; 24] = [
    (
        "<!-- robots content=",
        "<!-- robota content=",
        "spiderline",
        None,
    ),
    ("<!--noindex-->", "<!--xoindey-->", "noindex-comment", None),
    (
        "<!--googleoff: index-->",
        "<!--xoogleofx: index-->",
        "googleoff",
        None,
    ),
    (
        "<!--googleoff: snippet-->",
        "<!--xoogleofx: snippet-->",
        "googleoff",
        None,
    ),
    ("name=robots", "name=tobotz", "meta", None),
    ("name=barbot", "name=xxrbot", "meta", None),
    ("name=foobot", "name=xxobot", "meta", None),
    ("rel='nofollow", "rel='xxfollow", "rel", None),
    ("rel=ugc", "rel=xxc", "rel", None),
    (
        "robots-noindex",
        "rabats-noindex",
        "profile",
        Some((true, Use::Index)),
    ),
    (
        "robots-nofollow",
        "rabats-nofollow",
        "profile",
        Some((true, Use::Follow)),
    ),
    (
        "robots-noarchive",
        "rabats-noarchive",
        "profile",
        Some((true, Use::Archive)),
    ),
    (
        "robots-noanchortext",
        "rabats-noanchortext",
        "profile",
        Some((true, Use::Anchor)),
    ),
    (
        "robots-index",
        "rabats-index",
        "profile",
        Some((false, Use::Index)),
    ),
    (
        "robots-follow",
        "rabats-follow",
        "profile",
        Some((false, Use::Follow)),
    ),
    (
        "robots&#45;follow",
        "rabats&#45;follow",
        "profile",
        Some((false, Use::Follow)),
    ),
    (
        "robot1-index",
        "rabat1-index",
        "profile",
        Some((false, Use::Index)),
    ),
    (
        "robot2-noindex",
        "rabat2-noindex",
        "profile",
        Some((true, Use::Index)),
    ),
    (
        "data-pagefind-body",
        "data-pagexxxx-body",
        "pagefind-body",
        None,
    ),
    (
        "data-pagefind-ignore",
        "data-pagexxxx-ignore",
        "pagefind",
        None,
    ),
    (
        "data-elastic-exclude",
        "data-elaxxxx-exclude",
        "elastic",
        None,
    ),
    (
        "data-elastic-include",
        "data-elaxxxx-include",
        "elastic",
        None,
    ),
    ("robots-nocontent", "rabats-nocontent", "nocontent", None),
    ("data-nosnippet", "data-xxsnippet", "nosnippet", None),
];

/// Generates a page for an explanation. Half of the pages declare the Robot Exclusion Profile.
/// Without that declaration no HTML class allows anything.
fn html() -> impl Strategy<Value = String> {
    let more = prop::sample::select(&MORE[..]).prop_map(str::to_owned);
    let pieces = prop::collection::vec(prop_oneof![2 => pieces::piece(), 1 => more], 0..40);
    (prop::sample::select(&["", DECLARED][..]), pieces)
        .prop_map(|(head, pieces)| head.to_owned() + &pieces.concat())
}

const DECLARED: &str = "<head profile='http://example.org/xmdp/robots-profile#'><meta name=RobotExclusion.RobotName1 content=FooBot>";

const BOTS: [&str; 3] = ["FooBot", "BarBot", "BazBot"];
const URL: &str = "https://site.example/dir/page";

fn filter(bots: usize, is_all: bool) -> Filter {
    let bots = BOTS[..bots]
        .iter()
        .map(|name| Bot::new(name).unwrap())
        .collect();
    let conventions = Conventions::parse(if is_all { "all" } else { "web" }).unwrap();
    Filter::for_bots(bots).unwrap().conventions(conventions)
}

fn explained(
    filter: &Filter,
    header: &str,
    html: &str,
    mut cut: impl FnMut() -> usize,
) -> Option<Explanation> {
    let mut pass = filter.explain(URL).unwrap();
    pass.header("X-Robots-Tag", header);
    pass.assume_utf8();
    let mut rest = html.as_bytes();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(cut().min(rest.len()));
        pass.write(piece).ok()?;
        rest = after;
    }
    pass.end().ok()
}

fn whole(filter: &Filter, header: &str, html: &str) -> Option<Explanation> {
    explained(filter, header, html, || usize::MAX)
}

/// Returns all that an explanation states, as text for comparison.
fn explanation_text(explanation: &Explanation) -> String {
    let bots = explanation.pages().iter().map(Page::bot_id);
    format!(
        "{} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        explanation.source(),
        explanation.pages().iter().map(read).collect::<Vec<_>>(),
        explanation.parts(),
        explanation.directives(),
        bots.clone()
            .map(|bot| explanation.effects(bot))
            .collect::<Vec<_>>(),
        bots.map(|bot| explanation.totals(bot)).collect::<Vec<_>>(),
        explanation.differences(),
        explanation.notes().collect::<Vec<_>>(),
    )
}

fn read(page: &Page) -> String {
    format!(
        "{:?} {:?} {:?}",
        given(page),
        page.exclusions().collect::<Vec<_>>(),
        page.notes().collect::<Vec<_>>()
    )
}

/// Returns all that a bot gets from a page, as text for comparison.
fn given(page: &Page) -> String {
    let may = Use::ALL.map(|usage| page.policy().allows(usage));
    let links = page.links().iter().map(|link| {
        (
            link.url(),
            link.may_follow(),
            link.may_credit(),
            link.phrases().collect(),
        )
    });
    let links: Vec<(_, _, _, Vec<_>)> = links.collect();
    let texts = [
        page.title(),
        page.description(),
        page.headings(),
        page.phrases(),
        page.alternative(),
    ];
    format!(
        "{may:?} {:?} {texts:?} {links:?}",
        page.policy().max_snippet()
    )
}

fn bytes(range: &Range<u64>) -> Range<usize> {
    usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()
}

/// Returns for each byte of the source, and for each use, the bots to which the use is denied. The
/// result is computed from the bots' pages. In each number, one bit stands for each bot.
fn denials(explanation: &Explanation) -> Vec<[u8; Use::ALL.len()]> {
    let mut denied = vec![[0; Use::ALL.len()]; explanation.source().len()];
    for page in explanation.pages() {
        let whole = Use::ALL
            .into_iter()
            .filter(|usage| !page.policy().allows(*usage))
            .map(|f| (f, 0..denied.len()));
        let mut ranges: Vec<(Use, Range<usize>)> = whole.collect();
        for exclusion in page
            .exclusions()
            .filter(|exclusion| exclusion.directive().place().is_some())
        {
            let range = bytes(&exclusion.range());
            let falls: &[Use] = match exclusion.usage() {
                Use::Index => &[Use::Index, Use::Snippet, Use::Anchor, Use::Input],
                Use::Snippet => &[Use::Snippet, Use::Input],
                Use::Follow => &[Use::Follow, Use::Anchor],
                _ => &[exclusion.usage()],
            };
            ranges.extend(falls.iter().map(|usage| (*usage, range.clone())));
        }
        for (usage, range) in ranges {
            for byte in &mut denied[range] {
                byte[usage as usize] |= 1 << page.bot_id().index();
            }
        }
    }
    denied
}

/// Returns for each byte of the source, and for each use, the bots to which the use is denied. The
/// result is computed from the differences between bots, so it covers only bytes where bots differ.
/// In each number, one bit stands for each bot.
fn differing(explanation: &Explanation) -> Vec<[u8; Use::ALL.len()]> {
    let mut denied = vec![[0; Use::ALL.len()]; explanation.source().len()];
    for difference in explanation.differences() {
        let bots = explanation
            .pages()
            .iter()
            .map(Page::bot_id)
            .filter(|bot| difference.denied_bots().contains(*bot));
        let bots: Vec<BotId> = bots.collect();
        assert_eq!(
            bots,
            difference
                .why()
                .iter()
                .map(|(bot, _)| *bot)
                .collect::<Vec<_>>()
        );
        for (bot, directive) in difference.why() {
            assert!(
                explanation.directives()[explanation.directive_index(*directive).unwrap()]
                    .directive()
                    .bots()
                    .contains(*bot)
            );
        }
        for byte in &mut denied[bytes(&difference.range())] {
            for usage in difference.uses().iter() {
                assert_eq!(byte[usage as usize], 0, "told twice");
                byte[usage as usize] = bots.iter().map(|bot| 1 << bot.index()).sum();
            }
        }
    }
    denied
}

/// A statement in the source of an explained page, and the directives that it makes.
struct Found {
    at: usize,
    token: Token,
    /// The directives that this statement makes, as positions in the explanation's list of
    /// directives.
    heard: Vec<usize>,
}

fn is_stated(directive: &Directive, (denies, usage): (bool, Use)) -> bool {
    match directive.says() {
        StatementContent::Deny(uses) => denies && uses.contains(usage),
        StatementContent::Allow(uses) => !denies && uses.contains(usage),
        _ => false,
    }
}

/// Returns those statements in the source of an explained page that became directives.
fn found(explanation: &Explanation) -> Vec<Found> {
    let source = explanation.source();
    let mut all = Vec::new();
    for token in TOKENS {
        for (at, _) in source.match_indices(token.0) {
            let Some(tag) = source[..=at].rfind('<') else {
                continue;
            };
            let is_it = |directive: &Directive| {
                let stands_here = directive
                    .place()
                    .is_some_and(|place| place.start() == tag as u64);
                stands_here
                    && directive.convention() == token.2
                    && token.3.is_none_or(|says| is_stated(directive, says))
            };
            let heard = explanation
                .directives()
                .iter()
                .enumerate()
                .filter(|(_, heard)| is_it(heard.directive()));
            let heard: Vec<usize> = heard.map(|(number, _)| number).collect();
            if !heard.is_empty() {
                all.push(Found { at, token, heard });
            }
        }
    }
    all
}

impl Found {
    /// Returns the source of the page without this statement. The closing mark of a region is
    /// removed as well.
    fn without(&self, explanation: &Explanation) -> Option<String> {
        let mut source = explanation.source().to_owned();
        source.replace_range(self.at..self.at + self.token.0.len(), self.token.1);
        let heard = &explanation.directives()[self.heard[0]];
        if heard.directive().extent() == Extent::Region {
            let close = usize::try_from(heard.reach()?.end).unwrap();
            if close < source.len() {
                let end = close + source[close..].find("-->")?;
                source.replace_range(close + 4..end, &"x".repeat(end - close - 4));
            }
        }
        Some(source)
    }

    /// True if the page without the statement shows nothing about the statement's effect. Of two
    /// equal limits, only one is obeyed, and without it the other one is. The same holds for two
    /// equal allowances that overlap. Equal tags of formatting elements cannot be distinguished
    /// either, because an HTML parser opens such elements again elsewhere.
    fn is_repeated(&self, explanation: &Explanation, bot: BotId) -> bool {
        let own = &explanation.directives()[self.heard[0]];
        let reach = |heard: &ExplainedDirective| heard.reach().unwrap_or_default();
        let meets = |other: &ExplainedDirective| {
            reach(other).start < reach(own).end && reach(own).start < reach(other).end
        };
        let (said, place) = (own.directive().says(), own.directive().place());
        let is_formatting = ["<a ", "<b ", "<i "]
            .iter()
            .any(|tag| own.directive().text().starts_with(tag));
        let is_like = |other: &ExplainedDirective| {
            is_formatting && other.directive().text() == own.directive().text()
        };
        let is_other = |other: &Directive| {
            other.says() == said && other.place() != place && other.bots().contains(bot)
        };
        let mut others = explanation
            .directives()
            .iter()
            .filter(|other| is_other(other.directive()));
        match said {
            StatementContent::Deny(_) => false,
            StatementContent::Allow(_) => others.any(|other| meets(other) || is_like(other)),
            _ => others.next().is_some(),
        }
    }

    /// True if this statement makes the only inclusive element of the page, and that element
    /// contains the whole page. Everything outside of an inclusive element is denied. But nothing
    /// is outside of this element, so it lifts only its own denial.
    fn lifts_itself(&self, explanation: &Explanation, bot: BotId) -> bool {
        let effects = explanation.effects(bot);
        let is_denial = |number: &usize| {
            matches!(
                explanation.directives()[*number].directive().says(),
                StatementContent::Deny(_)
            )
        };
        let is_obeyed = |number: &usize| {
            effects[*number]
                .iter()
                .any(|effect| effect.outcome() == DirectiveOutcome::Obeyed)
        };
        let (denials, allowances): (Vec<usize>, Vec<usize>) =
            self.heard.iter().copied().partition(is_denial);
        !denials.is_empty() && !allowances.is_empty() && !denials.iter().any(is_obeyed)
    }

    fn is_about_index(&self, explanation: &Explanation) -> bool {
        let said = self
            .heard
            .iter()
            .map(|number| explanation.directives()[*number].directive());
        said.into_iter().any(|directive| {
            [true, false]
                .iter()
                .any(|denies| is_stated(directive, (*denies, Use::Index)))
        })
    }

    /// Returns the outcomes of the directives that this statement makes, for one bot.
    fn outcomes(
        &self,
        explanation: &Explanation,
        bot: BotId,
    ) -> Vec<(Option<Use>, DirectiveOutcome)> {
        let effects = explanation.effects(bot);
        let effects = self.heard.iter().flat_map(|number| &effects[*number]);
        effects
            .map(|effect| (effect.usage(), effect.outcome()))
            .collect()
    }
}

/// Returns the effects of obeyed directives in a page, as text for comparison. They are the
/// withheld ranges and the denials for the whole page, each with its directive. The limits, and the
/// reasons why links may not be followed, are also among them.
fn reasons(page: &Page) -> String {
    let said =
        |directive: &Directive| (directive.place(), directive.convention(), directive.says());
    let withheld: Vec<_> = page
        .exclusions()
        .map(|e| (e.usage(), e.range(), said(e.directive())))
        .collect();
    let policy = page.policy();
    let whole = Use::ALL.map(|usage| policy.why(usage).map(said));
    let link = |link: &heedful::Link| {
        (
            link.why_not_follow().map(said),
            link.why_not_credit().map(said),
        )
    };
    let links: Vec<_> = page.links().iter().map(link).collect();
    format!(
        "{withheld:?} {whole:?} {:?} {links:?} {}",
        policy.max_snippet(),
        given(page)
    )
}

/// Returns the letters of a page's texts, without anything between the texts.
fn letters(page: &Page) -> String {
    let texts = [
        page.title(),
        page.description(),
        page.headings(),
        page.phrases(),
        page.alternative(),
    ];
    texts
        .iter()
        .flat_map(|texts| texts.iter())
        .flat_map(|text| text.split_whitespace())
        .collect()
}

/// Checks that an explanation of a page contains the same pages for the bots as a pass without an
/// explanation.
#[test]
fn a_class_that_bound_a_bot_for_a_while_binds_in_a_page_as_without_asking() {
    let html = format!(
        "{DECLARED}<span class=robot2-noindex><p class=robot1-index><link rel=RobotExclusion.Names href=bots>\
         <meta name=RobotExclusion.RobotName2 content=BarBot>"
    );
    let filter = filter(2, false);
    let mut pass = filter.open(URL).unwrap();
    pass.assume_utf8();
    pass.write(html.as_bytes()).unwrap();
    let pages: Vec<String> = pass.end_each().unwrap().iter().map(read).collect();
    let explanation = whole(&filter, "", &html).unwrap();
    assert_eq!(
        explanation.pages().iter().map(read).collect::<Vec<_>>(),
        pages
    );
    let outcomes: Vec<_> = explanation
        .effects(BotId::FIRST)
        .iter()
        .flatten()
        .map(Effect::outcome)
        .collect();
    assert_eq!(
        outcomes,
        [DirectiveOutcome::Overruled, DirectiveOutcome::Obeyed]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_parts_are_the_source_and_the_pages_those_of_a_filter(
        html in html(), bots in 1_usize..4, is_all: bool, header in prop::sample::select(&HEADERS[..]),
        cuts in prop::collection::vec(1_usize..9, 1..200),
    ) {
        let filter = filter(bots, is_all);
        let mut cuts = cuts.into_iter().cycle();
        let (one, other) = (whole(&filter, header, &html), explained(&filter, header, &html, || cuts.next().unwrap()));
        prop_assert_eq!(one.as_ref().map(explanation_text), other.as_ref().map(explanation_text));
        let Some(explanation) = one else { return Ok(()) };
        prop_assert_eq!(explanation.source(), html.as_str());
        let mut end = 0;
        let mut before = None;
        for part in explanation.parts() {
            prop_assert_eq!(part.range().start, end);
            prop_assert!(part.range().end > end && html.is_char_boundary(part.range().end));
            prop_assert_ne!(before.replace((part.kind(), part.verdict())), Some((part.kind(), part.verdict())));
            end = part.range().end;
        }
        prop_assert_eq!(end, html.len());
        let mut pass = filter.open(URL).unwrap();
        pass.header("X-Robots-Tag", header);
        pass.assume_utf8();
        let pages = pass.write(html.as_bytes()).and_then(|()| pass.end_each()).unwrap();
        let of_filter: Vec<String> = pages.iter().map(read).collect();
        prop_assert_eq!(of_filter, explanation.pages().iter().map(read).collect::<Vec<_>>());
    }

    #[test]
    fn words_kept_are_the_words_of_the_phrases(
        html in html(), bots in 1_usize..4, is_all: bool, header in prop::sample::select(&HEADERS[..]),
    ) {
        let Some(explanation) = whole(&filter(bots, is_all), header, &html) else { return Ok(()) };
        for page in explanation.pages() {
            let totals = explanation.totals(page.bot_id());
            let words = page.phrases().iter().flat_map(|phrase| phrase.split_whitespace()).count() as u64;
            prop_assert_eq!(totals.allowed_words(Use::Index), words);
            prop_assert_eq!(totals.phrases(), page.phrases().len());
            for usage in Use::ALL {
                prop_assert_eq!(totals.allowed_words(usage) + totals.withheld_words(usage), totals.words());
            }
        }
    }

    #[test]
    fn differences_are_those_of_the_verdicts(
        html in html(), bots in 1_usize..4, is_all: bool, header in prop::sample::select(&HEADERS[..]),
    ) {
        let Some(explanation) = whole(&filter(bots, is_all), header, &html) else { return Ok(()) };
        let all = (0..bots).map(|bot| 1 << bot).sum::<u8>();
        let denied = denials(&explanation);
        for part in explanation.parts() {
            for usage in Use::ALL {
                let told = explanation.denied(part, usage);
                let told = (0..bots).filter(|bot| told.contains(BotId::nth(*bot))).map(|bot| 1 << bot).sum::<u8>();
                prop_assert!(denied[part.range()].iter().all(|byte| byte[usage as usize] == told));
            }
        }
        let wanted: Vec<_> = denied.iter().map(|byte| byte.map(|set| if set == all { 0 } else { set })).collect();
        prop_assert_eq!(differing(&explanation), wanted);
    }
}

/// Values of the header X-Robots-Tag in the response.
const HEADERS: [&str; 4] = ["", "", "nosnippet", "barbot: noindex"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_has_no_effect_changes_nothing_and_what_is_obeyed_does(
        html in html(), bots in 1_usize..4, is_all: bool, header in prop::sample::select(&HEADERS[..]),
    ) {
        let filter = filter(bots, is_all);
        let Some(explanation) = whole(&filter, header, &html) else { return Ok(()) };
        for found in found(&explanation) {
            let Some(source) = found.without(&explanation) else { continue };
            let Some(without) = whole(&filter, header, &source) else { continue };
            for (before, after) in explanation.pages().iter().zip(without.pages()) {
                let bot = before.bot_id();
                let outcomes = found.outcomes(&explanation, bot);
                let is_obeyed = outcomes.iter().any(|(_, outcome)| *outcome == DirectiveOutcome::Obeyed);
                let is_alone = !found.is_repeated(&explanation, bot) && !found.lifts_itself(&explanation, bot);
                let what = (found.token.0, found.at, bot, &outcomes, &source);
                if is_obeyed && is_alone {
                    prop_assert_ne!(reasons(before), reasons(after), "obeyed, but to no effect: {:?}", what);
                } else if !is_obeyed && given(before) != given(after) && !is_moved(&explanation) {
                    let is_break = is_only_a_break(found.is_about_index(&explanation), before, after);
                    prop_assert!(is_break, "no effect, but {:?}", what);
                }
            }
        }
    }
}

/// True if two pages differ only in the ends of phrases. A phrase ends where text may not be
/// indexed, even at an empty region or element. It also ends at an HTML class that addressed the
/// bot only until the Names page was read. The third case is a denying formatting element that HTML
/// reopens inside another element.
fn is_only_a_break(is_about_index: bool, before: &Page, after: &Page) -> bool {
    is_about_index && letters(before) == letters(after)
}

/// True if a note says that an HTML parser moves content of the page. If two marked elements change
/// their order by that, their allowances become void. So more is withheld than each of the elements
/// states.
fn is_moved(explanation: &Explanation) -> bool {
    explanation
        .notes()
        .any(|note| note.kind() == NoteKind::MovedContent)
}
