//! `heedful compact`: shrinks an index without changing its pages.

use std::time::{Duration, SystemTime};

use heedful::Result;
use heedful_index::{Compaction, Memory};
use heedful_report::wording::{count, grouped, size};

use crate::args::CompactArgs;
use crate::ending::RunEnding;
use crate::output;

pub(crate) fn run(args: &CompactArgs) -> Result<RunEnding> {
    let index = args.evidence.open(&args.dir)?;
    let memory = args.memory.map(Memory::new).transpose()?;
    if !args.quiet {
        let room = index.compact_room(memory)?;
        if room > 0 {
            output::print_message(format_args!(
                "anchors are sorted in temporary files of about {} in {} (TMPDIR)",
                size(room),
                std::env::temp_dir().display(),
            ));
        }
    }
    let mut settings = Compaction::default();
    if let Some(memory) = memory {
        settings = settings.memory(memory);
    }
    if let Some(days) = args.keep_gone {
        settings = settings.keep_gone_since(days_ago(days));
    }
    let done = index.compact_with(&settings)?;
    if !args.quiet {
        output::print_message(format_args!(
            "anchors: {}, kept as {}; snapshots: {}, now {}",
            grouped(done.anchors_before),
            grouped(done.anchors_after),
            size(done.snapshot_bytes_before),
            size(done.snapshot_bytes_after),
        ));
        if args.keep_gone.is_some() {
            let urls = count(done.forgotten, "URL");
            output::print_message(format_args!("{urls} forgotten that were gone before"));
        }
    }
    Ok(RunEnding::Yes)
}

/// Returns the time that was this many days ago. Returns the beginning of 1970 if the time is
/// earlier.
fn days_ago(days: u32) -> SystemTime {
    let since = Duration::from_secs(u64::from(days) * 24 * 60 * 60);
    let now = SystemTime::now();
    now.checked_sub(since)
        .map_or(SystemTime::UNIX_EPOCH, |time| {
            time.max(SystemTime::UNIX_EPOCH)
        })
}
