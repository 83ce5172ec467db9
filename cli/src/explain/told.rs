//! A page to explain, and what is told of it.

use std::time::SystemTime;

use heedful::{Explanation, Facet, Filter, Result, RobotsTxt};
use heedful_input::Document;
use heedful_lint::vendor::{Reading, Vendor};
use heedful_run::{AtTheGate, explained};

use crate::args::ExplainArgs;
use crate::job::Job;
use crate::summary::Counted;

/// An explained page, and the robots.txt files that were asked about it.
pub(crate) struct Told {
    pub(crate) explanation: Explanation,
    pub(crate) robots: Vec<RobotsTxt>,
    /// How other vendors would read the page.
    pub(crate) readings: Vec<Reading>,
}

impl Told {
    /// Explains a page, also as these vendors would read it at this time.
    pub(crate) fn of(
        document: &Document,
        at: &AtTheGate<'_>,
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

    /// True if some bot may index the page.
    pub(super) fn is_indexable(&self) -> bool {
        self.explanation
            .pages()
            .iter()
            .any(|page| page.policy().allows(Facet::Index))
    }
}

impl Counted for Told {}

/// Explains a page as the arguments ask for it.
pub(super) fn told(
    document: &Document,
    at: &AtTheGate<'_>,
    job: &Job<'_>,
    args: &ExplainArgs,
) -> Result<Told> {
    let vendors = args.vendors.as_ref().map_or(&[][..], |vendors| &vendors.0);
    Told::of(document, at, &job.filter, (vendors, args.run.now()))
}
