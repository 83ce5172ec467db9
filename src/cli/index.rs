//! `heedful index`

use heedful::Result;
use heedful::index::{Added, Index};
use heedful::run::{NamesPages, Outcome, run as run_all};

use super::args::IndexArgs;
use super::progress::Progress;
use super::summary::Summary;
use super::{Ending, setting};

pub(super) fn run(args: &IndexArgs) -> Result<Ending> {
    if args.run.bot.len() > 1 {
        return Err(setting("an index is for one bot: give --bot once"));
    }
    let inputs = args.run.inputs()?;
    let gate = args.run.gate(&inputs)?;
    let dialects = args.run.dialects()?;
    let knows_names = dialects.has("profile") || dialects.has("profile-undeclared");
    let names = if knows_names { NamesPages::of(&inputs)? } else { NamesPages::default() };
    let filter = args.run.filter_with(names)?;
    let terms = args.run.terms()?;
    let index = Index::create(&args.output, &terms)?;
    let mut writer = index.writer(&terms, (args.run.jobs() / 2).max(1))?;
    let mut summary = Summary::new(&args.run);
    let mut progress = Progress::of(&inputs, args.run.quiet);
    let mut indexed = 0;
    run_all(&inputs, &filter, &gate, &args.run.headers, args.run.jobs(), |outcome| {
        progress.record(|| summary.count(&outcome));
        match &outcome {
            Outcome::Pages(filtered) => {
                for page in &filtered.pages {
                    indexed += u64::from(writer.add(page)? == Added::Indexed);
                }
            }
            // What is no page any more, or cannot be read, does not stay in the index.
            _ => {
                if let Some(url) = outcome.url() {
                    writer.remove(url);
                }
            }
        }
        Ok(())
    })?;
    progress.writing();
    writer.commit()?;
    progress.done();
    summary.tell_asked(&gate);
    summary.tell(Some(indexed));
    Ok(summary.ending(&args.run, true))
}
