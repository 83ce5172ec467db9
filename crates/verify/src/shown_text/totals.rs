//! Sums over pages whose texts were compared with a browser's.

use std::collections::BTreeMap;

use super::agreement::{Agreement, Subject};
use super::check::TextCheck;

/// Number of pages that are kept as the worst ones.
const WORST: usize = 10;

/// Sums of many [`TextCheck`]s.
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

/// How often a kind of difference was found, and where for the first time.
#[derive(Debug)]
pub struct KindCount {
    /// What the differences are about.
    pub subject: Subject,
    /// The kind of the differences.
    pub kind: String,
    /// Number of differences.
    pub count: usize,
    /// Number of pages with such a difference.
    pub pages: usize,
    /// Why the differences are right, if they are.
    pub reason: Option<&'static str>,
    /// The page of the first difference.
    pub url: String,
    /// The text at the first difference.
    pub example: String,
}

impl KindCount {
    /// True if it is known why the differences are right.
    pub fn has_reason(&self) -> bool {
        self.reason.is_some()
    }
}

impl TextTotals {
    /// Adds the comparison of a page.
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

    /// Returns the number of pages.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// Returns the number of pages whose landmarks could be compared.
    pub fn pages_with_landmarks(&self) -> usize {
        self.with_landmarks
    }

    /// Returns the sum of the agreements of lines.
    pub fn lines(&self) -> Agreement {
        self.lines
    }

    /// Returns the sum of the agreements of lines without what differs by the law.
    pub fn lines_by_law(&self) -> Agreement {
        self.lines_by_law
    }

    /// Returns the sum of the agreements of landmarks, in text nodes.
    pub fn landmarks(&self) -> Agreement {
        self.landmarks
    }

    /// Returns the kinds of differences, the most frequent first.
    pub fn kinds(&self) -> Vec<&KindCount> {
        let mut kinds: Vec<_> = self.kinds.values().collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
        kinds
    }

    /// Returns the pages that agree least, without what differs by the law: share and URL.
    pub fn worst(&self) -> &[(f64, String)] {
        &self.worst
    }
}
