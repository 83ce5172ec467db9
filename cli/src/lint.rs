//! `heedful lint`: reports problems in pages and robots.txt files, for their publishers. The exit
//! status is 1 if there are problems.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;

use anstyle::Style;
use heedful::{ErrorKind, Filter, Result, RobotsTxt, SiteFile};
use heedful_input::{FetchedPage, Input, InputFormat, SiteFileResponse};
use heedful_json as json;
use heedful_json::{FindingJson, RuleJson, sarif};
use heedful_lint as lint;
use heedful_lint::{Finding, Level, LintRule, Linted, RULES, RuleSelection, SitePages};
use heedful_report::wording;
use heedful_run::{GateRules, Outcome, linted};

use crate::args::{LintArgs, LintFormat};
use crate::ending::{RunEnding, setting, written};
use crate::job::Job;
use crate::output::{self, BOLD, DIM, RED, harmless, styled};
use crate::summary::{CountedPages, Summary};

/// The problems that `heedful lint` finds in one page, with the page's file and URL.
struct LintedPage {
    /// Path of the file that contains the page. `None` for a page in an archive.
    file: Option<String>,
    url: String,
    linted: Linted,
}

impl LintedPage {
    /// Returns the name of the page in reports: its file, or else its URL.
    fn place(&self) -> String {
        self.file.clone().unwrap_or_else(|| self.url.clone())
    }
}

impl CountedPages for LintedPage {}

pub(crate) fn run(args: &LintArgs) -> Result<RunEnding> {
    if args.rules {
        return rules(args);
    }
    let selection = selection(args)?;
    // A robots.txt without pages is enough. With `--robots`, pages on standard input need a `-`.
    let is_alone = !args.run.robots().is_empty() && !args.run.has_inputs();
    let job = Job::new(
        &args.run,
        if is_alone {
            Vec::new()
        } else {
            args.run.inputs_on_disk()?
        },
    )?;
    let mut summary = Summary::new(&args.run)?;
    let mut report = Findings::new(args, selection)?;
    report.robots(&job.inputs)?;
    let work = |document: &FetchedPage, at: GateRules<'_>| lint_page(document, &at, &job.filter);
    job.each(&mut summary, work, |outcome| match outcome {
        Outcome::Pages(page) => report.page(&page),
        _ => Ok(()),
    })?;
    report.finish(summary)
}

fn selection(args: &LintArgs) -> Result<RuleSelection> {
    let mut selection = RuleSelection::default();
    if args.hints {
        selection = selection.hints();
    }
    for ids in &args.only {
        selection = selection.only(ids)?;
    }
    for ids in &args.skip {
        selection = selection.skip(ids)?;
    }
    if RULES.iter().any(|rule| selection.has(rule)) {
        Ok(selection)
    } else {
        Err(setting(
            "no rule is left: --skip takes away all that --only names",
        ))
    }
}

fn lint_page(document: &FetchedPage, at: &GateRules<'_>, filter: &Filter) -> Result<LintedPage> {
    let linted = linted(document, at, filter)?;
    let file = document.origin().file().map(str::to_owned);
    Ok(LintedPage {
        file,
        url: document.url().to_owned(),
        linted,
    })
}

/// Collects the problems that a run of `heedful lint` finds, and counts them. The output format
/// decides when a problem is printed: at once, or at the end of the run.
struct Findings<'a> {
    args: &'a LintArgs,
    selection: RuleSelection,
    out: output::Stdout,
    site: SitePages,
    pages: u64,
    /// Pages with a canonical URL. A page has a further problem if its canonical page denies
    /// indexing, which is known only at the end of the run. The key is the number of the page in
    /// the run. The first text is the page's name in reports, and the second is the page's own URL.
    named: HashMap<u64, (String, String)>,
    counts: BTreeMap<&'static str, usize>,
    /// Problems found so far, each with the name of its page or file. Empty if the output format
    /// prints each problem at once.
    kept: Vec<(String, Finding)>,
}

impl<'a> Findings<'a> {
    fn new(args: &'a LintArgs, selection: RuleSelection) -> Result<Self> {
        args.run
            .refuse_overwriting_inputs(args.output.as_deref(), "findings")?;
        Ok(Self {
            args,
            selection,
            out: output::open(args.format.output(), args.output.as_deref())?,
            site: SitePages::default(),
            pages: 0,
            named: HashMap::new(),
            counts: BTreeMap::new(),
            kept: Vec::new(),
        })
    }

    /// Checks the robots.txt files in the input folders, and the robots.txt files of `--robots`.
    fn robots(&mut self, inputs: &[Input]) -> Result<()> {
        for input in inputs
            .iter()
            .filter(|input| input.kind() == InputFormat::Folder)
        {
            let file = Path::new(input.name()).join("robots.txt");
            self.robots_of(input, &file.display().to_string())?;
        }
        for robots in self.args.run.robots() {
            if let Some(archives) = robots.archives(&self.args.run.robots_inputs()?)? {
                for archive in archives {
                    self.robots_of(&archive, archive.name())?;
                }
                continue;
            }
            let path = robots.path.display().to_string();
            let url = robots.site().map(|site| format!("{site}robots.txt"));
            self.robots_txt(&path, &url.unwrap_or_default(), &robots.read()?)?;
        }
        Ok(())
    }

