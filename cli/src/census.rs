//! `heedful census`: how often each convention is said, of what, on how many pages and sites, and how much text that
//! withholds.
//!
//! The census goes to files when it is whole; they are opened before the first page is read.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use heedful::census::{Census, Count, Counter, Part, Row, Side};
use heedful::report::{CensusReport, in_percent, wording};
use heedful::{ErrorKind, Facet, Result};

use crate::args::CensusArgs;
use crate::ending::{Ending, setting, written};
use crate::job::Job;
use crate::output::{self, BOLD, DIM, Format, styled};
use crate::summary::Summary;

pub(crate) fn run(args: &CensusArgs) -> Result<Ending> {
    if args.merge {
        let census = merged(args)?;
        let files = Files::open(args)?;
        files.write(args, &census)?;
        return Ok(ending(&census));
    }
    let job = Job::new(&args.run, args.run.inputs()?)?;
    let counter = Counter::new(&job.filter)?;
    let files = Files::open(args)?;
    let mut summary = Summary::new(&args.run)?;
    let mut census = counter.census();
    job.count(&mut summary, &counter, &mut census)?;
    files.write(args, &census)?;
    summary.tell_gate(&job.gate);
    summary.tell_ahead(&job.gate);
    summary.tell();
    summary.ending(ending(&census) == Ending::Yes)
}

/// A census of no page says nothing.
fn ending(census: &Census) -> Ending {
    if census.count(Row::Pages).pages > 0 { Ending::Yes } else { Ending::No }
}

/// One census of those that are named.
fn merged(args: &CensusArgs) -> Result<Census> {
    let mut whole: Option<Census> = None;
    for path in args.run.paths() {
        let named = |error: heedful::Error| setting(format!("{}: {error}", path.display()));
        let census = Census::parse(&contents(path)?).map_err(named)?;
        match &mut whole {
            Some(whole) => whole.merge(&census).map_err(named)?,
            None => whole = Some(census),
        }
    }
    whole.ok_or_else(|| setting("--merge needs the files of censuses, as -o writes them"))
}

fn contents(path: &Path) -> Result<String> {
    let io = |source| ErrorKind::Io { what: path.display().to_string(), source };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes).map_err(io)?;
    } else {
        bytes = std::fs::read(path).map_err(io)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The files that a census goes into.
struct Files {
    json: Option<Target>,
    html: Option<Target>,
}

/// A file that is open and empty, or standard output.
struct Target(PathBuf, Option<File>);

impl Target {
    fn open(path: &Path) -> Result<Self> {
        let file = (path != Path::new("-")).then(|| File::create(path)).transpose();
        let file = file.map_err(|source| ErrorKind::Io { what: path.display().to_string(), source })?;
        Ok(Self(path.to_owned(), file))
    }

    fn write(self, text: &str) -> Result<()> {
        let Self(path, file) = self;
        let Some(mut file) = file else { return printed(text) };
        let done = writeln!(file, "{text}");
        done.map_err(|source| ErrorKind::Io { what: path.display().to_string(), source }.into())
    }
}

fn printed(text: &str) -> Result<()> {
    let mut out = output::data();
    written(writeln!(out, "{text}"))?;
    written(out.flush())
}

impl Files {
    fn open(args: &CensusArgs) -> Result<Self> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(Target::open).transpose();
        Ok(Self { json: open(&args.output)?, html: open(&args.html)? })
    }

    /// Writes the files or, if there are none, standard output.
    fn write(self, args: &CensusArgs, census: &Census) -> Result<()> {
        let has_files = self.json.is_some() || self.html.is_some();
        if let Some(json) = self.json {
            json.write(&census.json())?;
        }
        if let Some(html) = self.html {
            html.write(&CensusReport::of(census).html())?;
        }
        match args.format {
            _ if has_files => Ok(()),
            Format::Json => printed(&census.json()),
            Format::Text => {
                let mut out = output::out(Format::Text);
                lines(census).iter().try_for_each(|line| written(writeln!(out, "{line}")))?;
                written(out.flush())
            }
        }
    }
}

