//! `heedful search`

use std::io::Write;
use std::time::SystemTime;

use heedful::Result;
use heedful::index::{Hit, Index};

use super::args::{Format, SearchArgs};
use super::output::{self, BOLD, DIM, harmless, styled};
use super::{Ending, written};

pub(super) fn run(args: &SearchArgs) -> Result<Ending> {
    let now = args.at.unwrap_or_else(SystemTime::now);
    let hits = Index::open(&args.dir)?.search()?.query(&args.query.join(" "), args.most, Some(now))?;
    let mut out = output::out(args.format);
    for hit in &hits {
        let line = match args.format {
            Format::Json => serde_json::to_string(hit).unwrap_or_default(),
            Format::Text => text(hit),
        };
        written(writeln!(out, "{line}"))?;
    }
    Ok(if hits.is_empty() { Ending::No } else { Ending::Yes })
}

fn text(hit: &Hit) -> String {
    let title = if hit.title().is_empty() { hit.url() } else { hit.title() };
    let mut lines = vec![styled(BOLD, &harmless(title)), styled(DIM, hit.url())];
    if !hit.excerpt().is_empty() {
        lines.push(highlighted(hit));
    }
    lines.join("\n") + "\n"
}

fn highlighted(hit: &Hit) -> String {
    let (mut shown, mut at) = (String::new(), 0);
    for range in hit.highlights() {
        if range.start >= at {
            shown.push_str(&harmless(&hit.excerpt()[at..range.start]));
            shown.push_str(&styled(BOLD, &harmless(&hit.excerpt()[range.clone()])));
            at = range.end;
        }
    }
    shown.push_str(&harmless(&hit.excerpt()[at..]));
    shown
}
