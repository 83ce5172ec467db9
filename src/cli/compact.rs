//! `heedful compact`

use heedful::Result;
use heedful::index::Index;

use super::Ending;
use super::args::CompactArgs;

pub(super) fn run(args: &CompactArgs) -> Result<Ending> {
    let done = Index::open(&args.dir)?.compact()?;
    if !args.quiet {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        anstream::eprintln!(
            "anchors: {} folded to {}; snapshots: {:.1} MB, now {:.1}",
            done.anchors_before,
            done.anchors_after,
            megabytes(done.snapshot_bytes_before),
            megabytes(done.snapshot_bytes_after),
        );
    }
    Ok(Ending::Yes)
}
