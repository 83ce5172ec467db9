//! The explanation of a page together with its robots.txt files, and with the verdicts of other
//! vendors' rules.

use std::time::SystemTime;

use heedful::{Explanation, Filter, Result, RobotsTxt, Use};
use heedful_input::FetchedPage;
use heedful_lint::vendor::{Vendor, VendorReading};
use heedful_run::{GateRules, explained};

use crate::args::ExplainArgs;
use crate::job::Job;
use crate::summary::CountedPages;

/// The explanation of how a page was judged. `robots` has the robots.txt files that apply to the
/// page.
pub(crate) struct ExplainedPage {
    pub(crate) explanation: Explanation,
    pub(crate) robots: Vec<RobotsTxt>,
    /// How the documented rules of each requested vendor would judge the page.
    pub(crate) readings: Vec<VendorReading>,
}

impl ExplainedPage {
    /// Explains a page for the bots of `filter`, and computes how each of `vendors` would judge it
    /// at the time `now`.
    pub(crate) fn new(
        document: &FetchedPage,
        at: &GateRules<'_>,
        filter: &Filter,
        (vendors, now): (&[&'static Vendor], SystemTime),
    ) -> Result<Self> {
        let explanation = explained(document, at, filter)?;
        let reading = |vendor: &&'static Vendor| {
            Ok(vendor.reading(explained(document, at, &vendor.filter(now)?)?))
        };
        let readings = vendors.iter().map(reading).collect::<Result<_>>()?;
        let robots = at
            .robots
            .iter()
            .map(|robots| robots.as_ref().clone())
            .collect();
        Ok(Self {
            explanation,
            robots,
            readings,
        })
    }

    /// True if at least one bot of the explanation may index the page.
    pub(super) fn is_indexable(&self) -> bool {
        self.explanation
            .pages()
            .iter()
            .any(|page| page.policy().allows(Use::Index))
    }
}

impl CountedPages for ExplainedPage {}

/// Explains how the page `document` is judged. The option `--at` in `args` sets the time as of
/// which the page is judged. The option `--as` names the vendors whose rules are shown too.
pub(super) fn explain(
    document: &FetchedPage,
    at: &GateRules<'_>,
    job: &Job<'_>,
    args: &ExplainArgs,
) -> Result<ExplainedPage> {
    let vendors = args.vendors.as_ref().map_or(&[][..], |vendors| &vendors.0);
    ExplainedPage::new(document, at, &job.filter, (vendors, args.run.now()))
}
