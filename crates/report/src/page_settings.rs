//! Settings of the report on one page. The module `page` renders it.

use heedful::Explanation;
use heedful_lint::vendor::VendorReading;
use heedful_robots::RobotsTxt;

use super::page::page;

/// A report, as HTML, that explains one page. The HTML loads nothing and has no script.
///
/// ```
/// use heedful_report::Report;
/// use heedful::{Bot, Filter};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.write(b"<p>one <!--noindex-->two<!--/noindex-->")?;
/// let html = Report::new(&pass.end()?).html();
/// assert!(html.starts_with("<!DOCTYPE html>") && html.contains("noindex"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Report<'a> {
    explanation: &'a Explanation,
    robots: &'a [RobotsTxt],
    readings: &'a [VendorReading],
    back: Option<&'a str>,
}

impl<'a> Report<'a> {
    /// Creates a report on the page of `explanation`, with default settings.
    pub fn new(explanation: &'a Explanation) -> Self {
        Self {
            explanation,
            robots: &[],
            readings: &[],
            back: None,
        }
    }

    /// Adds the rulings of these robots.txt files on the page to the report.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt};
    /// use heedful_report::Report;
    ///
    /// let robots = [RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/")];
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let explanation = filter.explain("https://site.example/drafts/rye")?.end()?;
    /// assert!(Report::new(&explanation).robots(&robots).html().contains("/drafts/"));
    /// assert!(Report::new(&explanation).robots(&robots).html().contains("line 2"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots(mut self, robots: &'a [RobotsTxt]) -> Self {
        self.robots = robots;
        self
    }

    /// Adds a table of how the bots of other vendors would treat the page.
    pub fn readings(mut self, readings: &'a [VendorReading]) -> Self {
        self.readings = readings;
        self
    }

    /// Adds a link back to the [`Overview`](crate::Overview) that refers to this report. `link` is
    /// the address of the overview.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_report::Report;
    ///
    /// let explanation = Filter::new(Bot::new("FooBot")?).explain("https://site.example/")?.end()?;
    /// let html = Report::new(&explanation).back("overview.html").html();
    /// assert!(html.contains("overview.html"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn back(mut self, link: &'a str) -> Self {
        self.back = Some(link);
        self
    }

    /// Renders the report on the page as HTML.
    pub fn html(self) -> String {
        page(self.explanation, self.robots, self.readings, self.back)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::{Matrix, Wording};
    use heedful::Filter;
    use heedful::internals::ledger::looks;
    use heedful_base::bot::Bot;
    use heedful_json as json;
    use heedful_json::ExplanationJson;
    use heedful_lint::vendor::{VENDORS, Vendor};

    /// Renders an explanation of the page `html` in four forms: JSON, words, table and report.
    /// Returns how often these renderings read a directive from a list, as a measure of their work.
    fn looked(html: &str) -> u64 {
        let bots = ["FooBot", "BarBot"].map(|name| Bot::new(name).unwrap());
        let explain = |filter: Filter| {
            let mut pass = filter.explain("https://site.example/").unwrap();
            pass.write(html.as_bytes()).unwrap();
            pass.end().unwrap()
        };
        let explanation = explain(Filter::for_bots(bots.to_vec()).unwrap());
        let reading = |vendor: &'static Vendor| {
            vendor.reading(explain(vendor.filter(SystemTime::UNIX_EPOCH).unwrap()))
        };
        let readings: Vec<_> = VENDORS.iter().map(reading).collect();
        looks::take_count();
        let json = json::line(&ExplanationJson::new(&explanation, &[]).with_readings(&readings));
        let (words, matrix) = (
            Wording::new(&explanation, &[]),
            Matrix::new(&explanation, &readings),
        );
        let html = Report::new(&explanation).readings(&readings).html();
        assert!(json.contains("outcome"));
        assert!(
            !words.directives.is_empty() && !matrix.columns().is_empty() && html.contains("robots")
        );
        looks::take_count()
    }

    #[test]
    fn no_form_goes_through_all_directives_for_each_of_them() {
        for page in [
            "w<b class=robots-noindex>x</b>",
            "w<b class=robots-noindex><i class=robots-index>x</i></b>",
            "<meta name=robots content=index>",
            "<meta name=robots content=\"max-snippet:50\">",
            "a<!--noindex-->b<!--/noindex-->",
        ] {
            let [once, twice] = [100, 200].map(|times| looked(&page.repeat(times)));
            assert!(
                once > 0 && twice <= 2 * once,
                "{page}: {once}, then {twice}"
            );
        }
    }
}
