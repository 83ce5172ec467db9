//! Finds what a publisher would want to know: statements that robots do not hear, or read
//! differently than they were meant.
//!
//! A page is read in one pass, like every page. Anything that looks wrong in it is a [`Finding`] of
//! one of the [`RULES`], whose names are stable. A page that robots.txt keeps out is read too,
//! because a statement without effect is a finding. Problems between pages are found by
//! [`SitePages`], those of the site's robots.txt by [`robots_txt()`]. Nothing here decides what a
//! bot may have.

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

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Opens a page. The pass takes headers and bytes as always, but no robots.txt.
///
/// # Errors
/// As for [`Filter::open`].
pub fn open(filter: &Filter, url: &str) -> Result<Pass<LintSink>> {
    filter.open_with(url, LintSink::new())
}

/// Ends a page. `robots` are the robots.txt files that apply to it.
///
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
/// As for [`Pass::write`].
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
