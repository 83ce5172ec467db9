//! `heedful index`: filters pages into an index.

use std::sync::atomic::Ordering;

use heedful::{Landmarks, Result, Url};
use heedful_evidence::IndexEvidence;
use heedful_index::{Analysis, Gone, Index, Memory, Search, Writer};
use heedful_input::{Input, InputFormat};
use heedful_report::wording::count;
use heedful_run::{
    AbsentPages, Cursor, IndexEffect, LatePages, Outcome, WholeSite, apply_outcome, withdraw,
};

use crate::args::IndexArgs;
use crate::ending::{RunEnding, setting};
use crate::evidence_args::evidence_at;
use crate::job::{Job, interruption};
use crate::output;
use crate::summary::{Indexed, Summary};

pub(crate) fn run(args: &IndexArgs) -> Result<RunEnding> {
    args.run.require_one_bot("an index")?;
    let args = &with_terms(args)?;
    let memory = match args.run.memory {
        Some(bytes) => Memory::new(bytes)?,
        None => Memory::of_jobs(args.run.jobs())?,
    };
    let inputs = args.run.inputs_once()?;
    check_inputs(args, &inputs)?;
    // The summary file is created before the index: if its path cannot be written, nothing has
    // changed.
    let mut summary = Summary::new(&args.run)?;
    let landmarks = args.landmarks.landmarks.unwrap_or(Landmarks::ALL);
    let filter = args.run.filter()?.landmarks(landmarks);
    let index = Index::create_with(&args.output, &filter, analysis(args))?;
    report_analysis(args, &index)?;
    let index = with_evidence(args, index);
    let from = beginning(args, &index, &inputs)?;
    if from.is_end(&inputs) {
        say(
            args,
            "nothing to resume: the last run over these inputs was complete",
        );
        summary.write()?;
        return Ok(RunEnding::Yes);
    }
    let keeps_evidence = args.evidence.is_some() || index.kept_evidence()?.is_some();
    let job = Job::survey(&args.run, inputs, keeps_evidence)?
        .snapshots(args.snapshot)
        .landmarks(Some(landmarks));
    let writer = index.writer_within((args.run.jobs() / 2).max(1), memory)?;
    let writer = if args.no_anchors {
        writer.without_anchors()
    } else {
        writer
    };
    // Open for writing, so no other run changes the index between the reads below and the commit.
    let stop = interruption()?;
    let before = index.search()?;
    let job = job.with_earlier_responses(before.clone());
    report_copies(args, &before)?;
    let mut index_run = IndexRun::new(args, writer, &job)?;
    index_run.cursor = from.clone();
    let run = job
        .run()
        .limits(&args.run.limits()?.fit_memory(memory.bytes()))
        .starting_at(from)
        .until(&stop);
    let progress = job.filter_in(run, &mut summary, |outcome, cursor| {
        index_run.apply(&outcome, cursor)
    })?;
    progress.writing();
    let is_stopped = stop.load(Ordering::Relaxed);
    if !is_stopped {
        index_run.cursor = Cursor::end(&job.inputs);
        if let Err(error) = index_run.remove_absent(args, &before) {
            summary.write()?;
            return Err(error);
        }
        index_run.withdraw(&before)?;
    }
    let is_lost = is_stopped && index_run.waits;
    if !is_lost {
        index_run.commit()?;
    }
    drop(progress);
    index_run.report(&mut summary);
    summary.write()?;
    if is_lost {
        let why = if args.whole {
            "only all of it is the whole site"
        } else {
            "the rest of the pipe may forbid what was read"
        };
        say(
            args,
            &format!("interrupted: nothing was kept, because {why}; run it again"),
        );
        return Ok(RunEnding::Interrupted);
    }
    if is_stopped {
        say(args, &interruption_message(&index_run.cursor, &job.inputs));
        return Ok(RunEnding::Interrupted);
    }
    summary.ending(true)
}

/// Returns the settings by which a new index analyses text.
fn analysis(args: &IndexArgs) -> Analysis {
    let analysis = Analysis::from(args.forms.unwrap_or_default());
    if args.blocks {
        analysis.part_blocks()
    } else {
        analysis
    }
}

/// Prints a note if the index analyses text in another way than `--forms` or `--blocks` asks for.
fn report_analysis(args: &IndexArgs, index: &Index) -> Result<()> {
    let kept = index.analysis()?;
    if args.run.quiet {
        return Ok(());
    }
    if args.forms.is_some_and(|asked| asked != kept.forms()) {
        let forms = kept.forms();
        output::print_note(&format!(
            "the index was made with --forms {forms}, and keeps them"
        ));
    }
    if args.blocks && !kept.parts_blocks() {
        output::print_note("the index was made without --blocks, and stays so");
    }
    Ok(())
}

