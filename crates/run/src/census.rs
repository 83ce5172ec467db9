//! Counts the pages of a run for a census. Only counts leave the thread that reads a page.

use heedful_base::error::Result;
use heedful_census::{Census, Counter, PageCount};
use heedful_input::{FetchedPage, Skip};

use super::feed::feed;
use super::gate::GateRules;
use super::outcome::Outcome;

/// A page that was counted.
#[derive(Debug)]
#[non_exhaustive]
pub struct CountedRun {
    /// What it adds to a census.
    pub count: PageCount,
    /// The bytes of HTML.
    pub bytes: usize,
    /// The site, if no robots.txt of it is known.
    pub without_robots: Option<String>,
    /// True if its end is known to be missing.
    pub is_cut: bool,
}

pub(super) fn counted(
    document: &FetchedPage,
    gate_rules: &GateRules<'_>,
    counter: &Counter,
) -> Result<CountedRun> {
    Ok(CountedRun {
        count: counter.page(document.url(), |pass| feed(pass, document, gate_rules))?,
        bytes: document.bytes().len(),
        without_robots: gate_rules.without.clone(),
        is_cut: document.is_cut(),
    })
}

/// Adds an outcome to a census. Outcomes without a page are counted by their kind.
pub fn record(census: &mut Census, outcome: &Outcome<CountedRun>) {
    match outcome {
        Outcome::Pages(counted) => {
            census.add(&counted.count);
            if counted.is_cut {
                census.add_outcome("cut-short");
            }
            if counted.without_robots.is_some() {
                census.add_outcome("without-robots");
            }
        }
        Outcome::Unchanged(_) => census.add_outcome("unchanged"),
        Outcome::Failed { error, .. } => census.add_outcome(&format!("failed-{}", error.name())),
        Outcome::Damage(_) => census.add_outcome("damaged"),
        Outcome::Skipped(skipped) => census.add_outcome(match skipped.why() {
            Skip::Status(_) => "status",
            Skip::Type => "not-html",
            Skip::Hidden => "hidden",
            Skip::Unchanged => "unchanged",
            Skip::Other => "other",
        }),
    }
}
