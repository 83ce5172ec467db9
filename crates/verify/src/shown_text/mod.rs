//! Compares the lines of a page's text, and the landmarks that they are in, with those that a
//! browser shows.
//!
//! The browser's lines are `innerText`, by its own style sheet alone: no style and no script of the
//! page counts. Ours are [`heedful::Page::text`], read without any convention. White space is
//! collapsed and empty lines are dropped. The agreement is `2 * common / (ours + browser)`, where
//! `common` is the length of the longest common subsequence of lines. What differs by the law
//! (`reasons`) is counted apart: a second agreement is that of the lines without it.
//!
//! The browser gives a landmark by its accessibility tree, for each text node that it shows.

mod alignment;
mod common;
mod letters;
mod page_texts;
mod reasons;
mod totals;

use heedful::{BlockKind, Bot, Conventions, Filter, Judged, Page, PageEnd, Sink, Use};
use heedful_base::error::Result;

use crate::browser::Browser;
use crate::oracle::Surroundings;
use crate::stream::read_stream;
use letters::{Letter, letters, lines};
use page_texts::PageTexts;

pub(crate) use reasons::selectors;
pub use totals::{KindCount, TextTotals};

/// Result of comparing a page's text with the text that a browser shows.
#[derive(Debug, Default)]
pub struct TextCheck {
    lines: Agreement,
    lines_by_law: Agreement,
    browser_lines: Vec<String>,
    landmarks: Option<Agreement>,
    differences: Vec<TextDifference>,
}

/// How many entries two lists have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Number of heedful's entries.
    pub ours: usize,
    /// Number of the browser's entries.
    pub browser: usize,
    /// Length of the longest common subsequence.
    pub common: usize,
}

/// What a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The text, and how it is divided into lines.
    Line,
    /// The landmark that a text stands in.
    Landmark,
}

/// A difference between heedful's reading of a page and a browser's.
#[derive(Debug)]
pub struct TextDifference {
    subject: Subject,
    kind: String,
    reason: Option<&'static str>,
    example: String,
}

impl Agreement {
    /// Returns the agreement as a share, from 0 to 1. Two empty lists agree.
    #[must_use]
    pub fn share(&self) -> f64 {
        match self.ours + self.browser {
            0 => 1.0,
            both => 2.0 * self.common as f64 / both as f64,
        }
    }

    /// True if both lists are the same.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.common == self.ours && self.common == self.browser
    }

    fn of_lines(ours: &[String], browser: &[String]) -> Self {
        Self {
            ours: ours.len(),
            browser: browser.len(),
            common: common::common(&references(ours), &references(browser)).len(),
        }
    }

    fn add(&mut self, other: Self) {
        self.ours += other.ours;
        self.browser += other.browser;
        self.common += other.common;
    }
}

fn references(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

impl TextDifference {
    /// Returns what the difference is about.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    /// Returns the kind of the difference: where it stands, or which tags it stands at.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns why the difference is as the law has it. Returns `None` if it is a fault, or open.
    pub fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// Returns the text at the difference.
    pub fn example(&self) -> &str {
        &self.example
    }
}

impl TextCheck {
    /// Reads a page with heedful and opens it in the browser, and compares the texts. The page is
    /// read for a bot that nothing denies, without any convention. The limits are those of
    /// `filter`. Returns `None` if the page may not be indexed nevertheless, as it is cut short.
    ///
    /// # Errors
    /// Fails if heedful refuses the page, as [`Filter::page`] does, or if the browser does not
    /// respond.
    pub fn run(
        browser: &mut Browser,
        filter: &Filter,
        (url, page): (&str, &[u8]),
        around: &Surroundings<'_>,
    ) -> Result<Option<Self>> {
        let none = Conventions::parse("none")?;
        let plain = Filter::new(Bot::new("heedful-verify")?)
            .conventions(none)
            .limits(filter.get_limits().clone());
        let around = Surroundings {
            robots: &[],
            ..*around
        };
        let (decoded, _) = read_stream(&plain, Decoded::default(), url, page, &around)?;
        let page = read_page(&plain, url, page, &around)?;
        if !page.policy().allows(Use::Index) {
            return Ok(None);
        }
        let shown = browser.show(&without_stamps(&decoded.0))?;
        Ok(Some(Self::of(&page, &PageTexts::new(&shown))))
    }

    fn of(page: &Page, shown: &PageTexts<'_>) -> Self {
        let ours = letters(&without_stamps(&page.text()));
        let browser_lines = lines(&shown.plain);
        let compared = shown.compare(&ours);
        let mut differences = compared.differences;
        let landmarks = shown.has_roles.then(|| {
            let landmarks = block_landmarks(page);
            shown.compare_landmarks(&compared.places, &ours, &landmarks, &mut differences)
        });
        let lines_by_law = Agreement::of_lines(&lines(&compared.by_law), &browser_lines);
        // Equal words may be taken for one another, which says nothing if the lines agree.
        if lines_by_law.is_whole() {
            let is_kept = |found: &TextDifference| {
                found.reason.is_some() || found.subject == Subject::Landmark
            };
            differences.retain(is_kept);
        }
        Self {
            lines: Agreement::of_lines(&lines(&ours), &browser_lines),
            lines_by_law,
            browser_lines,
            landmarks: landmarks.flatten(),
            differences,
        }
    }

    /// Returns the agreement of the lines.
    pub fn lines(&self) -> Agreement {
        self.lines
    }

    /// Returns the agreement of the lines without what differs by the law.
    pub fn lines_by_law(&self) -> Agreement {
        self.lines_by_law
    }

    /// Returns the lines that the browser shows.
    pub fn browser_lines(&self) -> &[String] {
        &self.browser_lines
    }

    /// Returns the agreement of the landmarks, over the text nodes that both have. Returns `None`
    /// if the browser does not tell roles, or if the blocks of the page have another text than the
    /// page.
    pub fn landmarks(&self) -> Option<Agreement> {
        self.landmarks
    }

    /// Returns all differences, in source order. Those of landmarks come last.
    pub fn differences(&self) -> &[TextDifference] {
        &self.differences
    }
}

/// Sink that collects the decoded source of a page.
#[derive(Debug, Default)]
struct Decoded(String);

impl Sink for Decoded {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.0.push_str(judged.token().raw());
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

fn read_page(filter: &Filter, url: &str, page: &[u8], around: &Surroundings<'_>) -> Result<Page> {
    let mut pass = filter.open(url)?;
    for (name, value) in around.headers {
        pass.header(name, value);
    }
    if around.is_utf8 {
        pass.assume_utf8();
    }
    pass.write(page)?;
    pass.end()
}

/// Replaces the characters that delimit the number of a text node in the browser.
fn without_stamps(text: &str) -> String {
    text.replace([page_texts::BEGIN, page_texts::END], "\u{E002}")
}

/// Returns the letters of a page's blocks, each with the name of its block's landmark.
fn block_landmarks(page: &Page) -> Vec<(char, Option<&'static str>)> {
    let mut found = Vec::new();
    let blocks = page.blocks().into_iter();
    for block in blocks.filter(|block| block.kind() != BlockKind::Alternative) {
        let landmark = block.landmark().map(|landmark| landmark.name());
        for phrase in block.phrases() {
            let phrase = letters(&without_stamps(phrase));
            found.extend(phrase.iter().map(|letter: &Letter| (letter.c, landmark)));
        }
    }
    found
}
