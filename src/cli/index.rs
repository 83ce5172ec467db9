//! `heedful index`

use heedful::Result;
use heedful::index::Index;
use heedful::run::{NamesPages, Settled, run as run_all, settle};

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
    let filter = if args.snapshot { filter.snapshots() } else { filter };
    let index = Index::create(&args.output, &args.run.terms()?)?;
    let mut writer = index.writer((args.run.jobs() / 2).max(1))?;
    if args.no_anchors {
        writer = writer.without_anchors();
    }
    let mut summary = Summary::new(&args.run);
    let mut progress = Progress::of(&inputs, args.run.quiet);
    let (mut indexed, mut records) = (0, 0);
    run_all(&inputs, &filter, &gate, &args.run.headers, args.run.jobs(), |outcome| {
        progress.record(|| summary.count(&outcome));
        indexed += u64::from(settle(&mut writer, &outcome)? == Settled::Indexed);
        records += 1;
        if records % args.commit_every == 0 { writer.commit() } else { Ok(()) }
    })?;
    progress.writing();
    writer.commit()?;
    progress.done();
    summary.tell_asked(&gate);
    summary.tell(Some(indexed));
    Ok(summary.ending(&args.run, true))
}
