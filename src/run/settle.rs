//! What becomes of an index when its input says something of a URL (docs/semantics.md, section 7).
//!
//! A page comes in or goes out by its policy. What is no page any more goes out, and what could not be read does too, for it
//! may say that it must not be there. A site that is too busy to answer says nothing about its pages.

use crate::error::Result;
use crate::index::{Added, Gone, Writer};
use crate::input::Skip;

use super::Outcome;

/// What became of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The page is in it.
    Indexed,
    /// The URL is known not to be in it.
    Gone,
    /// Nothing was said.
    Unchanged,
}

/// Puts an outcome into an index.
///
/// # Errors
/// When the index cannot be written.
pub fn settle(writer: &mut Writer, outcome: &Outcome) -> Result<Settled> {
    if let Outcome::Pages(filtered) = outcome {
        let Some(page) = filtered.pages.first() else { return Ok(Settled::Unchanged) };
        return Ok(if writer.add(page)? == Added::Indexed { Settled::Indexed } else { Settled::Gone });
    }
    let (reason, why) = match outcome {
        Outcome::Skipped(Skip::Status(status), _) if !is_final(*status) => return Ok(Settled::Unchanged),
        Outcome::Skipped(Skip::Status(status), _) => (Gone::Status(*status), String::new()),
        Outcome::Failed { error, .. } => (Gone::Unreadable, error.to_string()),
        Outcome::Damage(damage) => (Gone::Damaged, damage.to_string()),
        Outcome::Skipped(Skip::Type, _) | Outcome::Pages(_) => (Gone::NotHtml, String::new()),
    };
    let Some(url) = outcome.url().filter(|url| !url.is_empty()) else { return Ok(Settled::Unchanged) };
    if reason == Gone::Unreadable {
        writer.remove(url, reason, &why)?;
        return Ok(Settled::Gone);
    }
    // What never was a page is nothing to keep in mind.
    Ok(if writer.retire(url, reason, &why)? { Settled::Gone } else { Settled::Unchanged })
}

/// Whether a status says that the page is not there: not 304, nor that the site could not answer now.
fn is_final(status: u16) -> bool {
    matches!(status, 300..500) && !matches!(status, 304 | 408 | 425 | 429)
}
