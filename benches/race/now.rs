//! Adapter of the race to the present version of heedful. `one_crate.rs` is the adapter to versions
//! that were one crate. The works themselves are the same for all (`works.rs`).

#[path = "works.rs"]
mod works;

use heedful::{Filter, Judged, Page, PageEnd, Result, Sink};
pub(crate) use heedful_json::{PageJson, line};
pub(crate) use heedful_lint as lint;

pub use works::*;

/// Sink that counts tokens and stores nothing.
#[derive(Default)]
pub(crate) struct Nothing(u64);

impl Sink for Nothing {
    fn token(&mut self, _: &Judged<'_>) -> Result<()> {
        self.0 += 1;
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

pub(crate) fn read(filter: &Filter, url: &str, page: &[u8]) -> Result<Page> {
    filter.page(url, &[], page)
}
