//! What becomes of an index when its input says something of a URL (docs/semantics.md, section 7).
//!
//! A page comes in or goes out by its policy. What is no page any more goes out, and what could not be read does too, for it
//! may say that it must not be there. A site that is too busy to answer says nothing about its pages.

use crate::error::Result;
use crate::index::{Added, Gone, Writer};
use crate::input::Skip;

use super::{Filtered, Outcome};

/// What became of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The page is in it.
    Indexed,
    /// The URL is known not to be in it.
    Gone,
    /// Nothing was said.
    Unchanged,
    /// What the index knows of the URL was fetched later.
    Older,
}

/// Puts an outcome into an index.
///
/// # Errors
/// When the index cannot be written.
pub fn settle(writer: &mut Writer, outcome: &Outcome) -> Result<Settled> {
    let (reason, why) = match outcome {
        Outcome::Pages(filtered) => return page(writer, filtered),
        Outcome::Unchanged(filtered) => {
            let Some(page) = filtered.pages.first() else { return Ok(Settled::Unchanged) };
            let is_gone = writer.confirm(page, filtered.captured)?;
            return Ok(if is_gone { Settled::Gone } else { Settled::Unchanged });
        }
        Outcome::Skipped(skipped) => match skipped.why() {
            Skip::Unchanged => return Ok(Settled::Unchanged),
            Skip::Status(status) if !is_final(status) => return Ok(Settled::Unchanged),
            Skip::Status(status) => (Gone::Status(status), String::new()),
            Skip::Type => (Gone::NotHtml, String::new()),
        },
        Outcome::Failed { error, .. } => (Gone::Unreadable, error.to_string()),
        Outcome::Damage(damage) => (Gone::Damaged, damage.to_string()),
    };
    let Some(url) = outcome.url().filter(|url| !url.is_empty()) else { return Ok(Settled::Unchanged) };
    let captured = outcome.captured();
    // What never was a page is nothing to keep in mind.
    let is_gone = if reason == Gone::Unreadable {
        writer.remove_captured(url, reason, &why, captured)?
    } else {
        writer.retire(url, reason, &why, captured)?
    };
    Ok(if is_gone { Settled::Gone } else { Settled::Unchanged })
}

fn page(writer: &mut Writer, filtered: &Filtered) -> Result<Settled> {
    let Some(page) = filtered.pages.first() else { return Ok(Settled::Unchanged) };
    Ok(match writer.add_captured(page, filtered.captured)? {
        Added::Indexed => Settled::Indexed,
        Added::NotIndexed => Settled::Gone,
        Added::Older => Settled::Older,
    })
}

/// Whether a status says that the page is not there: not 304, nor that the site could not answer now.
fn is_final(status: u16) -> bool {
    matches!(status, 300..500) && !matches!(status, 304 | 408 | 425 | 429)
}
