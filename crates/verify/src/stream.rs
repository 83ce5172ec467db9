//! Reads a page with the streaming filter. The robots.txt files and headers of the page apply.

use crate::oracle::Surroundings;
use heedful::{Filter, PageEnd, Sink};
use heedful_base::error::Result;

/// Writes a page, its robots.txt files and its headers to a filter pass with the sink `sink`. The
/// pass has no clock, so no page counts as expired. The finished tree ignores expiry dates too.
pub(super) fn read_stream<S: Sink>(
    filter: &Filter,
    sink: S,
    url: &str,
    page: &[u8],
    around: &Surroundings<'_>,
) -> Result<(S, PageEnd)> {
    let mut pass = filter.clone().without_clock().open_with(url, sink)?;
    if let Some(url) = around.also_at {
        pass.also_at(url);
    }
    for robots in around.robots {
        pass.robots_txt(robots);
    }
    for (name, value) in around.headers {
        pass.header(name, value);
    }
    if around.is_utf8 {
        pass.assume_utf8();
    }
    pass.write(page)?;
    pass.into_parts()
}
