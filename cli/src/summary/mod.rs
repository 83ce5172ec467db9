//! The summary of a run of a verb that reads pages. The summary counts the outcomes, and is printed
//! at the end of the run.

mod file;
mod gate;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use heedful::{Error, Result, Use};
use heedful_census::{CensusRow, PagePlace, StatementSide};
use heedful_export::ExportReport;
use heedful_input::Skip;
use heedful_report::wording;
use heedful_run as run;
use heedful_run::{Filtered, Gate, Outcome};

use crate::ending::RunEnding;
use crate::output::{DIM, NAMED, harmless, plural, print_error, print_message, print_note, styled};
use crate::run_args::RunArgs;

use file::{Losses, OutcomesJson, PassedOverJson, SummaryFile, SummaryJson};
pub(crate) use gate::report_missing_robots;

/// The result of a verb for one page. It can be counted in the summary of the run.
pub(crate) trait CountedPages {
    fn count(&self, summary: &mut Summary<'_>) {
        summary.page();
    }
}

impl CountedPages for Filtered {
    fn count(&self, summary: &mut Summary<'_>) {
        summary.page();
        summary.read(self.bytes, self.is_cut);
        let Some(page) = self.pages.first() else {
            return;
        };
        for note in page.notes() {
            *summary.counts.notes.entry(note.kind().name()).or_default() += note.count() as u64;
        }
        if !page.policy().may_fetch() {
            summary.counts.gated += 1;
            summary.kept_out(page.url(), "robots.txt", page.policy().why(Use::Index));
        } else if !page.policy().allows(Use::Index) {
            summary.counts.noindexed += 1;
            summary.kept_out(page.url(), "noindex", page.policy().why(Use::Index));
        }
        summary.counts.earlier_robots += u64::from(self.is_by_earlier);
        if let Some(site) = &self.site_without_robots {
            summary.without_robots(
                site,
                self.pages.iter().any(|page| page.policy().may_fetch()),
            );
        }
    }
}

impl CountedPages for run::CountedRunPage {
    fn count(&self, summary: &mut Summary<'_>) {
        summary.page();
        summary.read(self.bytes, self.is_cut);
        let has = |row| u64::from(self.count.has(row));
        summary.counts.gated += has(CensusRow::KeptOut { bot: 0 });
        summary.counts.noindexed += has(CensusRow::Denied {
            by: StatementSide::Obeyed,
            bot: 0,
            usage: Use::Index,
            part: PagePlace::Page,
        });
        if let Some(site) = &self.site_without_robots {
            summary.without_robots(site, self.count.has(CensusRow::Entered));
        }
    }
}

/// Counts the result of a verb for a page. If the verb ignored the page, the result is `None`, and
/// nothing is counted.
impl<T: CountedPages> CountedPages for Option<T> {
    fn count(&self, summary: &mut Summary<'_>) {
        if let Some(made) = self {
            made.count(summary);
        }
    }
}

pub(crate) struct Summary<'a> {
    args: &'a RunArgs,
    /// True if `--robots` sets a file for all sites.
    has_robots: bool,
    started: Instant,
    /// True if the summary does not print failed pages and damaged records. The verb's own output
    /// reports them instead.
    is_silent: bool,
    counts: SummaryCounts,
    /// Error message of the first page, if this page failed. When another record follows, the
    /// message is printed, and this field becomes `None`. If no record follows, the message becomes
    /// the error of the verb.
    only: Option<String>,
    indexed: Option<Indexed>,
    file: Option<SummaryFile>,
}

/// The counts of pages and records of the run so far.
#[derive(Default)]
struct SummaryCounts {
    pages: u64,
    bytes: u64,
    gated: u64,
    noindexed: u64,
    failed: u64,
    damaged: u64,
    /// Reason why the last skipped record is not a page, for the error message of a run without
    /// pages. Skipped records without a URL are ignored. `None` if no record with a URL was
    /// skipped.
    skipped: Option<Skip>,
    /// True if at least one file could be read only in part.
    gave_up: bool,
    not_html: u64,
    hidden: u64,
    other_status: u64,
    unchanged: u64,
    cut: u64,
    /// Number of pages that may be fetched, for each site without a robots.txt. Pages that are
    /// forbidden by other rules are not counted.
    without_robots: BTreeMap<String, u64>,
    /// Number of pages that were judged by a robots.txt of an earlier run.
    earlier_robots: u64,
    /// For each site, the number of pages that may be fetched and that were judged without a
    /// robots.txt. The robots.txt of the site may come later in a pipe.
    ahead: BTreeMap<String, u64>,
    /// Number of notes on pages, for each kind of note.
    notes: BTreeMap<&'static str, u64>,
    losses: Losses,
}

