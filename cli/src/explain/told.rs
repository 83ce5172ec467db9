//! The pages to explain: which of the input they are, and what is told of each.

use std::time::SystemTime;

use heedful::input::{Document, Input, Skip};
use heedful::run::{AtTheGate, explained};
use heedful::vendor::{Reading, Vendor};
use heedful::{Error, Explanation, Facet, Filter, Result, RobotsTxt, Url};

use crate::args::ExplainArgs;
use crate::ending::setting;
use crate::job::Job;
use crate::output::harmless;
use crate::run_args::names_its_pages;
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
        let reading = |vendor: &&'static Vendor| Ok(vendor.reading(explained(document, at, &vendor.filter(now)?)?));
        let readings = vendors.iter().map(reading).collect::<Result<_>>()?;
        let robots = at.robots.iter().map(|robots| robots.as_ref().clone()).collect();
        Ok(Self { explanation, robots, readings })
    }

    /// True if some bot may index the page.
    pub(super) fn is_indexable(&self) -> bool {
        self.explanation.pages().iter().any(|page| page.policy().allows(Facet::Index))
    }
}

impl Counted for Told {}

/// The page that `--url` names, if the inputs hold pages of many URLs.
pub(super) fn wanted<'a>(args: &'a ExplainArgs, inputs: &[Input]) -> Option<&'a Url> {
    args.run.url().filter(|_| inputs.iter().all(names_its_pages))
}

/// Explains a page, unless another is wanted.
pub(super) fn told(document: &Document, at: &AtTheGate<'_>, job: &Job<'_>, args: &ExplainArgs) -> Result<Option<Told>> {
    if !job.wants(document.url()) {
        return Ok(None);
    }
    let vendors = args.vendors.as_ref().map_or(&[][..], |vendors| &vendors.0);
    Told::of(document, at, &job.filter, (vendors, args.run.now())).map(Some)
}

/// The error when there was no page to explain.
pub(super) fn nothing(wanted: Option<&Url>, skipped: Option<Skip>) -> Error {
    let what = wanted.map_or("the input".to_owned(), |url| harmless(url.as_str()));
    setting(match (skipped, wanted) {
        (Some(Skip::Status(status)), _) => format!("{what}: no page, its status is {status}"),
        (Some(Skip::Type), _) => format!("{what}: no page, it is not HTML"),
        (Some(Skip::Hidden), _) => format!("{what}: no page, it is hidden: --hidden reads it"),
        (Some(Skip::Unchanged), _) => format!("{what}: not a page, the record only says that it is unchanged"),
        (Some(_), _) => format!("{what}: no page"),
        (None, Some(_)) => format!("no page of the input has the URL {what}"),
        (None, None) => "there is no page in the input".to_owned(),
    })
}
