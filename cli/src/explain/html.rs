//! `explain --html`: one page to look at, or a report on many pages, with a view of each page that it names.
//!
//! The report names only some pages. They are known when all were read, so those are read once more. One page has no
//! report.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heedful::Url;
use heedful::input::{Document, Input};
use heedful::report::{Overview, PageId, Report};
use heedful::run::{AtTheGate, Gate, Outcome, Run};
use heedful::{ErrorKind, Facet, Filter, Result};

use super::told::{Told, is, nothing, told, wanted};
use crate::args::ExplainArgs;
use crate::ending::Ending;
use crate::output::warning;
use crate::progress::Progress;

/// An explained page, its place, and how long it took.
struct Timed {
    told: Told,
    page: PageId,
    took: Duration,
}

pub(super) fn run(args: &ExplainArgs, file: &Path) -> Result<Ending> {
    // The pages that the report names are read twice, so a pipe is kept.
    let inputs = args.run.inputs_kept()?;
    let (gate, filter) = args.run.survey(&inputs)?;
    let job = Job { args, inputs: &inputs, gate: &gate, filter: &filter, wanted: wanted(args, &inputs) };
    let mut overview = Overview::new(&args.run.bot, args.rows);
    let (mut first, mut failure, mut skipped) = (None, None, None);
    let (mut is_yes, mut is_damaged, mut gave_up) = (false, false, false);
    let mut progress = Progress::of(&inputs, args.run.quiet);
    job.each(
        |_| true,
        |outcome| {
            progress.record(|| {
                if let (Outcome::Damage(damage), false) = (&outcome, args.run.quiet) {
                    warning(&damage.to_string());
                }
            });
            gave_up |= matches!(&outcome, Outcome::Damage(damage) if damage.unread() > 0);
            is_damaged |= matches!(outcome, Outcome::Damage(_) | Outcome::Failed { .. });
            match outcome {
                Outcome::Pages(Some(timed)) => {
                    overview.add(&timed.page, &timed.told.explanation, timed.took);
                    is_yes |= timed.told.explanation.pages().iter().any(|page| page.policy().allows(Facet::Index));
                    first = if overview.pages() == 1 { Some(timed) } else { None };
                }
                Outcome::Failed { url, origin, error, .. } if is(job.wanted, &url) => {
                    overview.fail(PageId { origin: origin.to_string(), url }, &error);
                    failure = Some(error);
                }
                Outcome::Skipped(skip) if skip.url().is_some_and(|url| is(job.wanted, url)) => {
                    skipped = Some(skip.why());
                }
                _ => {}
            }
            Ok(())
        },
    )?;
    progress.done();
    match (overview.pages(), first, failure) {
        (0, ..) => Err(nothing(job.wanted, skipped)),
        (1, Some(timed), _) => write(file, &report(&timed.told, None)),
        (1, None, Some(error)) => Err(error),
        _ => job.report(file, &overview),
    }?;
    Ok(args.run.ending(gave_up, is_damaged, is_yes))
}

struct Job<'a> {
    args: &'a ExplainArgs,
    inputs: &'a [Input],
    gate: &'a Gate,
    filter: &'a Filter,
    wanted: Option<&'a Url>,
}

impl Job<'_> {
    /// Explains the pages for which `is_asked` is true.
    fn each(
        &self,
        is_asked: impl Fn(&PageId) -> bool + Sync,
        mut take: impl FnMut(Outcome<Option<Timed>>) -> Result<()>,
    ) -> Result<()> {
        let work = |document: &Document, at: AtTheGate<'_>| {
            let page = PageId { origin: document.origin().to_string(), url: document.url().to_owned() };
            if !is_asked(&page) {
                return Ok(None);
            }
            let started = Instant::now();
            let told = told(document, &at, self.filter, self.args, self.wanted)?;
            Ok(told.map(|told| Timed { told, page, took: started.elapsed() }))
        };
        let run = Run::new(self.inputs, self.gate, self.args.run.jobs()).headers(&self.args.run.headers);
        run.each(work, |outcome, _| take(outcome))
    }

    /// Writes the report, and a view of each page that it names.
    fn report(&self, file: &Path, overview: &Overview) -> Result<()> {
        let folder = folder(file);
        let named: HashMap<PageId, String> =
            overview.named().into_iter().zip(1..).map(|(page, number)| (page, format!("{number:04}.html"))).collect();
        let below = folder.file_name().map(|name| encoded(&name.to_string_lossy())).unwrap_or_default();
        write(file, &overview.html(|page| Some(format!("{below}/{}", named.get(page)?))))?;
        let back = file.file_name().map(|name| format!("../{}", encoded(&name.to_string_lossy())));
        let io = |source| ErrorKind::Io { what: folder.display().to_string(), source };
        std::fs::create_dir_all(&folder).map_err(io)?;
        self.each(
            |page| named.contains_key(page),
            |outcome| {
                let Outcome::Pages(Some(Timed { told, page: id, .. })) = outcome else { return Ok(()) };
                let Some(name) = named.get(&id) else { return Ok(()) };
                write(&folder.join(name), &report(&told, back.as_deref()))
            },
        )
    }
}

/// The folder of the views: `report.html` has them in `report-pages`.
fn folder(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    file.with_file_name(format!("{stem}-pages"))
}

/// A file name, encoded for a URL.
fn encoded(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn report(told: &Told, back: Option<&str>) -> String {
    let report = Report::of(&told.explanation).robots(&told.robots).readings(&told.readings);
    back.map_or(report, |back| report.back(back)).html()
}

fn write(file: &Path, html: &str) -> Result<()> {
    std::fs::write(file, html).map_err(|source| ErrorKind::Io { what: file.display().to_string(), source }.into())
}
