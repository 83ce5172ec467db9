//! How an index analyses the text of pages: in which forms it finds words, and whether a phrase
//! ends with its block. An index keeps its analysis from its creation on.

use serde::{Deserialize, Serialize};

use super::forms::Forms;

/// Settings for the analysis of page texts by an index. They say in which forms queries find words.
/// They also say if a phrase ends with its block (a paragraph, for example).
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::{Analysis, Index, Query};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create_with(folder.path(), &filter, Analysis::default().part_blocks())?;
/// let mut writer = index.writer(1)?;
/// writer.add(&filter.page("https://example.com/", &[], b"<h1>Rye</h1><p>Dark bread")?)?;
/// writer.commit()?;
/// let found = |query| index.search()?.find(&Query::new(query)).map(|found| found.total());
/// assert_eq!((found("\"dark bread\"")?, found("\"rye dark\"")?), (1, 0));
/// assert_eq!(found("\"rye dark\"~200")?, 1); // a greater slop crosses blocks
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    pub(super) forms: Forms,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) parts_blocks: bool,
}

impl From<Forms> for Analysis {
    fn from(forms: Forms) -> Self {
        Self::default().with_forms(forms)
    }
}

impl Analysis {
    /// Sets the forms in which queries find words: exact, without accents, or by their stems. The
    /// default is [`Forms::Stemmed`].
    #[must_use]
    pub fn with_forms(self, forms: Forms) -> Self {
        Self { forms, ..self }
    }

    /// Makes each phrase end at the end of its block. Blocks are paragraphs, headings, list items
    /// and table cells. Between two blocks are [`BLOCK_GAP`](heedful::BLOCK_GAP) token positions.
    /// By default a phrase continues over the end of a block.
    #[must_use]
    pub fn part_blocks(self) -> Self {
        Self {
            parts_blocks: true,
            ..self
        }
    }

    /// Returns the forms in which queries find words.
    pub fn forms(self) -> Forms {
        self.forms
    }

    /// True if a phrase ends at the end of its block (a paragraph, for example). False if a phrase
    /// continues in the next block.
    pub fn parts_blocks(self) -> bool {
        self.parts_blocks
    }
}
