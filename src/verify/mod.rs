//! The stream's answer beside the finished tree's, character by character.
//!
//! A *leak* is a text that the stream lets through and the tree denies, or a link likewise; an *over-exclusion* is the
//! reverse. Both read the page's characters and links in source order, those that no reader sees included, so that each
//! is compared with itself. Blanks do not count, nor U+FFFD, which HTML puts and drops on its own account. Where the two
//! do not even read the same characters, that is a leak.

mod check;
mod compare;
mod inject;
mod reading;
mod recording;

use url::Url;

use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::oracle::{self, Surroundings};
use crate::page::Recorder;
use crate::policy::Facet;
use crate::robots_txt::RobotsTxt;

pub use check::{Check, Find, Injections};
pub use inject::{Experiment, Injector};

use reading::Reading;
use recording::Recording;

/// What a page is to be checked with, besides its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'a> {
    /// The robots.txt files that must all let it in.
    pub robots: &'a [&'a RobotsTxt],
    /// The headers of the response.
    pub headers: &'a [(String, String)],
    /// The bytes are UTF-8, whatever anybody says.
    pub is_utf8: bool,
}

/// A part of a page on which stream and tree do not agree.
#[derive(Clone, Debug)]
pub struct Difference {
    pub(crate) facet: Facet,
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) source: String,
}

impl Difference {
    /// In which way.
    pub fn facet(&self) -> Facet {
        self.facet
    }

    /// The text, or the link's target.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line where it stands.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The column where it stands.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// The page's source before it.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// How stream and tree agree on a page.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub(crate) leaks: Vec<Difference>,
    pub(crate) over: Vec<Difference>,
    pub(crate) explained: bool,
    pub(crate) same_characters: bool,
    pub(crate) characters: usize,
    pub(crate) withheld: usize,
}

impl Comparison {
    /// What the stream lets through and the tree denies.
    pub fn leaks(&self) -> &[Difference] {
        &self.leaks
    }

    /// What the stream withholds and the tree allows.
    pub fn over_exclusions(&self) -> &[Difference] {
        &self.over
    }

    /// Whether the stream says in a note that it withholds more, and why.
    pub fn is_explained(&self) -> bool {
        self.explained
    }

    /// Whether both take the same characters and links for what a reader sees.
    pub fn same_characters(&self) -> bool {
        self.same_characters
    }

    /// Characters of text, blanks apart.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// Those of them that the tree denies for indexing.
    pub fn withheld(&self) -> usize {
        self.withheld
    }
}

/// Reads a page both ways, for all bots of the filter.
///
/// # Errors
/// When the stream refuses the page: as for [`Filter::page`].
pub fn compare(filter: &Filter, url: &str, page: &[u8], around: &Around<'_>) -> Result<Comparison> {
    let terms = filter.terms();
    let recorder = Recorder::new(&terms.bots, &terms.limits);
    let mut pass = filter.open_with(url, (recorder, Recording::default()))?;
    for robots in around.robots {
        pass.robots_txt(robots);
    }
    for (name, value) in around.headers {
        pass.header(name, value);
    }
    if around.is_utf8 {
        pass.is_utf8();
    }
    pass.write(page)?;
    let ((recorder, stream), outcome) = pass.into_parts()?;
    let url = Url::parse(url).map_err(|_| Error::url(url))?;
    let surroundings = Surroundings { robots: around.robots, headers: around.headers, is_utf8: around.is_utf8 };
    let tree = oracle::read(terms, &url, page, &surroundings)?;
    // Who may not enter has read nothing.
    let is_shut = (0..terms.bots.list().len()).all(|bot| !tree.policy(bot).entered());
    let mut comparison = if is_shut {
        Comparison { same_characters: true, ..Comparison::default() }
    } else {
        compare::compare(&stream, &tree)
    };
    if comparison.is_whole(&tree) {
        // Without a clock: the finished tree has none.
        for (bot, page) in recorder.pages(url.clone(), &terms.bots, outcome, None).iter().enumerate() {
            let (page, tree) = (Reading::of_page(page), Reading::of_tree(&tree, &url, bot));
            comparison.leaks.extend(page.difference(&tree));
        }
    }
    comparison.explained = stream.is_explained();
    Ok(comparison)
}

impl Comparison {
    /// Whether all was compared, and nothing found: then the page made of it must be the same as well.
    fn is_whole(&self, tree: &oracle::Tree) -> bool {
        let none = self.leaks.is_empty() && self.over.is_empty();
        none && self.same_characters && tree.items.iter().all(|item| item.is_placed)
    }
}
