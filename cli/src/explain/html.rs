//! `explain --html`: writes the explanation of a single page, or a report on many pages with the
//! explanations of some of them.
//!
//! For a report, the pages are read twice, because only the first reading shows which explanations
//! the report links to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heedful::Result;
use heedful_base::new_file;
use heedful_input::FetchedPage;
use heedful_report::{Overview, PageId, Report};
use heedful_run::{GateRules, Outcome};

use super::page::{ExplainedPage, explain};
use crate::args::ExplainArgs;
use crate::ending::{RunEnding, io_error};
use crate::job::Job;
use crate::summary::{CountedPages, Summary};

/// The explanation of a page, the identity of the page, and the time that the explanation took.
struct TimedPage {
    content: ExplainedPage,
    page: PageId,
    took: Duration,
}

impl CountedPages for TimedPage {}

pub(super) fn run(args: &ExplainArgs, file: &Path) -> Result<RunEnding> {
    args.run
        .refuse_overwriting_inputs(Some(file), "explanation")?;
    // The pages that the report links to are read twice, so a pipe is copied to disk.
    let job = Job::showing(&args.run, args.run.inputs_on_disk()?)?;
    let mut summary = Summary::new(&args.run)?;
    let mut overview = Overview::new(&args.run.bots()?, args.rows);
    let mut first = None;
    let mut is_yes = false;
    let work = |document: &FetchedPage, at: GateRules<'_>| explain_timed(document, &at, &job, args);
    job.each(&mut summary, work, |outcome| {
        match outcome {
            Outcome::Pages(timed) => {
                overview.add(&timed.page, &timed.content.explanation, timed.took);
                is_yes |= timed.content.is_indexable();
                first = if overview.pages() == 1 {
                    Some(timed)
                } else {
                    None
                };
            }
            Outcome::Failed {
                url, origin, error, ..
            } => {
                overview.fail(
                    PageId {
                        origin: origin.to_string(),
                        url,
                    },
                    &error,
                );
            }
            _ => {}
        }
        Ok(())
    })?;
    match (overview.pages(), first) {
        (0, _) => return job.no_page(&mut summary),
        (1, Some(timed)) => write(file, &report(&timed.content, None))?,
        // The only page failed: nothing is written, and the summary reports the error.
        (1, None) => {}
        _ => write_report(&job, args, (file, &overview), Summary::unprinted(&args.run))?,
    }
    summary.report_passed_over();
    summary.ending_of_pages(is_yes)
}

fn explain_timed(
    document: &FetchedPage,
    at: &GateRules<'_>,
    job: &Job<'_>,
    args: &ExplainArgs,
) -> Result<TimedPage> {
    let started = Instant::now();
    let content = explain(document, at, job, args)?;
    Ok(TimedPage {
        content,
        page: id(document),
        took: started.elapsed(),
    })
}

fn id(document: &FetchedPage) -> PageId {
    PageId {
        origin: document.origin().to_string(),
        url: document.url().to_owned(),
    }
}

/// Writes the report on many pages to `file`. Also writes into the report's folder the explanations
/// to which the report links.
fn write_report(
    job: &Job<'_>,
    args: &ExplainArgs,
    (file, overview): (&Path, &Overview),
    mut again: Summary<'_>,
) -> Result<()> {
    let folder = folder(file);
    let named: HashMap<PageId, String> = overview
        .linked_pages()
        .into_iter()
        .zip(1..)
        .map(|(page, number)| (page, format!("{number:04}.html")))
        .collect();
    let below = folder
        .file_name()
        .map(|name| encoded(&name.to_string_lossy()))
        .unwrap_or_default();
    write(
        file,
        &overview.html(|page| Some(format!("{below}/{}", named.get(page)?))),
    )?;
    let back = file
        .file_name()
        .map(|name| format!("../{}", encoded(&name.to_string_lossy())));
    let beside = folder.parent().unwrap_or(Path::new(""));
    let name = Path::new(folder.file_name().unwrap_or_default());
    new_file::create_folders(beside, name).map_err(io_error(folder.display()))?;
    let work = |document: &FetchedPage, at: GateRules<'_>| {
        named
            .contains_key(&id(document))
            .then(|| explain_timed(document, &at, job, args))
            .transpose()
    };
    job.each(&mut again, work, |outcome| {
        let Outcome::Pages(Some(TimedPage { content, page, .. })) = outcome else {
            return Ok(());
        };
        let Some(name) = named.get(&page) else {
            return Ok(());
        };
        write(&folder.join(name), &report(&content, back.as_deref()))
    })
}

/// Returns the folder for the explanations to which the report in `file` links. For `report.html`
/// it is `report-pages`.
fn folder(file: &Path) -> PathBuf {
    let stem = file
        .file_stem()
        .unwrap_or(file.as_os_str())
        .to_string_lossy();
    file.with_file_name(format!("{stem}-pages"))
}

/// Percent-encodes a file name for use in a URL.
fn encoded(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.bytes()
        .map(|byte| {
            if is_plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

fn report(page: &ExplainedPage, back: Option<&str>) -> String {
    let mut report = Report::new(&page.explanation)
        .robots(&page.robots)
        .readings(&page.readings);
    if let Some(back) = back {
        report = report.back(back);
    }
    report.html()
}

fn write(file: &Path, html: &str) -> Result<()> {
    new_file::write(file, html).map_err(io_error(file.display()))
}
