//! Reads the results of a page, as an indexer does.

use heedful::Page;

/// Reads all parts of a page that an indexer needs. Returns the sum of their lengths, so that no
/// call is optimised away.
pub(crate) fn look(page: &Page) -> usize {
    let fields = [
        page.phrases(),
        page.title(),
        page.headings(),
        page.alternative(),
    ];
    let fields: usize = fields
        .iter()
        .flat_map(|field| field.iter())
        .map(String::len)
        .sum();
    let links = page
        .links()
        .iter()
        .map(|link| link.url().len() + link.text().len() + usize::from(link.may_follow()));
    fields + links.sum::<usize>()
}
