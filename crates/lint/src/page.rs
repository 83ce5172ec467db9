//! Converts the directives, notes and markers of one page into findings of lint.
//!
//! A finding never changes a verdict. Notes that are about the input, such as a truncated page, are
//! no findings.

use heedful::internals::scope::PassTerms;
use heedful::{Directive, Extent, Note, NoteKind, Origin, PageEnd, StatementContent, Use};
use heedful_base::bot::{BotId, BotSet};

use super::finding::{Finding, Linted, describe};
use super::gate::RobotsLint;
use super::rules;
use super::uses::contradicted_uses;
use super::watch::LintSink;

pub(super) fn findings(
    watch: LintSink,
    outcome: &PageEnd,
    gate: &RobotsLint<'_>,
    terms: &PassTerms,
) -> Linted {
    let mut findings = Vec::new();
    for note in outcome.notes() {
        if is_relevant(note, &watch) {
            findings.extend(note_finding(note));
        }
    }
    findings.extend(undeclared_profile(outcome));
    findings.extend(contradictions(outcome));
    findings.extend(contradicted_uses(outcome, gate, terms));
    findings.extend(unseen_noindex(outcome, gate));
    for (place, message) in &watch.unread {
        findings.push(Finding::new("unread-marker", Some(*place), message.clone()));
    }
    findings.extend(regions_across_elements(&watch, outcome));
    if watch.first_mark.is_some() {
        let message = "a minifier that removes comments would remove this mark and the later ones";
        findings.push(Finding::new(
            "minified-away",
            watch.first_mark,
            message.to_owned(),
        ));
    }
    findings.sort_by_key(|finding| {
        (
            finding.left_out > 0,
            finding.place.map(|place| place.start()),
        )
    });
    Linted {
        findings,
        canonical: watch.canonical,
        noindex: noindex(outcome, gate),
    }
}

/// True if lint reports the note. Notes about a harmless unclosed region are not reported. Such a
/// region begins after the last content of the page, so it withholds nothing. Some templates end
/// with such a region.
fn is_relevant(note: &Note, watch: &LintSink) -> bool {
    match note.place() {
        Some(place) if note.kind() == NoteKind::UnclosedRegion => {
            place.start() < watch.last_content
        }
        _ => true,
    }
}

/// Returns the finding for a note, if a lint rule has the same name as the note's kind. Returns
/// None for all other notes, because they report no mistake of the publisher.
fn note_finding(note: &Note) -> Option<Finding> {
    Some(Finding {
        rule: rules::find(note.kind().name())?,
        place: note.place(),
        message: note.message().to_owned(),
        left_out: note.left_out,
    })
}

/// Returns the finding for a page that uses an HTML class of the Robot Exclusion Profile without
/// declaring the profile. Strict robots ignore such a class, although the filter obeys it. Returns
/// None if there is no such class, or if a note already reports it.
fn undeclared_profile(outcome: &PageEnd) -> Option<Finding> {
    let mut notes = outcome.notes().iter();
    if notes.any(|note| note.kind() == NoteKind::UndeclaredProfile) {
        return None;
    }
    let place = outcome.undeclared?;
    let message =
        "strict robots ignore this class: no `<head profile>` names the Robot Exclusion Profile";
    Some(Finding::new(
        "undeclared-profile",
        Some(place),
        message.to_owned(),
    ))
}

/// Returns findings for statements about the whole page that contradict each other.
fn contradictions(outcome: &PageEnd) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (allows, denies, rule) in [
        ("meta", "meta", "contradictory-metas"),
        ("meta", "header", "header-against-meta"),
        ("header", "meta", "header-against-meta"),
    ] {
        for allowance in outcome.page_wide_directives() {
            if allowance.convention() == allows {
                findings.extend(contradiction(outcome, allowance, denies, rule));
            }
        }
    }
    findings
}

/// Returns the finding for the first directive that denies what `allowance` allows. Only denials by
/// the convention with the name `denies` are searched.
fn contradiction(
    outcome: &PageEnd,
    allowance: &Directive,
    denies: &str,
    rule: &'static str,
) -> Option<Finding> {
    for denial in outcome.page_wide_directives() {
        if denial.convention() == denies
            && let Some(usage) = at_odds(allowance, denial)
        {
            let message = format!(
                "`{}` is allowed by {} and denied by {}",
                usage.name(),
                describe(allowance),
                describe(denial)
            );
            let place = allowance.place().or(denial.place());
            return Some(Finding::new(rule, place, message));
        }
    }
    None
}