/// Prints a note if this run will remove snapshots from the index. Without `--snapshot`, a page
/// that is indexed again loses its snapshot. `before` is the index as it was before the run. Prints
/// nothing if `before` has no snapshots.
fn report_copies(args: &IndexArgs, before: &Search) -> Result<()> {
    let copies = if args.snapshot || args.run.quiet {
        0
    } else {
        before.count_snapshots()?
    };
    if copies > 0 {
        let copies = count(copies, "snapshot");
        output::print_note(&format!(
            "the index has {copies}: pages that are indexed again without --snapshot lose theirs"
        ));
    }
    Ok(())
}

/// Fails if the options do not fit the inputs. Without `--whole`, fails if `--url` is given
/// although the pages have URLs of their own. With `--whole`, fails if all inputs are single pages.
fn check_inputs(args: &IndexArgs, inputs: &[Input]) -> Result<()> {
    match inputs.first() {
        _ if !args.whole => args.run.check_url_option(inputs),
        Some(first) if inputs.iter().all(|input| input.kind() == InputFormat::Html) => {
            let name = first.name();
            Err(setting(format!(
                "--whole is for an input that names all pages of a site: {name} is one page"
            )))
        }
        _ => Ok(()),
    }
}

/// Returns the arguments of `heedful index`, completed from the terms of an existing index. The
/// stored bot, conventions, rules and landmarks are used where the user gave none.
fn with_terms(args: &IndexArgs) -> Result<IndexArgs> {
    let mut args = args.clone();
    // An index that cannot be opened is no error here: opening it for the run reports why.
    if let Ok(terms) = Index::open(&args.output).and_then(|index| index.terms()) {
        args.run = args.run.with_terms(&terms)?;
        let landmarks = &mut args.landmarks.landmarks;
        *landmarks = landmarks.or(Some(terms.landmarks()?));
    }
    Ok(args)
}

fn with_evidence(args: &IndexArgs, index: Index) -> Index {
    match &args.evidence {
        Some(folder) if args.new_evidence => index.new_evidence(folder),
        folder => evidence_at(index, folder.as_deref()),
    }
}

fn beginning(args: &IndexArgs, index: &Index, inputs: &[Input]) -> Result<Cursor> {
    let kept = if args.resume { index.cursor()? } else { None };
    let Some(kept) = kept else {
        return Ok(Cursor::default());
    };
    let cursor = Cursor::resume(&kept, inputs)?;
    if cursor != Cursor::default() && !cursor.is_end(inputs) {
        say(args, &format!("resumed at {}", cursor.place(inputs)));
    }
    Ok(cursor)
}

fn interruption_message(cursor: &Cursor, inputs: &[Input]) -> String {
    let place = cursor.place(inputs);
    if cursor.keep(inputs).is_some() {
        format!(
            "interrupted: what was read is in the index; the same command with --resume continues at {place}"
        )
    } else {
        format!("interrupted at {place}: what was read is in the index; a pipe cannot be resumed")
    }
}

fn say(args: &IndexArgs, message: &str) {
    if !args.run.quiet {
        output::print_message(message);
    }
}

/// Fails if it is probably a mistake to remove the absent pages from the index. This is so if the
/// input has damaged records, since these may be the absent pages. It is also so if more than half
/// of the indexed pages under `site` are absent.
fn check(absent: &AbsentPages, site: &Url) -> Result<()> {
    let pages = format!("{} under {site}", count(absent.pages as u64, "page"));
    let would = format!("--whole would remove {} of {pages}", absent.urls.len());
    if absent.unnamed > 0 {
        let damaged = count(absent.unnamed, "damaged record");
        return Err(setting(format!(
            "{would}, but {damaged} may have named them: nothing was changed; --yes does it"
        )));
    }
    if absent.is_majority_absent() {
        return Err(setting(format!(
            "{would}, more than half: nothing was changed; --yes does it"
        )));
    }
    Ok(())
}

