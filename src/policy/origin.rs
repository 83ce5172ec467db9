//! The source of a directive: a line of a file, a header, or a place in the page. Code compares
//! sources by this type, and never by a directive's text, which is only for people.

use crate::place::Place;

/// Source of a directive: the file, header or place in the page where the directive was found.
///
/// ```
/// use heedful::{Bot, Filter, Origin, RobotsTxt};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/rye")?;
/// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /"));
/// pass.header("X-Robots-Tag", "notranslate");
/// let page = pass.end()?;
/// let mut sources = Vec::new();
/// for directive in page.directives() {
///     sources.push(match directive.origin() {
///         Origin::Record { line } => format!("robots.txt, line {line}"),
///         other => other.to_string(),
///     });
/// }
/// assert_eq!(sources, ["robots.txt, line 2", "header"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A rule of the site's robots.txt that disallows the page for the bot.
    Rule {
        /// Line of the rule in the robots.txt, from 1. `None` if the page is disallowed without a
        /// rule, since the robots.txt could not be fetched (for example, HTTP status 503).
        line: Option<u32>,
    },
    /// A line (record) of the site's robots.txt that denies or allows uses of pages, such as
    /// `Content-Signal`.
    Record {
        /// Line of the record in the robots.txt, from 1.
        line: u32,
    },
    /// A rule of the site's tdmrep.json about the use of the page.
    Reservation {
        /// Position of the rule in the list of rules in the tdmrep.json, from 1.
        rule: u32,
    },
    /// A header of the response.
    Header,
    /// The page itself. The field is the place of the directive in the page.
    Page(Place),
    /// A setting of the operator, who runs the program.
    Operator,
    /// A fact that the input states about the page in addition to the page's bytes. For example,
    /// the last bytes of the page are missing, or another page of the site declares something about
    /// this page.
    Input,
}

heedful_base::display!(Origin);

impl Origin {
    /// Returns the name of this kind of source in lower case, such as `header`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule { .. } => "rule",
            Self::Record { .. } => "record",
            Self::Reservation { .. } => "tdmrep",
            Self::Header => "header",
            Self::Page(_) => "page",
            Self::Operator => "operator",
            Self::Input => "input",
        }
    }

    /// Returns the place of the directive in the page, or `None` if the directive is not in the
    /// page.
    pub fn place(self) -> Option<Place> {
        if let Self::Page(place) = self {
            Some(place)
        } else {
            None
        }
    }

    /// Returns the line of the directive in the robots.txt. Lines are counted from 1. Returns
    /// `None` if the directive is not a line of a robots.txt.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt, Use};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/drafts/rye")?;
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/"));
    /// let page = pass.end()?;
    /// let why = page.policy().why(Use::Index).expect("a denial");
    /// assert_eq!(why.origin().robots_line(), Some(2));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots_line(self) -> Option<u32> {
        match self {
            Self::Rule { line } => line,
            Self::Record { line } => Some(line),
            _ => None,
        }
    }
}