/// Returns the first use that `allowance` allows and `denial` denies. Returns None if there is no
/// such use, or if the directives address different bots. Also returns None if both directives are
/// the same text at the same position.
fn at_odds(allowance: &Directive, denial: &Directive) -> Option<Use> {
    let (StatementContent::Allow(allowed), StatementContent::Deny(denied)) =
        (allowance.says(), denial.says())
    else {
        return None;
    };
    let is_elsewhere = (allowance.place(), allowance.text()) != (denial.place(), denial.text());
    if !is_elsewhere || allowance.bots() != denial.bots() {
        return None;
    }
    allowed.iter().find(|usage| denied.contains(*usage))
}

/// Returns a finding if robots.txt hides a denial in the page from a bot that the denial addresses.
/// The bot may not fetch the page, so it never sees the denial. Returns None if there is no such
/// denial.
fn unseen_noindex(outcome: &PageEnd, gate: &RobotsLint<'_>) -> Option<Finding> {
    let directive = outcome
        .page_wide_directives()
        .find(|found| needs_fetching(found))?;
    let mut bots = gate.bots.iter().enumerate();
    let ruling = bots.find_map(|(index, bot)| {
        if directive.bots().contains(BotId::nth(index)) {
            gate.denial(bot)
        } else {
            None
        }
    })?;
    let rule = match ruling.rule() {
        Some(rule) => format!(" (`{rule}`)"),
        None => String::new(),
    };
    let message = format!(
        "robots.txt{rule} keeps robots from this page, so nobody sees `{}`",
        directive.text()
    );
    Some(Finding::new("noindex-unseen", directive.place(), message))
}

/// True if `directive` denies `index`, `archive` or `snippet` for the whole page, and is from the
/// page or its headers. Bots see such a denial only after they have fetched the page.
fn needs_fetching(directive: &Directive) -> bool {
    let StatementContent::Deny(uses) = directive.says() else {
        return false;
    };
    [Use::Index, Use::Archive, Use::Snippet]
        .into_iter()
        .any(|usage| uses.contains(usage))
        && matches!(directive.extent(), Extent::Page | Extent::Response)
        && !matches!(directive.origin(), Origin::Operator | Origin::Input)
}

/// Returns the reason why no bot may index the page, for a message. Returns None if at least one
/// bot may index it.
fn noindex(outcome: &PageEnd, gate: &RobotsLint<'_>) -> Option<String> {
    let all = BotSet::all(gate.bots.len());
    for directive in outcome.page_wide_directives() {
        if let StatementContent::Deny(uses) = directive.says()
            && uses.contains(Use::Index)
            && directive.bots() == all
        {
            return Some(format!("`{}`", directive.text()));
        }
    }
    if gate.bots.iter().all(|bot| gate.denial(bot).is_some()) {
        return Some("robots.txt".to_owned());
    }
    None
}

/// Returns findings for regions that begin in one element and end in another. Only regions between
/// two marking comments are checked. Regions of the convention `typo3` are skipped. There, comments
/// enclose the text to index, and a region is the text between two enclosed parts.
fn regions_across_elements(watch: &LintSink, outcome: &PageEnd) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (directive, reach) in outcome.parts() {
        if directive.extent() != Extent::Region
            || directive.convention() == "typo3"
            || reach.start >= reach.end
        {
            continue;
        }
        let begins = watch.mark_elements.get(&reach.start);
        let ends = watch.mark_elements.get(&reach.end);
        if let (Some((first, begins)), Some((last, ends))) = (begins, ends)
            && first != last
        {
            let message = format!(
                "this region begins in {} and ends in {}{}",
                describe_element(begins),
                if begins == ends { "another " } else { "" },
                describe_element(ends)
            );
            findings.push(Finding::new(
                "region-across-elements",
                directive.place(),
                message,
            ));
        }
    }
    findings
}

fn describe_element(name: &str) -> String {
    if name.is_empty() {
        "the body".to_owned()
    } else {
        format!("<{name}>")
    }
}
