//! The formats of inputs: folders, archives, tables and others.

/// Format of an input.
///
/// ```
/// use heedful_input::{InputFormat, Inputs};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("pages.txt");
/// std::fs::write(&path, "{\"html\": \"<p>Rye\"}\n")?;
///
/// // The content decides the format, not the name.
/// assert_eq!(Inputs::default().open(&[path])?[0].kind(), InputFormat::Jsonl);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputFormat {
    /// A folder that mirrors a site.
    Folder,
    /// A file that is one HTML page.
    Html,
    /// A WARC file: web archive records.
    Warc,
    /// An ARC file: web archive records in the Internet Archive's format from before WARC.
    Arc,
    /// A file with one JSON object on each line (JSON Lines), or with one JSON array of objects.
    Jsonl,
    /// A Parquet table with one page in each row.
    Parquet,
    /// A text file that lists other inputs, one on each line.
    Manifest,
}
