//! `heedful purge`: removes from an index the pages and copies that may no longer be in it.

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use heedful::{Limits, Result, SiteFile};
use heedful_evidence::IndexEvidence;
use heedful_index::{Gone, Index};
use heedful_input::Inputs;
use heedful_json as json;
use heedful_report::wording::count;
use heedful_run::{Change, Gate, Purge, Purged, mask};
use serde::Serialize;

use crate::args::PurgeArgs;
use crate::ending::{RunEnding, io_error, setting, written};
use crate::output::{self, DIM, Format, harmless, print_note, styled};
use crate::run_args::jobs;
use crate::urls;

pub(crate) fn run(args: &PurgeArgs) -> Result<RunEnding> {
    let index = args.evidence.open(&args.dir)?;
    let purge = wanted(args, &index)?;
    refuse_unnamed_sites(args, &purge, &index)?;
    let jobs = jobs(args.jobs);
    let found = if args.dry_run {
        purge.preview(&index, jobs)?
    } else {
        purge.run(&index, jobs)?
    };
    let mut out = output::stdout(args.format);
    for line in lines(&found, args) {
        written(writeln!(out, "{line}"))?;
    }
    written(out.flush())?;
    for site in &found.unresponsive_sites {
        print_note(&format!(
            "{} did not answer: its pages stay",
            harmless(site)
        ));
    }
    if found.pages == 0 && !args.site.is_empty() {
        print_note("no page is of these hosts");
    }
    let has_none = found.pages == 0 || !args.noarchive && found.removed_pages.is_empty();
    if has_none && found.unknown.is_empty() && !args.url.is_empty() {
        print_note("no page of this index has such a URL");
    }
    for url in &found.unknown {
        print_note(&format!("{} is no page of this index", harmless(url)));
    }
    if found.undated > 0 {
        let (stay, were) = if found.undated == 1 {
            ("stays", "it was")
        } else {
            ("stay", "they were")
        };
        let pages = count(found.undated as u64, "page");
        output::print_message(format_args!(
            "{pages} {stay}: it is not known when {were} fetched"
        ));
    }
    if found.changes == 0 && !args.from.is_empty() {
        print_note("the feeds have no change for the bot of this index");
    }
    if found.outdated > 0 {
        let changes = count(found.outdated as u64, "change");
        output::print_message(format_args!(
            "{changes} ignored: the index has a later fetch of the page"
        ));
    }
    let removed = if args.dry_run {
        "would be removed"
    } else {
        "removed"
    };
    output::print_message(format_args!(
        "{} checked: {} {removed}, {} of other pages {removed}; {} would be allowed again",
        count(found.pages as u64, "page"),
        found.removed_pages.len(),
        count(found.without_snapshot.len() as u64, "snapshot"),
        found.allowed.len()
    ));
    if !(found.removed_pages.is_empty()
        || args.dry_run
        || args.url.is_empty() && args.urls.is_empty())
    {
        let them = if found.removed_pages.len() == 1 {
            "it"
        } else {
            "them"
        };
        output::print_message(format_args!(
            "the next crawl brings {them} back, unless `index --robots FILE` is given a robots.txt that keeps {them} out"
        ));
    }
    if !found.restricted_pages.is_empty() {
        let pages = count(found.restricted_pages.len() as u64, "page");
        let (stay, them) = if found.restricted_pages.len() == 1 {
            ("stays", "it")
        } else {
            ("stay", "them")
        };
        output::print_message(format_args!(
            "{pages} {stay}, but not for all uses: `search --use` leaves {them} out"
        ));
    }
    Ok(RunEnding::Yes)
}

fn wanted(args: &PurgeArgs, index: &Index) -> Result<Purge> {
    let mut purge = args
        .site
        .iter()
        .try_fold(Purge::default(), |purge, site| purge.site(site))?
        .why(args.why.as_deref().unwrap_or_default());
    for url in &args.url {
        purge = purge.url(url)?;
    }
    for list in &args.urls {
        let named = |error| setting(format!("{}: {error}", list.display()));
        let (urls, are_pages) = listed(list)?;
        for url in urls {
            purge = if are_pages {
                purge.page(&url)
            } else {
                purge.url(&url)
            }
            .map_err(named)?;
        }
    }
    for feed in &args.from {
        purge = changed(purge, feed)?;
    }
    if let Some(since) = args.unseen_since {
        purge = purge.unseen_since(since);
    }
    if args.expired {
        purge = purge.expired(args.at.unwrap_or_else(SystemTime::now));
    }
    if args.noarchive {
        purge = purge.snapshots();
    }
    if args.robots.is_empty() && !args.fetch {
        return Ok(purge);
    }
    let mut gate = Gate::default();
    if index.kept_evidence()?.is_some() {
        gate = gate.keeping_originals(&Limits::default());
    }
    for robots in &args.robots {
        gate = robots.add_to(gate, &Inputs::default())?;
    }
    if args.fetch {
        let bot = index.terms()?.bot()?;
        let fetcher = args.fetching.fetcher(&bot)?;
        gate = gate.with_fetcher(&[SiteFile::Robots], fetcher, SystemTime::now());
    }
    Ok(purge.robots(gate))
}

