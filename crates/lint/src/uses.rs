//! Reports uses of a page by AI models (training, input) that a publisher allows in one place and
//! denies in another. The places are META elements, headers, records of robots.txt, and
//! tdmrep.json.
//!
//! Contradictions about other uses are found by the rules about META and headers. A contradiction
//! between site files alone is not reported, because it would be reported for each page of the
//! site.

use heedful::internals::convention::Statement;
use heedful::internals::scope::PassTerms;
use heedful::{Directive, Origin, PageEnd, StatementContent, Use};
use heedful_base::bot::{BotId, BotSet};
use heedful_robots::{SiteFile, Usage};

use super::finding::{Finding, describe};
use super::gate::RobotsLint;

/// Uses for which contradictions between places are searched. Pages, headers and site files can
/// each allow or deny these uses.
const USES: [Use; 2] = [Use::Train, Use::Input];

pub(super) fn contradicted_uses(
    outcome: &PageEnd,
    gate: &RobotsLint<'_>,
    terms: &PassTerms,
) -> Vec<Finding> {
    let records = records(gate, terms);
    let mut directives: Vec<&Directive> = outcome.page_wide_directives().collect();
    directives.retain(|directive| !matches!(directive.origin(), Origin::Operator | Origin::Input));
    directives.extend(&records);
    let mut findings = Vec::new();
    for usage in USES {
        for allowance in &directives {
            if !allows(allowance, usage) {
                continue;
            }
            let mut denials = directives
                .iter()
                .filter(|directive| denies(directive, usage));
            if let Some(denial) = denials.find(|denial| are_at_odds(allowance, denial)) {
                findings.push(finding(usage, allowance, denial));
            }
        }
    }
    findings
}

/// Returns the records of robots.txt and tdmrep.json files that state how the page may be used.
/// Each record is converted to a directive.
fn records(gate: &RobotsLint<'_>, terms: &PassTerms) -> Vec<Directive> {
    let mut records: Vec<Directive> = Vec::new();
    for (index, bot) in gate.bots.iter().enumerate() {
        let bots = BotSet::single(BotId::nth(index));
        for robots in gate.robots {
            for url in std::iter::once(gate.url).chain(gate.also) {
                for reading in robots.usage_readings(bot, url) {
                    for (ear, usage) in terms.collect_uses(&reading).into_iter().zip(&reading) {
                        for statement in &ear.statements {
                            add(statement, robots.site_file(), usage, bots, &mut records);
                        }
                    }
                }
            }
        }
    }
    records
}

/// Adds a site file's `statement` to `records` as a directive. If an equal directive for other bots
/// is already there, `bots` are added to that directive.
fn add(
    statement: &Statement,
    file: SiteFile,
    usage: &Usage<'_>,
    bots: BotSet,
    records: &mut Vec<Directive>,
) {
    let Statement {
        says,
        extent,
        convention,
        ..
    } = *statement;
    let line = usage.line();
    let (origin, place) = match file {
        SiteFile::Tdmrep => (Origin::Reservation { rule: line }, "rule"),
        _ => (Origin::Record { line }, "line"),
    };
    let text = format!("{} ({place} {line} of {})", usage.written(), file.name());
    match records
        .iter_mut()
        .find(|known| (known.says, &known.text) == (says, &text))
    {
        Some(known) => known.bots = known.bots.or(bots),
        None => records.push(Directive {
            says,
            bots,
            extent,
            convention,
            origin,
            text,
        }),
    }
}

pub(super) fn allows(directive: &Directive, usage: Use) -> bool {
    matches!(directive.says(), StatementContent::Allow(uses) if uses.contains(usage))
}

/// True if `directive` denies the use `usage`. A denial of `snippet` denies `input` too: text that
/// may not be shown may not be in a model's answer.
fn denies(directive: &Directive, usage: Use) -> bool {
    let rests_on = if usage == Use::Input {
        Use::Snippet
    } else {
        usage
    };
    matches!(directive.says(), StatementContent::Deny(uses) if uses.contains(usage) || uses.contains(rests_on))
}

fn are_at_odds(allowance: &Directive, denial: &Directive) -> bool {
    let is_elsewhere = (allowance.place(), allowance.text()) != (denial.place(), denial.text());
    let is_of_the_site = is_record(allowance) && is_record(denial);
    is_elsewhere && !is_of_the_site && !allowance.bots().and(denial.bots()).is_empty()
}

fn is_record(directive: &Directive) -> bool {
    matches!(
        directive.origin(),
        Origin::Record { .. } | Origin::Reservation { .. }
    )
}

fn finding(usage: Use, allowance: &Directive, denial: &Directive) -> Finding {
    let message = format!(
        "`{}` is allowed by {} and denied by {}: it is denied, for the strictest counts",
        usage.name(),
        describe(allowance),
        describe(denial)
    );
    Finding::new(
        "contradicted-use",
        allowance.place().or(denial.place()),
        message,
    )
}
