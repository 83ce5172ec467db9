//! `heedful compact`: shrinks an index without changing its pages.

use heedful::Result;
use heedful_index::Memory;
use heedful_report::wording::{grouped, size};

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
    let done = memory.map_or_else(|| index.compact(), |memory| index.compact_within(memory))?;
    if !args.quiet {
        output::print_message(format_args!(
            "anchors: {}, kept as {}; snapshots: {}, now {}",
            grouped(done.anchors_before),
            grouped(done.anchors_after),
            size(done.snapshot_bytes_before),
            size(done.snapshot_bytes_after),
        ));
    }
    Ok(RunEnding::Yes)
}
