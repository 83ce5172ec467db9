//! The forms in which a mask can be written, each with its name and its file extension.

use std::path::Path;

use heedful_base::error::{Error, Result};

/// Form in which a mask is written to disk.
///
/// ```
/// use heedful_run::mask::MaskFormat;
///
/// let ending = match MaskFormat::parse("compact")? {
///     MaskFormat::Lines => "jsonl",
///     MaskFormat::Compact => "mask",
///     _ => "other",
/// };
/// assert_eq!(ending, "mask");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaskFormat {
    /// JSON Lines: a JSON object per record, with all fields of the answer.
    Lines,
    /// Tab-separated values: a line per record, after a first line of column names.
    Tsv,
    /// Compact form: a table of the distinct answers, and for each record the number of its answer
    /// in the table. Such a number takes one or two bytes. URLs, digests and places of records are
    /// omitted.
    Compact,
    /// A folder of Parquet tables. Their columns are the keys of the JSON form.
    Parquet,
}

heedful_base::display!(MaskFormat);
heedful_base::from_str!(MaskFormat);

impl MaskFormat {
    const ALL: [Self; 4] = [Self::Lines, Self::Tsv, Self::Compact, Self::Parquet];

    /// Returns the name of the form of the mask, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "jsonl",
            Self::Tsv => "tsv",
            Self::Compact => "compact",
            Self::Parquet => "parquet",
        }
    }

    /// Parses the name of a form of masks, such as `tsv`.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if no form of
    /// masks has this name.
    ///
    /// ```
    /// use heedful_run::mask::MaskFormat;
    ///
    /// assert_eq!(MaskFormat::parse("tsv")?, MaskFormat::Tsv);
    /// assert!(MaskFormat::parse("csv").is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|form| form.name() == text);
        found.ok_or_else(|| {
            Error::setting(format!(
                "`{text}` is no form of a mask: jsonl, tsv, compact, parquet"
            ))
        })
    }

    /// Returns the form of a mask by the extension of its file name: `.tsv`, `.mask` or `.parquet`.
    /// The extension `.gz` may follow. Any other name means JSON Lines.
    ///
    /// ```
    /// use std::path::Path;
    /// use heedful_run::mask::MaskFormat;
    ///
    /// assert_eq!(MaskFormat::from_path(Path::new("out.tsv.gz")), MaskFormat::Tsv);
    /// assert_eq!(MaskFormat::from_path(Path::new("out.txt")), MaskFormat::Lines);
    /// ```
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
