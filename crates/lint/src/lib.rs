//! Reports mistakes in a publisher's robots markup: statements that robots do not read, or read
//! differently than the publisher meant.
//!
//! A page is read in one pass, by the filter's own rules. Each mistake is a [`Finding`] with one of
//! the [`RULES`], whose names are stable. A page that robots.txt disallows is read too, because a
//! statement without effect is a mistake. [`SitePages`] reports mistakes between pages, and
//! [`robots_txt()`] those in a site's robots.txt. This crate never decides about a use, and fetches
//! nothing.

mod finding;
mod gate;
mod page;
mod robots;
mod rules;
mod site;
mod technique;
mod unread;
mod uses;
pub mod vendor;
mod watch;

use heedful::{Filter, Pass};
use heedful_base::error::Result;
use heedful_robots::RobotsTxt;

pub use finding::{Finding, Linted};
pub use robots::robots_txt;
pub use rules::{Level, LintRule, RULES, RuleSelection};
pub use site::SitePages;
pub use technique::{TECHNIQUES, Technique, TechniqueSupport};
pub use watch::LintSink;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Opens the page at `url` for checking, and returns its pass. The caller gives the page's headers
/// and bytes to the pass as usual. The robots.txt files are given to [`end`]. They must not be
/// given to the pass, because the pass would not read a disallowed page.
///
/// For an example see [`end`].
///
/// # Errors
/// [`ErrorKind::Url`](heedful_base::error::ErrorKind::Url) if `url` does not parse. Other errors
/// are those of [`Filter::open`].
pub fn open(filter: &Filter, url: &str) -> Result<Pass<LintSink>> {
    filter.open_with(url, LintSink::new())
}

/// Ends the pass of a page and returns the findings on the page. `robots` are the robots.txt files
/// that apply to the page.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
///
/// let mut pass = heedful_lint::open(&Filter::new(Bot::new("FooBot")?), "https://example.com/")?;
/// pass.write(b"<p>one <!--noindex--> two")?;
/// let linted = heedful_lint::end(pass, "https://example.com/", [])?;
/// assert_eq!(linted.findings()[0].rule().id(), "unclosed-region");
/// # Ok::<(), heedful::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Limit`](heedful_base::error::ErrorKind::Limit) if the page exceeds a limit.
/// [`ErrorKind::Ambiguous`](heedful_base::error::ErrorKind::Ambiguous) if the page's markup can be
/// parsed in two ways. The cases are those of [`Pass::write`].
pub fn end<'a>(
    pass: Pass<LintSink>,
    url: &str,
    robots: impl IntoIterator<Item = &'a RobotsTxt>,
) -> Result<Linted> {
    let terms = pass.terms();
    let bots = pass.bots();
    let robots: Vec<_> = robots
        .into_iter()
        .map(|robots| terms.apply_mode(robots))
        .collect();
    let also = pass.second_url().cloned();
    let (watch, outcome) = pass.into_parts()?;
    let gate = gate::RobotsLint {
        bots: &bots,
        robots: &robots,
        url,
        also: also.as_ref().map(url::Url::as_str),
    };
    Ok(page::findings(watch, &outcome, &gate, &terms))
}
