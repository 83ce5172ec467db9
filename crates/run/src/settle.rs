//! Applies to an index the outcomes of its input (docs/semantics.md, section 7).
//!
//! The policy of a page decides whether it is added or removed. A URL that is no longer a page is
//! removed. A page that could not be read is removed too, since it may state that it must not
//! be there. A site that is too busy to answer states nothing about its pages.

use std::time::SystemTime;

use heedful::Page;
use heedful_base::error::Result;
use heedful_index::{Added, Gone, Writer};
use heedful_input::Skip;

use super::outcome::Outcome;

/// The statement of an input about a URL.
#[derive(Debug)]
pub enum IndexChange<'a> {
    /// The page itself.
    Page(&'a Page),
    /// The page is unchanged; this is a page without bytes, by its headers alone.
    Unchanged(&'a Page),
    /// It is no page, or no longer one: the URL, the reason, and the statement that led to it.
    Gone(&'a str, Gone, String),
    /// There is no statement.
    Nothing,
}

/// The effect of an outcome on a URL in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexEffect {
    /// The page is in the index.
    Indexed,
    /// The URL is known not to be in it.
    Gone,
    /// There was no statement, so nothing changed.
    Unchanged,
    /// The index has a later fetch of the URL.
    Older,
}

impl Outcome {
    /// The change of the URL for the first bot, and when it was fetched, if that is known.
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
            Self::Skipped(skipped) => match skipped.why() {
                Skip::Unchanged | Skip::Hidden | Skip::Other => IndexChange::Nothing,
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
            Self::Skipped(skipped) => skipped.captured(),
            Self::Damage(damage) => damage.captured(),
        }
    }
}

/// Puts an outcome into an index.
///
/// # Errors
/// When the index cannot be written.
pub fn settle(writer: &mut Writer, outcome: &Outcome) -> Result<IndexEffect> {
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
        // A URL that never was a page need not be remembered.
        IndexChange::Gone(url, reason, why) => writer.retire(url, reason, &why, captured)?,
        IndexChange::Nothing => false,
    };
    Ok(if is_gone {
        IndexEffect::Gone
    } else {
        IndexEffect::Unchanged
    })
}

/// When it was known that a page is as it is. That a robots.txt keeps it out was known when that
/// was fetched, so no capture from before comes in.
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

/// Returns true for the status of a page that is gone. 304 is none, nor is that of a site
/// that could not answer now.
fn is_final(status: u16) -> bool {
    matches!(status, 300..500) && !matches!(status, 304 | 408 | 425 | 429)
}
