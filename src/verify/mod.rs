//! The stream's answer beside the finished tree's, character by character.
//!
//! A *leak* is a text that the stream lets through and the tree denies, or a link likewise; an *over-exclusion* is the
//! reverse. Both read the page's characters and links in source order, those that no reader sees included, so that each
//! is compared with itself. Blanks do not count, nor U+FFFD, which HTML puts and drops on its own account. Where the two
//! do not even read the same characters, that is a leak; so it is where the stream reads otherwise when it hears every tile
//! (`gate`).

#[cfg(feature = "browser")]
mod browser;
mod check;
mod compare;
mod gate;
mod inject;
mod reading;
mod recording;

use url::Url;

use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::ledger::Outcome;
use crate::oracle;
pub use crate::oracle::Around;
use crate::page::{At, Recorder};
use crate::policy::Facet;
use crate::sink::Sink;

#[cfg(feature = "browser")]
pub use browser::Browser;
pub use check::{Check, Find, Injections};
pub use inject::{Experiment, Injector};

use reading::Reading;
use recording::Recording;

/// The characters that count: not blanks, nor what HTML puts and drops on its own account.
fn counted(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace() && *c != '\u{FFFD}')
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
    /// The two do not even read the same.
    pub(crate) fn of_reading(text: String) -> Self {
        Self { facet: Facet::Index, text, line: 0, column: 0, source: String::new() }
    }

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
    let terms = &filter.terms;
    let recorder = Recorder::new(&terms.bots, &terms.limits, false);
    let ((recorder, stream), outcome) = streamed(filter, (recorder, Recording::default()), url, page, around)?;
    let url = Url::parse(url).map_err(|_| Error::url(url))?;
    let tree = oracle::read(terms, &url, page, around)?;
    let mut comparison = beside(filter, &url, &stream, &tree, (recorder, outcome));
    comparison.leaks.extend(gate::difference(filter, url.as_str(), page, around)?);
    Ok(comparison)
}

/// Who reads a page besides the stream.
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Reader {
    /// html5ever's own tokenizer and a finished tree.
    #[default]
    Tree,
    /// That, and a browser too: what one of them denies is a leak.
    #[cfg(feature = "browser")]
    Both(Box<std::sync::Mutex<Browser>>),
}

impl Reader {
    /// Compares a page, for all bots of the filter.
    ///
    /// # Errors
    /// When the stream refuses the page, as for [`Filter::page`], or the browser does not answer.
    pub fn compare(&self, filter: &Filter, url: &str, page: &[u8], around: &Around<'_>) -> Result<Comparison> {
        let comparison = compare(filter, url, page, around)?;
        match self {
            Self::Tree => Ok(comparison),
            #[cfg(feature = "browser")]
            Self::Both(browser) => {
                let mut browser = browser.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                Ok(comparison.joined(browser.compare(filter, url, page, around)?))
            }
        }
    }
}

/// Reads a page by the stream.
fn streamed<S: Sink>(filter: &Filter, sink: S, url: &str, page: &[u8], around: &Around<'_>) -> Result<(S, Outcome)> {
    let mut pass = filter.open_with(url, sink)?;
    if let Some(url) = around.also_at {
        pass.also_at(url);
    }
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
    pass.into_parts()
}

/// The stream's reading beside a finished tree's.
fn beside(
    filter: &Filter,
    url: &Url,
    stream: &Recording,
    tree: &oracle::Tree,
    (recorder, outcome): (Recorder, Outcome),
) -> Comparison {
    let terms = &filter.terms;
    // Who may not enter has read nothing.
    let is_shut = terms.bots.each().all(|(bot, _)| !tree.policy(bot).entered());
    let mut comparison = if is_shut {
        Comparison { same_characters: true, ..Comparison::default() }
    } else {
        compare::compare(stream, tree)
    };
    if comparison.is_whole(tree) && stream.base == tree.base {
        // Without a clock: the finished tree has none.
        for page in &recorder.pages(At { url: url.clone(), also: None, site: None }, &terms.bots, outcome, None) {
            let (page, tree) = (Reading::of_page(page), Reading::of_tree(tree, url, page.bot_id()));
            comparison.leaks.extend(page.difference(&tree));
        }
    }
    comparison.explained = stream.is_explained();
    comparison
}

impl Comparison {
    /// The leaks of both, and what both withhold too much.
    #[cfg(feature = "browser")]
    fn joined(mut self, other: Self) -> Self {
        self.leaks.extend(other.leaks);
        if other.over.is_empty() {
            self.over.clear();
        }
        self
    }

    /// Whether all was compared, and nothing found: then the page made of it must be the same as well.
    fn is_whole(&self, tree: &oracle::Tree) -> bool {
        let none = self.leaks.is_empty() && self.over.is_empty();
        none && self.same_characters && tree.items.iter().all(|item| item.is_placed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::Bot;
    use crate::dialect::Dialects;

    /// What one set of dialects lets through beside what another denies.
    fn between(stream: &str, tree: &str, page: &str) -> Comparison {
        let filter = |dialects| {
            let dialects = Dialects::parse(dialects).unwrap_or_default();
            Bot::new("FooBot").map(|bot| Filter::new(bot).dialects(dialects))
        };
        let read = || -> Result<Comparison> {
            let url = Url::parse("https://site.example/").map_err(|_| Error::url(""))?;
            let mut pass = filter(stream)?.open_with(url.as_str(), Recording::default())?;
            pass.write(page.as_bytes())?;
            let around = Around::default();
            Ok(compare::compare(
                &pass.into_sink()?,
                &oracle::read(&filter(tree)?.terms, &url, page.as_bytes(), &around)?,
            ))
        };
        read().unwrap_or_default()
    }

    #[test]
    fn differences_are_found_where_they_are() {
        let page = "<p>one <b class=robots-noindex>two <i>three</i></b> four\n<a href=/x rel=nofollow>five</a>";
        let same = between("web", "web", page);
        assert!(same.leaks.is_empty() && same.over.is_empty() && same.same_characters);
        assert_eq!((same.characters, same.withheld), (19, 8));
        let texts = |list: &[Difference]| list.iter().map(|found| found.text.clone()).collect::<Vec<_>>().join(" ");
        let leaks = between("none", "web", page);
        assert_eq!(texts(&leaks.leaks), "two three /x");
        assert_eq!((leaks.leaks[1].line, leaks.leaks[1].column), (1, 39));
        assert_eq!(leaks.leaks[2].facet, Facet::Follow);
        let over = between("web", "none", page);
        assert!(over.leaks.is_empty());
        assert_eq!(texts(&over.over), "two three /x");
    }

    #[test]
    fn another_text_is_a_leak() {
        let url = Url::parse("https://site.example/").unwrap_or_else(|_| unreachable!());
        let filter = Bot::new("FooBot").map(Filter::new).unwrap_or_else(|_| unreachable!());
        let mut pass = filter.open_with(url.as_str(), Recording::default()).unwrap_or_else(|_| unreachable!());
        assert!(pass.write(b"<p>one").is_ok());
        let tree = oracle::read(&filter.terms, &url, b"<p>two", &Around::default());
        let compared = pass.into_sink().and_then(|stream| Ok(compare::compare(&stream, &tree?)));
        assert_eq!(compared.map(|comparison| comparison.leaks.len()).ok(), Some(1));
    }
}