/// The numbers of pages that a run of `heedful index` added, ignored and removed.
#[derive(Clone, Copy)]
pub(crate) struct Indexed {
    pub(crate) pages: u64,
    /// Number of captures (fetches of a URL) that were ignored. The index already has a later
    /// capture of the same URL.
    pub(crate) older: u64,
    /// Number of pages from a pipe that were indexed and then removed. A robots.txt that came later
    /// in the pipe disallows these pages.
    pub(crate) late: u64,
    /// Number of pages that were removed because of `--whole`. The input no longer contains these
    /// pages.
    pub(crate) absent: u64,
    /// Number of pages that earlier runs added and this run removed. A robots.txt in the inputs now
    /// disallows these pages.
    pub(crate) withdrawn: u64,
}

impl<'a> Summary<'a> {
    /// Creates the summary of a run. Also creates the summary file if `--summary` is given.
    ///
    /// # Errors
    /// Fails if the summary file cannot be created, or would replace an input.
    pub(crate) fn new(args: &'a RunArgs) -> Result<Self> {
        args.refuse_overwriting_inputs(args.summary.as_deref(), "summary")?;
        let file = args.summary.as_deref().map(SummaryFile::create);
        Ok(Self {
            file: file.transpose()?,
            is_silent: false,
            ..Self::unprinted(args)
        })
    }

    /// Creates a summary that is never printed. It is for a second run over pages that the first
    /// run has already counted.
    pub(crate) fn unprinted(args: &'a RunArgs) -> Self {
        let started = Instant::now();
        let counts = SummaryCounts::default();
        Self {
            args,
            has_robots: args.has_robots(),
            started,
            is_silent: true,
            counts,
            only: None,
            indexed: None,
            file: None,
        }
    }

    /// Sets whether failed pages and damaged records are omitted from the reports on standard
    /// error. `is_silent` is true for verbs whose own output has a line for each failure.
    pub(crate) fn without_losses(self, is_silent: bool) -> Self {
        Self { is_silent, ..self }
    }

    /// Counts the outcome for one record. Prints a failed page or a damaged record at once.
    pub(crate) fn count<T: CountedPages>(&mut self, outcome: &Outcome<T>) {
        match outcome {
            Outcome::Pages(made) => made.count(self),
            Outcome::Failed {
                url, origin, error, ..
            } => {
                // A `file:` URL on this machine would only repeat the place.
                let told = if url.starts_with("file:") {
                    String::new()
                } else {
                    format!(": {url}")
                };
                let message = format!("{origin}{told}: {error}{}", how_to_raise(error));
                self.page();
                self.counts.failed += 1;
                self.counts
                    .losses
                    .add(&origin.to_string(), Some(url), error);
                if self.counts.pages + self.counts.damaged == 1 && !self.is_silent {
                    self.only = Some(message);
                } else {
                    self.report(self.counts.failed, &message);
                }
            }
            Outcome::Damage(damage) => {
                self.report_only();
                self.counts.damaged += 1;
                self.counts.gave_up |= damage.unread() > 0;
                self.counts
                    .losses
                    .add(&damage.origin().to_string(), damage.url(), damage.error());
                self.report(
                    self.counts.damaged,
                    &format!(
                        "{damage}{}{}",
                        of_url(damage.url()),
                        how_to_raise(damage.error())
                    ),
                );
            }
            Outcome::Unchanged(_) => self.passed_over(Skip::Unchanged, true),
            Outcome::Head { skipped, .. } | Outcome::Skipped(skipped) => {
                self.passed_over(skipped.why(), skipped.url().is_some());
            }
            _ => {}
        }
    }

    fn passed_over(&mut self, why: Skip, has_url: bool) {
        if has_url {
            self.counts.skipped = Some(why);
        }
        match why {
            Skip::Status(_) => self.counts.other_status += 1,
            Skip::Type => self.counts.not_html += 1,
            Skip::Hidden => self.counts.hidden += 1,
            Skip::Unchanged => self.counts.unchanged += 1,
            _ => {}
        }
    }

    /// Counts one page, whether it was read or failed.
    pub(crate) fn page(&mut self) {
        self.report_only();
        self.counts.pages += 1;
    }

