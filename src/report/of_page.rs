//! The report on one page: what it is made of.

use crate::explain::Explanation;
use crate::robots_txt::RobotsTxt;
use crate::vendor::Reading;

use super::page::page;

/// A page of HTML that explains another page. It loads nothing and has no script.
///
/// ```
/// use heedful::report::Report;
/// use heedful::{Bot, Filter};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.write(b"<p>one <!--noindex-->two<!--/noindex-->")?;
/// let html = Report::of(&pass.end()?).html();
/// assert!(html.starts_with("<!DOCTYPE html>") && html.contains("noindex"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Report<'a> {
    explanation: &'a Explanation,
    robots: &'a [RobotsTxt],
    readings: &'a [Reading],
    back: Option<&'a str>,
}

impl<'a> Report<'a> {
    /// The report on one page.
    pub fn of(explanation: &'a Explanation) -> Self {
        Self { explanation, robots: &[], readings: &[], back: None }
    }

    /// Shows also what each of these robots.txt files rules.
    pub fn robots(mut self, robots: &'a [RobotsTxt]) -> Self {
        self.robots = robots;
        self
    }

    /// Shows also how others would read the page.
    pub fn readings(mut self, readings: &'a [Reading]) -> Self {
        self.readings = readings;
        self
    }

    /// Links to the report on many pages that it belongs to.
    pub fn back(mut self, link: &'a str) -> Self {
        self.back = Some(link);
        self
    }

    /// The HTML.
    pub fn html(self) -> String {
        page(self.explanation, self.robots, self.readings, self.back)
    }
}
