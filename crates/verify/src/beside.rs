//! Compares two readings of a page: that of the streaming filter, and that of a finished HTML tree.

use url::Url;

use crate::oracle::{self, Surroundings};
use heedful::internals::page::{PageOrigin, PageResponse};
use heedful::{Filter, PageEnd, Recorder};
use heedful_base::error::{Error, Result};

use super::difference::Comparison;
use super::reading::PageReading;
use super::recording::VerdictRecording;
use super::stream::read_stream;

/// Reads a page with the streaming filter and with the oracle, a finished HTML tree of html5ever.
/// Compares the two verdicts on each text and link, for all bots of the filter.
///
/// # Errors
/// Fails if the streaming filter or the oracle refuses the page. The errors are those of
/// [`Filter::page`]: a URL that is not absolute, an exceeded limit, or ambiguous markup.
pub fn compare(
    filter: &Filter,
    url: &str,
    page: &[u8],
    around: &Surroundings<'_>,
) -> Result<Comparison> {
    let terms = &filter.terms;
    let recorder = Recorder::new(terms, false);
    let ((recorder, stream), outcome) = read_stream(
        filter,
        (recorder, VerdictRecording::default()),
        url,
        page,
        around,
    )?;
    let url = Url::parse(url).map_err(|_| Error::url(url))?;
    let tree = oracle::read(terms, &url, page, around)?;
    let mut comparison = compare_with_tree(filter, &url, &stream, &tree, (recorder, outcome));
    comparison
        .leaks
        .extend(super::gate::difference(filter, url.as_str(), page, around)?);
    Ok(comparison)
}

/// Compares the streaming filter's verdicts on a page with those of `tree`, a finished HTML tree.
/// If no difference is found, also compares the pages that result for each bot.
pub(super) fn compare_with_tree(
    filter: &Filter,
    url: &Url,
    stream: &VerdictRecording,
    tree: &oracle::OracleTree,
    (recorder, outcome): (Recorder, PageEnd),
) -> Comparison {
    let terms = &filter.terms;
    // A bot that may not enter has no reading, so the texts need not agree.
    let is_shut = terms
        .bots
        .each()
        .all(|(bot, _)| !tree.policy(bot).may_fetch());
    let mut comparison = if is_shut {
        Comparison {
            same_characters: true,
            ..Comparison::default()
        }
    } else {
        super::compare::compare(stream, tree)
    };
    if comparison.is_complete_match(tree) {
        for page in &recorder.pages(
            PageOrigin {
                url: url.clone(),
                also: None,
                site: None,
                response: PageResponse::default(),
            },
            &terms.bots,
            outcome,
        ) {
            let tree = PageReading::of_tree(tree, url, page.bot_id());
            let page = PageReading::of_page(page);
            comparison.leaks.extend(page.difference(&tree));
        }
    }
    comparison.explained = stream.is_explained();
    comparison
}
