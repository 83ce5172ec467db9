//! Selects the second reader of a page: a finished tree, or a tree and a browser. Its verdicts are
//! compared with the verdicts of the streaming filter.

use crate::oracle::Surroundings;
use heedful::Filter;
use heedful_base::error::Result;

use super::beside::compare;
use super::browser::Browser;
use super::difference::Comparison;

/// A second reader of pages. Its verdicts on a page are compared with those of the streaming
/// filter.
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Reader {
    /// Reads a page with html5ever: its tokenizer, and the finished tree that it builds.
    #[default]
    Tree,
    /// Reads a page with html5ever and in a browser. The streaming filter must agree with both
    /// readings. A text or link is a leak if the filter emits it and at least one of these readings
    /// denies it.
    Both(Box<std::sync::Mutex<Browser>>),
}

impl Reader {
    /// Compares the streaming filter's verdicts on a page with those of this reader, for all bots
    /// of the filter.
    ///
    /// # Errors
    /// Fails if the streaming filter refuses the page, as [`Filter::page`] does. Also fails if the
    /// browser does not respond.
    pub fn compare(
        &self,
        filter: &Filter,
        url: &str,
        page: &[u8],
        around: &Surroundings<'_>,
    ) -> Result<Comparison> {
        let comparison = compare(filter, url, page, around)?;
        match self {
            Self::Tree => Ok(comparison),
            Self::Both(browser) => {
                let mut browser = browser
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                Ok(comparison.join(browser.compare(filter, url, page, around)?))
            }
        }
    }
}
