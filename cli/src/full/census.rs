//! `heedful census`: counts the pages and sites that use each convention, and the amount of text
//! that they withhold.
//!
//! Writes the files of the census when it is complete. They are opened before the first page is
//! read, so that a bad path fails early.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use heedful::{Result, Use};
use heedful_base::new_file::NewFile;
use heedful_census::{Census, CensusRow, Count, Counter, PagePlace, StatementSide};
use heedful_report::{CensusReport, in_percent, wording};

use crate::args::CensusArgs;
use crate::ending::{RunEnding, io_error, setting, written};
use crate::job::Job;
use crate::output::{self, BOLD, Format, harmless, print_note, styled};
use crate::summary::Summary;
use crate::terms_args::{self, whole};

pub(crate) fn run(args: &CensusArgs) -> Result<RunEnding> {
    if args.merge {
        let census = merged(args)?;
        let files = CensusFiles::open(args)?;
        files.write(args, &census)?;
        return Ok(ending(&census));
    }
    for output in [&args.output, &args.html] {
        args.run
            .refuse_overwriting_inputs(output.as_deref(), "census")?;
    }
    if let Some(path) = args.run.paths().iter().find(|path| is_census(path)) {
        return Err(setting(format!(
            "{0} is a census, and no input: `heedful census --merge {0}` reads it",
            path.display()
        )));
    }
    let job = Job::new(&args.run, args.run.inputs_with_heads()?)?;
    let counter = Counter::new(&job.filter)?;
    let files = CensusFiles::open(args)?;
    let mut summary = Summary::new(&args.run)?;
    let mut census = counter.census();
    job.count(&mut summary, &counter, &mut census)?;
    files.write(args, &census)?;
    summary.report_gate(&job.gate);
    summary.report_ahead(&job.gate);
    summary.print();
    summary.ending(ending(&census) == RunEnding::Yes)
}

/// True if a file begins like the JSON of a census. False if it cannot be read.
fn is_census(path: &Path) -> bool {
    let mut start = Vec::new();
    if path.is_file()
        && let Ok(file) = File::open(path)
    {
        let _ = file.take(BEGINNING.len() as u64).read_to_end(&mut start);
    }
    start == BEGINNING
}

const BEGINNING: &[u8] = b"{\"census\":";

/// Returns the outcome of `heedful census`: `No` if the census has no pages, otherwise `Yes`.
fn ending(census: &Census) -> RunEnding {
    if census.count(CensusRow::Pages).pages > 0 {
        RunEnding::Yes
    } else {
        RunEnding::No
    }
}

/// Adds up the censuses in the files that the arguments name. Fails if the arguments name no file,
/// or if a file is not a census.
fn merged(args: &CensusArgs) -> Result<Census> {
    let mut whole = None::<Census>;
    let mut met = HashSet::new();
    let hasher = RandomState::new();
    for path in args.run.paths() {
        let named = |error: heedful::Error| setting(format!("{}: {error}", path.display()));
        let text = contents(path)?;
        let census = Census::parse(&text).map_err(named)?;
        if !met.insert(hasher.hash_one(&text)) {
            print_note(&format!(
                "{} is equal to another census: its pages are counted twice",
                path.display()
            ));
        }
        match &mut whole {
            Some(whole) => whole.merge(&census).map_err(named)?,
            None => whole = Some(census),
        }
    }
    whole.ok_or_else(|| setting("--merge needs the files of censuses, as -o writes them"))
}

