//! `heedful compact`: shrinks an index.

use heedful::index::Index;
use heedful::{Memory, Result};

use crate::args::CompactArgs;
use crate::ending::Ending;
use crate::output;

pub(crate) fn run(args: &CompactArgs) -> Result<Ending> {
    let index = Index::open(&args.dir)?;
    let memory = args.memory.map(Memory::new).transpose()?;
    let done = memory.map_or_else(|| index.compact(), |memory| index.compact_within(memory))?;
    if !args.quiet {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        output::say(format_args!(
            "anchors: {} folded to {}; snapshots: {:.1} MB, now {:.1}",
            done.anchors_before,
            done.anchors_after,
            megabytes(done.snapshot_bytes_before),
            megabytes(done.snapshot_bytes_after),
        ));
    }
    Ok(Ending::Yes)
}
