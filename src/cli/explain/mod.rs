//! `heedful explain`: why each page is read as it is, in the terminal, as JSON, as pages to look at.

mod html;
mod text;

use std::io::Write;

use heedful::input::{Document, Input, Kind};
use heedful::json::ExplanationJson;
use heedful::run::{AtTheGate, Outcome, each, explained};
use heedful::{Error, Explanation, Facet, Filter, Result, RobotsTxt};
use url::Url;

use super::args::{ExplainArgs, Format};
use super::output::{self, harmless, warning};
use super::{Ending, setting, written};

/// A page that was explained, and the robots.txt files that were asked about it.
struct Told {
    explanation: Explanation,
    robots: Vec<RobotsTxt>,
}

/// What was met on the way.
#[derive(Default)]
struct Met {
    pages: u64,
    /// A page that some bot may index, or, with `--diff`, none that bots may have in part.
    is_yes: bool,
    failed: u64,
    failure: Option<Error>,
}

pub(super) fn run(args: &ExplainArgs) -> Result<Ending> {
    if args.diff && args.run.bot.len() < 2 {
        return Err(setting("--diff compares bots: give --bot at least twice"));
    }
    if let Some(file) = &args.html {
        return html::run(args, file);
    }
    let inputs = args.run.inputs()?;
    let (gate, filter) = args.run.survey(&inputs)?;
    let wanted = wanted(args, &inputs);
    let mut out = output::out(args.format);
    let mut met = Met { is_yes: args.diff, ..Met::default() };
    let work = |document: &Document, at: AtTheGate<'_>| told(document, &at, &filter, args, wanted);
    each(&inputs, &gate, args.run.jobs(), work, |outcome| {
        for line in met.lines(outcome, args, wanted) {
            written(writeln!(out, "{line}"))?;
        }
        written(out.flush())
    })?;
    met.ending(args, wanted)
}

/// The page that `--url` names, in an input that holds pages of many URLs.
fn wanted<'a>(args: &'a ExplainArgs, inputs: &[Input]) -> Option<&'a Url> {
    let holds_many = |input: &Input| !matches!(input.kind(), Kind::Html | Kind::Folder);
    args.run.url().filter(|_| inputs.iter().all(holds_many))
}

fn is(wanted: Option<&Url>, url: &str) -> bool {
    wanted.is_none_or(|wanted| {
        Url::parse(url).is_ok_and(|mut url| {
            url.set_fragment(wanted.fragment());
            url == *wanted
        })
    })
}

fn told(
    document: &Document,
    at: &AtTheGate<'_>,
    filter: &Filter,
    args: &ExplainArgs,
    wanted: Option<&Url>,
) -> Result<Option<Told>> {
    if !is(wanted, document.url()) {
        return Ok(None);
    }
    let explanation = explained(document, at, filter, &args.run.headers)?;
    Ok(Some(Told { explanation, robots: at.robots.iter().map(|robots| robots.as_ref().clone()).collect() }))
}

impl Met {
    fn lines(&mut self, outcome: Outcome<Option<Told>>, args: &ExplainArgs, wanted: Option<&Url>) -> Vec<String> {
        match outcome {
            Outcome::Pages(Some(told)) => {
                self.count(&told.explanation, args);
                lines(&told, args)
            }
            Outcome::Failed { url, error, .. } if is(wanted, &url) => self.fail(&url, error, args),
            Outcome::Damage(damage) => {
                self.failed += 1;
                self.tell(args, &damage.to_string());
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn count(&mut self, explanation: &Explanation, args: &ExplainArgs) {
        self.pages += 1;
        if args.diff {
            self.is_yes &= explanation.differences().is_empty();
        } else {
            self.is_yes |= explanation.pages().iter().any(|page| page.policy().allows(Facet::Index));
        }
    }

    fn fail(&mut self, url: &str, error: Error, args: &ExplainArgs) -> Vec<String> {
        self.pages += 1;
        self.failed += 1;
        let lines = match args.format {
            Format::Json => vec![json(&ExplanationJson::failed(url, &error))],
            Format::Text => {
                self.tell(args, &format!("{}: {error}", harmless(url)));
                Vec::new()
            }
        };
        self.failure = Some(error);
        lines
    }

    fn tell(&self, args: &ExplainArgs, message: &str) {
        if !args.run.quiet {
            warning(message);
        }
    }

    fn ending(self, args: &ExplainArgs, wanted: Option<&Url>) -> Result<Ending> {
        if let Some(url) = wanted.filter(|_| self.pages == 0) {
            return Err(setting(format!("no page of the input has the URL {url}")));
        }
        match self.failure {
            Some(error) if self.pages == 1 => return Err(error),
            _ => {}
        }
        Ok(match self.is_yes && self.pages > 0 {
            _ if args.run.strict && self.failed > 0 => Ending::Strict,
            true => Ending::Yes,
            false => Ending::No,
        })
    }
}

fn json(explanation: &ExplanationJson<'_>) -> String {
    serde_json::to_string(explanation).unwrap_or_default()
}

fn lines(told: &Told, args: &ExplainArgs) -> Vec<String> {
    match (args.format, args.diff) {
        (Format::Json, _) => vec![json(&ExplanationJson::of(&told.explanation, &told.robots))],
        (Format::Text, true) => text::differences(&told.explanation),
        (Format::Text, false) => text::page(&told.explanation, &told.robots),
    }
}
