//! The outcome of reading one record of an input.

use std::time::SystemTime;

use heedful::Page;
use heedful_base::error::{Error, Result};
use heedful_index::decision::Basis;
use heedful_input::{Damage, InputPlace, Skipped};

/// The bytes that a phrase and a link take, besides their text in the page.
const OF_TEXT: usize = 96;
const OF_LINK: usize = 512;

/// The outcome of one record of an input.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome<T = Filtered> {
    /// A page that was read, with the result.
    Pages(T),
    /// A page that is unchanged, with the result of its headers alone.
    Unchanged(T),
    /// A page of which nothing is used, because of an error.
    Failed {
        /// The URL of the page.
        url: String,
        /// The place of the page in the input.
        origin: InputPlace,
        /// When it was fetched, if that is known.
        captured: Option<SystemTime>,
        /// The reason.
        error: Error,
    },
    /// A record that is no page.
    Skipped(Skipped),
    /// A record that could not be read.
    Damage(Damage),
}

impl<T> Outcome<T> {
    /// The result of the page, if there is one.
    pub(super) fn result(&self) -> Option<&T> {
        match self {
            Self::Pages(result) | Self::Unchanged(result) => Some(result),
            Self::Failed { .. } | Self::Skipped(_) | Self::Damage(_) => None,
        }
    }

    /// The same outcome with another result, which is made of the one that is there.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Pages(result) => Outcome::Pages(change(result)),
            Self::Unchanged(result) => Outcome::Unchanged(change(result)),
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

    /// The URL of a record that gave no page, if it is known.
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
    /// The answer for this record: a URL, which damage may have lost, and its pages, one for each
    /// bot, or an error. A record that is passed over silently has none.
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
            Self::Skipped(_) | Self::Unchanged(_) => None,
        }
    }
}

/// A page that was filtered.
#[derive(Debug)]
#[non_exhaustive]
pub struct Filtered {
    /// The pages, one for each bot.
    pub pages: Vec<Page>,
    /// The bytes of HTML.
    pub bytes: usize,
    /// The site, if no robots.txt of it is known.
    pub without_robots: Option<String>,
    /// True if it was judged by a robots.txt that was read by earlier runs alone.
    pub is_by_earlier: bool,
    /// The value of the response's `Date`.
    pub date: Option<String>,
    /// When it was fetched, if that is known.
    pub captured: Option<SystemTime>,
    /// When its site's files were fetched last, if that is known.
    pub(super) ruled: Option<SystemTime>,
    /// The identifier of its record in an archive.
    pub record: Option<String>,
    /// True if its end is known to be missing.
    pub is_cut: bool,
    /// What the decision rests on, if evidence is kept.
    pub basis: Option<Basis>,
}

impl Filtered {
    /// The bytes that it holds, roughly: bots share nearly all of it.
    pub(super) fn weight(&self) -> u64 {
        let Some(page) = self.pages.first() else {
            return 0;
        };
        let texts = page.phrases().len() + page.headings().len() + page.alternative().len();
        (self.bytes * 4 + texts * OF_TEXT + page.links().len() * OF_LINK) as u64
    }
}
