//! A table of the uses that each reader may make of a page: our bots, and other vendors. The
//! terminal and the HTML show the same table.

use heedful::{Directive, Explanation, Page, Use};
use heedful_lint::vendor::{Vendor, VendorReading};

use super::wording;

/// A table with a row for each use and a column for each reader. Our own columns, one per bot,
/// come first.
#[derive(Debug)]
pub struct Matrix<'a> {
    columns: Vec<MatrixColumn<'a>>,
    reasons: Vec<&'a Directive>,
}

/// A reader of the page.
#[derive(Debug)]
pub struct MatrixColumn<'a> {
    name: &'a str,
    words: u64,
    vendor: Option<&'static Vendor>,
    answers: [Permission; Use::COUNT],
}

/// A reader's answer whether it would use the page as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Permission {
    /// It may use the page.
    Yes,
    /// It may use a part of the page.
    Part,
    /// It may not use the page; the number is that of the reason.
    No(Option<usize>),
    /// Its vendor does not say that it obeys pages about this use.
    NotHeeded,
}

impl Permission {
    /// The answer in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Part => "in part",
            Self::No(_) => "no",
            Self::NotHeeded => "not heeded",
        }
    }
}

impl MatrixColumn<'_> {
    /// The name of the reader: `heedful` if there is one bot, otherwise the bot's name; or the
    /// vendor's.
    pub fn name(&self) -> &str {
        self.name
    }

    /// The number of words that would be indexed.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// The vendor, if the column is not ours.
    pub fn vendor(&self) -> Option<&'static Vendor> {
        self.vendor
    }

    /// The reader's answer for a use.
    pub fn answer(&self, usage: Use) -> Permission {
        self.answers[usage as usize]
    }
}

impl<'a> Matrix<'a> {
    /// Creates the table of an explained page and of other readings of that page.
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

    /// The columns, from left to right.
    pub fn columns(&self) -> &[MatrixColumn<'a>] {
        &self.columns
    }

    /// The directives that forbid something, in the order of their numbers.
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
            None if vendor.heeds().contains(&usage) => Permission::Yes,
            None => Permission::NotHeeded,
        });
        MatrixColumn {
            name: vendor.name(),
            words: reading.words(),
            vendor: Some(vendor),
            answers,
        }
    }

    /// The number of a reason. Directives with the same place and text are one reason.
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
