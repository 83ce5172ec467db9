//! A table of the uses that each reader may make of a page. The readers are our own bots, and bots
//! of other vendors. The terminal and the HTML show the same table.

use heedful::{Directive, Explanation, Page, Use};
use heedful_lint::vendor::{Vendor, VendorReading};

use super::wording;

/// A table with a row per use and a column per reader of the page. The columns of our own bots come
/// first, followed by those of other vendors.
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
/// assert_eq!(matrix.columns()[0].answer(Use::Index), Permission::No(Some(0)));
/// assert_eq!(matrix.columns()[1].vendor().map(|vendor| vendor.name()), Some("yandex"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Matrix<'a> {
    columns: Vec<MatrixColumn<'a>>,
    reasons: Vec<&'a Directive>,
}

/// Permissions of one reader of the page: one of our bots, or a vendor.
#[derive(Debug)]
pub struct MatrixColumn<'a> {
    name: &'a str,
    words: u64,
    vendor: Option<&'static Vendor>,
    answers: [Permission; Use::COUNT],
}

/// Permission of one reader for one use of the page.
///
/// ```
/// use heedful::{Bot, Filter, Use};
/// use heedful_report::{Matrix, Permission};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://site.example/")?;
/// pass.write(b"<meta name=robots content=nosnippet><p>Rye")?;
/// let explanation = pass.end()?;
/// let matrix = Matrix::new(&explanation, &[]);
/// let reason = match matrix.columns()[0].answer(Use::Snippet) {
///     Permission::No(Some(number)) => matrix.reasons()[number].text(),
///     _ => "",
/// };
/// assert!(reason.contains("nosnippet"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Permission {
    /// The reader may use the whole page.
    Yes,
    /// The reader may use only a part of the page.
    Part,
    /// The reader may not use the page. The value is an index into [`Matrix::reasons`], if a
    /// directive is the reason.
    No(Option<usize>),
    /// The vendor does not state that it obeys directives about this use.
    NotStated,
}

impl Permission {
    /// Returns the permission in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Part => "in part",
            Self::No(_) => "no",
            Self::NotStated => "not heeded",
        }
    }
}

impl MatrixColumn<'_> {
    /// Returns the name of the reader: `heedful` for our only bot, a bot's name if there are
    /// several, or the vendor's name.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Returns the number of words of the page that the reader may index.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Returns the vendor, or `None` if the column is for one of our bots.
    pub fn vendor(&self) -> Option<&'static Vendor> {
        self.vendor
    }

    /// Returns the reader's permission for a use.
    pub fn answer(&self, usage: Use) -> Permission {
        self.answers[usage as usize]
    }
}

impl<'a> Matrix<'a> {
    /// Creates the table of an explained page. It has a column for each of our bots, and one for
    /// each of the vendors' `readings`.
    pub fn new(explanation: &'a Explanation, readings: &'a [VendorReading]) -> Self {
        let mut matrix = Self {
            columns: Vec::new(),
            reasons: Vec::new(),
        };
        for page in explanation.pages() {
            let column = matrix.own(explanation, page);
            matrix.columns.push(column);
        }
        for reading in readings {
            let column = matrix.vendors(reading);
            matrix.columns.push(column);
        }
        matrix
    }

    /// Returns the columns, from left to right.
    pub fn columns(&self) -> &[MatrixColumn<'a>] {
        &self.columns
    }

    /// Returns the directives that deny a use. [`Permission::No`] has an index into this list.
    pub fn reasons(&self) -> &[&'a Directive] {
        &self.reasons
    }

    fn own(&mut self, explanation: &'a Explanation, page: &'a Page) -> MatrixColumn<'a> {
        let policy = page.policy();
        let answers = Use::ALL.map(|usage| {
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
            words: explanation.totals(page.bot_id()).kept(Use::Index),
            vendor: None,
            answers,
        }
    }

    fn vendors(&mut self, reading: &'a VendorReading) -> MatrixColumn<'a> {
        let vendor = reading.vendor();
        let answers = Use::ALL.map(|usage| match reading.why_not(usage) {
            Some(why) => Permission::No(Some(self.number(why))),
            None if reading.is_in_part(usage) => Permission::Part,
            None if vendor.uses().contains(&usage) => Permission::Yes,
            None => Permission::NotStated,
        });
        MatrixColumn {
            name: vendor.name(),
            words: reading.words(),
            vendor: Some(vendor),
            answers,
        }
    }

    /// Returns the index of a reason. Adds the reason if it is new. Directives with equal places
    /// and texts are the same reason.
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
