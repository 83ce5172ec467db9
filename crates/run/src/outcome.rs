//! The outcome of reading and filtering one record of an input.

use std::time::SystemTime;

use heedful::Page;
use heedful_base::error::{Error, Result};
use heedful_index::decision::Basis;
use heedful_input::{Damage, InputPlace, Skipped};

/// Assumed memory, in bytes, that each text of a page takes in addition to its characters.
const OF_TEXT: usize = 96;
/// Assumed memory, in bytes, that each link of a page takes in addition to its characters.
const OF_LINK: usize = 512;

/// Outcome of one record of an input. `T` is the result of the caller's work on a page, such as
/// filtering.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_input::JsonRow;
/// use heedful_run::{Gate, Outcome, filter_item};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut row = JsonRow::default();
/// row.url = Some("https://site.example/rye".to_owned());
/// row.html = Some("<p>Rye".to_owned());
/// let mut phrases = Vec::new();
/// for item in row.into_items("table", 1) {
///     match filter_item(item, &filter, &Gate::default()) {
///         Outcome::Pages(filtered) => phrases.extend(filtered.pages[0].phrases().to_vec()),
///         Outcome::Failed { url, error, .. } => panic!("{url}: {error}"),
///         _ => {}
///     }
/// }
/// assert_eq!(phrases, ["Rye"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome<T = Filtered> {
    /// The page was read. The value is the result of the work on it.
    Pages(T),
    /// The page was not modified (304). The value is the result that was computed from its headers
    /// alone.
    Unchanged(T),
    /// The page could not be read or filtered. None of its content may be used.
    Failed {
        /// URL of the page that failed.
        url: String,
        /// Position in the input at which the record of the page is.
        origin: InputPlace,
        /// Time at which the page was fetched. `None` if it is unknown.
        captured: Option<SystemTime>,
        /// Error that ended the reading or filtering of the page.
        error: Error,
    },
    /// The record is from a WAT archive, which has only the HTTP headers and META tags of a page.
    /// The rest of the page may deny more than these headers and tags, so nothing is allowed.
    Head {
        /// Record of the WAT archive. The record counts as skipped, because it has only the HTTP
        /// headers and META tags of the page.
        skipped: Skipped,
        /// Result of the work on the page. This work had only the HTTP headers and META tags of the
        /// page.
        result: T,
    },
    /// The record is not a page, but an image or a redirect for example.
    Skipped(Skipped),
    /// The record could not be read.
    Damage(Damage),
}

impl<T> Outcome<T> {
    /// Returns the result of the work on a page, if the outcome has one.
    pub(super) fn result(&self) -> Option<&T> {
        match self {
            Self::Pages(result) | Self::Unchanged(result) | Self::Head { result, .. } => {
                Some(result)
            }
            Self::Failed { .. } | Self::Skipped(_) | Self::Damage(_) => None,
        }
    }

    /// Replaces the result of the work on a page with the value that `change` returns for it.
    /// Outcomes without a result stay the same.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_input::JsonRow;
    /// use heedful_run::{Gate, Outcome, filter_item};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut row = JsonRow::default();
    /// row.url = Some("https://site.example/rye".to_owned());
    /// row.html = Some("<p>Rye".to_owned());
    /// let mut sizes = Vec::new();
    /// for item in row.into_items("table", 1) {
    ///     if let Outcome::Pages(size) = filter_item(item, &filter, &Gate::default()).map(|page| page.bytes) {
    ///         sizes.push(size);
    ///     }
    /// }
    /// assert_eq!(sizes, [6]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Pages(result) => Outcome::Pages(change(result)),
            Self::Unchanged(result) => Outcome::Unchanged(change(result)),
            Self::Head { skipped, result } => Outcome::Head {
                skipped,
                result: change(result),
            },
            Self::Failed {
                url,
                origin,
                captured,
                error,
            } => Outcome::Failed {
                url,
                origin,
                captured,
                error,
            },
            Self::Skipped(skipped) => Outcome::Skipped(skipped),
            Self::Damage(damage) => Outcome::Damage(damage),
        }
    }

    /// Returns the URL of a failed, skipped or damaged record, if known. Returns `None` for a page,
    /// since the result for the page has the URL.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Pages(_) | Self::Unchanged(_) => None,
            Self::Failed { url, .. } => Some(url),
            Self::Head { skipped, .. } | Self::Skipped(skipped) => skipped.url(),
            Self::Damage(damage) => damage.url(),
        }
    }
}

impl Outcome {
    /// Converts the outcome to a URL and a result. The result is one page per bot, or an error. The
    /// URL is empty if the record was damaged and its URL is unknown. Returns `None` for a skipped
    /// record and for an unmodified page.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_input::JsonRow;
    /// use heedful_run::{Gate, filter_item};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut row = JsonRow::default();
    /// row.url = Some("https://site.example/rye".to_owned());
    /// row.html = Some("<p>Rye".to_owned());
    /// let mut urls = Vec::new();
    /// for item in row.into_items("table", 1) {
    ///     if let Some((url, pages)) = filter_item(item, &filter, &Gate::default()).answer() {
    ///         urls.push(url);
    ///         assert_eq!(pages?[0].phrases(), ["Rye"]);
    ///     }
    /// }
    /// assert_eq!(urls, ["https://site.example/rye"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn answer(self) -> Option<(String, Result<Vec<Page>>)> {
        match self {
            Self::Pages(filtered) => {
                let url = filtered.pages.first().map(|page| page.url().to_owned());
                Some((url.unwrap_or_default(), Ok(filtered.pages)))
            }
            Self::Failed { url, error, .. } => Some((url, Err(error))),
            Self::Damage(damage) => Some((
                damage.url().unwrap_or_default().to_owned(),
                Err(damage.into_error()),
            )),
            Self::Skipped(_) | Self::Unchanged(_) | Self::Head { .. } => None,
        }
    }
}

/// Result of filtering one page for all bots of the filter.
#[derive(Debug)]
#[non_exhaustive]
pub struct Filtered {
    /// The filtered page for each bot, in the order of the filter's bots.
    pub pages: Vec<Page>,
    /// Size of the page's HTML in bytes.
    pub bytes: usize,
    /// Site of the page if no robots.txt of the site is known, otherwise `None`.
    pub site_without_robots: Option<String>,
    /// True if the page was judged only by robots.txt responses that earlier runs stored in the
    /// index.
    pub is_by_earlier: bool,
    /// Value of the header `Date` in the HTTP response with the page. `None` if the response has no
    /// such header.
    pub date: Option<String>,
    /// Time at which the filtered page was fetched, if known.
    pub captured: Option<SystemTime>,
    /// Latest date of the robots.txt files that disallow the page, if known.
    pub(super) ruled: Option<SystemTime>,
    /// Identifier of the record of the page, if the input is an archive.
    pub record: Option<String>,
    /// True if the page was cut off before its end and is incomplete. False if nothing is known
    /// about a cut.
    pub is_cut: bool,
    /// Basis of the decision about the page: digests, headers and files of the site. `None` if the
    /// run keeps no evidence.
    pub basis: Option<Basis>,
}

impl Filtered {
    /// Estimates the memory of the filtered pages, in bytes. The pages for several bots share
    /// nearly all memory, so only the first page is measured.
    pub(super) fn weight(&self) -> u64 {
        let Some(page) = self.pages.first() else {
            return 0;
        };
        let texts = page.phrases().len() + page.headings().len() + page.alternative().len();
        (self.bytes * 4 + texts * OF_TEXT + page.links().len() * OF_LINK) as u64
    }
}