/// The census as tables for a terminal.
fn lines(census: &Census) -> Vec<String> {
    let about = if census.is_sampled() { "about " } else { "" };
    let pages = wording::count(census.count(Row::Pages).pages, "page");
    let mut lines = vec![format!("{pages} of {about}{}", wording::count(census.sites(), "site"))];
    let by_pages = |is_wanted: fn(Row) -> bool| {
        let mut rows: Vec<_> = census.rows().filter(|(row, _)| is_wanted(*row)).collect();
        rows.sort_by_key(|(row, count)| (std::cmp::Reverse(count.pages), *row));
        rows
    };
    let conventions = by_pages(|row| matches!(row, Row::Convention(_)));
    table(&mut lines, census, "convention", conventions, |row| match row {
        Row::Convention(convention) if census.obeys(convention) => convention.name().to_owned(),
        Row::Convention(convention) => format!("({})", convention.name()),
        _ => String::new(),
    });
    let subjects = by_pages(|row| matches!(row, Row::About(..)));
    table(&mut lines, census, "said of what", subjects, |row| match row {
        Row::About(subject, says) => format!("{} {}", says.name(), subject.name()),
        _ => String::new(),
    });
    for (bot, name) in (0..).zip(census.bots()) {
        lines.extend(denied(census, bot, name));
    }
    let notes = by_pages(|row| matches!(row, Row::Noted(..)));
    table(&mut lines, census, "looked wrong", notes, |row| match row {
        Row::Noted(kind, Some(convention)) => format!("{} ({})", kind.name(), convention.name()),
        Row::Noted(kind, None) => kind.name().to_owned(),
        _ => String::new(),
    });
    lines
}

fn table(lines: &mut Vec<String>, census: &Census, title: &str, rows: Vec<(Row, Count)>, name: impl Fn(Row) -> String) {
    if rows.is_empty() {
        return;
    }
    let head = format!("{title:<26} {:>10} {:>8}  {:<22} {:<22}", "statements", "pages", "of pages", "of sites");
    lines.extend([String::new(), styled(BOLD, head.trim_end())]);
    for (row, count) in rows {
        let times = if count.times > 0 { count.times.to_string() } else { String::new() };
        let shares = [census.share_of_pages(row), census.share_of_sites(row)].map(|share| in_percent(&share));
        let line = format!("{:<26} {times:>10} {:>8}  {:<22} {:<22}", name(row), count.pages, shares[0], shares[1]);
        lines.push(line.trim_end().to_owned());
    }
}

/// What a bot may not have in the end.
fn denied(census: &Census, bot: u8, name: &str) -> Vec<String> {
    let head = format!("{:<26} {:>8}  {:<22} {:<22}", format!("denied to {name}"), "pages", "of pages", "of text");
    let mut lines = vec![String::new(), styled(BOLD, head.trim_end())];
    let out = Row::KeptOut { bot };
    let kept = census.count(out).pages;
    lines.push(format!("{:<26} {kept:>8}  {}", "enter", in_percent(&census.share_of_pages(out))));
    let rows = census.rows().filter_map(|(row, count)| match row {
        Row::Denied { by: Side::Obeyed, bot: of, facet, part } if of == bot => Some((facet, part, row, count)),
        _ => None,
    });
    for (facet, part, row, count) in rows {
        let what = format!("{}, {}", facet.name(), if part == Part::Page { "the page" } else { "a part" });
        let of_text = !matches!(facet, Facet::Follow | Facet::Anchor | Facet::Image);
        let text = if of_text { in_percent(&census.share_of_text(row)) } else { String::new() };
        let line = format!("{what:<26} {:>8}  {:<22} {text:<22}", count.pages, in_percent(&census.share_of_pages(row)));
        lines.push(line.trim_end().to_owned());
    }
    if lines.len() == 3 && kept == 0 {
        lines.push(styled(DIM, "nothing else"));
    }
    lines
}
