//! Adapter of the race to the versions of heedful that were one crate. `now.rs` is the adapter to the
//! present one.

#[path = "works.rs"]
mod works;

pub(crate) use heedful::json::{PageJson, line};
pub(crate) use heedful::lint;
use heedful::{Filter, Judged, Page, PageEnd, Result, Sink};

pub use works::*;

/// Sink that counts tokens and stores nothing.
#[derive(Default)]
pub(crate) struct Nothing(u64);

impl Sink for Nothing {
    fn tile(&mut self, _: &Judged<'_>) -> Result<()> {
        self.0 += 1;
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

pub(crate) fn read(filter: &Filter, url: &str, page: &[u8]) -> Result<Page> {
    filter.page(url, page)
}
