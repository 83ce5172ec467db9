//! `heedful mask`: writes a mask. A mask has the permitted uses of each record of an input, or of
//! each URL of a list.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use heedful::{Filter, Result, SiteFile, Source, SourceKind, Url, Use};
use heedful_input::{FetchedPage, Input, Skip, file_of_site};
use heedful_report::wording::count;
use heedful_run::mask::{
    AnswerKind, CaptureAnswers, CompactReader, MaskAnswer, MaskDifference, MaskFile, MaskFormat,
    MaskQuestions, MaskUrlList,
};
use heedful_run::{Change, Cursor, Gate, GateRules, UrlPolicies, mask};

use crate::args::MaskArgs;
use crate::ending::{RunEnding, io_error, setting, written};
use crate::job::{Job, interruption};
use crate::output::{self, Format};
use crate::run_args::refuse_overwriting;
use crate::summary::{CountedPages, Summary, report_missing_robots};

/// The mask's answer for one page, and facts for the summary of the run. `bytes` is the size of the
/// page, and `is_cut` is true if the end of the page is missing. `without_robots` is the page's
/// site, or `None` if the site has a robots.txt.
struct MaskedInput {
    answer: MaskAnswer,
    bytes: usize,
    is_cut: bool,
    without_robots: Option<String>,
}

impl CountedPages for MaskedInput {
    fn count(&self, summary: &mut Summary<'_>) {
        summary.page();
        summary.read(self.bytes, self.is_cut);
        if let Some(site) = &self.without_robots {
            summary.without_robots(site, self.answer.allow.allowed.iter().next().is_some());
        }
    }
}

pub(crate) fn run(args: &MaskArgs) -> Result<RunEnding> {
    match (&args.feed[..], &args.unpack, &args.urls) {
        ([old, new], ..) => diff(args, old, new),
        (_, Some(packed), _) => unpack(args, packed),
        (_, _, Some(list)) => mask_urls(args, list),
        _ => mask_records(args),
    }
}

/// Returns the path of the mask file that the arguments name. Returns `None` if the mask is written
/// to standard output, which is the default and can also be chosen by `-o -`.
fn to_file(args: &MaskArgs) -> Option<&Path> {
    let path = args.output.as_deref();
    path.filter(|path| *path != Path::new("-"))
}

/// Writes a mask with an answer for each record of the inputs.
fn mask_records(args: &MaskArgs) -> Result<RunEnding> {
    let inputs = args.run.records()?;
    args.run.check_url_option(&inputs)?;
    let job = Job::survey(&args.run, inputs, args.evidence.is_some())?;
    let asking = asking(args, &job);
    let mut summary = Summary::new(&args.run)?;
    let mut sums = MaskTotals::default();
    let mut out = MaskOutput::new(args, &asking, &job.filter)?;
    let from = out.beginning(&job.inputs)?;
    let mut cursor = from.clone();
    let stop = interruption()?;
    let work = |document: &FetchedPage, at: GateRules<'_>| {
        Ok(MaskedInput {
            answer: asking.page(document, &at, &job.filter)?,
            bytes: document.bytes().len(),
            is_cut: document.is_cut(),
            without_robots: at.site_without_robots,
        })
    };
    let mut beside = args.beside.as_ref().map(|_| CaptureAnswers::default());
    job.each_in(
        job.run().starting_at(from).until(&stop),
        &mut summary,
        work,
        |outcome, behind| {
            let answer = asking.answer(outcome.map(|judged| judged.answer));
            if let Some(beside) = &mut beside {
                beside.add(answer);
                return Ok(());
            }
            sums.count(&answer);
            out.add(answer, || behind.keep(&job.inputs))?;
            cursor = behind;
            Ok(())
        },
    )?;
    if stop.load(Ordering::Relaxed) {
        let message = out.leave(cursor.keep(&job.inputs), &cursor.place(&job.inputs))?;
        summary.write()?;
        say(args, &message);
        return Ok(RunEnding::Interrupted);
    }
    if let (Some(beside), Some(path)) = (beside, &args.beside) {
        for input in args.run.records_of(path)? {
            beside.each(&input, &asking, |answer| {
                sums.count(&answer);
                out.add(answer, || None)
            })?;
        }
    }
    out.finish()?;
    summary.report_gate(&job.gate);
    summary.report_missing_robots();
    say(args, &sums.summary(&asking));
    summary.ending(sums.answers > 0)
}

