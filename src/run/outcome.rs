//! What becomes of a record of an input, for who takes it.

use std::time::SystemTime;

use crate::error::{Error, Result};
use crate::input::{Damage, Origin, Skipped};
use crate::page::Page;

/// Bytes that a phrase takes, and a link, besides what stands in the page.
const OF_TEXT: usize = 96;
const OF_LINK: usize = 512;

/// What became of one record of an input.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome<T = Filtered> {
    /// A page, and what was made of it.
    Pages(T),
    /// A page that is as it was, and what was made of its headers alone.
    Unchanged(T),
    /// A page of which nothing is used.
    Failed {
        /// Its URL.
        url: String,
        /// Where it stands.
        origin: Origin,
        /// When it was fetched, where that is known.
        captured: Option<SystemTime>,
        /// Why.
        error: Error,
    },
    /// A record that is no page.
    Skipped(Skipped),
    /// A record that could not be read.
    Damage(Damage),
}

impl<T> Outcome<T> {
    /// What was made of it.
    pub(super) fn made(&self) -> Option<&T> {
        match self {
            Self::Pages(made) | Self::Unchanged(made) => Some(made),
            Self::Failed { .. } | Self::Skipped(_) | Self::Damage(_) => None,
        }
    }

    /// The URL of a record that gave no page, where it is known.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Pages(_) | Self::Unchanged(_) => None,
            Self::Failed { url, .. } => Some(url),
            Self::Skipped(skipped) => skipped.url(),
            Self::Damage(damage) => damage.url(),
        }
    }
}

impl Outcome {
    /// What is answered: a URL, which damage may have lost, and its pages, one for each bot, or why there are none. None for what
    /// is passed over without a word.
    pub fn answer(self) -> Option<(String, Result<Vec<Page>>)> {
        match self {
            Self::Pages(filtered) => {
                let url = filtered.pages.first().map(|page| page.url().to_owned());
                Some((url.unwrap_or_default(), Ok(filtered.pages)))
            }
            Self::Failed { url, error, .. } => Some((url, Err(error))),
            Self::Damage(damage) => Some((damage.url().unwrap_or_default().to_owned(), Err(damage.into_error()))),
            Self::Skipped(_) | Self::Unchanged(_) => None,
        }
    }
}

/// A page that was filtered.
#[derive(Debug)]
#[non_exhaustive]
pub struct Filtered {
    /// One for each bot.
    pub pages: Vec<Page>,
    /// Bytes of HTML.
    pub bytes: usize,
    /// The site, if no robots.txt was at hand for it.
    pub without_robots: Option<String>,
    /// What the response's `Date` says.
    pub date: Option<String>,
    /// When it was fetched, where that is known.
    pub captured: Option<SystemTime>,
    /// The identifier of its record in an archive.
    pub record: Option<String>,
    /// Whether it is known that its end is missing.
    pub is_cut: bool,
}

impl Filtered {
    /// Bytes that it holds, about: bots share nearly all of it.
    pub(super) fn weight(&self) -> u64 {
        let Some(page) = self.pages.first() else { return 0 };
        let texts = page.phrases().len() + page.headings().len() + page.alternative().len();
        (self.bytes * 4 + texts * OF_TEXT + page.links().len() * OF_LINK) as u64
    }
}
