//! Selects the second reader of a page, whose reading is compared with that of the streaming
//! filter.

use crate::oracle::Surroundings;
use heedful::Filter;
use heedful_base::error::Result;

use super::beside::compare;
use super::browser::Browser;
use super::difference::Comparison;

/// A second reader of pages, whose readings are compared with those of the streaming filter.
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Reader {
    /// html5ever's own tokenizer and its finished tree.
    #[default]
    Tree,
    /// The finished tree and a browser. A part that the streaming filter emits, but either of them
    /// denies, is a leak.
    Both(Box<std::sync::Mutex<Browser>>),
}

impl Reader {
    /// Compares the streaming filter's reading of a page with this reader's, for all bots of the
    /// filter.
    ///
    /// # Errors
    /// Fails if the streaming filter refuses the page, as [`Filter::page`] does, or if the browser
    /// does not respond.
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