/// Writes a mask with an answer for each URL of `list`. An answer depends only on the current
/// robots.txt and tdmrep.json of the URL's site. The pages are not read.
fn mask_urls(args: &MaskArgs, list: &Path) -> Result<RunEnding> {
    let limits = args.run.limits()?;
    let mut gate = if args.evidence.is_some() {
        Gate::default().keeping_originals(&limits)
    } else {
        Gate::default()
    };
    let mut inputs = Vec::new();
    for path in args.run.paths() {
        match sites(path)? {
            Some(files) => {
                for (site, path) in files {
                    gate = add_site_files(gate, &site, &path)?;
                }
            }
            None => inputs.extend(args.run.records_of(path)?),
        }
    }
    let gate = args.run.with_sites(gate, &inputs)?;
    let filter = args.run.filter()?;
    let asking = asking_of(args, &filter);
    let mut out = MaskOutput::new(args, &asking, &filter)?;
    let mut sums = MaskTotals::default();
    let mut unread = UrlPolicies::new(&gate, &filter);
    let mut take = |answer| {
        sums.count(&answer);
        out.add(answer, || None)
    };
    let mut text = mask::open(list, &args.run.limits()?)?;
    let start = text.fill_buf().map_err(io_error(list.display()))?;
    if start.starts_with(b"PAR1") {
        if !list.is_file() {
            return Err(setting(format!(
                "{} is a Parquet table from a pipe: name its file",
                list.display()
            )));
        }
        for table in args.run.table_of(list)? {
            mask::each_row_with_url(&table, &asking, &mut unread, &mut take)?;
        }
    } else {
        let list = MaskUrlList::new(&list.display().to_string(), text);
        list.each(&asking, &mut unread, &mut take)?;
    }
    out.finish()?;
    let (sites, urls) = unread.without_robots();
    if !args.run.quiet && !args.run.has_robots() {
        report_missing_robots(sites.iter(), &count(urls, "URL"));
    }
    say(args, &sums.summary(&asking));
    Ok(if sums.answers > 0 {
        RunEnding::Yes
    } else {
        RunEnding::No
    })
}

/// Finds the folders of sites in the folder `path`. Such a folder has the host of its site as its
/// name, and contains a site file (robots.txt or tdmrep.json). Each folder is returned twice, with
/// the http URL and the https URL of its site. Returns `None` if there are no such folders. Fails
/// if `path` contains files beside such folders.
fn sites(path: &Path) -> Result<Option<Vec<(Url, PathBuf)>>> {
    if !path.is_dir() {
        return Ok(None);
    }
    let mut found = Vec::new();
    let mut other = None;
    for entry in std::fs::read_dir(path).map_err(io_error(path.display()))? {
        let path = entry.map_err(io_error(path.display()))?.path();
        let has_file = SiteFile::ALL
            .iter()
            .any(|file| is_there(&path.join(file.path().trim_start_matches('/'))));
        let name = path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        if path.is_file() {
            other = Some(name.clone());
        }
        for scheme in ["http", "https"] {
            if has_file && let Ok(url) = Url::parse(&format!("{scheme}://{name}/")) {
                found.push((url, path.clone()));
            }
        }
    }
    found.sort();
    match other {
        // Another file in the folder may be an archive with files of more sites, which must not be
        // ignored.
        Some(other) if !found.is_empty() => Err(setting(format!(
            "{} holds files of sites, and also {other}: name that by itself",
            path.display()
        ))),
        _ if found.is_empty() => Ok(None),
        _ => Ok(Some(found)),
    }
}

/// True if something exists at `path`, even if it cannot be read.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Adds the site files in `folder` to `gate` as the files of `site`. If a file cannot be read, all
/// pages of the site are denied.
fn add_site_files(mut gate: Gate, site: &Url, folder: &Path) -> Result<Gate> {
    for file in SiteFile::ALL {
        let Some(rules) = file_of_site(folder, file)? else {
            continue;
        };
        let path = folder.join(file.path().trim_start_matches('/'));
        let source = Source::new(SourceKind::File, path.display().to_string());
        gate = gate.for_site(site, rules.with_source(source));
    }
    Ok(gate)
}

