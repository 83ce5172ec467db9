//! `heedful snapshot`: writes copies of pages, without the parts that may not be archived, as files
//! or WARC records. It also writes a list that names the copy of each page.

mod copies;
mod destination;
mod file_names;
mod map;
mod writing;

use std::path::{Path, PathBuf};

use heedful::{Conventions, Filter, Result};
use heedful_index::Index;
use heedful_report::wording::count;

use crate::args::SnapshotArgs;
use crate::dress::Dress;
use crate::ending::{RunEnding, setting};
use crate::job::Job;
use crate::output::{NAMED, print_message, print_note};
use crate::summary::Summary;

use copies::{Copies, CopyJson};
use destination::Destination;
use writing::{SnapshotWriter, WrittenSnapshots};

pub(crate) fn run(args: &SnapshotArgs) -> Result<RunEnding> {
    if let Some(folder) = &args.from {
        return give_back(args, folder);
    }
    args.run.require_one_bot("a snapshot")?;
    args.run
        .refuse_overwriting_inputs(args.output.as_deref(), "copies")?;
    args.run
        .refuse_overwriting_inputs(args.map.as_deref(), "map")?;
    let job = Job::showing(&args.run, args.run.inputs()?)?.snapshots(true);
    let mut writing = SnapshotWriter::new(args, dress(args))?;
    let mut summary = Summary::new(&args.run)?;
    job.filter(&mut summary, |outcome| writing.add(&outcome))?;
    job.check_found(&mut summary)?;
    let WrittenSnapshots {
        copies: made,
        has_older,
        why_none,
        older,
    } = writing.finish()?;
    summary.report_gate(&job.gate);
    summary.report_ahead(&job.gate);
    match summary.pages() {
        0 => summary.print(),
        pages => {
            if pages > 1 {
                summary.report_missing_robots();
            }
            summary.report_passed_over();
        }
    }
    summary.report_snapshots(made, has_older, args.output.as_deref());
    if let Some(why) = why_none.filter(|_| summary.pages() == 1 && !args.run.quiet) {
        print_message(format_args!("no copy: {why}"));
    }
    if !args.run.quiet {
        report_older(&older);
    }
    summary.ending_of_pages(made > 0)
}

/// Prints a note on each file in `older`: a copy of a page that an earlier run wrote. In this run
/// the page has no copy.
fn report_older(older: &[PathBuf]) {
    for path in older.iter().take(NAMED) {
        print_note(&format!(
            "{} is an older copy of a page that may have none now: remove it",
            path.display()
        ));
    }
    if older.len() > NAMED {
        print_note(&format!("and {} more", older.len() - NAMED));
    }
}

/// Writes stored copies of pages to the destination that the arguments name. The copies are read
/// from the index in `folder`.
fn give_back(args: &SnapshotArgs, folder: &Path) -> Result<RunEnding> {
    let index = Index::open(folder)?;
    let search = index.search()?;
    let now = args.run.now();
    let dress = dress(args);
    // A stored copy has nothing left to withhold. It is parsed again only to add the dressing.
    let filter = Filter::new(index.terms()?.bot()?)
        .conventions(Conventions::parse("none")?)
        .snapshots();
    let urls: Vec<_> = args
        .run
        .input_names()
        .map(std::borrow::Cow::into_owned)
        .collect();
    let all = urls.is_empty();
    if all && args.output.is_none() {
        return Err(setting(
            "name a folder or a .warc.gz for the copies of the whole index with -o, or name URLs",
        ));
    }
    let mut target = Destination::open(args.output.as_deref())?;
    let mut copies = Copies::create(target.list().as_deref())?;
    let urls = if all {
        [search.urls()?, search.tombstone_urls()?].concat()
    } else {
        urls
    };
    let mut made = 0;
    for url in &urls {
        let mut row = CopyJson::stored(&search, url, now)?;
        if let Some(copy) = search.snapshot(url, Some(now))? {
            made += 1;
            let page = filter.page(url, &[], copy.as_bytes())?;
            let dressed = page.snapshot(&dress.dressing(&page, row.date()));
            row.stored_in(target.write(url, &dressed.unwrap_or(copy))?);
        } else {
            row.not_stored(&search, now)?;
            if !all {
                print_note(&format!(
                    "{url} has no copy in {} (`heedful stats {0} --of URL` says more)",
                    folder.display()
                ));
            }
        }
        copies.add(&row)?;
    }
    target.finish()?;
    copies.finish()?;
    if all && !args.run.quiet {
        print_message(format_args!(
            "{} of {}",
            count(made, "snapshot"),
            count(urls.len() as u64, "URL")
        ));
    }
    Ok(if made > 0 {
        RunEnding::Yes
    } else {
        RunEnding::No
    })
}

fn dress(args: &SnapshotArgs) -> Dress {
    Dress {
        mark: args.mark.clone(),
        class: args.mark_class.clone(),
        base: args.base || args.dress,
        banner: args.banner || args.dress,
        no_scripts: args.no_scripts || args.dress,
    }
}
