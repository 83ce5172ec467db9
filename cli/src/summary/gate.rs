//! Reports on the robots.txt files of a run: requested files, files with doubtful lines, missing
//! files, and files that were read after pages of their site.

use std::collections::BTreeMap;

use heedful_report::wording;
use heedful_run::Gate;

use crate::output::{NAMED, harmless, plural, print_message, print_note};

/// Prints the number of hosts that were asked for their robots.txt. Also names the hosts for which
/// the request failed. If `verbose` is false, at most [`NAMED`] of these hosts are named.
pub(super) fn report_asked(gate: &Gate, verbose: bool) {
    let asked = gate.fetched_files();
    if asked.is_empty() {
        return;
    }
    let mut silent = Vec::new();
    for (site, trouble) in &asked {
        if let Some(trouble) = trouble {
            silent.push((site, trouble));
        }
    }
    print_message(format_args!(
        "asked {} for robots.txt",
        wording::count(asked.len() as u64, "host")
    ));
    let shown = if verbose { silent.len() } else { NAMED };
    for (site, trouble) in silent.iter().take(shown) {
        print_note(&format!("{site}: {trouble}"));
    }
    if silent.len() > shown {
        let more = wording::count((silent.len() - shown) as u64, "more host");
        print_note(&format!("and {more} (-v lists them)"));
    }
}

/// Prints the number of sites whose robots.txt exceeds a limit. Also names the robots.txt files
/// with doubtful lines, each with its first doubtful line. If `verbose` is false, at most [`NAMED`]
/// of these files are named.
pub(super) fn report_doubts(gate: &Gate, verbose: bool) {
    for (limit, sites) in gate.sites_over_limits() {
        let whose = plural(sites, "its", "their");
        let sites = if sites == 0 {
            "some sites".to_owned()
        } else {
            wording::count(sites, "site")
        };
        print_note(&format!(
            "all pages of {sites} in the input are kept out: {whose} robots.txt files exceed the limit `{limit}`"
        ));
    }
    let doubts = gate.doubtful_lines();
    let shown = if verbose { doubts.len() } else { NAMED };
    for (site, notes) in doubts.iter().take(shown) {
        let [first, rest @ ..] = notes.as_slice() else {
            continue;
        };
        let rest = if rest.is_empty() {
            String::new()
        } else {
            format!("; {} more", rest.len())
        };
        let line = first.line();
        let kind = first.kind();
        print_note(&format!(
            "robots.txt of {}: line {line}: {} [{}]{rest} (`heedful check -v` names all)",
            harmless(site),
            kind.message(),
            kind.name()
        ));
    }
    if doubts.len() > shown {
        let more = (doubts.len() - shown) as u64;
        let files = wording::count(more, "more robots.txt file");
        let have = plural(more, "has", "have");
        print_note(&format!("{files} {have} such lines (-v lists them)"));
    }
}

/// Reports `pages`, the number of pages that were judged by a robots.txt of an earlier run.
pub(super) fn report_earlier(pages: u64) {
    if pages > 0 {
        let whose = plural(pages, "its site", "their sites");
        let pages = wording::count(pages, "page");
        print_message(format_args!(
            "{pages} judged by a robots.txt of an earlier run: this input has none of {whose}"
        ));
    }
}

/// Prints a note about the sites without a robots.txt. `sites` has the names of these sites.
/// `pages` states how many pages they have, such as `3 pages`. Prints nothing if `sites` is empty.
pub(crate) fn report_missing_robots<'a>(
    sites: impl ExactSizeIterator<Item = &'a String>,
    pages: &str,
) {
    let hosts = sites.len();
    if hosts == 0 {
        return;
    }
    let named: Vec<_> = sites.take(NAMED).map(String::as_str).collect();
    let more = if hosts > NAMED {
        format!(" and {} more", hosts - NAMED)
    } else {
        String::new()
    };
    print_note(&format!(
        "no robots.txt found for {} ({pages}), let in: {}{more} (--require-robots keeps them out, --fetch-robots fetches it)",
        wording::count(hosts as u64, "host"),
        named.join(", ")
    ));
}

/// Reports pages that were written before the robots.txt of their site was read. This happens if a
/// pipe contains the robots.txt after the pages. `pages` has, for each site, the number of pages
/// that were written without a robots.txt. If the robots.txt of a site did not come later, the site
/// is not reported.
pub(super) fn report_ahead(gate: &Gate, pages: &BTreeMap<String, u64>) {
    for (site, pages) in pages {
        if *pages == 0 || !gate.has_late_robots(site) {
            continue;
        }
        let were = plural(*pages, "was", "were");
        let pages = wording::count(*pages, "page");
        print_note(&format!(
            "{pages} of {site} {were} written before its robots.txt was read"
        ));
    }
}
