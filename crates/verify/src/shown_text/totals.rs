//! Sums up the comparisons of many pages' texts with the texts that a browser shows.

use std::collections::BTreeMap;

use super::agreement::{Agreement, Subject};
use super::check::TextCheck;

/// Maximum number of pages in the list of the pages that agree least.
const WORST: usize = 10;

/// Totals of the [`TextCheck`]s of many pages.
#[derive(Debug, Default)]
pub struct TextTotals {
    pages: usize,
    lines: Agreement,
    lines_by_law: Agreement,
    landmarks: Agreement,
    with_landmarks: usize,
    kinds: BTreeMap<(Subject, String), KindCount>,
    worst: Vec<(f64, String)>,
}

/// A kind of difference in a set of pages. It has the number of such differences, and the first one
/// as an example.
#[derive(Debug)]
pub struct KindCount {
    /// Subject of the differences: lines or landmarks.
    pub subject: Subject,
    /// Name of the kind of difference.
    pub kind: String,
    /// Number of differences of this kind in all pages.
    pub count: usize,
    /// Number of pages with a difference of this kind.
    pub pages: usize,
    /// Reason why the specification demands these differences. `None` if it does not.
    pub reason: Option<&'static str>,
    /// URL of the page with the first difference of this kind.
    pub url: String,
    /// Text around the first difference of this kind, in the page at `url`.
    pub example: String,
}

impl KindCount {
    /// True if the specification demands differences of this kind.
    pub fn has_reason(&self) -> bool {
        self.reason.is_some()
    }
}

impl TextTotals {
    /// Adds the comparison of one page to the totals.
    pub fn add(&mut self, url: &str, check: &TextCheck) {
        self.pages += 1;
        self.lines.add(check.lines());
        self.lines_by_law.add(check.lines_by_law());
        if let Some(landmarks) = check.landmarks() {
            self.with_landmarks += 1;
            self.landmarks.add(landmarks);
        }
        let mut counts: BTreeMap<(Subject, &str), usize> = BTreeMap::new();
        for difference in check.differences() {
            let (subject, kind) = (difference.subject(), difference.kind());
            *counts.entry((subject, kind)).or_default() += 1;
            self.kinds
                .entry((subject, kind.to_owned()))
                .or_insert_with(|| KindCount {
                    subject,
                    kind: kind.to_owned(),
                    count: 0,
                    pages: 0,
                    reason: difference.reason(),
                    url: url.to_owned(),
                    example: difference.example().to_owned(),
                });
        }
        for ((subject, kind), count) in counts {
            if let Some(sum) = self.kinds.get_mut(&(subject, kind.to_owned())) {
                sum.count += count;
                sum.pages += 1;
            }
        }
        self.add_worst(check.lines_by_law().share(), url);
    }

    fn add_worst(&mut self, share: f64, url: &str) {
        if share < 1.0 {
            self.worst.push((share, url.to_owned()));
            self.worst.sort_by(|one, other| one.0.total_cmp(&other.0));
            self.worst.truncate(WORST);
        }
    }

    /// Returns the number of pages whose texts were compared.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// Returns the number of pages whose landmarks could be compared.
    pub fn pages_with_landmarks(&self) -> usize {
        self.with_landmarks
    }

    /// Returns the agreement of the lines of all pages.
    pub fn lines(&self) -> Agreement {
        self.lines
    }

    /// Returns the agreement of the lines of all pages, without differences that the specification
    /// demands.
    pub fn lines_by_law(&self) -> Agreement {
        self.lines_by_law
    }

    /// Returns the agreement of the landmarks of all pages. Each text node that was compared counts
    /// as one landmark.
    pub fn landmarks(&self) -> Agreement {
        self.landmarks
    }

    /// Returns the kinds of differences. The most frequent kind comes first.
    pub fn kinds(&self) -> Vec<&KindCount> {
        let mut kinds: Vec<_> = self.kinds.values().collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
        kinds
    }

    /// Returns at most ten pages whose lines agree least with the browser's lines, the worst page
    /// first. An entry has the share of lines that agree, from 0 to 1, and the URL of the page.
    /// Differences that the specification demands are ignored.
    pub fn worst(&self) -> &[(f64, String)] {
        &self.worst
    }
}
