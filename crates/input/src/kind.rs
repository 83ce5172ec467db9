//! The kinds of inputs.

/// The kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputFormat {
    /// A folder that is a site.
    Folder,
    /// One page.
    Html,
    /// Web archive records.
    Warc,
    /// Records of the Internet Archive's older format.
    Arc,
    /// One JSON object a line, or an array of them.
    Jsonl,
    /// A Parquet file, with a page in each row.
    Parquet,
    /// Names of other inputs, one a line.
    Manifest,
}
