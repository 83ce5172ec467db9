//! Selects the second reader of a page, with which the stream is compared.

use crate::oracle::Surroundings;
use heedful::Filter;
use heedful_base::error::Result;

use super::beside::compare;
use super::browser::Browser;
use super::difference::Comparison;

/// Reader of a page with which the stream is compared.
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Reader {
    /// html5ever's own tokenizer and a finished tree.
    #[default]
    Tree,
    /// The finished tree and a browser. A part that either of them denies is a leak.
    Both(Box<std::sync::Mutex<Browser>>),
}

impl Reader {
    /// Compares the stream's reading of a page with this reader's, for all bots of the filter.
    ///
    /// # Errors
    /// Fails if the stream refuses the page, as [`Filter::page`] does, or if the browser does not
    /// answer.
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