    /// Checks the robots.txt files of an input. `file` is the name of the input's file, for
    /// reports.
    fn robots_of(&mut self, input: &Input, file: &str) -> Result<()> {
        for robots in input.robots()? {
            if robots.file() != SiteFile::Robots {
                continue;
            }
            let url = format!("{}/robots.txt", robots.authority());
            if let SiteFileResponse::Rules(rules) = robots.into_response() {
                self.robots_txt(file, &url, &rules)?;
            }
        }
        Ok(())
    }

    fn robots_txt(&mut self, file: &str, url: &str, rules: &RobotsTxt) -> Result<()> {
        lint::robots_txt(rules)
            .iter()
            .try_for_each(|finding| self.find(file, url, finding))
    }

    fn page(&mut self, page: &LintedPage) -> Result<()> {
        self.pages += 1;
        let place = page.place();
        for finding in page.linted.findings() {
            self.find(&place, &page.url, finding)?;
        }
        if page.linted.names_a_canonical_page() {
            self.named.insert(self.pages, (place, page.url.clone()));
        }
        self.site.add(self.pages, &page.url, &page.linted);
        written(self.out.flush())
    }

    fn find(&mut self, place: &str, url: &str, finding: &Finding) -> Result<()> {
        if !self.selection.has(finding.rule()) {
            return Ok(());
        }
        *self.counts.entry(finding.rule().id()).or_default() += finding.count();
        let line = match self.args.format {
            LintFormat::Sarif => {
                self.kept.push((place.to_owned(), finding.clone()));
                return Ok(());
            }
            LintFormat::Json => json::line(&FindingJson::new(place, url, finding)),
            LintFormat::Github => workflow_command(place, finding),
            LintFormat::Text => line(place, finding),
        };
        written(writeln!(self.out, "{line}"))
    }

    fn finish(mut self, mut summary: Summary<'_>) -> Result<RunEnding> {
        for (number, finding) in std::mem::take(&mut self.site).findings() {
            let Some((place, url)) = self.named.get(&number).cloned() else {
                continue;
            };
            self.find(&place, &url, &finding)?;
        }
        if self.args.format == LintFormat::Sarif {
            let log = json::pretty(&sarif(&self.kept));
            written(writeln!(self.out, "{log}"))?;
        }
        self.out.finish()?;
        if self.pages == 0
            && self.counts.is_empty()
            && summary.lost() == 0
            && self.args.run.robots().is_empty()
        {
            return Err(
                ErrorKind::Input("no page was read, so nothing was checked".to_owned()).into(),
            );
        }
        let ending = summary.ending(self.counts.is_empty())?;
        self.report_counts(summary.lost());
        Ok(ending)
    }

    fn report_counts(&self, failed: u64) {
        if self.args.run.quiet {
            return;
        }
        let counts: Vec<_> = self
            .counts
            .iter()
            .map(|(rule, count)| format!("{count} {rule}"))
            .collect();
        let found = if counts.is_empty() {
            "nothing found".to_owned()
        } else {
            counts.join(", ")
        };
        let failed = if failed > 0 {
            format!(", {failed} could not be read")
        } else {
            String::new()
        };
        let read = if self.pages == 0 {
            "no page".to_owned()
        } else {
            wording::count(self.pages, "page")
        };
        output::print_message(format_args!("{read}{failed}: {found}"));
    }
}

/// Formats a problem of a page or robots.txt as compilers do:
/// `FILE:LINE:COLUMN: LEVEL: MESSAGE [RULE]`. `place` is the name of the file.
fn line(place: &str, finding: &Finding) -> String {
    let rule = finding.rule();
    let at = finding.place().map_or_else(String::new, |place| {
        format!(":{}:{}", place.line(), place.column())
    });
    format!(
        "{}{at}: {} {} {}",
        styled(BOLD, &harmless(place)),
        styled(style(rule), &format!("{}:", rule.level().name())),
        harmless(finding.message()),
        styled(DIM, &format!("[{}]", rule.id()))
    )
}

/// Formats a problem of a page or robots.txt as a workflow command of GitHub Actions. GitHub then
/// shows the problem in its log and beside the source.
fn workflow_command(file: &str, finding: &Finding) -> String {
    let rule = finding.rule();
    let command = match rule.level() {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Hint => "notice",
    };
    let at = finding.place().map_or_else(String::new, |place| {
        format!(",line={},col={}", place.line(), place.column())
    });
    let file = escape_command(file).replace(':', "%3A").replace(',', "%2C");
    let message = escape_command(finding.message());
    format!("::{command} file={file}{at},title={}::{message}", rule.id())
}

/// Escapes the characters in `text` that would end a workflow command of GitHub Actions.
fn escape_command(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn style(rule: &LintRule) -> Style {
    match rule.level() {
        Level::Error => RED,
        Level::Hint => DIM,
        _ => BOLD,
    }
}

/// Prints the list of lint rules.
fn rules(args: &LintArgs) -> Result<RunEnding> {
    let mut out = output::open(args.format.output(), args.output.as_deref())?;
    for rule in RULES {
        let line = match args.format {
            LintFormat::Text => format!(
                "{}{} {}\n    {}",
                styled(BOLD, &format!("{:<24}", rule.id())),
                styled(style(rule), &format!("{}:", rule.level().name())),
                rule.title(),
                styled(DIM, rule.help())
            ),
            _ => json::line(&RuleJson::new(rule)),
        };
        written(writeln!(out, "{line}"))?;
    }
    out.finish()?;
    Ok(RunEnding::Yes)
}
