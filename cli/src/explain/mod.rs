//! `heedful explain`: why each page is read as it is, in the terminal, as JSON, or as HTML.

mod html;
mod matrix;
mod text;
mod told;

use std::io::Write;

use heedful::input::{Document, Skip};
use heedful::json::ExplanationJson;
use heedful::report::Matrix;
use heedful::run::{AtTheGate, Outcome, Run};
use heedful::{Error, Explanation, Facet, Result, Url};

use crate::args::ExplainArgs;
use crate::ending::{Ending, setting, written};
use crate::output::{self, Format, harmless, warning};

use told::{Told, is, nothing, told, wanted};

/// The results of the run so far.
#[derive(Default)]
struct Met {
    pages: u64,
    /// True if some bot may index a page. With `--diff`, true if no page differs between bots.
    is_yes: bool,
    failed: u64,
    /// True if a part of an input was not read.
    gave_up: bool,
    /// The first page that failed, until another page is met. If it stays the only one, its error is the outcome.
    failure: Option<(String, Error)>,
    /// Why the wanted page was passed over.
    skipped: Option<Skip>,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Ending> {
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
    Run::new(&inputs, &gate, args.run.jobs()).headers(&args.run.headers).each(work, |outcome, _| {
        for line in met.lines(outcome, args, wanted) {
            written(writeln!(out, "{line}"))?;
        }
        written(out.flush())
    })?;
    met.ending(args, wanted)
}

impl Met {
    fn lines(&mut self, outcome: Outcome<Option<Told>>, args: &ExplainArgs, wanted: Option<&Url>) -> Vec<String> {
        match outcome {
            Outcome::Pages(Some(told)) => {
                self.count(&told.explanation, args);
                lines(&told, args)
            }
            Outcome::Failed { url, error, .. } if is(wanted, &url) => self.fail(url, error, args),
            Outcome::Skipped(skipped) => {
                self.skipped = skipped.url().filter(|url| is(wanted, url)).map(|_| skipped.why()).or(self.skipped);
                Vec::new()
            }
            Outcome::Damage(damage) => {
                self.gave_up |= damage.unread() > 0;
                self.failed += 1;
                self.tell(args, &damage.to_string());
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn count(&mut self, explanation: &Explanation, args: &ExplainArgs) {
        self.meet(args);
        if args.diff {
            self.is_yes &= explanation.differences().is_empty();
        } else {
            self.is_yes |= explanation.pages().iter().any(|page| page.policy().allows(Facet::Index));
        }
    }

    /// Counts one more page, and tells a failure that waited for it.
    fn meet(&mut self, args: &ExplainArgs) {
        self.pages += 1;
        if let Some((url, error)) = self.failure.take() {
            self.tell(args, &format!("{}: {error}", harmless(&url)));
        }
    }

    fn fail(&mut self, url: String, error: Error, args: &ExplainArgs) -> Vec<String> {
        self.meet(args);
        self.failed += 1;
        if args.format == Format::Json {
            return vec![json(&ExplanationJson::failed(&url, &error))];
        }
        self.failure = Some((url, error));
        Vec::new()
    }

    fn tell(&self, args: &ExplainArgs, message: &str) {
        if !args.run.quiet {
            warning(message);
        }
    }

    fn ending(mut self, args: &ExplainArgs, wanted: Option<&Url>) -> Result<Ending> {
        if self.pages == 0 {
            return Err(nothing(wanted, self.skipped));
        }
        match self.failure.take() {
            Some((_, error)) if self.pages == 1 => return Err(error),
            Some((url, error)) => self.tell(args, &format!("{}: {error}", harmless(&url))),
            None => {}
        }
        Ok(args.run.ending(self.gave_up, self.failed > 0, self.is_yes))
    }
}

fn json(explanation: &ExplanationJson<'_>) -> String {
    heedful::json::line(explanation)
}

fn lines(told: &Told, args: &ExplainArgs) -> Vec<String> {
    match (args.format, args.diff) {
        (Format::Json, _) => {
            vec![json(&ExplanationJson::of(&told.explanation, &told.robots).read_as(&told.readings))]
        }
        (Format::Text, true) => text::differences(&told.explanation),
        (Format::Text, false) => {
            let mut lines = text::page(&told.explanation, &told.robots);
            if !told.readings.is_empty() {
                lines.extend(matrix::lines(&Matrix::of(&told.explanation, &told.readings)));
            }
            lines
        }
    }
}
