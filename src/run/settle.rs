//! What becomes of an index when its input says something of a URL (docs/semantics.md, section 7).
//!
//! A page comes in or goes out by its policy. What is no page any more goes out, and what could not be read does too, for it
//! may say that it must not be there. A site that is too busy to answer says nothing about its pages.

use std::time::SystemTime;

use crate::error::Result;
use crate::index::{Added, Gone, Writer};
use crate::input::Skip;
use crate::page::Page;

use super::Outcome;

/// What an input says of a URL.
#[derive(Debug)]
pub enum Said<'a> {
    /// This is the page.
    Page(&'a Page),
    /// It is as it was; this is what its headers make of a page without bytes.
    Unchanged(&'a Page),
    /// It is no page, or not any more: why, and what said so.
    Gone(&'a str, Gone, String),
    /// Nothing.
    Nothing,
}

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

impl Outcome {
    /// What is said of the URL to the first bot, and when that was fetched, where it is known.
    pub fn said(&self) -> (Said<'_>, Option<SystemTime>) {
        let said = match self {
            Self::Pages(filtered) => filtered.pages.first().map_or(Said::Nothing, Said::Page),
            Self::Unchanged(filtered) => filtered.pages.first().map_or(Said::Nothing, Said::Unchanged),
            Self::Skipped(skipped) => match skipped.why() {
                Skip::Unchanged | Skip::Hidden => Said::Nothing,
                Skip::Status(status) if !is_final(status) => Said::Nothing,
                Skip::Status(status) => self.gone(Gone::Status(status), String::new()),
                Skip::Type => self.gone(Gone::NotHtml, String::new()),
            },
            Self::Failed { error, .. } => self.gone(Gone::Unreadable, error.to_string()),
            Self::Damage(damage) => self.gone(Gone::Damaged, damage.to_string()),
        };
        (said, self.captured())
    }

    fn gone(&self, reason: Gone, why: String) -> Said<'_> {
        let url = self.url().filter(|url| !url.is_empty());
        url.map_or(Said::Nothing, |url| Said::Gone(url, reason, why))
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
pub fn settle(writer: &mut Writer, outcome: &Outcome) -> Result<Settled> {
    let (said, captured) = outcome.said();
    let is_gone = match said {
        Said::Page(page) => {
            return Ok(match writer.add_captured(page, captured)? {
                Added::Indexed => Settled::Indexed,
                Added::NotIndexed => Settled::Gone,
                Added::Older => Settled::Older,
            });
        }
        Said::Unchanged(page) => writer.confirm(page, captured)?,
        Said::Gone(url, Gone::Unreadable, why) => writer.remove_captured(url, Gone::Unreadable, &why, captured)?,
        // What never was a page is nothing to keep in mind.
        Said::Gone(url, reason, why) => writer.retire(url, reason, &why, captured)?,
        Said::Nothing => false,
    };
    Ok(if is_gone { Settled::Gone } else { Settled::Unchanged })
}

/// Whether a status says that the page is not there: not 304, nor that the site could not answer now.
fn is_final(status: u16) -> bool {
    matches!(status, 300..500) && !matches!(status, 304 | 408 | 425 | 429)
}
