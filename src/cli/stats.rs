//! `heedful stats`

use std::io::Write;

use heedful::Result;
use heedful::index::Index;

use super::args::{Format, StatsArgs};
use super::{Ending, output, written};

pub(super) fn run(args: &StatsArgs) -> Result<Ending> {
    let stats = Index::open(&args.dir)?.stats()?;
    let mut out = output::out(args.format);
    written(match args.format {
        Format::Json => writeln!(out, "{}", serde_json::to_string(&stats).unwrap_or_default()),
        Format::Text => writeln!(out, "{} pages of {} hosts", stats.pages(), stats.hosts()),
    })?;
    Ok(if stats.pages() > 0 { Ending::Yes } else { Ending::No })
}
