//! Counts pages of a run for a census. The robots.txt rules and headers of each page apply.
//!
//! The thread that reads a page passes on counts alone, and no text of the page.

use heedful_base::error::Result;
use heedful_census::{Census, Counter, PageCount};
use heedful_input::{FetchedPage, Skip};

use super::feed::pass_document;
use super::gate::GateRules;
use super::outcome::Outcome;

/// Result of counting one page of a run for a census.
#[derive(Debug)]
#[non_exhaustive]
pub struct CountedRunPage {
    /// Counts that the page adds to a census.
    pub count: PageCount,
    /// Size of the HTML of the page in bytes.
    pub bytes: usize,
    /// Site of the page if no robots.txt of the site is known, otherwise `None`.
    pub site_without_robots: Option<String>,
    /// True if the page was cut off before its end and is incomplete. False if nothing is known
    /// about a cut.
    pub is_cut: bool,
}

pub(super) fn counted(
    document: &FetchedPage,
    gate_rules: &GateRules<'_>,
    counter: &Counter,
) -> Result<CountedRunPage> {
    Ok(CountedRunPage {
        count: counter.page(document.url(), |pass| {
            pass_document(pass, document, gate_rules)
        })?,
        bytes: document.bytes().len(),
        site_without_robots: gate_rules.site_without_robots.clone(),
        is_cut: document.is_cut(),
    })
}

/// Adds an outcome of a run to a census. Adds the counts of a page, or counts an outcome without a
/// page by its kind.
pub fn record(census: &mut Census, outcome: &Outcome<CountedRunPage>) {
    match outcome {
        Outcome::Pages(counted) => {
            census.add(&counted.count);
            if counted.is_cut {
                census.add_outcome("cut-short");
            }
            if counted.site_without_robots.is_some() {
                census.add_outcome("without-robots");
            }
        }
        Outcome::Head { result, .. } => {
            census.add(&result.count);
            census.add_outcome("head-only");
        }
        Outcome::Unchanged(_) => census.add_outcome("unchanged"),
        Outcome::Failed { error, .. } => census.add_outcome(&format!("failed-{}", error.name())),
        Outcome::Damage(_) => census.add_outcome("damaged"),
        Outcome::Skipped(skipped) => census.add_outcome(match skipped.why() {
            Skip::Status(_) => "status",
            Skip::Type => "not-html",
            Skip::Hidden => "hidden",
            Skip::Unchanged => "unchanged",
            Skip::Wat | Skip::Other => "other",
        }),
    }
}
