//! `heedful stats`: prints the totals of an index, the list of its URLs, or the state of one URL in
//! the index.

use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use heedful::{Bot, Result};
use heedful_index::{Index, Search, Stats, UrlState};
use heedful_json as json;
use heedful_report::wording::{count, size};
use serde::Serialize;
use serde_json::json;

use crate::args::StatsArgs;
use crate::ending::{RunEnding, io_error, written};
use crate::output::{self, DIM, Format, harmless, styled};
use crate::urls;

/// Maximum number of anchor texts that are printed for one page.
const NAMES: usize = 20;

pub(crate) fn run(args: &StatsArgs) -> Result<RunEnding> {
    let index = Index::open(&args.dir)?;
    if let Some(url) = &args.of {
        return show_url(args, &index.search()?, url);
    }
    if args.check {
        return check(args, &index);
    }
    if args.list {
        return list(args, &index.search()?);
    }
    let stats = index.stats()?;
    let terms = index.terms()?;
    let bot = terms.bot()?;
    let found = StatsJson {
        stats: &stats,
        bot: bot.names().collect(),
        conventions: terms.conventions(),
        forms: index.analysis()?.forms().name(),
        blocks: index.analysis()?.parts_blocks(),
        denials: terms
            .denials()?
            .iter()
            .map(|(denies, pattern)| format!("{denies}={pattern}"))
            .collect(),
        first_fetch: stats.fetched().and_then(|(first, _)| json::rfc3339(first)),
        last_fetch: stats.fetched().and_then(|(_, last)| json::rfc3339(last)),
        bytes: bytes(&args.dir).map_err(io_error(args.dir.display()))?,
    };
    let mut out = output::stdout(args.format);
    written(match args.format {
        Format::Json => writeln!(out, "{}", json::line(&found)),
        Format::Text => writeln!(out, "{}", counted(&found, &bot)),
    })?;
    Ok(if stats.pages() > 0 {
        RunEnding::Yes
    } else {
        RunEnding::No
    })
}

/// The totals of an index as JSON, with the bots, conventions and denials for which the index was
/// made.
#[derive(Serialize)]
struct StatsJson<'a> {
    #[serde(flatten)]
    stats: &'a Stats,
    bot: Vec<&'a str>,
    conventions: String,
    forms: &'static str,
    /// True if a phrase in the index ends at the end of its block, such as a paragraph. False if a
    /// phrase may continue in the next block.
    blocks: bool,
    bytes: u64,
    denials: Vec<String>,
    first_fetch: Option<String>,
    last_fetch: Option<String>,
}

/// Returns the total size in bytes of all files in a folder and its subfolders.
fn bytes(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let data = entry.metadata()?;
        bytes += if data.is_dir() {
            self::bytes(&entry.path())?
        } else {
            data.len()
        };
    }
    Ok(bytes)
}

fn counted(found: &StatsJson<'_>, bot: &Bot) -> String {
    let stats = found.stats;
    let mut lines = vec![format!(
        "{} of {}",
        count(stats.pages(), "page"),
        count(stats.hosts(), "host")
    )];
    if stats.anchors() > 0 {
        lines.push(count(stats.anchors(), "anchor"));
    }
    if stats.tombstones() > 0 {
        lines.push(format!("{} gone", count(stats.tombstones(), "URL")));
    }
    if stats.snapshot_bytes() > 0 {
        lines.push(format!(
            "{}, {}",
            count(stats.snapshots(), "snapshot"),
            size(stats.snapshot_bytes())
        ));
    }
    lines.push(format!("{} in all", size(found.bytes)));
    if let (Some(first), Some(last)) = (&found.first_fetch, &found.last_fetch) {
        lines.push(if first == last {
            format!("fetched {first}")
        } else {
            format!("fetched {first} to {last}")
        });
    }
    lines.push(format!(
        "for {}, by the conventions `{}`",
        harmless(&bot.to_string()),
        harmless(&found.conventions)
    ));
    let blocks = if found.blocks {
        ", phrases end with their blocks"
    } else {
        ""
    };
    lines.push(format!("words are {}{blocks}", found.forms));
    lines.extend(
        found
            .denials
            .iter()
            .map(|denial| format!("denied by the operator: {}", harmless(denial))),
    );
    lines.join("\n")
}

