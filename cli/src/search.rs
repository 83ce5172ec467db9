//! `heedful search`: searches an index and prints the hits.

use std::io::Write;
use std::time::SystemTime;

use heedful::Result;
use heedful_index::{Hit, Index, Query, WordScore};
use heedful_json as json;
use heedful_report::wording::count;

use crate::args::SearchArgs;
use crate::ending::{RunEnding, written};
use crate::output::{self, BOLD, DIM, Format, harmless, styled};
use crate::run_args::limits;

pub(crate) fn run(args: &SearchArgs) -> Result<RunEnding> {
    let skip = (args.page as usize - 1).saturating_mul(args.most);
    let query = Query::new(&args.query.join(" ")).most(args.most).skip(skip);
    let query = query.now(args.at.unwrap_or_else(SystemTime::now));
    let query = query.limits(limits(None, &args.limit)?);
    let query = args.need.map_or(query.clone(), |uses| query.need(uses));
    let query = query.fetched(args.since, args.until);
    let query = match &args.language {
        Some(tag) => query.language(tag),
        None => query,
    };
    let query = match args.at_least {
        Some(pages) => query.at_least(pages),
        None => query,
    };
    let note = query.note();
    let found = Index::open(&args.dir)?.search()?.find(&if args.explain {
        query.explained()
    } else {
        query
    })?;
    for note in note.as_deref().into_iter().chain(found.note()) {
        output::print_note(note);
    }
    let mut out = output::stdout(args.format);
    for hit in found.hits() {
        let line = match args.format {
            Format::Json => json::line(hit),
            Format::Text => text(hit),
        };
        written(writeln!(out, "{line}"))?;
    }
    let shown = found.hits().len();
    if args.format == Format::Text {
        let mut pages = count(found.total(), "page");
        if !found.is_total_exact() {
            pages = format!("at least {pages}");
        }
        let message = match shown {
            _ if found.total() == 0 => Some("nothing found".to_owned()),
            _ if found.total() == shown as u64 && found.is_total_exact() => None,
            0 if args.most == 0 => Some(pages),
            0 => Some(format!("{pages}, none of them on page {}", args.page)),
            _ => Some(format!(
                "{} to {} of {pages} (--page, -n)",
                skip + 1,
                skip + shown
            )),
        };
        if let Some(message) = message {
            output::print_message(styled(DIM, &message));
        }
    }
    let is_counted = args.most == 0 && found.total() > 0;
    Ok(if shown > 0 || is_counted {
        RunEnding::Yes
    } else {
        RunEnding::No
    })
}

fn text(hit: &Hit) -> String {
    let mut lines = match hit.title() {
        "" => vec![styled(BOLD, &harmless(hit.url()))],
        title => vec![
            styled(BOLD, &harmless(title)),
            styled(DIM, &harmless(hit.url())),
        ],
    };
    if !hit.excerpt().is_empty() {
        lines.push(highlighted(hit));
    }
    lines.extend(explained(hit));
    lines.join("\n") + "\n"
}

/// Formats the parts of a hit's score as lines, one line for each word of the query.
fn explained(hit: &Hit) -> Vec<String> {
    if hit.parts().is_empty() {
        return Vec::new();
    }
    let part = |part: &WordScore| {
        let names: Vec<_> = part
            .anchor_texts()
            .iter()
            .map(|name| format!("\"{}\"", harmless(name)))
            .collect();
        let names = if names.is_empty() {
            String::new()
        } else {
            format!("  others call it {}", names.join(", "))
        };
        styled(
            DIM,
            &format!(
                "  {:>8.3}  {:<12} {}{names}",
                part.score(),
                part.field(),
                harmless(part.word())
            ),
        )
    };
    let whole = styled(DIM, &format!("  {:>8.3}  in all", hit.score()));
    hit.parts().iter().map(part).chain([whole]).collect()
}

fn highlighted(hit: &Hit) -> String {
    let mut shown = String::new();
    let mut at = 0;
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
