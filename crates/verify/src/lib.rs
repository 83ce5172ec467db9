//! Compares the verdicts of the streaming filter ("the stream") on a page with those of a finished
//! HTML tree, character by character.
//!
//! A *leak* is a text or a link that the stream emits and the tree denies. An *over-exclusion* is a
//! text or a link that the stream withholds and the tree allows. Both readings have the page's
//! characters and links in source order, including invisible ones, so that each character is
//! compared with itself. White space is ignored, and so is U+FFFD, which HTML parsers insert and
//! drop. If the readings have different characters, that is a leak. If the stream reads a page
//! differently when it skips no token (`gate`), that is a leak too. The lines of a page's text and
//! its landmarks are compared with those that a browser shows (`shown_text`). This crate decides
//! nothing. It is for heedful's own tests and for `heedful verify`, and promises no stable API.

mod beside;
mod blocks;
mod browser;
mod check;
mod compare;
mod difference;
mod gate;
mod inject;
mod oracle;
mod reader;
mod reading;
mod recording;
mod shown_places;
mod shown_text;
mod stream;

pub use crate::oracle::Surroundings;

pub use beside::compare;
pub use blocks::{BlockComparison, BlockDifference, compare_blocks};
pub use browser::{Browser, Engine, Window};
pub use check::{Check, Failure, Injections};
pub use difference::{Comparison, Mismatch};
pub use inject::{Experiment, Injector};
pub use reader::Reader;
pub use shown_text::{Agreement, KindCount, Subject, TextCheck, TextDifference, TextTotals};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use url::Url;

    use super::compare::compare;
    use super::recording::VerdictRecording;
    use super::{Comparison, Mismatch, Surroundings};
    use crate::oracle;
    use heedful::Conventions;
    use heedful::Filter;
    use heedful::Use;
    use heedful_base::bot::Bot;
    use heedful_base::error::{Error, Result};

    /// Compares the stream's reading of a page under the conventions `stream` with the tree's
    /// reading under the conventions `tree`.
    fn between(stream: &str, tree: &str, page: &str) -> Comparison {
        let filter = |conventions| {
            let conventions = Conventions::parse(conventions).unwrap_or_default();
            Bot::new("FooBot").map(|bot| Filter::new(bot).conventions(conventions))
        };
        let read = || -> Result<Comparison> {
            let url = Url::parse("https://site.example/").map_err(|_| Error::url(""))?;
            let mut pass = filter(stream)?.open_with(url.as_str(), VerdictRecording::default())?;
            pass.write(page.as_bytes())?;
            let around = Surroundings::default();
            Ok(compare(
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
        let texts = |list: &[Mismatch]| {
            list.iter()
                .map(|found| found.text.clone())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let leaks = between("none", "web", page);
        assert_eq!(texts(&leaks.leaks), "two three /x");
        assert_eq!((leaks.leaks[1].line, leaks.leaks[1].column), (1, 39));
        assert_eq!(leaks.leaks[2].usage, Use::Follow);
        let over = between("web", "none", page);
        assert!(over.leaks.is_empty());
        assert_eq!(texts(&over.over), "two three /x");
    }

    #[test]
    fn another_text_is_a_leak() {
        let url = Url::parse("https://site.example/").unwrap_or_else(|_| unreachable!());
        let filter = Bot::new("FooBot")
            .map(Filter::new)
            .unwrap_or_else(|_| unreachable!());
        let mut pass = filter
            .open_with(url.as_str(), VerdictRecording::default())
            .unwrap_or_else(|_| unreachable!());
        assert!(pass.write(b"<p>one").is_ok());
        let tree = oracle::read(&filter.terms, &url, b"<p>two", &Surroundings::default());
        let compared = pass
            .into_sink()
            .and_then(|stream| Ok(compare(&stream, &tree?)));
        assert_eq!(
            compared.map(|comparison| comparison.leaks.len()).ok(),
            Some(1)
        );
    }
}
