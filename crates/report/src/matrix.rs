//! A table of the uses that each crawler may make of a page. The crawlers, called readers in the
//! code, are our own bots and the bots of other vendors. The terminal and the HTML show the same
//! table.

use heedful::{Directive, Explanation, Page, Use};
use heedful_lint::vendor::{Vendor, VendorReading};

use super::wording;

/// A table with a row per use and a column per reader of the page. A reader is one of our own bots,
/// or a vendor with its bots. The columns of our own bots come first.
///
/// ```
/// use std::time::SystemTime;
/// use heedful::{Bot, Filter, Use};
/// use heedful_lint::vendor::Vendor;
/// use heedful_report::{Matrix, Permission};
///
/// let html = b"<meta name=robots content=noindex><p>Rye";
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://site.example/")?;
/// pass.write(html)?;
/// let ours = pass.end()?;
/// let vendor = Vendor::parse("yandex")?;
/// let mut pass = vendor.filter(SystemTime::now())?.explain("https://site.example/")?;
/// pass.write(html)?;
/// let readings = [vendor.reading(pass.end()?)];
///
/// let matrix = Matrix::new(&ours, &readings);
/// assert_eq!(matrix.columns().len(), 2);
/// assert_eq!(matrix.columns()[0].permission(Use::Index), Permission::No(Some(0)));
/// assert_eq!(matrix.columns()[1].vendor().map(|vendor| vendor.name()), Some("yandex"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Matrix<'a> {
    columns: Vec<MatrixColumn<'a>>,
    reasons: Vec<&'a Directive>,
}

/// Column of the table with the permissions of one reader of the page: one of our bots, or a
/// vendor.
#[derive(Debug)]
pub struct MatrixColumn<'a> {
    name: &'a str,
    words: u64,
    vendor: Option<&'static Vendor>,
    permissions: [Permission; Use::COUNT],
}

/// Permission of one reader of the page for one use. The reader is one of our bots, or a vendor.
///
/// ```
/// use heedful::{Bot, Filter, Use};
/// use heedful_report::{Matrix, Permission};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://site.example/")?;
/// pass.write(b"<meta name=robots content=nosnippet><p>Rye")?;
/// let explanation = pass.end()?;
/// let matrix = Matrix::new(&explanation, &[]);
/// let reason = match matrix.columns()[0].permission(Use::Snippet) {
///     Permission::No(Some(number)) => matrix.reasons()[number].text(),
///     _ => "",
/// };
/// assert!(reason.contains("nosnippet"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Permission {
    /// The reader may make this use of the whole page.
    Yes,
    /// The reader may make this use of only a part of the page.
    Part,
    /// The reader may not make this use of the page. If a directive is the reason, the value is its
    /// index in [`Matrix::reasons`].
    No(Option<usize>),
    /// The vendor does not state that it obeys directives about this use, and no directive denies
    /// the use.
    NotStated,
}

impl Permission {
    /// Returns the permission in words, for a cell of the table.
    pub fn words(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Part => "in part",
            Self::No(_) => "no",
            Self::NotStated => "not read",
        }
    }
}

impl MatrixColumn<'_> {
    /// Returns the name in the head of the column. It is `heedful` for our only bot, the bot's name
    /// if we have several, or the vendor's name.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Returns the number of words of the page that the column's reader (one of our bots, or a
    /// vendor) may index.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Returns the vendor of the column, or `None` if the column is for one of our bots.
    pub fn vendor(&self) -> Option<&'static Vendor> {
        self.vendor
    }

    /// Returns the permission of the column's reader (a bot or vendor) for a use.
    pub fn permission(&self, usage: Use) -> Permission {
        self.permissions[usage as usize]
    }
}

impl<'a> Matrix<'a> {
    /// Creates the table of the page that `explanation` explains. The table has a column for each
    /// of our bots, and a column for each vendor in `readings`.
    pub fn new(explanation: &'a Explanation, readings: &'a [VendorReading]) -> Self {
        let mut matrix = Self {
            columns: Vec::new(),
            reasons: Vec::new(),
        };
        for page in explanation.pages() {
            let column = matrix.bot_column(explanation, page);
            matrix.columns.push(column);
        }
        for reading in readings {
            let column = matrix.vendors(reading);
            matrix.columns.push(column);
        }
        matrix
    }

    /// Returns the columns of the table, from left to right.
    pub fn columns(&self) -> &[MatrixColumn<'a>] {
        &self.columns
    }

    /// Returns the directives that deny a use to a bot or vendor. [`Permission::No`] has an index
    /// into this list.
    pub fn reasons(&self) -> &[&'a Directive] {
        &self.reasons
    }

    fn bot_column(&mut self, explanation: &'a Explanation, page: &'a Page) -> MatrixColumn<'a> {
        let policy = page.policy();
        let permissions = Use::ALL.map(|usage| {
            if !policy.allows(usage) {
                Permission::No(policy.why(usage).map(|why| self.number(why)))
            } else if wording::withheld_part(explanation, page, usage).is_empty() {
                Permission::Yes
            } else {
                Permission::Part
            }
        });
        let is_only = explanation.pages().len() == 1;
        MatrixColumn {
            name: if is_only {
                "heedful"
            } else {
                page.bot().name()
            },
            words: explanation.totals(page.bot_id()).allowed_words(Use::Index),
            vendor: None,
            permissions,
        }
    }

    fn vendors(&mut self, reading: &'a VendorReading) -> MatrixColumn<'a> {
        let vendor = reading.vendor();
        let permissions = Use::ALL.map(|usage| match reading.why_not(usage) {
            Some(why) => Permission::No(Some(self.number(why))),
            None if reading.is_in_part(usage) => Permission::Part,
            None if vendor.uses().contains(&usage) => Permission::Yes,
            None => Permission::NotStated,
        });
        MatrixColumn {
            name: vendor.name(),
            words: reading.words(),
            vendor: Some(vendor),
            permissions,
        }
    }

    /// Returns the index of a directive in the list of reasons. Adds the directive to the list if
    /// it is new. Directives with equal positions in the page and equal texts are the same reason.
    fn number(&mut self, why: &'a Directive) -> usize {
        for (number, known) in self.reasons.iter().enumerate() {
            if known.place() == why.place() && known.text() == why.text() {
                return number;
            }
        }
        self.reasons.push(why);
        self.reasons.len() - 1
    }
}
