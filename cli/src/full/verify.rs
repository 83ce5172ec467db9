//! `heedful verify`: compares the verdicts of the streaming filter with those computed on the
//! complete tree of each page.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use heedful::{Error, Filter, Result};
use heedful_input::FetchedPage;
use heedful_json as json;
use heedful_report::wording::{count, grouped};
use heedful_run::{GateRules, Outcome};
use heedful_verify::{Browser, Check, Engine, Failure, Injections, Reader, Surroundings};
use serde::Serialize;

use crate::args::VerifyArgs;
use crate::ending::{RunEnding, written};
use crate::job::Job;
use crate::output::{self, BOLD, DIM, Format, GREEN, RED, harmless, styled};
use crate::summary::{CountedPages, Summary};

/// Maximum number of over-exclusions that are printed for a page without `--verbose`. An
/// over-exclusion is a part that the streaming filter withholds although the complete tree allows
/// it.
const SHOWN: usize = 3;

/// Totals of a run that compares the streaming filter with the complete tree of each page.
#[derive(Debug, Default)]
struct VerifyTotals {
    pages: usize,
    refused_pages: usize,
    failed: usize,
    compared: usize,
    refused: usize,
    leaking: usize,
    over: usize,
    unexplained: usize,
    over_words: usize,
    over_bytes: usize,
    characters: usize,
    withheld: usize,
}

pub(crate) fn run(args: &VerifyArgs) -> Result<RunEnding> {
    let job = Job::new(&args.run, args.run.inputs_on_disk()?)?;
    let injections = args.inject.map(|elements| Injections {
        elements,
        seed: args.seed,
    });
    let mut out = output::stdout(args.format);
    // A failed page has a line of its own, so the summary does not report it again.
    let mut summary = Summary::new(&args.run)?.without_losses(true);
    let mut total = VerifyTotals::default();
    let reader = reader(args)?;
    let work = |document: &FetchedPage, at: GateRules<'_>| {
        checked(&job.filter, document, &at, (injections, &reader))
    };
    job.each(&mut summary, work, |outcome| {
        let lines = match &outcome {
            Outcome::Pages(compared) => {
                total.add(&compared.check);
                lines(args, compared)
            }
            Outcome::Failed { url, error, .. } => {
                total.fail(error);
                failed(args, url, error.name(), &error.to_string())
            }
            Outcome::Damage(damage) => failed(
                args,
                damage.url().unwrap_or_default(),
                "input",
                &damage.to_string(),
            ),
            _ => Vec::new(),
        };
        lines
            .iter()
            .try_for_each(|line| written(writeln!(out, "{line}")))
    })?;
    if args.format == Format::Text {
        for line in total.lines(injections, job.inputs.len(), summary.damaged()) {
            written(writeln!(out, "{line}"))?;
        }
    }
    written(out.flush())?;
    summary.write()?;
    if total.leaking > 0 {
        return Ok(RunEnding::No);
    }
    let gave_up = total.failed > 0 || summary.gave_up();
    let lost = summary.lost() > 0;
    Ok(args.run.ending(gave_up, lost, total.pages > 0))
}

/// The URL of a page, and the differences between the verdicts of the streaming filter and of the
/// tree. The verdicts are compared on the page and on changed versions of the page.
struct PageComparison {
    url: String,
    check: Check,
}

impl CountedPages for PageComparison {}

fn reader(args: &VerifyArgs) -> Result<Reader> {
    Ok(match &args.browser {
        None => Reader::Tree,
        Some(program) => Reader::Both(Box::new(Mutex::new(browser(program.as_deref())?))),
    })
}

/// Starts the browser that `--browser` selects by an engine's name or a program's path. Starts
/// Chromium if `named` is `None`.
pub(super) fn browser(named: Option<&Path>) -> Result<Browser> {
    let Some(program) = named else {
        return Browser::start(Engine::default());
    };
    match program.to_str().and_then(|name| Engine::parse(name).ok()) {
        Some(engine) => Browser::start(engine),
        None => Browser::launch(Engine::from_program(program), program),
    }
}

/// Returns all headers that apply to a page. They are the headers of its HTTP response and the
/// headers that the user passed.
pub(super) fn headers(document: &FetchedPage, at: &GateRules<'_>) -> Vec<(String, String)> {
    let own = document.headers().iter();
    own.chain(at.headers).cloned().collect()
}

fn checked(
    filter: &Filter,
    document: &FetchedPage,
    at: &GateRules<'_>,
    (injections, reader): (Option<Injections>, &Reader),
) -> Result<PageComparison> {
    let headers = headers(document, at);
    let robots: Vec<_> = at.robots.iter().map(AsRef::as_ref).collect();
    let around = Surroundings {
        robots: &robots,
        headers: &headers,
        is_utf8: document.is_decoded(),
        also_at: document.file_url(),
    };
    let check = Check::run(
        filter,
        (document.url(), document.bytes()),
        &around,
        injections,
        reader,
    )?;
    Ok(PageComparison {
        url: document.url().to_owned(),
        check,
    })
}

fn lines(args: &VerifyArgs, PageComparison { url, check }: &PageComparison) -> Vec<String> {
    if args.format == Format::Json {
        return vec![json::line(&ComparedJson::new(url, check, None))];
    }
    let shown = if args.run.verbose { usize::MAX } else { SHOWN };
    let leaks = check
        .leaks()
        .iter()
        .map(|failure| line(&styled(RED, "leak"), url, failure));
    let over = check
        .over_exclusions()
        .iter()
        .take(shown)
        .map(|failure| line(&styled(BOLD, "over"), url, failure));
    if args.run.quiet {
        leaks.collect()
    } else {
        leaks.chain(over).collect()
    }
}