/// A run of `heedful index`, which applies the outcomes for its pages to an index.
struct IndexRun<'a> {
    writer: Writer,
    job: &'a Job<'a>,
    /// Number of records of the input between two commits of the index.
    commit_every: u64,
    /// True if the index must not be committed before the end of the input. This applies to an
    /// archive from a pipe, because its last robots.txt may disallow any earlier page. It also
    /// applies to `--whole`, which adds and removes pages in a single commit.
    waits: bool,
    /// With `--whole`, the URLs that the input contains. Otherwise `None`.
    whole: Option<WholeSite>,
    absent: u64,
    /// Number of pages that earlier runs added and this run removed. A robots.txt in the inputs now
    /// disallows these pages.
    withdrawn: u64,
    records: u64,
    indexed: u64,
    older: u64,
    /// Pages that were read from a pipe. A later robots.txt of their site may still disallow them.
    /// `None` if no input is a pipe.
    late: Option<LatePages>,
    late_gone: u64,
    cursor: Cursor,
}

impl<'a> IndexRun<'a> {
    fn new(args: &IndexArgs, writer: Writer, job: &'a Job<'a>) -> Result<Self> {
        let inputs = &job.inputs;
        let late = if inputs.iter().any(Input::is_stream) {
            Some(LatePages::new()?)
        } else {
            None
        };
        let whole = args.run.url().filter(|_| args.whole).map(WholeSite::new);
        let waits = whole.is_some()
            || inputs
                .iter()
                .any(|input| input.is_stream() && input.kind() != InputFormat::Jsonl);
        Ok(Self {
            writer,
            job,
            commit_every: args.commit_every,
            waits,
            whole,
            absent: 0,
            withdrawn: 0,
            records: 0,
            indexed: 0,
            older: 0,
            late,
            late_gone: 0,
            cursor: Cursor::default(),
        })
    }

    fn apply(&mut self, outcome: &Outcome, cursor: Cursor) -> Result<()> {
        if let Some(whole) = &mut self.whole {
            whole.note(outcome);
        }
        let settled = apply_outcome(&mut self.writer, outcome)?;
        self.indexed += u64::from(settled == IndexEffect::Indexed);
        self.older += u64::from(settled == IndexEffect::Older);
        self.records += 1;
        self.cursor = cursor;
        if settled == IndexEffect::Indexed
            && let Some(late) = &mut self.late
            && let Outcome::Pages(filtered) = outcome
            && let Some(page) = filtered.pages.first()
        {
            late.add(page.url())?;
        }
        let is_due = !self.waits && self.records.is_multiple_of(self.commit_every);
        if is_due { self.commit() } else { Ok(()) }
    }

    /// Removes indexed pages that the input no longer contains. Only pages under the URL of `--url`
    /// are removed. Does nothing without `--whole`. `before` is the index as it was before the run.
    ///
    /// # Errors
    /// Fails if the index cannot be read or changed. Without `--yes`, also fails if [`check`]
    /// fails. After an error, nothing is committed to the index.
    fn remove_absent(&mut self, args: &IndexArgs, before: &Search) -> Result<()> {
        let (Some(whole), Some(site)) = (&self.whole, args.run.url()) else {
            return Ok(());
        };
        let absent = whole.absent(before)?;
        if absent.named == 0 && !args.run.quiet {
            output::print_note(&format!(
                "no page of the input is under {site}, which --whole is about"
            ));
        }
        if !args.yes && !absent.urls.is_empty() {
            check(&absent, site)?;
        }
        for url in &absent.urls {
            self.writer.remove(url, Gone::Absent, "")?;
        }
        self.absent = absent.urls.len() as u64;
        Ok(())
    }

    /// Removes pages that earlier runs added to the index. A page is removed if a robots.txt in the
    /// inputs now disallows it. `before` is the index as it was before this run.
    fn withdraw(&mut self, before: &Search) -> Result<()> {
        let gate = &self.job.gate;
        let filter = &self.job.filter;
        self.withdrawn =
            withdraw(gate, filter, before, &mut self.writer, self.job.jobs())?.len() as u64;
        Ok(())
    }

    /// Adds the numbers of pages that were indexed, ignored and removed to `summary`, and prints
    /// the summary.
    fn report(&self, summary: &mut Summary<'_>) {
        summary.report_gate(&self.job.gate);
        summary.report_index(Indexed {
            pages: self.indexed,
            older: self.older,
            late: self.late_gone,
            absent: self.absent,
            withdrawn: self.withdrawn,
        });
    }

    fn commit(&mut self) -> Result<()> {
        if let Some(late) = &mut self.late {
            self.late_gone +=
                late.judge_again(&self.job.gate, &self.job.filter, &mut self.writer)?;
        }
        self.writer.remember(self.cursor.keep(&self.job.inputs));
        self.writer.commit()
    }
}
