//! `heedful filter`, `text` and `links`: write the permitted contents of pages to standard output.

use std::io::Write;
use std::path::Path;

use heedful::{Directive, Landmarks, Link, Page, Result};
use heedful_input::InputFormat;
use heedful_json::PageJson;
use heedful_run::Outcome;

use crate::args::{FilterArgs, PageArgs};
use crate::ending::{RunEnding, written};
use crate::job::Job;
use crate::output::{self, BOLD, DIM, Format, GREEN, RED, harmless, styled};
use crate::run_args::RunArgs;
use crate::summary::Summary;

pub(crate) fn filter(args: &FilterArgs) -> Result<RunEnding> {
    if let Some(engine) = args.to {
        return crate::export::stream(engine, args);
    }
    let output = PageOutput {
        file: args.output.as_deref(),
        format: args.format,
        snapshots: args.snapshot,
        blocks: args.blocks,
        landmarks: args.landmarks.landmarks,
    };
    each_page(&args.run, &output, |page| {
        let mut lines: Vec<String> = page
            .title()
            .iter()
            .map(|title| styled(BOLD, &harmless(title)))
            .collect();
        lines.extend(page.phrases().iter().map(|phrase| harmless(phrase)));
        lines.extend(page.links().iter().map(link));
        lines
    })
}

pub(crate) fn text(args: &PageArgs) -> Result<RunEnding> {
    each_page(&args.run, &PageOutput::new(args), |page| {
        page.text().lines().map(cells).collect()
    })
}

/// Makes a line of a page's text harmless for a terminal. The tabs between the cells of a table
/// remain.
fn cells(line: &str) -> String {
    let cells: Vec<_> = line.split('\t').map(harmless).collect();
    cells.join("\t")
}

pub(crate) fn links(args: &PageArgs) -> Result<RunEnding> {
    each_page(&args.run, &PageOutput::new(args), |page| {
        page.links().iter().map(link).collect()
    })
}

/// Settings for writing pages: the destination, and the format.
struct PageOutput<'a> {
    /// The file to which the pages are written. `None` means standard output.
    file: Option<&'a Path>,
    format: Format,
    snapshots: bool,
    blocks: bool,
    landmarks: Option<Landmarks>,
}

impl<'a> PageOutput<'a> {
    fn new(args: &'a PageArgs) -> Self {
        Self {
            file: args.output.as_deref(),
            format: args.format,
            snapshots: false,
            blocks: false,
            landmarks: args.landmarks.landmarks,
        }
    }
}

/// Filters the inputs and writes each page. A page is written as JSON, or as the lines that `lines`
/// returns for the page. Flushes the output after each page, so that a pipeline receives each page
/// at once.
fn each_page(
    args: &RunArgs,
    output: &PageOutput<'_>,
    lines: impl Fn(&Page) -> Vec<String>,
) -> Result<RunEnding> {
    let job = Job::showing(args, args.inputs()?)?
        .snapshots(output.snapshots)
        .landmarks(output.landmarks);
    let format = output.format;
    // In JSON output a failed page has a line of its own, so the summary does not report it again.
    let mut summary = Summary::new(args)?.without_losses(format == Format::Json);
    args.refuse_overwriting_inputs(output.file, "output")?;
    let mut out = output::open(format, output.file)?;
    let mut found = false;
    let bots = args.bots()?;
    let single =
        job.inputs.len() == 1 && bots.len() == 1 && job.inputs[0].kind() == InputFormat::Html;
    // The text for one record. Its memory serves all records.
    let mut made = String::new();
    job.filter(&mut summary, |outcome| {
        made.clear();
        match (outcome, format) {
            (outcome, Format::Json) => match outcome.answer() {
                Some((_, Ok(pages))) => {
                    for page in &pages {
                        found |= page.policy().may_fetch();
                        push_json(&PageJson::asked(page, output.blocks), &mut made);
                    }
                }
                Some((url, Err(error))) => {
                    for bot in &bots {
                        push_json(&PageJson::failed(&url, bot.name(), &error), &mut made);
                    }
                }
                None => {}
            },
            (Outcome::Pages(filtered), Format::Text) => {
                for page in &filtered.pages {
                    for line in titled(page, single, lines(page)) {
                        found = true;
                        made.push_str(&line);
                        made.push('\n');
                    }
                }
            }
            _ => {}
        }
        written(out.write_all(made.as_bytes()))?;
        written(out.flush())
    })?;
    out.finish()?;
    job.check_found(&mut summary)?;
    summary.ended(&job.gate, found)
}

/// Appends a page to `lines`, as a line of JSON.
fn push_json(page: &PageJson<'_>, lines: &mut String) {
    heedful_json::write_line(page, lines);
    lines.push('\n');
}

/// Puts a heading with the bot's name and the page's URL before `lines`. If `lines` is empty, no
/// heading is added. `single` is true if only one page is written. That page gets no heading
/// either.
fn titled(page: &Page, single: bool, lines: Vec<String>) -> Vec<String> {
    if single || lines.is_empty() {
        return lines;
    }
    let mut titled = vec![styled(
        DIM,
        &harmless(&format!("# {} {}", page.bot().name(), page.url())),
    )];
    titled.extend(lines);
    titled.push(String::new());
    titled
}

/// Formats a link as a line of five values, separated by tabs: `follow` or `nofollow`, `credit` or
/// `nocredit`, the kind, the URL and the text. `credit` means that the bot may credit the text to
/// the link's target. In the text, `|` separates phrases. A new phrase begins after a withheld
/// part, and with each alternative text of an image. If following or crediting is denied, the
/// denying directive replaces the text.
fn link(link: &Link) -> String {
    let follow = if link.may_follow() {
        styled(GREEN, "follow")
    } else {
        styled(RED, "nofollow")
    };
    let credit = if link.may_credit() {
        styled(GREEN, "credit")
    } else {
        styled(RED, "nocredit")
    };
    let why = link
        .why_not_follow()
        .or(link.why_not_credit())
        .map(|why| styled(DIM, &reason(why)));
    let text = why.unwrap_or_else(|| harmless(&link.phrases().collect::<Vec<_>>().join(" | ")));
    format!(
        "{follow}\t{credit}\t{}\t{}\t{text}",
        link.kind().name(),
        harmless(link.url())
    )
}

fn reason(directive: &Directive) -> String {
    match directive.place() {
        Some(place) => format!(
            "{}:{} {}",
            place.line(),
            place.column(),
            harmless(directive.text())
        ),
        None => harmless(directive.text()),
    }
}