fn line(word: &str, url: &str, failure: &Failure) -> String {
    let mismatch = failure.mismatch();
    let changed: Vec<_> = failure.tags().iter().map(|tag| format!("#{tag}")).collect();
    let changed = if changed.is_empty() {
        String::new()
    } else {
        format!(" (tags {})", changed.join(", "))
    };
    let construct = harmless(&tail(mismatch.source(), 60));
    format!(
        "{word} {}:{}:{}{changed} {} {:?} {}",
        harmless(url),
        mismatch.line(),
        mismatch.column(),
        mismatch.usage().name(),
        head(mismatch.text(), 60),
        styled(DIM, &format!("after {construct}"))
    )
}

fn head(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

fn tail(text: &str, characters: usize) -> String {
    let skip = text.chars().count().saturating_sub(characters);
    text.chars().skip(skip).collect()
}

/// The comparison of the streaming filter with the complete tree of one page, as JSON.
#[derive(Serialize)]
struct ComparedJson<'a> {
    url: &'a str,
    compared: usize,
    refused: usize,
    characters: usize,
    withheld: usize,
    leaks: Vec<FailureJson<'a>>,
    over_exclusions: Vec<FailureJson<'a>>,
    unexplained: usize,
    error: Option<FailedJson<'a>>,
}

#[derive(Serialize)]
struct FailureJson<'a> {
    #[serde(rename = "use")]
    usage: &'a str,
    text: &'a str,
    line: u32,
    column: u32,
    tags: &'a [usize],
    after: &'a str,
}

#[derive(Serialize)]
struct FailedJson<'a> {
    kind: &'a str,
    message: &'a str,
}

impl<'a> ComparedJson<'a> {
    fn new(url: &'a str, check: &'a Check, error: Option<FailedJson<'a>>) -> Self {
        let failures = |failures: &'a [Failure]| failures.iter().map(FailureJson::new).collect();
        Self {
            url,
            compared: check.compared(),
            refused: check.refused(),
            characters: check.characters(),
            withheld: check.withheld(),
            leaks: failures(check.leaks()),
            over_exclusions: failures(check.over_exclusions()),
            unexplained: check.unexplained(),
            error,
        }
    }
}

impl<'a> FailureJson<'a> {
    fn new(failure: &'a Failure) -> Self {
        let mismatch = failure.mismatch();
        Self {
            usage: mismatch.usage().name(),
            text: mismatch.text(),
            line: mismatch.line(),
            column: mismatch.column(),
            tags: failure.tags(),
            after: mismatch.source(),
        }
    }
}

fn failed(args: &VerifyArgs, url: &str, kind: &str, message: &str) -> Vec<String> {
    match args.format {
        Format::Json => {
            let error = Some(FailedJson { kind, message });
            vec![json::line(&ComparedJson::new(
                url,
                &Check::default(),
                error,
            ))]
        }
        Format::Text if args.run.quiet => Vec::new(),
        Format::Text => {
            let word = if matches!(kind, "ambiguous" | "limit") {
                "refused"
            } else {
                "failed"
            };
            vec![format!(
                "{} {}",
                styled(BOLD, word),
                harmless(&format!("{url}: {message}"))
            )]
        }
    }
}

impl VerifyTotals {
    /// Counts a page that could not be compared because of `error`. If the error is `ambiguous` or
    /// `limit`, the page counts as refused. The streaming filter must refuse such pages, as
    /// docs/semantics.md describes. With any other error, the page counts as failed.
    fn fail(&mut self, error: &Error) {
        match error.name() {
            "ambiguous" | "limit" => self.refused_pages += 1,
            _ => self.failed += 1,
        }
    }

    fn add(&mut self, check: &Check) {
        self.pages += 1;
        self.compared += check.compared();
        self.refused += check.refused();
        self.leaking += usize::from(!check.leaks().is_empty());
        self.over += check.over_excluded();
        self.unexplained += check.unexplained();
        let over = check
            .over_exclusions()
            .iter()
            .map(|failure| failure.mismatch().text());
        self.over_words += over.clone().count();
        self.over_bytes += over.map(str::len).sum::<usize>();
        self.characters += check.characters();
        self.withheld += check.withheld();
    }

    fn lines(&self, injections: Option<Injections>, inputs: usize, damaged: u64) -> Vec<String> {
        let from = if inputs == 1 { "" } else { " in all" };
        let injected = injections.map(|injections| {
            let injected = count(
                (self.compared - self.pages + self.refused) as u64,
                "injection",
            );
            format!(
                ", {injected} by seed {}, {} of them refused",
                injections.seed,
                grouped(self.refused as u64)
            )
        });
        let share = 100.0 * self.over as f64 / self.compared.max(1) as f64;
        if self.pages == 0 {
            return vec![styled(BOLD, "nothing was compared")];
        }
        let word = if self.leaking == 0 {
            styled(GREEN, "0 leaks")
        } else {
            styled(
                RED,
                &format!("{} with a leak", count(self.leaking as u64, "page")),
            )
        };
        vec![
            format!(
                "{} compared{from}, {} refused, {} failed, {damaged} damaged{}; {}, {} of them withheld",
                count(self.pages as u64, "page"),
                grouped(self.refused_pages as u64),
                grouped(self.failed as u64),
                injected.unwrap_or_default(),
                count(self.characters as u64, "character"),
                grouped(self.withheld as u64)
            ),
            format!(
                "{word}; over-excluded: {} of {} ({share:.3} %), {} without a note; {} of text, {}",
                grouped(self.over as u64),
                grouped(self.compared as u64),
                grouped(self.unexplained as u64),
                count(self.over_words as u64, "run"),
                count(self.over_bytes as u64, "byte")
            ),
        ]
    }
}
