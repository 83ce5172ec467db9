//! The forms of a mask: which there are, and which a file's name means.

use std::path::Path;

use heedful_base::error::{Error, Result};

/// The form of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaskFormat {
    /// An object of JSON a line: everything.
    Lines,
    /// A line with tabs for each record, under one of names.
    Tsv,
    /// Numbers of answers, with a table of those that differ: a byte or two a record. No URLs,
    /// digests or places.
    Compact,
    /// A folder of tables in Parquet, with the columns of the JSON.
    Parquet,
}

heedful_base::display!(MaskFormat);
heedful_base::from_str!(MaskFormat);

impl MaskFormat {
    const ALL: [Self; 4] = [Self::Lines, Self::Tsv, Self::Compact, Self::Parquet];

    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "jsonl",
            Self::Tsv => "tsv",
            Self::Compact => "compact",
            Self::Parquet => "parquet",
        }
    }

    /// Reads a name.
    ///
    /// # Errors
    /// Fails if it is none.
    pub fn parse(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|form| form.name() == text);
        found.ok_or_else(|| {
            Error::setting(format!(
                "`{text}` is no form of a mask: jsonl, tsv, compact, parquet"
            ))
        })
    }

    /// The form that the name of a file means: `.tsv`, `.mask` or `.parquet`, also with `.gz`
    /// after it. Others are JSON Lines.
    pub fn from_path(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("tsv") => Self::Tsv,
            Some("mask") => Self::Compact,
            Some("parquet") => Self::Parquet,
            _ => Self::Lines,
        }
    }
}
