//! `heedful verify --browser --text`: compares the lines of each page's text, and the landmarks
//! that contain them, with the lines and landmarks that a browser shows.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use heedful::Result;
use heedful_input::FetchedPage;
use heedful_json as json;
use heedful_report::wording::{count, grouped};
use heedful_run::{GateRules, Outcome};
use heedful_verify::{Agreement, Browser, KindCount, Subject, Surroundings, TextCheck, TextTotals};
use serde::Serialize;

use super::verify::{browser, headers};
use crate::args::VerifyArgs;
use crate::ending::{RunEnding, written};
use crate::job::Job;
use crate::output::{self, BOLD, DIM, Format, harmless, styled};
use crate::summary::{CountedPages, Summary};

/// Maximum number of kinds of differences that are printed without `--verbose`.
const SHOWN: usize = 40;

pub(crate) fn run(args: &VerifyArgs) -> Result<RunEnding> {
    let job = Job::new(&args.run, args.run.inputs_on_disk()?)?;
    let program = args.browser.iter().flatten().next();
    let browser = Mutex::new(browser(program.map(AsRef::as_ref))?);
    let mut out = output::stdout(args.format);
    let mut summary = Summary::new(&args.run)?;
    let mut total = TextTotals::default();
    let work = |document: &FetchedPage, at: GateRules<'_>| compare(&job, &browser, document, &at);
    job.each(&mut summary, work, |outcome| {
        let Outcome::Pages(compared) = &outcome else {
            return Ok(());
        };
        let Some(check) = &compared.check else {
            return Ok(());
        };
        total.add(&compared.url, check);
        if args.format == Format::Json {
            let line = json::line(&ComparedJson::new(&compared.url, check));
            written(writeln!(out, "{line}"))?;
        }
        Ok(())
    })?;
    if args.format == Format::Text {
        let shown = if args.run.verbose { usize::MAX } else { SHOWN };
        for line in total_lines(&total, shown) {
            written(writeln!(out, "{line}"))?;
        }
    }
    written(out.flush())?;
    summary.write()?;
    let lost = summary.lost() > 0;
    Ok(args.run.ending(summary.gave_up(), lost, total.pages() > 0))
}

/// A page, and the comparison of its text with the text that a browser shows. `check` is `None` if
/// the page may not be indexed.
struct ComparedText {
    url: String,
    check: Option<TextCheck>,
}

impl CountedPages for ComparedText {}

fn compare(
    job: &Job<'_>,
    browser: &Mutex<Browser>,
    document: &FetchedPage,
    at: &GateRules<'_>,
) -> Result<ComparedText> {
    let headers = headers(document, at);
    let around = Surroundings {
        headers: &headers,
        is_utf8: document.is_decoded(),
        ..Surroundings::default()
    };
    let page = (document.url(), document.bytes());
    let mut browser = browser.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(ComparedText {
        url: document.url().to_owned(),
        check: TextCheck::run(&mut browser, &job.filter, page, &around)?,
    })
}

fn total_lines(total: &TextTotals, shown: usize) -> Vec<String> {
    if total.pages() == 0 {
        return vec![styled(BOLD, "nothing was compared")];
    }
    let (lines, by_law, landmarks) = (total.lines(), total.lines_by_law(), total.landmarks());
    let mut told = vec![
        format!("{} compared", count(total.pages() as u64, "page")),
        share("lines", lines),
        share("lines without what differs by the law", by_law),
        format!(
            "{}, of {}",
            share("landmarks of texts", landmarks),
            count(total.pages_with_landmarks() as u64, "page")
        ),
    ];
    let kinds = total.kinds();
    let of = |subject: Subject, has_reason: bool| {
        let is_meant =
            move |kind: &&&KindCount| kind.subject == subject && kind.has_reason() == has_reason;
        kinds.iter().filter(is_meant).take(shown)
    };
    let parts = [
        ("differences of lines with a reason", Subject::Line, true),
        ("other differences of lines", Subject::Line, false),
        (
            "differences of landmarks with a reason",
            Subject::Landmark,
            true,
        ),
        ("other differences of landmarks", Subject::Landmark, false),
    ];
    for (title, subject, has_reason) in parts {
        told.push(styled(BOLD, title));
        told.extend(of(subject, has_reason).map(|kind| kind_line(kind)));
    }
    told.push(styled(BOLD, "pages that agree least"));
    let worst = total.worst().iter();
    told.extend(worst.map(|(share, url)| format!("{:7.2} % {}", 100.0 * share, harmless(url))));
    told
}

fn share(what: &str, agreement: Agreement) -> String {
    format!(
        "{what}: {:.3} % agree: {} of {} here and {} in the browser",
        100.0 * agreement.share(),
        grouped(agreement.common as u64),
        grouped(agreement.ours as u64),
        grouped(agreement.browser as u64)
    )
}

fn kind_line(kind: &KindCount) -> String {
    let example = harmless(&format!("{:?} {}", kind.example, kind.url));
    let reason = kind.reason.map(|reason| format!(": {reason}"));
    format!(
        "{:>8} on {}  {}{} {}",
        grouped(kind.count as u64),
        count(kind.pages as u64, "page"),
        harmless(&kind.kind),
        reason.unwrap_or_default(),
        styled(DIM, &example)
    )
}

/// The comparison of one page's text with the text in a browser, as JSON.
#[derive(Serialize)]
struct ComparedJson<'a> {
    url: &'a str,
    lines: AgreementJson,
    lines_by_law: AgreementJson,
    landmarks: Option<AgreementJson>,
    differences: Vec<DifferenceJson<'a>>,
}

#[derive(Serialize)]
struct AgreementJson {
    ours: usize,
    browser: usize,
    common: usize,
}

#[derive(Serialize)]
struct DifferenceJson<'a> {
    about: &'static str,
    kind: &'a str,
    reason: Option<&'static str>,
    example: &'a str,
}

impl<'a> ComparedJson<'a> {
    fn new(url: &'a str, check: &'a TextCheck) -> Self {
        let difference = |found: &'a heedful_verify::TextDifference| DifferenceJson {
            about: match found.subject() {
                Subject::Line => "line",
                Subject::Landmark => "landmark",
            },
            kind: found.kind(),
            reason: found.reason(),
            example: found.example(),
        };
        Self {
            url,
            lines: check.lines().into(),
            lines_by_law: check.lines_by_law().into(),
            landmarks: check.landmarks().map(Into::into),
            differences: check.differences().iter().map(difference).collect(),
        }
    }
}

impl From<Agreement> for AgreementJson {
    fn from(agreement: Agreement) -> Self {
        Self {
            ours: agreement.ours,
            browser: agreement.browser,
            common: agreement.common,
        }
    }
}