    /// Adds the size of a page's HTML in bytes to the total. `is_cut` is true if the end of the
    /// page is known to be missing.
    pub(crate) fn read(&mut self, bytes: usize, is_cut: bool) {
        self.counts.bytes += bytes as u64;
        self.counts.cut += u64::from(is_cut);
    }

    /// Counts a page whose site has no robots.txt, for the report of missing robots.txt files.
    /// `entered` is true if the page may be fetched. Other pages are not counted. No page is
    /// counted if `--robots` sets a file for all sites.
    pub(crate) fn without_robots(&mut self, site: &str, entered: bool) {
        if entered && !self.has_robots {
            add(&mut self.counts.without_robots, site, 1);
        }
        add(&mut self.counts.ahead, site, u64::from(entered));
    }

    fn report_only(&mut self) {
        if let Some(message) = self.only.take() {
            self.report(self.counts.failed, &message);
        }
    }

    fn kept_out(&self, url: &str, by: &str, why: Option<&heedful::Directive>) {
        if self.args.verbose {
            let why = why.map_or("", |directive| directive.text());
            let url = harmless(url);
            let why = styled(DIM, &harmless(why));
            print_message(format_args!(
                "{} {url} {why}",
                styled(DIM, &format!("{by}:"))
            ));
        }
    }

    fn report(&self, number: u64, message: &str) {
        if self.args.quiet || self.is_silent {
            return;
        }
        if self.args.verbose || number <= NAMED as u64 {
            print_note(message);
        } else if number == NAMED as u64 + 1 {
            print_note("further problems of this kind are only counted (-v lists them)");
        }
    }

    /// Prints the counts of the run to standard error.
    pub(crate) fn print(&mut self) {
        self.report_only();
        if self.args.quiet {
            return;
        }
        self.report_missing_robots();
        let seconds = self.started.elapsed().as_secs_f64();
        let megabytes = self.counts.bytes as f64 / 1e6;
        // The speed over less than a megabyte would be noise.
        let speed = if megabytes >= 1.0 {
            format!(", {:.0} MB/s", megabytes / seconds.max(1e-9))
        } else {
            String::new()
        };
        let indexed = match self.indexed {
            Some(indexed) => format!(", {} indexed", wording::grouped(indexed.pages)),
            None => String::new(),
        };
        print_message(format_args!(
            "{}{indexed}; {} kept out by robots.txt, {} noindex, {} failed; {} in {seconds:.1} s{speed}",
            wording::count(self.counts.pages, "page"),
            wording::grouped(self.counts.gated),
            wording::grouped(self.counts.noindexed),
            wording::grouped(self.counts.failed),
            wording::size(self.counts.bytes),
        ));
        if self.has_passed_over() {
            self.report_passed_over();
        } else if self.counts.pages == 0 {
            print_note(
                "there is no page in the input (in an archive, pages are `response` records, and `resource` records that \
                 are HTML)",
            );
        }
        if self.counts.cut > 0 {
            print_message(format_args!(
                "{} {} truncated when fetched; of those, what broke off before its head was closed is withheld: \
                 `--conventions web,+cut-short` withholds all without their end",
                wording::count(self.counts.cut, "page"),
                plural(self.counts.cut, "was", "were")
            ));
        }
    }

