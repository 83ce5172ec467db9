//! `heedful export` and `heedful filter --to`: export pages for search engines and for readers of
//! text, as files or to standard output.
//!
//! An export gets the same additions and deletions of URLs as heedful's own index
//! (docs/semantics.md, section 7), with one difference. An export does not know whether the search
//! engine has a page. So it contains a deletion for each URL that is no longer a page.

use std::io::Write;

use heedful::Result;
use heedful_export::{Capture, Engine, ExportEntry, ExportFolder, Exporter};
use heedful_run::{IndexChange, Outcome};

use crate::args::{EngineArgs, ExportArgs, FilterArgs};
use crate::ending::{RunEnding, setting, written};
use crate::job::Job;
use crate::output::{self, Format};
use crate::run_args::RunArgs;
use crate::summary::Summary;

pub(crate) fn run(args: &ExportArgs) -> Result<RunEnding> {
    let exporter = exporter(args.to, &args.engine, &args.run)?;
    let exporter = if args.blocks {
        exporter.blocks()?
    } else {
        exporter
    };
    args.run
        .refuse_overwriting_inputs(Some(&args.output), "export")?;
    let job = Job::new(&args.run, args.run.inputs_on_disk()?)?.landmarks(args.landmarks.landmarks);
    let mut folder = ExportFolder::create(
        &args.output,
        exporter.clone(),
        args.file_bytes.unwrap_or(args.to.file_bytes()),
    )?;
    let mut summary = Summary::new(&args.run)?;
    job.filter(&mut summary, |outcome| {
        entry(&exporter, &outcome)?.map_or(Ok(()), |entry| folder.put(&entry))
    })?;
    let exported = folder.finish()?;
    summary.report_gate(&job.gate);
    summary.print();
    summary.report_exported(&exported);
    summary.ending(exported.documents + exported.deletions > 0)
}

/// Exports the pages as one stream, to standard output or to the output file of the arguments.
/// Flushes the output after each page, so that a pipeline receives each page at once. Does not
/// write the schema files of the search engine `to`.
///
/// Fails if the format of this search engine cannot be written page by page.
pub(crate) fn stream(to: Engine, args: &FilterArgs) -> Result<RunEnding> {
    if !to.has_stream() {
        return Err(setting(format!(
            "a file of {to} is made of all pages at once: heedful export --to {to} -o DIR INPUT..."
        )));
    }
    let file = args.output.as_deref();
    let exporter = exporter(to, &args.engine, &args.run)?;
    let job = Job::new(&args.run, args.run.inputs()?)?.landmarks(args.landmarks.landmarks);
    let mut summary = Summary::new(&args.run)?;
    args.run.refuse_overwriting_inputs(file, "output")?;
    let mut out = output::open(Format::Json, file)?;
    let mut found = false;
    written(out.write_all(&exporter.opening()?))?;
    job.filter(&mut summary, |outcome| {
        let Some(entry) = entry(&exporter, &outcome)? else {
            return Ok(());
        };
        found = true;
        written(out.write_all(&entry.message()).and_then(|()| out.flush()))
    })?;
    out.finish()?;
    summary.ended(&job.gate, found)
}

fn exporter(to: Engine, engine: &EngineArgs, args: &RunArgs) -> Result<Exporter> {
    args.require_one_bot("an export")?;
    let mut exporter = Exporter::new(to, args.now());
    // Refuses a format that was not built before any input is read.
    exporter.opening()?;
    if let Some(name) = &engine.name {
        exporter = exporter.name(name)?;
    }
    Ok(engine
        .need
        .map_or(exporter.clone(), |uses| exporter.needs(uses)))
}

/// Returns the document or the deletion that the outcome for one page adds to the export. Returns
/// `None` if the outcome adds nothing.
fn entry(exporter: &Exporter, outcome: &Outcome) -> Result<Option<ExportEntry>> {
    let (said, captured) = outcome.index_change();
    let (date, record) = match outcome {
        Outcome::Pages(filtered) => (filtered.date.as_deref(), filtered.record.as_deref()),
        _ => (None, None),
    };
    let capture = Capture {
        captured,
        date,
        record,
    };
    match said {
        IndexChange::Page(page) => exporter.page(page, &capture),
        IndexChange::Unchanged(page) => Ok(exporter.unchanged(page, &capture)),
        IndexChange::Gone(url, ..) => Ok(exporter.removed_url(url, captured)),
        IndexChange::Nothing => Ok(None),
    }
}