/// Adds the changes in the file `feed` to the purge. Each line of the feed is a change of one URL.
fn changed(purge: Purge, feed: &Path) -> Result<Purge> {
    mask::lines(mask::open(feed, &Limits::default())?).try_fold(purge, |purge, line| {
        let (number, line) = line.map_err(io_error(feed.display()))?;
        if line.trim().is_empty() {
            return Ok(purge);
        }
        let named = |error| setting(format!("{}, line {number}: {error}", feed.display()));
        Ok(purge.change(&Change::parse(&line).map_err(named)?))
    })
}

/// Returns the URLs in the index or the file at `path`. The bool is true if the URLs are those of
/// pages, as in an index or a sitemap. It is false if the URLs may be patterns. Fails if there is
/// no URL. A purge with no URL would silently remove nothing.
fn listed(path: &Path) -> Result<(Vec<String>, bool)> {
    let (urls, are_pages) = if path.is_dir() {
        (urls::read(path)?, true)
    } else {
        let list = urls::read_file(path)?;
        (list.urls, list.is_sitemap)
    };
    if urls.is_empty() {
        Err(setting(format!("{}: it names no URL", path.display())))
    } else {
        Ok((urls, are_pages))
    }
}

/// Fails if it is unclear to which site a robots.txt or a pattern of paths applies. This is so if
/// the index has pages of several sites, and the robots.txt or pattern names no site. With `--site`
/// or `--all-hosts`, always succeeds.
fn refuse_unnamed_sites(args: &PurgeArgs, purge: &Purge, index: &Index) -> Result<()> {
    if args.all_hosts || !args.site.is_empty() {
        return Ok(());
    }
    let plain = args.robots.iter().find(|robots| robots.is_for_all_sites());
    let path = purge.path_pattern();
    if plain.is_none() && path.is_none() {
        return Ok(());
    }
    let sites = index.search()?.sites(2)?;
    let [site, other] = sites.as_slice() else {
        return Ok(());
    };
    let named = match (plain, path) {
        (Some(robots), _) => format!("`--robots {site}={}`", robots.path.display()),
        (None, path) => format!("`{site}{}`", path.unwrap_or_default()),
    };
    Err(setting(format!(
        "the pages are of several sites, as {site} and {other}: {named} is for one of them, --site HOST for a host, --all-hosts for all"
    )))
}

/// A URL that `heedful purge` examined, as JSON. `went` names the removed content: the `page`, only
/// its `snapshot`, or nothing.
#[derive(Serialize)]
struct RemovedJson<'a> {
    url: &'a str,
    went: Option<&'a str>,
    #[serde(flatten)]
    because: Option<RemovalReasonJson<'a>>,
}

#[derive(Serialize)]
struct RemovalReasonJson<'a> {
    reason: Gone,
    why: &'a str,
}

fn lines(found: &Purged, args: &PurgeArgs) -> Vec<String> {
    let format = args.format;
    let dropped = found.removed_pages.iter().map(|page| match format {
        Format::Json => {
            let because = Some(RemovalReasonJson {
                reason: page.reason(),
                why: page.why(),
            });
            json::line(&RemovedJson {
                url: page.url(),
                went: Some("page"),
                because,
            })
        }
        Format::Text => {
            let reason = match page.reason() {
                Gone::Removed if args.dry_run => "would be removed".to_owned(),
                reason => reason.to_string(),
            };
            let why = format!("{reason} {}", harmless(page.why()));
            format!("{} {}", harmless(page.url()), styled(DIM, why.trim()))
        }
    });
    let of = |url: &str, went: Option<&str>, text: &str| match format {
        Format::Json => json::line(&RemovedJson {
            url,
            went,
            because: None,
        }),
        Format::Text => format!("{} {}", harmless(url), styled(DIM, text)),
    };
    let bare = found
        .without_snapshot
        .iter()
        .map(|url| of(url, Some("snapshot"), "snapshot"));
    let allowed = found
        .allowed
        .iter()
        .map(|url| of(url, None, "would be allowed again"));
    dropped.chain(bare).chain(allowed).collect()
}
