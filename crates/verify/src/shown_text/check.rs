//! Compares the text of one page with the text that a browser shows.

use heedful::{BlockKind, Bot, Conventions, Filter, Judged, Page, PageEnd, Sink, Use};
use heedful_base::error::Result;

use crate::browser::Browser;
use crate::oracle::Surroundings;
use crate::stream::read_stream;

use super::agreement::{Agreement, Subject, TextDifference};
use super::letters::{Letter, letters, lines};
use super::page_texts::{BEGIN, END, PageTexts};

/// Result of comparing a page's text with the text that a browser shows.
#[derive(Debug, Default)]
pub struct TextCheck {
    lines: Agreement,
    lines_by_law: Agreement,
    browser_lines: Vec<String>,
    landmarks: Option<Agreement>,
    differences: Vec<TextDifference>,
}

impl TextCheck {
    /// Reads a page with heedful, opens it in the browser, and compares the texts. heedful applies
    /// no convention and no robots.txt. The limits are those of `filter`. Returns `None` if the
    /// page still may not be indexed. For example, its end may be missing.
    ///
    /// # Errors
    /// Fails if heedful refuses the page, as [`Filter::page`] does. Also fails if the browser does
    /// not respond.
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
        Ok(Some(Self::compared(&page, &PageTexts::new(&shown))))
    }

    fn compared(page: &Page, shown: &PageTexts<'_>) -> Self {
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

    /// Returns the agreement of heedful's lines with the browser's lines.
    pub fn lines(&self) -> Agreement {
        self.lines
    }

    /// Returns the agreement of heedful's lines with the browser's lines. Differences that the
    /// specification (docs/semantics.md) demands are ignored.
    pub fn lines_by_law(&self) -> Agreement {
        self.lines_by_law
    }

    /// Returns the lines of text that the browser shows for the page.
    pub fn browser_lines(&self) -> &[String] {
        &self.browser_lines
    }

    /// Returns the agreement of heedful's landmarks with the browser's landmarks. Each text node
    /// that heedful reads and the browser shows was compared. Returns `None` if the browser does
    /// not report the roles of elements. Also returns `None` if the letters in heedful's blocks are
    /// not those in heedful's text.
    pub fn landmarks(&self) -> Option<Agreement> {
        self.landmarks
    }

    /// Returns all differences between the two readings. Differences of lines come first, then
    /// those of landmarks. Both groups are in source order.
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

/// Replaces the characters [`BEGIN`] and [`END`], which delimit the numbers of text nodes in the
/// browser, by U+E002.
fn without_stamps(text: &str) -> String {
    text.replace([BEGIN, END], "\u{E002}")
}

/// Returns the letters of a page's blocks. Each letter has the name of the landmark of its block.
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
