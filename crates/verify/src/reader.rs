//! Who reads a page besides the stream.

use crate::oracle::Surroundings;
use heedful::Filter;
use heedful_base::error::Result;

use super::beside::compare;
use super::browser::Browser;
use super::difference::Comparison;

/// The readers that a page is compared with.
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Reader {
    /// html5ever's own tokenizer and a finished tree.
    #[default]
    Tree,
    /// The finished tree and a browser; what either of them denies is a leak.
    Both(Box<std::sync::Mutex<Browser>>),
}

impl Reader {
    /// Compares a page, for all bots of the filter.
    ///
    /// # Errors
    /// When the stream refuses the page, as for [`Filter::page`], or the browser does not answer.
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
