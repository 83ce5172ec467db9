//! Counts the pages of a run for a census. Only counts leave the thread that reads a page.

use heedful_base::error::Result;
use heedful_census::{Census, Counter, PageCount};
use heedful_input::{FetchedPage, Skip};

use super::feed::fed;
use super::gate::AtTheGate;
use super::outcome::Outcome;

/// A page that was counted.
#[derive(Debug)]
#[non_exhaustive]
pub struct CountedRun {
    /// What it adds to a census.
    pub count: PageCount,
    /// The bytes of HTML.
    pub bytes: usize,
    /// The site, if it has no robots.txt at hand.
    pub without_robots: Option<String>,
    /// True if its end is known to be missing.
    pub is_cut: bool,
}

pub(super) fn counted(
    document: &FetchedPage,
    at_the_gate: &AtTheGate<'_>,
    counter: &Counter,
) -> Result<CountedRun> {
    Ok(CountedRun {
        count: counter.page(document.url(), |pass| fed(pass, document, at_the_gate))?,
        bytes: document.bytes().len(),
        without_robots: at_the_gate.without.clone(),
        is_cut: document.is_cut(),
    })
}

/// Adds an outcome to a census. What gave no page is counted by what became of it.
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