    /// Returns the reasons why records were passed over, each with the number of records. A record
    /// is passed over if it is not a page.
    fn passed_over_by_reason(&self) -> [(u64, &'static str); 5] {
        [
            (self.counts.not_html, "not HTML"),
            (self.counts.hidden, "hidden (--hidden reads them)"),
            (self.counts.other_status, "without status 2xx"),
            (self.counts.unchanged, "unchanged since an earlier fetch"),
            (self.counts.damaged, "damaged"),
        ]
    }

    fn has_passed_over(&self) -> bool {
        self.passed_over_by_reason()
            .iter()
            .any(|(count, _)| *count > 0)
    }

    /// Prints how many records were passed over, for each reason. A record is passed over if it is
    /// not a page. Prints nothing if no record was passed over.
    pub(crate) fn report_passed_over(&self) {
        if self.args.quiet || !self.has_passed_over() {
            return;
        }
        let reasons = self
            .passed_over_by_reason()
            .into_iter()
            .filter(|(count, _)| *count > 0);
        let reasons: Vec<_> = reasons
            .map(|(count, why)| format!("{} {why}", wording::grouped(count)))
            .collect();
        print_message(format_args!("passed over: {}", reasons.join(", ")));
    }

    /// Prints the summary of a run of `heedful index`, and the numbers of pages that the index
    /// ignored or removed.
    pub(crate) fn report_index(&mut self, indexed: Indexed) {
        self.indexed = Some(indexed);
        self.print();
        if self.args.quiet {
            return;
        }
        let Indexed {
            older,
            late,
            absent,
            withdrawn,
            ..
        } = indexed;
        if older > 0 {
            let captures = wording::count(older, "capture");
            let urls = plural(older, "its URL", "their URLs");
            print_message(format_args!(
                "{captures} ignored: the index has a later fetch of {urls}"
            ));
        }
        gate::report_earlier(self.counts.earlier_robots);
        if absent > 0 {
            let them = plural(absent, "it", "them");
            print_message(format_args!(
                "{} removed: the input no longer names {them}",
                wording::count(absent, "page")
            ));
        }
        if withdrawn > 0 {
            let pages = wording::count(withdrawn, "page");
            print_message(format_args!(
                "{pages} of earlier runs removed: robots.txt keeps {} out now",
                plural(withdrawn, "it", "them")
            ));
        }
        if late > 0 {
            let pages = wording::count(late, "page");
            let whose = plural(late, "its", "their");
            print_message(format_args!(
                "{pages} removed again: {whose} robots.txt came later in the pipe"
            ));
        }
    }

    /// Prints the number of snapshots that were made. For a single page, prints `place` too: the
    /// path of the file or folder with the snapshot. `has_older` is true if a page has no snapshot
    /// because the inputs contain a later capture (fetch) of its URL.
    pub(crate) fn report_snapshots(&self, made: u64, has_older: bool, place: Option<&Path>) {
        let pages = self.counts.pages;
        let snapshots = wording::count(made, "snapshot");
        match place {
            _ if self.args.quiet => {}
            Some(place) if pages == 1 && made == 1 => {
                print_message(format_args!("{snapshots} in {}", place.display()));
            }
            _ if pages > 1 => {
                let others = if made == pages {
                    ""
                } else if has_older {
                    "; the others may not be kept, or have a later capture"
                } else {
                    "; the others may not be kept"
                };
                print_message(format_args!(
                    "{snapshots} of {}{others}",
                    wording::count(pages, "page")
                ));
            }
            _ => {}
        }
    }

    /// Prints the numbers of documents, deletions and files that an export has written.
    pub(crate) fn report_exported(&self, exported: &ExportReport) {
        if !self.args.quiet {
            print_message(format_args!(
                "{} and {} in {}",
                wording::count(exported.documents, "document"),
                wording::count(exported.deletions, "deletion"),
                wording::count(exported.files.len() as u64, "file")
            ));
        }
    }

    /// Reports the robots.txt files that were requested, that exceed a limit, or that have doubtful
    /// lines. Also corrects the count of sites without a robots.txt. A site no longer counts if its
    /// robots.txt was read after its pages.
    pub(crate) fn report_gate(&mut self, gate: &Gate) {
        self.counts
            .without_robots
            .retain(|site, _| !gate.has_late_robots(site));
        if !self.args.quiet {
            gate::report_asked(gate, self.args.verbose);
            gate::report_doubts(gate, self.args.verbose);
        }
    }

    /// Reports the sites without a robots.txt. The caller must call
    /// [`report_gate`](Self::report_gate) first.
    pub(crate) fn report_missing_robots(&self) {
        let pages = self.counts.without_robots.values().sum();
        if !self.args.quiet {
            report_missing_robots(
                self.counts.without_robots.keys(),
                &wording::count(pages, "page"),
            );
        }
    }

    /// Reports pages that were written to the output before the robots.txt of their site was read.
    /// This happens if a pipe contains the robots.txt after the pages.
    pub(crate) fn report_ahead(&self, gate: &Gate) {
        if !self.args.quiet {
            gate::report_ahead(gate, &self.counts.ahead);
        }
    }

    /// Returns the number of pages in the run. Failed pages are included.
    pub(crate) fn pages(&self) -> u64 {
        self.counts.pages
    }

    /// Returns the reason why the last skipped record is not a page, for the error message of a run
    /// without pages. Skipped records without a URL are ignored. Returns `None` if no record with a
    /// URL was skipped.
    pub(crate) fn skipped(&self) -> Option<Skip> {
        self.counts.skipped
    }

    /// Returns the number of damaged records in the run.
    pub(crate) fn damaged(&self) -> u64 {
        self.counts.damaged
    }

    /// True if at least one file could be read only in part.
    pub(crate) fn gave_up(&self) -> bool {
        self.counts.gave_up
    }

    /// Returns the number of failed pages and damaged records in the run.
    pub(crate) fn lost(&self) -> u64 {
        self.counts.failed + self.counts.damaged
    }

    /// Writes the summary file, and returns the outcome of the verb. The outcome is `Incomplete` if
    /// a file could be read only in part. With `--strict`, any lost input leads to this outcome
    /// too. Otherwise, the outcome is `Yes` if `found` is true, and `No` if not.
    pub(crate) fn ending(&mut self, found: bool) -> Result<RunEnding> {
        self.report_only();
        self.write()?;
        Ok(self
            .args
            .ending(self.counts.gave_up, self.lost() > 0, found))
    }

    /// Prints all reports at the end of a verb that wrote its output page by page. Prints no
    /// summary if the only input is a single page. Returns the outcome of the verb, as
    /// [`ending_of_pages`](Self::ending_of_pages) does.
    pub(crate) fn ended(&mut self, gate: &Gate, found: bool) -> Result<RunEnding> {
        self.report_gate(gate);
        self.report_ahead(gate);
        if self.only.is_none() && (self.counts.pages > 1 || !found || self.has_passed_over()) {
            self.print();
        } else if self.args.url().is_none() {
            self.report_missing_robots();
        }
        self.ending_of_pages(found)
    }

    /// Returns the outcome of a verb that may be run for a single page. If the only page failed,
    /// prints its error as the error of the verb, and returns `Incomplete`. Otherwise, returns the
    /// outcome of [`ending`](Self::ending).
    pub(crate) fn ending_of_pages(&mut self, found: bool) -> Result<RunEnding> {
        let Some(message) = self.only.take() else {
            return self.ending(found);
        };
        print_error(&message);
        self.write()?;
        Ok(RunEnding::Incomplete)
    }

    /// Writes the summary file. Does nothing if no file was requested, or if the file is already
    /// written.
    pub(crate) fn write(&mut self) -> Result<()> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        file.write(&SummaryJson {
            pages: self.counts.pages,
            bytes: self.counts.bytes,
            indexed: self.indexed.map(|indexed| indexed.pages),
            outcomes: OutcomesJson {
                robots: self.counts.gated,
                noindex: self.counts.noindexed,
                failed: self.counts.failed,
                cut: self.counts.cut,
                older: self.indexed.map_or(0, |indexed| indexed.older),
                late: self.indexed.map_or(0, |indexed| indexed.late),
                absent: self.indexed.map_or(0, |indexed| indexed.absent),
                withdrawn: self.indexed.map_or(0, |indexed| indexed.withdrawn),
            },
            passed_over: PassedOverJson {
                not_html: self.counts.not_html,
                hidden: self.counts.hidden,
                status: self.counts.other_status,
                unchanged: self.counts.unchanged,
                damaged: self.counts.damaged,
            },
            notes: &self.counts.notes,
            without_robots: &self.counts.without_robots,
            lost: &self.counts.losses,
            gave_up: self.counts.gave_up,
            seconds: self.started.elapsed().as_secs_f64(),
            earlier_robots: self.counts.earlier_robots,
        })
    }
}

/// Adds `number` to the count of `site`. The name of a site is copied only if the site has no count
/// yet.
fn add(counts: &mut BTreeMap<String, u64>, site: &str, number: u64) {
    match counts.get_mut(site) {
        Some(count) => *count += number,
        None => {
            counts.insert(site.to_owned(), number);
        }
    }
}

/// Returns a hint that tells the user how to raise the limit that was exceeded. Returns an empty
/// string if `error` has another cause, or if the limit cannot be raised.
pub(crate) fn how_to_raise(error: &Error) -> String {
    match error.passed_limit() {
        // A depth above the default would have no effect, so no hint is given.
        Some("query_depth") | None => String::new(),
        Some("query_endings") => {
            " (write more of the word, or --limit query_endings=N raises it)".to_owned()
        }
        Some(name) => format!(" (--limit {name}=N raises it)"),
    }
}

fn of_url(url: Option<&str>) -> String {
    url.map(|url| format!(" ({})", harmless(url)))
        .unwrap_or_default()
}
