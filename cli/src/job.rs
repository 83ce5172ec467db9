//! A [`Job`]: the run of a verb over its inputs, with the gate, the summary and the progress bar.
//!
//! All verbs that read pages use a job. A verb itself has only its work on each page, and its
//! output.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use heedful::{Filter, Landmarks, Result, Url};
use heedful_census::{Census, Counter};
use heedful_index::Search;
use heedful_input::{FetchedPage, Input, Skip};
use heedful_run::{Cursor, Gate, GateRules, Outcome, Run};

use crate::ending::setting;
use crate::interruption;
use crate::output::{harmless, print_note};
use crate::progress::Progress;
use crate::run_args::{RunArgs, names_its_pages};
use crate::summary::{CountedPages, Summary};

/// The inputs of a verb, with the gate and the filter for their pages. The gate already has the
/// robots.txt and tdmrep.json files in the inputs.
pub(crate) struct Job<'a> {
    args: &'a RunArgs,
    pub(crate) inputs: Vec<Input>,
    pub(crate) gate: Gate,
    pub(crate) filter: Filter,
    /// URL of the only page that the job reads, as set by `--url`. `None` if the job reads all
    /// pages.
    wanted: Option<&'a Url>,
}

impl<'a> Job<'a> {
    /// Creates a job. Reads the site files (robots.txt and tdmrep.json) in the inputs before the
    /// first page is judged. Also reads the Names pages, which map the names of bots to numbers. If
    /// `evidence` is true, the job also stores the documents that evidence needs.
    ///
    /// # Errors
    /// Fails if an input cannot be read, or if an argument has an invalid value.
    pub(crate) fn survey(args: &'a RunArgs, inputs: Vec<Input>, evidence: bool) -> Result<Self> {
        let (gate, filter) = args.survey(&inputs, evidence)?;
        Ok(Self {
            args,
            inputs,
            gate,
            filter,
            wanted: None,
        })
    }

    /// Creates a job for a verb that works on all pages of the inputs.
    ///
    /// # Errors
    /// Fails if `--url` is given although the inputs state the URLs of their pages. Also fails if
    /// [`Job::survey`] fails.
    pub(crate) fn new(args: &'a RunArgs, inputs: Vec<Input>) -> Result<Self> {
        args.check_url_option(&inputs)?;
        Self::survey(args, inputs, false)
    }

    /// Creates a job for a verb that shows pages. If the inputs state the URLs of all pages,
    /// `--url` selects one page. In other inputs, such as an HTML file, `--url` does not select
    /// pages.
    pub(crate) fn showing(args: &'a RunArgs, inputs: Vec<Input>) -> Result<Self> {
        let wanted = args.url().filter(|_| inputs.iter().all(names_its_pages));
        Ok(Self {
            wanted,
            ..Self::survey(args, inputs, false)?
        })
    }

    /// Makes the filter create snapshots of pages, if `asked` is true.
    pub(crate) fn snapshots(self, asked: bool) -> Self {
        let filter = if asked {
            self.filter.snapshots()
        } else {
            self.filter
        };
        Self { filter, ..self }
    }

    /// Makes the filter read only the text in these landmarks. `None` stands for all text.
    pub(crate) fn landmarks(self, landmarks: Option<Landmarks>) -> Self {
        Self {
            filter: self.filter.landmarks(landmarks.unwrap_or(Landmarks::ALL)),
            ..self
        }
    }

    /// Makes the gate also use the robots.txt files that earlier runs stored in the index. The gate
    /// decides which pages may be fetched. `before` is the index as it was before this run.
    pub(crate) fn with_earlier_responses(self, before: Search) -> Self {
        Self {
            gate: self.gate.with_earlier_responses(before),
            ..self
        }
    }

    /// Returns the number of pages that the job judges at the same time.
    pub(crate) fn jobs(&self) -> usize {
        self.args.jobs()
    }

