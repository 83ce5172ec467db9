//! Applies outcomes of a run to an index (docs/semantics.md, section 7).
//!
//! The policy of a page decides whether the page is added to the index or removed from it. A URL
//! that no longer is a page is removed. A page that cannot be read is removed too, since it may
//! contain a directive against indexing. A temporary error of a site, such as the status 429,
//! changes nothing in the index.

use std::time::SystemTime;

use heedful::Page;
use heedful_base::error::Result;
use heedful_index::{Added, Gone, Writer};
use heedful_input::Skip;

use super::outcome::Outcome;

/// Change of an index that one outcome of a run causes. It concerns the URL of the outcome.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_input::JsonRow;
/// use heedful_run::{Gate, IndexChange, filter_item};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut row = JsonRow::default();
/// row.url = Some("https://site.example/rye".to_owned());
/// row.html = Some("<p>Not found".to_owned());
/// row.status = Some(404);
/// let mut removed = Vec::new();
/// for item in row.into_items("table", 1) {
///     let outcome = filter_item(item, &filter, &Gate::default());
///     if let (IndexChange::Gone(url, ..), _) = outcome.index_change() {
///         removed.push(url.to_owned());
///     }
/// }
/// assert_eq!(removed, ["https://site.example/rye"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub enum IndexChange<'a> {
    /// Adds this page to the index. If the policy of the page denies indexing, removes the page
    /// instead.
    Page(&'a Page),
    /// Confirms an indexed page that the site reported as not modified (304). The value has no
    /// text, and its policy was computed from headers alone.
    Unchanged(&'a Page),
    /// Removes a URL from the index, because it is not a page any more. The values are the URL, the
    /// kind of reason, and the directive or error.
    Gone(&'a str, Gone, String),
    /// Changes nothing in the index. This is the case for a temporary error of the site, and for a
    /// record without a URL.
    Nothing,
}

/// Effect that an outcome of a run had on an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexEffect {
    /// The page was added to the index.
    Indexed,
    /// The URL of the outcome is not in the index now. If it was indexed before, it was removed.
    Gone,
    /// Nothing changed in the index, or an indexed page was confirmed as not modified.
    Unchanged,
    /// Nothing changed, because the index has a later capture of the same URL.
    Older,
}

impl Outcome {
    /// Returns the change to the index that the outcome causes, and the capture time of the page if
    /// known. The change is derived from the page for the first bot of the filter.
    pub fn index_change(&self) -> (IndexChange<'_>, Option<SystemTime>) {
        let change = match self {
            Self::Pages(filtered) => match filtered.pages.first() {
                Some(page) => IndexChange::Page(page),
                None => IndexChange::Nothing,
            },
            Self::Unchanged(filtered) => match filtered.pages.first() {
                Some(page) => IndexChange::Unchanged(page),
                None => IndexChange::Nothing,
            },
            Self::Head { .. } => IndexChange::Nothing,
            Self::Skipped(skipped) => match skipped.why() {
                Skip::Unchanged | Skip::Hidden | Skip::Wat | Skip::Other => IndexChange::Nothing,
                Skip::Status(status) if !is_final(status) => IndexChange::Nothing,
                Skip::Status(status) => self.gone(Gone::Status(status), String::new()),
                Skip::Type => self.gone(Gone::NotHtml, String::new()),
            },
            Self::Failed { error, .. } => self.gone(Gone::Unreadable, error.to_string()),
            Self::Damage(damage) => self.gone(Gone::Damaged, damage.to_string()),
        };
        (change, self.captured())
    }

    fn gone(&self, reason: Gone, why: String) -> IndexChange<'_> {
        match self.url() {
            None | Some("") => IndexChange::Nothing,
            Some(url) => IndexChange::Gone(url, reason, why),
        }
    }

    fn captured(&self) -> Option<SystemTime> {
        match self {
            Self::Pages(filtered) | Self::Unchanged(filtered) => filtered.captured,
            Self::Failed { captured, .. } => *captured,
            Self::Head { skipped, .. } | Self::Skipped(skipped) => skipped.captured(),
            Self::Damage(damage) => damage.captured(),
        }
    }
}

/// Applies an outcome of a run to an index: indexes or removes a page, or does nothing. If the run
/// keeps evidence, also records the basis of the decision. The basis has digests, headers and files
/// of the site.
///
/// # Errors
/// Fails if the index of `writer` cannot be written.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::Index;
/// use heedful_input::JsonRow;
/// use heedful_run::{Gate, IndexEffect, filter_item, apply_outcome};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// let mut effects = Vec::new();
/// for html in ["<p>Rye", "<meta name=robots content=noindex><p>Rye"] {
///     let mut row = JsonRow::default();
///     row.url = Some("https://site.example/rye".to_owned());
///     row.html = Some(html.to_owned());
///     for item in row.into_items("table", 1) {
///         effects.push(apply_outcome(&mut writer, &filter_item(item, &filter, &Gate::default()))?);
///     }
/// }
/// assert_eq!(effects, [IndexEffect::Indexed, IndexEffect::Gone]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply_outcome(writer: &mut Writer, outcome: &Outcome) -> Result<IndexEffect> {
    let basis = outcome.result().and_then(|filtered| filtered.basis.clone());
    writer.with_basis(basis.unwrap_or_default(), |writer| apply(writer, outcome))
}

fn apply(writer: &mut Writer, outcome: &Outcome) -> Result<IndexEffect> {
    let (change, captured) = outcome.index_change();
    let is_gone = match change {
        IndexChange::Page(page) => {
            return Ok(
                match writer.add_captured(page, known(outcome, page, captured))? {
                    Added::Indexed => IndexEffect::Indexed,
                    Added::NotIndexed => IndexEffect::Gone,
                    Added::Older => IndexEffect::Older,
                },
            );
        }
        IndexChange::Unchanged(page) => writer.confirm(page, captured)?,
        IndexChange::Gone(url, Gone::Unreadable, why) => {
            writer.remove_captured(url, Gone::Unreadable, &why, captured)?
        }
        // A URL that was never indexed need not be stored as removed.
        IndexChange::Gone(url, reason, why) => writer.retire(url, reason, &why, captured)?,
        IndexChange::Nothing => false,
    };
    Ok(if is_gone {
        IndexEffect::Gone
    } else {
        IndexEffect::Unchanged
    })
}

/// Returns the time that the index stores with a decision about a page. Older captures of the page
/// that are added afterwards are not indexed.
///
/// The time is the capture time of the page. If a robots.txt with a later date excludes the page,
/// it is this date. Returns `None` if the capture time is unknown.
fn known(outcome: &Outcome, page: &Page, captured: Option<SystemTime>) -> Option<SystemTime> {
    let ruled = outcome.result().and_then(|filtered| filtered.ruled);
    let is_ruled_out =
        captured.is_some() && matches!(Gone::from_page(page), Some((Gone::Robots, _)));
    if is_ruled_out {
        captured.max(ruled)
    } else {
        captured
    }
}

/// True if an HTTP status means that the URL is no longer a page: a redirect or a client error.
/// False for 304 (not modified), and for temporary errors such as 429. Also false for all other
/// statuses.
fn is_final(status: u16) -> bool {
    matches!(status, 300..500) && !matches!(status, 304 | 408 | 425 | 429)
}
