//! `heedful explain`: shows what each page denies and by which statements, as text, JSON or HTML.

mod html;
mod matrix;
pub(crate) mod page;
mod text;

use std::io::Write;

use heedful::Result;
use heedful_input::FetchedPage;
use heedful_json::ExplanationJson;
use heedful_report::Matrix;
use heedful_run::{GateRules, Outcome};

use crate::args::ExplainArgs;
use crate::ending::{RunEnding, setting, written};
use crate::job::Job;
use crate::output::{self, Format};
use crate::summary::Summary;

use page::{ExplainedPage, explain};

pub(crate) fn run(args: &ExplainArgs) -> Result<RunEnding> {
    if args.diff && args.run.bots()?.len() < 2 {
        return Err(setting("--diff compares bots: give --bot at least twice"));
    }
    if let Some(file) = &args.html {
        return html::run(args, file);
    }
    let job = Job::showing(&args.run, args.run.inputs_on_disk()?)?;
    let is_json = args.format == Format::Json;
    // In JSON output a failed page has a line of its own, so the summary does not report it again.
    let mut summary = Summary::new(&args.run)?.without_losses(is_json);
    args.run
        .refuse_overwriting_inputs(args.output.as_deref(), "explanation")?;
    let mut out = output::open(args.format, args.output.as_deref())?;
    // The ending: true if some bot may index some page. With `--diff`, true if no page differs
    // between bots.
    let mut is_yes = args.diff;
    let work = |document: &FetchedPage, at: GateRules<'_>| explain(document, &at, &job, args);
    job.each(&mut summary, work, |outcome| {
        let lines = match outcome {
            Outcome::Pages(page) if args.diff => {
                is_yes &= page.explanation.differences().is_empty();
                lines(&page, args)
            }
            Outcome::Pages(page) => {
                is_yes |= page.is_indexable();
                lines(&page, args)
            }
            Outcome::Failed { url, error, .. } if is_json => {
                vec![json(&ExplanationJson::failed(&url, &error))]
            }
            Outcome::Damage(damage) if is_json => {
                let url = damage.url().unwrap_or_default().to_owned();
                vec![json(&ExplanationJson::failed(&url, &damage.into_error()))]
            }
            _ => Vec::new(),
        };
        for line in lines {
            written(writeln!(out, "{line}"))?;
        }
        written(out.flush())
    })?;
    out.finish()?;
    if summary.pages() == 0 {
        return job.no_page(&mut summary);
    }
    summary.report_passed_over();
    summary.ending_of_pages(is_yes)
}

fn json(explanation: &ExplanationJson<'_>) -> String {
    heedful_json::line(explanation)
}

fn lines(page: &ExplainedPage, args: &ExplainArgs) -> Vec<String> {
    match (args.format, args.diff) {
        (Format::Json, _) => {
            vec![json(
                &ExplanationJson::new(&page.explanation, &page.robots)
                    .with_readings(&page.readings),
            )]
        }
        (Format::Text, true) => text::differences(&page.explanation),
        (Format::Text, false) => {
            let mut lines = text::page(&page.explanation, &page.robots);
            if !page.readings.is_empty() {
                lines.extend(matrix::lines(&Matrix::new(
                    &page.explanation,
                    &page.readings,
                )));
            }
            lines
        }
    }
}