fn asking(args: &MaskArgs, job: &Job<'_>) -> MaskQuestions {
    asking_of(args, &job.filter)
}

fn asking_of(args: &MaskArgs, filter: &Filter) -> MaskQuestions {
    let asking = MaskQuestions::new(args.r#use, filter);
    let asking = if args.parts { asking.parts() } else { asking };
    if args.no_digest {
        asking.without_digests()
    } else {
        asking
    }
}

/// Writes a feed of the changes between the masks `old` and `new`.
fn diff(args: &MaskArgs, old: &Path, new: &Path) -> Result<RunEnding> {
    for mask in [old, new] {
        // Each mask is read twice, which a pipe does not allow.
        if !mask.is_file() {
            return Err(setting(format!(
                "{} is no file: a difference is made of files",
                mask.display()
            )));
        }
    }
    let mut out = open_lines(args, &[old, new])?;
    let mut put = |change: Change| written(writeln!(out, "{}", change.line()));
    let limits = args.run.limits()?;
    let open = |mask| mask::open(mask, &limits);
    let found = if MaskDifference::has_same_records(open(old)?, open(new)?)? {
        MaskDifference::of_lines(open(old)?, open(new)?, &mut put)?
    } else {
        MaskDifference::of_urls(open(old)?, open(new)?, &mut put)?
    };
    out.finish()?;
    let others = match (found.gone, found.new) {
        (0, 0) => String::new(),
        (gone, new) => format!("; {gone} only in the older mask, {new} only in the newer"),
    };
    say(
        args,
        &format!(
            "{} in {} compared{others}",
            count(found.changes, "change"),
            found.compared
        ),
    );
    Ok(if found.changes > 0 {
        RunEnding::Yes
    } else {
        RunEnding::No
    })
}

/// Converts `packed`, a mask file in the compact format, to JSON Lines, and writes them.
fn unpack(args: &MaskArgs, packed: &Path) -> Result<RunEnding> {
    let mut out = open_lines(args, &[packed])?;
    let mut found = false;
    let file = File::open(packed).map_err(io_error(packed.display()))?;
    let reader = CompactReader::new(std::io::BufReader::new(file));
    for answer in reader.limits(&args.run.limits()?) {
        written(writeln!(out, "{}", answer?.line()))?;
        found = true;
    }
    out.finish()?;
    Ok(if found { RunEnding::Yes } else { RunEnding::No })
}

/// Opens the output for a feed (the changes between two masks), or for the lines of an unpacked
/// mask. The output is the file that the arguments name, or else standard output. A file gets its
/// final name when it is complete. Fails if the file is one of `inputs`.
fn open_lines(args: &MaskArgs, inputs: &[&Path]) -> Result<output::Stdout> {
    let Some(path) = to_file(args) else {
        return Ok(output::data());
    };
    refuse_overwriting(path, inputs, "mask")?;
    output::open(Format::Json, Some(path))
}

/// The destination for the answers of a mask. `Stream` writes JSON Lines to standard output. `File`
/// writes a mask file. If this run resumes an earlier run, `File` also has a cursor as a string.
/// The cursor is the place in the inputs at which the earlier run stopped.
enum MaskOutput {
    Stream(output::Stdout),
    File(Box<MaskFile>, Option<String>),
}

impl MaskOutput {
    fn new(args: &MaskArgs, asking: &MaskQuestions, filter: &Filter) -> Result<Self> {
        let Some(path) = to_file(args) else {
            let is_lines = args.format.is_none_or(|format| format == MaskFormat::Lines);
            let message = "standard output takes JSON Lines alone: name a file with -o";
            return if is_lines {
                Ok(Self::Stream(output::data()))
            } else {
                Err(setting(message))
            };
        };
        let also = [&args.beside, &args.urls].into_iter().flatten();
        let also = also.map(PathBuf::as_path);
        args.run.refuse_overwriting_inputs(Some(path), "mask")?;
        refuse_overwriting(path, &also.collect::<Vec<_>>(), "mask")?;
        let format = args.format.unwrap_or_else(|| MaskFormat::from_path(path));
        let terms = format!(
            "{} {} {} {}",
            args.r#use,
            args.parts,
            args.no_digest,
            args.run.terms_fingerprint()?
        );
        let (file, cursor) = MaskFile::begin(path, format, asking, &terms, args.resume)?;
        let file = match &args.evidence {
            Some(folder) => file.evidence(folder, filter)?,
            None => file,
        };
        let file = match args.group {
            Some(answers) => file.grouped(answers as usize),
            None => file,
        };
        Ok(Self::File(Box::new(file), cursor))
    }

    /// Returns the position in the inputs at which the run begins. If an earlier run began the mask
    /// file, it is the cursor in that file. Otherwise it is the beginning of the inputs.
    fn beginning(&self, inputs: &[Input]) -> Result<Cursor> {
        match self {
            Self::File(_, Some(cursor)) => Cursor::resume(cursor, inputs),
            _ => Ok(Cursor::default()),
        }
    }

    fn add(&mut self, answer: MaskAnswer, cursor: impl FnOnce() -> Option<String>) -> Result<()> {
        match self {
            Self::Stream(out) => {
                written(writeln!(out, "{}", answer.line()).and_then(|()| out.flush()))
            }
            Self::File(file, _) => file.add(answer, cursor),
        }
    }

    /// Closes the mask output of an interrupted run, so that a later run can resume it at `cursor`.
    /// Returns a message for the user. The message names `place`, the position at which the run was
    /// interrupted.
    fn leave(self, cursor: Option<String>, place: &str) -> Result<String> {
        match self {
            Self::Stream(_) => Ok(format!("interrupted at {place}")),
            Self::File(..) if cursor.is_none() => {
                Ok(format!("interrupted at {place}; a pipe cannot be resumed"))
            }
            Self::File(file, _) => {
                file.leave(cursor)?;
                Ok(format!(
                    "interrupted at {place}: the same command with --resume goes on from the last group before it"
                ))
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Stream(_) => Ok(()),
            Self::File(file, _) => file.finish().map(drop),
        }
    }
}

/// Numbers of answers in a mask. `kinds` has the number of answers of each kind. `allowed` has, for
/// each use, the number of answers that allow it. `wat` is the number of `unknown` answers for
/// records of WAT archives.
#[derive(Default)]
struct MaskTotals {
    answers: u64,
    wat: u64,
    kinds: BTreeMap<&'static str, u64>,
    allowed: BTreeMap<Use, u64>,
    without_robots: u64,
}

impl MaskTotals {
    fn count(&mut self, answer: &MaskAnswer) {
        self.answers += 1;
        *self.kinds.entry(answer.kind.name()).or_default() += 1;
        self.without_robots += u64::from(answer.is_without_robots());
        if answer.kind == AnswerKind::Unknown {
            let reason = answer.reason.as_deref();
            self.wat += u64::from(reason == Some(Skip::Wat.to_string().as_str()));
        }
        for usage in answer.allow.allowed.iter() {
            *self.allowed.entry(usage).or_default() += 1;
        }
    }

    fn summary(&self, asking: &MaskQuestions) -> String {
        let mut uses = Vec::new();
        for usage in asking.uses().iter() {
            let allowed = self.allowed.get(&usage).copied().unwrap_or_default();
            uses.push(format!("{usage} {allowed}"));
        }
        let without_robots = match self.without_robots {
            0 => String::new(),
            pages => format!("; without robots.txt: {}", count(pages, "page")),
        };
        let wat = match self.wat {
            0 => String::new(),
            1 => " (1 is WAT: read its WARC)".to_owned(),
            wat => format!(" ({wat} are WAT: read their WARC)"),
        };
        format!(
            "{}: {}, {} no page, {} unknown{wat}; allowed: {}{without_robots}",
            count(self.answers, "answer"),
            count(self.answers_of_kind(AnswerKind::Page), "page"),
            self.answers_of_kind(AnswerKind::None),
            self.answers_of_kind(AnswerKind::Unknown),
            uses.join(", ")
        )
    }

    fn answers_of_kind(&self, kind: AnswerKind) -> u64 {
        self.kinds.get(kind.name()).copied().unwrap_or_default()
    }
}

fn say(args: &MaskArgs, message: &str) {
    if !args.run.quiet {
        output::print_message(message);
    }
}