fn contents(path: &Path) -> Result<String> {
    let bytes = if path == Path::new("-") {
        whole(std::io::stdin()).map_err(io_error(path.display()))?
    } else {
        terms_args::contents(path)?
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The files to which a census is written: a JSON file and an HTML file. A file is `None` if it was
/// not requested.
struct CensusFiles {
    json: Option<CensusTarget>,
    html: Option<CensusTarget>,
}

/// A file that was created for the census, and that is still empty. `None` means standard output.
struct CensusTarget(Option<NewFile>);

impl CensusTarget {
    fn open(path: &Path) -> Result<Self> {
        let file = (path != Path::new("-"))
            .then(|| NewFile::create(path))
            .transpose();
        file.map(Self).map_err(io_error(path.display()))
    }

    fn write(self, text: &str) -> Result<()> {
        let Some(mut file) = self.0 else {
            return printed(text);
        };
        let path = file.path().to_owned();
        let done = writeln!(file, "{text}").and_then(|()| file.finish());
        done.map_err(io_error(path.display()))
    }
}

fn printed(text: &str) -> Result<()> {
    let mut out = output::data();
    written(writeln!(out, "{text}"))?;
    written(out.flush())
}

impl CensusFiles {
    fn open(args: &CensusArgs) -> Result<Self> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(CensusTarget::open).transpose();
        Ok(Self {
            json: open(&args.output)?,
            html: open(&args.html)?,
        })
    }

    /// Writes the census to its files, or to standard output if there are none.
    fn write(self, args: &CensusArgs, census: &Census) -> Result<()> {
        let has_files = self.json.is_some() || self.html.is_some();
        if let Some(json) = self.json {
            json.write(&census.json())?;
        }
        if let Some(html) = self.html {
            html.write(&CensusReport::new(census).html())?;
        }
        match args.format {
            _ if has_files => Ok(()),
            Format::Json => printed(&census.json()),
            Format::Text => {
                let mut out = output::stdout(Format::Text);
                for line in lines(census) {
                    written(writeln!(out, "{line}"))?;
                }
                written(out.flush())
            }
        }
    }
}

/// Formats the census as tables for a terminal.
fn lines(census: &Census) -> Vec<String> {
    let about = if census.is_sampled() { "about " } else { "" };
    let pages = wording::count(census.count(CensusRow::Pages).pages, "page");
    let mut lines = vec![format!(
        "{pages} of {about}{}",
        wording::count(census.sites(), "site")
    )];
    lines.extend(table(&conventions(census)));
    lines.extend(table(&subjects(census)));
    for (bot, name) in (0..).zip(census.bots()) {
        lines.extend(table(&denied(census, bot, &harmless(name))));
    }
    lines.extend(table(&notes(census)));
    lines
}

/// Returns the rows of the census for which `is_wanted` is true, with their counts of pages. The
/// rows with the most pages come first.
fn by_pages(census: &Census, is_wanted: impl Fn(CensusRow) -> bool) -> Vec<(CensusRow, Count)> {
    let mut rows: Vec<_> = census.rows().filter(|(row, _)| is_wanted(*row)).collect();
    rows.sort_by_key(|(row, count)| (Reverse(count.pages), *row));
    rows
}

/// The cells of a table, row by row. The first row is the header. A cell that begins with a blank
/// is aligned to the right, as numbers are.
type Cells = Vec<Vec<String>>;

fn head(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn number(number: u64) -> String {
    format!(" {number}")
}

fn conventions(census: &Census) -> Cells {
    let mut cells = vec![head(&[
        "convention",
        " statements",
        " pages",
        "of pages",
        "of sites",
        "of text withheld",
    ])];
    for (row, count) in by_pages(census, |row| matches!(row, CensusRow::Convention(_))) {
        let CensusRow::Convention(convention) = row else {
            continue;
        };
        let withheld = CensusRow::Withheld {
            by: StatementSide::Obeyed,
            bot: 0,
            convention,
            usage: Use::Index,
        };
        let text = if census.count(withheld).text > 0 {
            in_percent(&census.share_of_text(withheld))
        } else {
            String::new()
        };
        let name = convention.name();
        cells.push(vec![
            if census.obeys(convention) {
                name.to_owned()
            } else {
                format!("({name})")
            },
            number(count.times),
            number(count.pages),
            in_percent(&census.share_of_pages(row)),
            in_percent(&census.share_of_sites(row)),
            text,
        ]);
    }
    cells
}

fn subjects(census: &Census) -> Cells {
    let mut cells = vec![head(&[
        "said of what",
        " statements",
        " pages",
        "of pages",
        "of sites",
    ])];
    for (row, count) in by_pages(census, |row| matches!(row, CensusRow::About(..))) {
        let CensusRow::About(subject, says) = row else {
            continue;
        };
        cells.push(vec![
            format!("{} {}", says.name(), subject.name()),
            number(count.times),
            number(count.pages),
            in_percent(&census.share_of_pages(row)),
            in_percent(&census.share_of_sites(row)),
        ]);
    }
    cells
}

/// Returns the table of the uses that all statements together deny to one bot. `bot` is the
/// position of the bot in the census, and `name` is the bot's name.
fn denied(census: &Census, bot: u8, name: &str) -> Cells {
    let mut cells = vec![head(&[
        &format!("denied to {name}"),
        " pages",
        "of pages",
        "of text",
    ])];
    let out = CensusRow::KeptOut { bot };
    cells.push(vec![
        "enter".to_owned(),
        number(census.count(out).pages),
        in_percent(&census.share_of_pages(out)),
    ]);
    for (row, count) in census.rows() {
        let CensusRow::Denied {
            by: StatementSide::Obeyed,
            bot: of,
            usage,
            part,
        } = row
        else {
            continue;
        };
        let is_of_text = !matches!(usage, Use::Follow | Use::Anchor | Use::Image);
        if of == bot {
            cells.push(vec![
                format!(
                    "{}, {}",
                    usage.name(),
                    if part == PagePlace::Page {
                        "the page"
                    } else {
                        "a part"
                    }
                ),
                number(count.pages),
                in_percent(&census.share_of_pages(row)),
                if is_of_text {
                    in_percent(&census.share_of_text(row))
                } else {
                    String::new()
                },
            ]);
        }
    }
    cells
}

fn notes(census: &Census) -> Cells {
    let mut cells = vec![head(&["looked wrong", " pages", "of pages", "of sites"])];
    for (row, count) in by_pages(census, |row| matches!(row, CensusRow::Noted(..))) {
        let CensusRow::Noted(kind, convention) = row else {
            continue;
        };
        cells.push(vec![
            match convention {
                Some(convention) => format!("{} ({})", kind.name(), convention.name()),
                None => kind.name().to_owned(),
            },
            number(count.pages),
            in_percent(&census.share_of_pages(row)),
            in_percent(&census.share_of_sites(row)),
        ]);
    }
    cells
}

/// Formats the cells of a table as lines. The first line is blank. Returns no lines for a table
/// that has only a header.
fn table(cells: &Cells) -> Vec<String> {
    if cells.len() < 2 {
        return Vec::new();
    }
    let mut widths = vec![0; cells[0].len()];
    for row in cells {
        for (cell, width) in row.iter().zip(&mut widths) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut lines = Vec::new();
    for row in cells {
        let mut line = Vec::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push(match cell.strip_prefix(' ') {
                Some(number) => format!("{number:>width$}"),
                None => format!("{cell:<width$}"),
            });
        }
        lines.push(line.join("  ").trim_end().to_owned());
    }
    lines[0] = styled(BOLD, &lines[0]);
    lines.insert(0, String::new());
    lines
}
