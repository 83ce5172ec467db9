//! Uses by models that are allowed in one place and denied in another: META, headers, records of a
//! robots.txt, tdmrep.json.
//!
//! Other uses are covered by the rules about META and headers. If only the files of a site
//! contradict each other, that is not reported for each page.

use heedful::internals::convention::EarStatement;
use heedful::internals::scope::PassTerms;
use heedful::{Directive, Origin, PageEnd, Says, Use};
use heedful_base::bot::{BotId, BotSet};
use heedful_robots::{SiteFile, Usage};

use super::finding::{Finding, named};
use super::gate::RobotsLint;

/// The uses that many conventions speak of.
const USES: [Use; 2] = [Use::Train, Use::Input];

pub(super) fn contradicted(
    outcome: &PageEnd,
    gate: &RobotsLint<'_>,
    terms: &PassTerms,
) -> Vec<Finding> {
    let records = records(gate, terms);
    let is_of_the_publisher =
        |said: &&Directive| !matches!(said.origin(), Origin::Operator | Origin::Input);
    let said: Vec<_> = outcome
        .ceiling()
        .filter(is_of_the_publisher)
        .chain(&records)
        .collect();
    let mut findings = Vec::new();
    for usage in USES {
        let allowances = said.iter().filter(|said| allows(said, usage));
        let pair = |allowance: &&Directive| {
            let denial = said
                .iter()
                .find(|denial| denies(denial, usage) && are_at_odds(allowance, denial));
            denial.map(|denial| finding(usage, allowance, denial))
        };
        findings.extend(allowances.filter_map(pair));
    }
    findings
}

/// The statements of each robots.txt and tdmrep.json about the use of the page.
fn records(gate: &RobotsLint<'_>, terms: &PassTerms) -> Vec<Directive> {
    let mut records: Vec<Directive> = Vec::new();
    let urls = || std::iter::once(gate.url).chain(gate.also);
    for (index, bot) in gate.bots.iter().enumerate() {
        for (robots, url) in gate
            .robots
            .iter()
            .flat_map(|robots| urls().map(move |url| (robots, url)))
        {
            for reading in robots.usage_readings(bot, url) {
                for (ear, usage) in terms.collect_uses(&reading).into_iter().zip(&reading) {
                    let said = (robots.site_file(), usage);
                    for one in &ear.heard {
                        keep(one, said, BotSet::one(BotId::nth(index)), &mut records);
                    }
                }
            }
        }
    }
    records
}

/// Keeps a record once, for all bots that it addresses.
fn keep(
    said: &EarStatement,
    (file, usage): (SiteFile, &Usage<'_>),
    bots: BotSet,
    records: &mut Vec<Directive>,
) {
    let EarStatement {
        says,
        extent,
        convention,
        ..
    } = *said;
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

fn allows(said: &Directive, usage: Use) -> bool {
    matches!(said.says(), Says::Allow(uses) if uses.contains(usage))
}

/// Text that may not be shown may not be used for an answer either.
fn denies(said: &Directive, usage: Use) -> bool {
    let rests_on = if usage == Use::Input {
        Use::Snippet
    } else {
        usage
    };
    matches!(said.says(), Says::Deny(uses) if uses.contains(usage) || uses.contains(rests_on))
}

fn are_at_odds(allowance: &Directive, denial: &Directive) -> bool {
    let is_record = |said: &Directive| {
        matches!(
            said.origin(),
            Origin::Record { .. } | Origin::Reservation { .. }
        )
    };
    let is_elsewhere = (allowance.place(), allowance.text()) != (denial.place(), denial.text());
    let is_of_the_site = is_record(allowance) && is_record(denial);
    is_elsewhere && !is_of_the_site && !allowance.bots().and(denial.bots()).is_empty()
}

fn finding(usage: Use, allowance: &Directive, denial: &Directive) -> Finding {
    let message = format!(
        "`{}` is allowed by {} and denied by {}: it is denied, for the strictest counts",
        usage.name(),
        named(allowance),
        named(denial)
    );
    Finding::new(
        "contradicted-use",
        allowance.place().or(denial.place()),
        message,
    )
}
