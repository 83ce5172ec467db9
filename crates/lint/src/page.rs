//! Turns what was heard and seen in one page into findings.

use std::ops::Range;

use heedful::internals::scope::PassTerms;
use heedful::{Directive, Extent, Note, NoteKind, Origin, PageEnd, Says, Use, Uses};
use heedful_base::bot::{BotId, BotSet};

use super::finding::{Finding, Linted, named};
use super::gate::RobotsLint;
use super::uses::contradicted;
use super::watch::LintSink;

pub(super) fn linted(
    watch: LintSink,
    outcome: &PageEnd,
    gate: &RobotsLint<'_>,
    terms: &PassTerms,
) -> Linted {
    let mut findings: Vec<Finding> = outcome
        .notes()
        .iter()
        .filter(|note| matters(note, &watch))
        .filter_map(of_note)
        .collect();
    findings.extend(undeclared(outcome));
    findings.extend(opposites(outcome));
    findings.extend(contradicted(outcome, gate, terms));
    findings.extend(unseen(outcome, gate));
    findings.extend(
        watch
            .unread
            .iter()
            .map(|(place, message)| Finding::new("unread-marker", Some(*place), message.clone())),
    );
    findings.extend(across(&watch, outcome));
    findings.extend(watch.first_mark.map(|place| {
        let message = "a minifier would drop this mark, and those behind it, with all comments";
        Finding::new("minified-away", Some(place), message.to_owned())
    }));
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

/// An unclosed region with nothing after its mark withholds nothing: some templates end like that.
fn matters(note: &Note, watch: &LintSink) -> bool {
    note.kind() != NoteKind::UnclosedRegion
        || note
            .place()
            .is_none_or(|place| place.start() < watch.last_content)
}

/// The finding for a note, if the note is about a fault of the publisher.
fn of_note(note: &Note) -> Option<Finding> {
    let is_fault = !matches!(
        note.kind(),
        NoteKind::ImageTraining
            | NoteKind::MalformedText
            | NoteKind::LongNoscript
            | NoteKind::OutOfOrder
            | NoteKind::CutShort
    );
    is_fault.then(|| Finding {
        left_out: note.left_out,
        ..Finding::new(note.kind().name(), note.place(), note.message().to_owned())
    })
}

/// Denying classes that are read without the profile here, but not by strict readers.
fn undeclared(outcome: &PageEnd) -> Option<Finding> {
    let is_noted = outcome
        .notes()
        .iter()
        .any(|note| note.kind() == NoteKind::UndeclaredProfile);
    let place = outcome.undeclared.filter(|_| !is_noted)?;
    let message = "strict readers do not hear this class: no `<head profile>` names the Robot Exclusion Profile";
    Some(Finding::new(
        "undeclared-profile",
        Some(place),
        message.to_owned(),
    ))
}

/// Statements about the whole page that contradict each other.
fn opposites(outcome: &PageEnd) -> Vec<Finding> {
    let mut findings = Vec::new();
    let of = |convention: &'static str| {
        outcome
            .ceiling()
            .filter(move |said| said.convention() == convention)
    };
    for (allows, denies, rule) in [
        ("meta", "meta", "contradictory-metas"),
        ("meta", "header", "header-against-meta"),
        ("header", "meta", "header-against-meta"),
    ] {
        for allowance in of(allows) {
            let found = of(denies).find_map(|denial| Some((denial, at_odds(allowance, denial)?)));
            if let Some((denial, usage)) = found {
                let message = format!(
                    "`{}` is allowed by {} and denied by {}",
                    usage.name(),
                    named(allowance),
                    named(denial)
                );
                findings.push(Finding::new(
                    rule,
                    allowance.place().or(denial.place()),
                    message,
                ));
            }
        }
    }
    findings
}

/// The use that one directive allows and another directive, elsewhere, denies to the same bots.
fn at_odds(allowance: &Directive, denial: &Directive) -> Option<Use> {
    let (Says::Allow(allowed), Says::Deny(denied)) = (allowance.says(), denial.says()) else {
        return None;
    };
    let is_elsewhere = (allowance.place(), allowance.text()) != (denial.place(), denial.text());
    let is_for_the_same = allowance.bots() == denial.bots();
    allowed
        .iter()
        .find(|usage| is_elsewhere && is_for_the_same && denied.contains(*usage))
}

/// A statement of a page that no bot may fetch, so nobody reads it.
fn unseen(outcome: &PageEnd, gate: &RobotsLint<'_>) -> Option<Finding> {
    let denies = Uses::new(&[Use::Index, Use::Archive, Use::Snippet]);
    let is_vain = |said: &&Directive| {
        let is_denial = matches!(said.says(), Says::Deny(uses) if uses.iter().any(|usage| denies.contains(usage)));
        let is_of_the_publisher = !matches!(said.origin(), Origin::Operator | Origin::Input);
        is_denial && matches!(said.extent(), Extent::Page | Extent::Response) && is_of_the_publisher
    };
    let said = outcome.ceiling().find(is_vain)?;
    let meant = gate
        .bots
        .iter()
        .enumerate()
        .filter(|(bot, _)| said.bots().contains(BotId::nth(*bot)));
    let ruling = meant.into_iter().find_map(|(_, bot)| gate.shut(bot))?;
    let rule = ruling
        .rule()
        .map(|rule| format!(" (`{rule}`)"))
        .unwrap_or_default();
    let message = format!(
        "robots.txt{rule} keeps robots from this page, so nobody sees `{}`",
        said.text()
    );
    Some(Finding::new("noindex-unseen", said.place(), message))
}

/// The reason why no bot may index the page.
fn noindex(outcome: &PageEnd, gate: &RobotsLint<'_>) -> Option<String> {
    let denies = |said: &&Directive| {
        matches!(said.says(), Says::Deny(uses) if uses.contains(Use::Index))
            && said.bots() == BotSet::all(gate.bots.len())
    };
    let said = outcome
        .ceiling()
        .find(denies)
        .map(|said| format!("`{}`", said.text()));
    let is_shut = gate.bots.iter().all(|bot| gate.shut(bot).is_some());
    said.or_else(|| is_shut.then(|| "robots.txt".to_owned()))
}

/// Regions whose marks stand in different elements. For TYPO3 what is left out lies between the
/// marked parts, and has no marks of its own.
fn across(watch: &LintSink, outcome: &PageEnd) -> Vec<Finding> {
    let regions = outcome.parts().filter(|(said, reach)| {
        said.extent() == Extent::Region && said.convention() != "typo3" && reach.start < reach.end
    });
    let finding = |(said, reach): (&Directive, Range<u64>)| {
        let (begins, ends) = (
            watch.round_marks.get(&reach.start)?,
            watch.round_marks.get(&reach.end)?,
        );
        let element = |(_, name): &(u32, String)| {
            if name.is_empty() {
                "the body".to_owned()
            } else {
                format!("<{name}>")
            }
        };
        let message = format!(
            "this region begins in {} and ends in {}{}",
            element(begins),
            if begins.1 == ends.1 { "another " } else { "" },
            element(ends)
        );
        (begins.0 != ends.0).then(|| Finding::new("region-across-elements", said.place(), message))
    };
    regions.filter_map(finding).collect()
}
