//! `heedful stats`: what an index holds, or knows of a URL.

use std::io::Write;
use std::time::SystemTime;

use heedful::index::{Index, Known, Search, Stats};
use heedful::report::wording::count;
use heedful::{Result, json};
use serde_json::json;

use crate::args::StatsArgs;
use crate::ending::{Ending, written};
use crate::output::{self, Format, harmless};

/// The maximum number of a page's names that are shown.
const NAMES: usize = 20;

pub(crate) fn run(args: &StatsArgs) -> Result<Ending> {
    let index = Index::open(&args.dir)?;
    if let Some(url) = &args.of {
        return of(args, &index.search()?, url);
    }
    if args.check {
        return check(args, &index);
    }
    let stats = index.stats()?;
    let mut out = output::out(args.format);
    written(match args.format {
        Format::Json => writeln!(out, "{}", json::line(&stats)),
        Format::Text => writeln!(out, "{}", counted(&stats)),
    })?;
    Ok(if stats.pages() > 0 { Ending::Yes } else { Ending::No })
}

fn counted(stats: &Stats) -> String {
    let mut lines = vec![format!("{} of {}", count(stats.pages(), "page"), count(stats.hosts(), "host"))];
    if stats.anchors() > 0 {
        lines.push(count(stats.anchors(), "anchor"));
    }
    if stats.tombstones() > 0 {
        lines.push(format!("{} gone", count(stats.tombstones(), "URL")));
    }
    if stats.snapshot_bytes() > 0 {
        lines.push(format!("{}, {:.1} MB", count(stats.snapshots(), "snapshot"), stats.snapshot_bytes() as f64 / 1e6));
    }
    lines.join("\n")
}

fn check(args: &StatsArgs, index: &Index) -> Result<Ending> {
    let found = index.check()?;
    let mut out = output::out(args.format);
    for damage in &found {
        written(match args.format {
            Format::Json => writeln!(out, "{}", json::line(&json!({ "damage": damage }))),
            Format::Text => writeln!(out, "{}", harmless(damage)),
        })?;
    }
    if found.is_empty() && args.format == Format::Text {
        written(writeln!(out, "whole: {}", count(index.stats()?.pages(), "page")))?;
    }
    Ok(if found.is_empty() { Ending::Yes } else { Ending::No })
}

/// Prints what is known of a URL.
fn of(args: &StatsArgs, search: &Search, url: &str) -> Result<Ending> {
    let now = args.at.unwrap_or_else(SystemTime::now);
    let known = search.known(url, Some(now))?;
    let names = search.names(url, Some(now))?;
    let mut out = output::out(args.format);
    if args.format == Format::Json {
        let (state, reason, why, snapshot, canonical) = match &known {
            None => ("unknown", None, None, false, None),
            Some(Known::Page { has_snapshot, canonical }) => ("page", None, None, *has_snapshot, canonical.clone()),
            Some(Known::Gone { reason, why }) => ("gone", Some(reason.to_string()), Some(why.clone()), false, None),
        };
        let names: Vec<_> = names.iter().map(|(name, pages)| json!({ "text": name, "pages": pages })).collect();
        let answer = json!({
            "url": url, "state": state, "reason": reason, "why": why, "snapshot": snapshot, "canonical": canonical,
            "names": names,
        });
        written(writeln!(out, "{}", json::line(&answer)))?;
    } else {
        written(writeln!(out, "{}", shown(known.as_ref())))?;
        for (name, pages) in names.iter().take(NAMES) {
            let call = if *pages == 1 { "calls" } else { "call" };
            written(writeln!(out, "{} {call} it \"{}\"", count(*pages, "page"), harmless(name)))?;
        }
    }
    Ok(if matches!(known, Some(Known::Page { .. })) { Ending::Yes } else { Ending::No })
}

fn shown(known: Option<&Known>) -> String {
    match known {
        None => "not known here".to_owned(),
        Some(Known::Page { has_snapshot, canonical }) => {
            let canonical = canonical.as_ref().map(|url| format!("; its canonical URL is {}", harmless(url)));
            let snapshot = if *has_snapshot { "with a snapshot" } else { "without a snapshot" };
            format!("indexed, {snapshot}{}", canonical.unwrap_or_default())
        }
        Some(Known::Gone { reason, why }) if why.is_empty() => format!("not indexed: {reason}"),
        Some(Known::Gone { reason, why }) => format!("not indexed: {reason} ({})", harmless(why)),
    }
}
