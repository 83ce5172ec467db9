//! `heedful conventions`: lists the conventions and the techniques against AI training, or counts
//! how often pages use each convention.

use std::collections::BTreeMap;
use std::io::Write;

use heedful::{CONVENTIONS, Convention, Conventions, Extent, NoteKind, Page, Result, Use};
use heedful_json::{ConventionJson, TechniqueJson};
use heedful_lint::{TECHNIQUES, Technique, TechniqueSupport};
use heedful_run::Outcome;
use serde::Serialize;

use crate::args::ConventionsArgs;
use crate::ending::{RunEnding, setting, written};
use crate::job::Job;
use crate::output::{self, BOLD, DIM, Format, GREEN, harmless, styled};
use crate::summary::Summary;

pub(crate) fn run(args: &ConventionsArgs) -> Result<RunEnding> {
    if args.count {
        return count(args);
    }
    if args.run.has_inputs() {
        let message = "`heedful conventions` lists conventions and techniques; to count them in pages say --count";
        return Err(setting(message));
    }
    if args.techniques {
        return list_techniques(args);
    }
    let conventions = args.run.conventions()?;
    let mut out = output::stdout(args.format);
    for convention in CONVENTIONS.iter() {
        let line = match args.format {
            Format::Json => json(&ConventionJson::new(convention, &conventions)),
            Format::Text => entry(convention, &conventions),
        };
        written(writeln!(out, "{line}"))?;
    }
    if args.format == Format::Text {
        for (switch, does) in Conventions::switches() {
            let on = is_on(switch, &conventions);
            let name = styled(BOLD, &format!("{switch:<18}"));
            written(writeln!(
                out,
                "{on} {name} no convention, but a switch\n    {}",
                styled(DIM, does)
            ))?;
        }
    }
    // The user's own conventions have no row in the table of conventions.
    let own: Vec<_> = conventions.custom_rules().collect();
    if args.format == Format::Text && !own.is_empty() {
        written(writeln!(
            out,
            "{} {}\n    {}",
            styled(GREEN, "on "),
            styled(BOLD, "custom"),
            harmless(&own.join(" "))
        ))?;
    }
    written(out.flush())?;
    Ok(RunEnding::Yes)
}

fn list_techniques(args: &ConventionsArgs) -> Result<RunEnding> {
    let mut out = output::stdout(args.format);
    for technique in TECHNIQUES {
        let line = match args.format {
            Format::Json => json(&TechniqueJson::new(technique)),
            Format::Text => technique_entry(technique),
        };
        written(writeln!(out, "{line}"))?;
    }
    written(out.flush())?;
    Ok(RunEnding::Yes)
}

/// Formats a technique against AI training as two lines. The first line has the degree of heedful's
/// support, and the name of the technique. The second line has the reason for the degree of
/// support. If the technique has conventions, their names precede the reason.
fn technique_entry(technique: &Technique) -> String {
    let style = if technique.support() == TechniqueSupport::OutOfReach {
        DIM
    } else {
        GREEN
    };
    let heeded = styled(style, &format!("{:<12}", technique.support().name()));
    let by = technique.conventions().join(", ");
    let why = if by.is_empty() {
        technique.why().to_owned()
    } else {
        format!("{by}: {}", technique.why())
    };
    format!(
        "{heeded}  {}\n              {}",
        styled(BOLD, technique.name()),
        styled(DIM, &why)
    )
}

fn json(line: &impl Serialize) -> String {
    heedful_json::line(line)
}

/// Returns `on ` if `conventions` contains `name`, and otherwise `off`. `name` is a convention, or
/// a setting that is listed beside the conventions. The text is styled for a terminal.
fn is_on(name: &str, conventions: &Conventions) -> String {
    if conventions.has(name) {
        styled(GREEN, "on ")
    } else {
        styled(DIM, "off")
    }
}

/// Formats a convention. The first line has `on` or `off`, the convention's name, and the uses that
/// the convention denies. The lines below it have an example, the rule, and the URL of the source.
fn entry(convention: &Convention, conventions: &Conventions) -> String {
    let on = is_on(convention.name(), conventions);
    let denies: Vec<_> = convention.denies().iter().map(Use::name).collect();
    let whose = format!(
        "{}: {} ({})",
        convention.summary(),
        convention.rule(),
        convention.source()
    );
    format!(
        "{on} {} {}\n    {}\n    {}",
        styled(BOLD, &format!("{:<18}", convention.name())),
        denies.join(" "),
        convention.example(),
        styled(DIM, &whose)
    )
}

/// Counts of the pages and of the statements in which one convention occurs in a run.
#[derive(Debug, Default, Serialize)]
struct Occurrences {
    convention: &'static str,
    /// Number of pages with at least one statement in the convention.
    pages: u64,
    /// Number of all statements in the convention. Statements that apply to a region of a page are
    /// included; `regions` is their number.
    statements: u64,
    regions: u64,
    unclosed: u64,
    notes: u64,
}

type OccurrenceCounts = BTreeMap<&'static str, Occurrences>;

fn count(args: &ConventionsArgs) -> Result<RunEnding> {
    let job = Job::new(&args.run, args.run.inputs_on_disk()?)?;
    let mut summary = Summary::new(&args.run)?;
    let mut counts = OccurrenceCounts::new();
    job.filter(&mut summary, |outcome| {
        if let Outcome::Pages(filtered) = &outcome
            && let Some(page) = filtered.pages.first()
        {
            add(page, &mut counts);
        }
        Ok(())
    })?;
    let mut counts: Vec<_> = counts.into_values().collect();
    counts.sort_by_key(|count| {
        (
            std::cmp::Reverse((count.pages, count.statements)),
            count.convention,
        )
    });
    let mut out = output::stdout(args.format);
    if args.format == Format::Text {
        let head = format!(
            "{:<18} {:>8} {:>10} {:>8} {:>8} {:>8}",
            "", "pages", "statements", "regions", "unclosed", "notes"
        );
        written(writeln!(out, "{}", styled(BOLD, &head)))?;
    }
    for count in &counts {
        let line = match args.format {
            Format::Json => json(count),
            Format::Text => count.line(),
        };
        written(writeln!(out, "{line}"))?;
    }
    written(out.flush())?;
    summary.report_gate(&job.gate);
    summary.print();
    summary.ending(!counts.is_empty())
}

fn add(page: &Page, counts: &mut OccurrenceCounts) {
    let mut here = OccurrenceCounts::new();
    for directive in page.directives() {
        let count = here.entry(directive.convention()).or_default();
        count.statements += 1;
        count.regions += u64::from(directive.extent() == Extent::Region);
    }
    for note in page.notes() {
        let count = here
            .entry(note.convention().unwrap_or("(any)"))
            .or_default();
        count.unclosed += u64::from(note.kind() == NoteKind::UnclosedRegion);
        count.notes += 1;
    }
    for (convention, more) in here {
        let count = counts.entry(convention).or_default();
        count.convention = convention;
        count.pages += u64::from(more.statements > 0);
        count.statements += more.statements;
        count.regions += more.regions;
        count.unclosed += more.unclosed;
        count.notes += more.notes;
    }
}

impl Occurrences {
    fn line(&self) -> String {
        let Self {
            convention,
            pages,
            statements,
            regions,
            unclosed,
            notes,
        } = self;
        format!(
            "{convention:<18} {pages:>8} {statements:>10} {regions:>8} {unclosed:>8} {notes:>8}"
        )
    }
}