    /// Creates a [`Run`] over the job's inputs, with the settings of the arguments.
    pub(crate) fn run(&self) -> Run<'_> {
        Run::new(&self.inputs, &self.gate, self.args.jobs())
            .only(self.wanted)
            .headers(&self.args.headers)
            .now(self.args.now())
    }

    /// Filters the pages of the job's inputs. Counts each outcome in `summary`, then passes it to
    /// `take`.
    pub(crate) fn filter(
        &self,
        summary: &mut Summary<'_>,
        mut take: impl FnMut(Outcome) -> Result<()>,
    ) -> Result<()> {
        self.filter_in(self.run(), summary, |outcome, _| take(outcome))
            .map(drop)
    }

    /// Filters the pages of `run`. The caller has created `run` with its own settings. Counts each
    /// outcome in `summary`, and then passes the outcome to `take`. `take` also gets the cursor:
    /// the place in the inputs after the record of this outcome. Returns the progress bar, so that
    /// the caller can show further work.
    pub(crate) fn filter_in(
        &self,
        run: Run<'_>,
        summary: &mut Summary<'_>,
        mut take: impl FnMut(Outcome, Cursor) -> Result<()>,
    ) -> Result<Progress<'_>> {
        let mut progress = Progress::new(&self.inputs, self.args.quiet);
        run.filter(&self.filter, |outcome, behind| {
            progress.record(behind, |behind| {
                summary.count(&outcome);
                take(outcome, behind)
            })
        })?;
        progress.aside(|| self.report_unmet(summary));
        Ok(progress)
    }

    /// Calls `work` for each page of the job's inputs. Counts each outcome in `summary`, then
    /// passes it to `take`.
    pub(crate) fn each<T: Send + CountedPages>(
        &self,
        summary: &mut Summary<'_>,
        work: impl Fn(&FetchedPage, GateRules<'_>) -> Result<T> + Sync,
        mut take: impl FnMut(Outcome<T>) -> Result<()>,
    ) -> Result<()> {
        self.each_in(self.run(), summary, work, |outcome, _| take(outcome))
    }

    /// Calls `work` for each page of `run`. The caller has created `run` with its own settings.
    /// Counts each outcome in `summary`, and then passes the outcome to `take`. `take` also gets
    /// the cursor: the place in the inputs after the record of this outcome.
    pub(crate) fn each_in<T: Send + CountedPages>(
        &self,
        run: Run<'_>,
        summary: &mut Summary<'_>,
        work: impl Fn(&FetchedPage, GateRules<'_>) -> Result<T> + Sync,
        mut take: impl FnMut(Outcome<T>, Cursor) -> Result<()>,
    ) -> Result<()> {
        let mut progress = Progress::new(&self.inputs, self.args.quiet);
        run.each(work, |outcome, behind| {
            progress.record(behind, |behind| {
                summary.count(&outcome);
                take(outcome, behind)
            })
        })?;
        progress.aside(|| self.report_unmet(summary));
        Ok(())
    }

    /// Adds the counts of all pages of the job's inputs to `census`. Also counts each outcome in
    /// `summary`.
    pub(crate) fn count(
        &self,
        summary: &mut Summary<'_>,
        counter: &Counter,
        census: &mut Census,
    ) -> Result<()> {
        let mut progress = Progress::new(&self.inputs, self.args.quiet);
        self.run()
            .limits(self.filter.get_limits())
            .count(counter, census, |outcome, behind| {
                progress.record(behind, |_| {
                    summary.count(&outcome);
                    Ok(())
                })
            })?;
        progress.aside(|| self.report_unmet(summary));
        Ok(())
    }

    /// Fails if the run had no page although `--url` selected one.
    pub(crate) fn check_found(&self, summary: &mut Summary<'_>) -> Result<()> {
        if self.wanted.is_some() && summary.pages() == 0 {
            self.no_page(summary)
        } else {
            Ok(())
        }
    }

    /// Writes the summary of a run that had no page. Returns an error that states why it had none.
    pub(crate) fn no_page<T>(&self, summary: &mut Summary<'_>) -> Result<T> {
        summary.write()?;
        let damaged = if summary.damaged() > 0 {
            ", unless damage has cost it"
        } else {
            ""
        };
        let what = self
            .wanted
            .map_or("the input".to_owned(), |url| harmless(url.as_str()));
        Err(setting(match (summary.skipped(), self.wanted) {
            (Some(Skip::Hidden), _) => {
                format!("{what}: no page: {} (--hidden reads it)", Skip::Hidden)
            }
            (Some(why), _) => format!("{what}: no page: {why}"),
            (None, Some(_)) => format!("no page of the input has the URL {what}{damaged}"),
            (None, None) => "there is no page in the input".to_owned(),
        }))
    }

    /// Prints a note with the user's own rules that matched nothing in the run. Such a rule may
    /// have a typing error. The content that the user meant is then not withheld.
    fn report_unmet(&self, summary: &Summary<'_>) {
        // An index lends the rules of its terms. They are about its other pages too, so they may
        // match nothing here.
        let conventions = self
            .filter
            .unmatched_rules()
            .filter(|_| !self.args.has_lent_conventions());
        let denials = self
            .filter
            .unmatched_denials()
            .filter(|_| !self.args.has_lent_denials());
        let mut unmet = Vec::new();
        for rule in conventions.chain(denials) {
            unmet.push(format!("`{rule}`"));
        }
        if !unmet.is_empty() && summary.pages() > 0 && !self.args.quiet {
            print_note(&format!(
                "matched no page: {} (--deny, --deny-element, --deny-region, --convention-file)",
                unmet.join(", ")
            ));
        }
    }
}

/// Returns a flag that the first Ctrl-C sets, so that the run can end early. A later Ctrl-C ends
/// the program at once.
pub(crate) fn interruption() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    interruption::on_first(move || flag.store(true, Ordering::Relaxed))?;
    Ok(stop)
}