/// Prints the state of every URL that the index knows. Removed URLs are included.
fn list(args: &StatsArgs, search: &Search) -> Result<RunEnding> {
    let now = args.at.unwrap_or_else(SystemTime::now);
    let mut out = output::stdout(args.format);
    let mut found = false;
    for url in search.iter_urls("").chain(search.iter_tombstone_urls("")) {
        let url = url?;
        let known = search.known(&url, Some(now))?;
        found = true;
        written(match args.format {
            Format::Json => writeln!(out, "{}", json::line(&StateJson::new(&url, known.as_ref()))),
            Format::Text => {
                writeln!(
                    out,
                    "{} {}",
                    harmless(&url),
                    styled(DIM, &shown(known.as_ref()))
                )
            }
        })?;
    }
    written(out.flush())?;
    Ok(if found { RunEnding::Yes } else { RunEnding::No })
}

/// The state of a URL in an index, as JSON.
#[derive(Serialize)]
struct StateJson<'a> {
    url: &'a str,
    state: &'static str,
    reason: Option<String>,
    why: Option<&'a str>,
    snapshot: bool,
    canonical: Option<&'a str>,
}

impl<'a> StateJson<'a> {
    fn new(url: &'a str, known: Option<&'a UrlState>) -> Self {
        let none = Self {
            url,
            state: "unknown",
            reason: None,
            why: None,
            snapshot: false,
            canonical: None,
        };
        match known {
            None => none,
            Some(UrlState::Page {
                has_snapshot,
                canonical,
            }) => Self {
                state: "page",
                snapshot: *has_snapshot,
                canonical: canonical.as_deref(),
                ..none
            },
            Some(UrlState::Gone { reason, why }) => Self {
                state: "gone",
                reason: Some(reason.to_string()),
                why: Some(why),
                ..none
            },
        }
    }
}

/// The state of a URL, and the anchor texts of links to it, as JSON.
#[derive(Serialize)]
struct KnownJson<'a> {
    #[serde(flatten)]
    state: StateJson<'a>,
    names: Vec<SiteNameJson<'a>>,
}

#[derive(Serialize)]
struct SiteNameJson<'a> {
    text: &'a str,
    pages: u64,
}

fn check(args: &StatsArgs, index: &Index) -> Result<RunEnding> {
    let found = index.check()?;
    let mut out = output::stdout(args.format);
    for damage in &found {
        written(match args.format {
            Format::Json => writeln!(out, "{}", json::line(&json!({ "damage": damage }))),
            Format::Text => writeln!(out, "{}", harmless(damage)),
        })?;
    }
    if found.is_empty() && args.format == Format::Text {
        written(writeln!(
            out,
            "whole: {}",
            count(index.stats()?.pages(), "page")
        ))?;
    }
    Ok(if found.is_empty() {
        RunEnding::Yes
    } else {
        RunEnding::No
    })
}

/// Prints the state of one URL in the index, and the anchor texts of links to it.
fn show_url(args: &StatsArgs, search: &Search, url: &str) -> Result<RunEnding> {
    let now = args.at.unwrap_or_else(SystemTime::now);
    urls::check(url)?;
    let known = search.known(url, Some(now))?;
    let names = search.anchor_texts(url, Some(now))?;
    let mut out = output::stdout(args.format);
    if args.format == Format::Json {
        let names = names
            .iter()
            .map(|(text, pages)| SiteNameJson {
                text,
                pages: *pages,
            })
            .collect();
        let answer = KnownJson {
            state: StateJson::new(url, known.as_ref()),
            names,
        };
        written(writeln!(out, "{}", json::line(&answer)))?;
    } else {
        written(writeln!(out, "{}", shown(known.as_ref())))?;
        for (name, pages) in names.iter().take(NAMES) {
            let call = if *pages == 1 { "calls" } else { "call" };
            written(writeln!(
                out,
                "{} {call} it \"{}\"",
                count(*pages, "page"),
                harmless(name)
            ))?;
        }
    }
    Ok(if matches!(known, Some(UrlState::Page { .. })) {
        RunEnding::Yes
    } else {
        RunEnding::No
    })
}

fn shown(known: Option<&UrlState>) -> String {
    match known {
        None => "not known here".to_owned(),
        Some(UrlState::Page {
            has_snapshot,
            canonical,
        }) => {
            let canonical = canonical
                .as_ref()
                .map(|url| format!("; its canonical URL is {}", harmless(url)));
            let snapshot = if *has_snapshot {
                "with a snapshot"
            } else {
                "without a snapshot"
            };
            format!("indexed, {snapshot}{}", canonical.unwrap_or_default())
        }
        Some(UrlState::Gone { reason, why }) if why.is_empty() => {
            format!("not indexed: {reason}")
        }
        Some(UrlState::Gone { reason, why }) => {
            format!("not indexed: {reason} ({})", harmless(why))
        }
    }
}
