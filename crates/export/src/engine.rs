//! The engines: programs for which an export can be written.

use heedful_base::error::{Error, Result};
use heedful_base::lenient::near::hint;

/// Program, or type of program, for which an export is written.
///
/// ```
/// use heedful_export::Engine;
///
/// let loader = |engine: Engine| match engine {
///     Engine::Elasticsearch | Engine::OpenSearch => "POST _bulk",
///     Engine::Solr => "POST update",
///     _ => "see docs/export.md",
/// };
/// assert_eq!(loader("opensearch".parse()?), "POST _bulk");
/// assert_eq!(loader(Engine::Wet), "see docs/export.md");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// Elasticsearch. The files are requests to its bulk API.
    Elasticsearch,
    /// `OpenSearch`. The files are requests to its bulk API. Elasticsearch has the same bulk API.
    OpenSearch,
    /// Solr. The files are requests in JSON to its update handler.
    Solr,
    /// Quickwit. The files are requests to its ingest API.
    Quickwit,
    /// Manticore Search and Sphinx. The files have `SphinxQL` statements.
    Manticore,
    /// Programs that import the Common Index File Format (CIFF). The export is one file with an
    /// inverted index of all pages.
    Ciff,
    /// Programs that query Parquet. The files are tables that can be joined with the table of a
    /// crawl's URLs.
    Parquet,
    /// Programs that process WET files. A WET file has the texts of pages as WARC records.
    Wet,
}

/// Another name of [`Engine::Manticore`], because Sphinx loads the same files.
const SPHINX: &str = "sphinx";

heedful_base::display!(Engine);

heedful_base::from_str!(Engine);

impl Engine {
    /// All engines, in the order of docs/export.md.
    pub const ALL: [Self; 8] = [
        Self::Elasticsearch,
        Self::OpenSearch,
        Self::Solr,
        Self::Quickwit,
        Self::Manticore,
        Self::Ciff,
        Self::Parquet,
        Self::Wet,
    ];

    /// Returns the name of this engine in lower case, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Elasticsearch => "elasticsearch",
            Self::OpenSearch => "opensearch",
            Self::Solr => "solr",
            Self::Quickwit => "quickwit",
            Self::Manticore => "manticore",
            Self::Ciff => "ciff",
            Self::Parquet => "parquet",
            Self::Wet => "wet",
        }
    }

    /// Parses the name of an engine, as [`Engine::name`] returns it. `sphinx` is a second name of
    /// [`Engine::Manticore`].
    ///
    /// # Errors
    /// A setting error if no engine has this name.
    ///
    /// ```
    /// use heedful_export::Engine;
    ///
    /// assert_eq!(Engine::parse("sphinx")?, Engine::Manticore);
    /// assert!(Engine::parse("grep").is_err());
    /// for engine in Engine::ALL {
    ///     assert_eq!(Engine::parse(engine.name())?, engine);
    /// }
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn parse(name: &str) -> Result<Self> {
        let name = if name == SPHINX { "manticore" } else { name };
        Self::ALL
            .into_iter()
            .find(|engine| engine.name() == name)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                let hint = hint(name, Self::ALL.map(Self::name).into_iter().chain([SPHINX]));
                Error::setting(format!(
                    "`{name}` is no engine that we write for;{hint} There are {names} (also {SPHINX})"
                ))
            })
    }

    /// Returns the usual maximum size of a file for this engine, in bytes. If the engine receives
    /// each file as a request, the value is well below the engine's maximum size of a request. For
    /// WET, it is the usual size of WARC files.
    ///
    /// ```
    /// use heedful_export::Engine;
    ///
    /// // Quickwit accepts at most 10 MB in one request.
    /// assert!(Engine::Quickwit.file_bytes() < 10_000_000);
    /// ```
    pub fn file_bytes(self) -> u64 {
        const MEBIBYTE: u64 = 1 << 20;
        match self {
            Self::Elasticsearch | Self::OpenSearch | Self::Solr | Self::Manticore => 64 * MEBIBYTE,
            Self::Quickwit => 8 * MEBIBYTE,
            // Size of the rows as JSON, before compression.
            Self::Parquet => 512 * MEBIBYTE,
            // A CIFF index is a single file, built from temporary files of this size.
            Self::Ciff | Self::Wet => 1024 * MEBIBYTE,
        }
    }

    /// True if the files for this engine contain the name of the index in the engine.
    ///
    /// ```
    /// use heedful_export::Engine;
    ///
    /// assert!(Engine::Elasticsearch.has_names());
    /// assert!(!Engine::Solr.has_names());
    /// ```
    pub fn has_names(self) -> bool {
        matches!(
            self,
            Self::Elasticsearch | Self::OpenSearch | Self::Quickwit | Self::Manticore
        )
    }

    /// True if entries can be sent to this engine one by one. False for CIFF and Parquet. Files for
    /// CIFF and Parquet are built from all entries at the end of a run.
    ///
    /// ```
    /// use heedful_export::Engine;
    ///
    /// assert!(Engine::Solr.has_stream());
    /// assert!(!Engine::Ciff.has_stream());
    /// ```
    pub fn has_stream(self) -> bool {
        !matches!(self, Self::Ciff | Self::Parquet)
    }

    /// Returns the two parts of the file names for this engine. The number of a file stands between
    /// the two parts.
    pub(super) fn files(self) -> (&'static str, &'static str) {
        match self {
            Self::Elasticsearch | Self::OpenSearch => ("bulk-", ".ndjson"),
            Self::Solr => ("update-", ".json"),
            Self::Quickwit => ("documents-", ".ndjson"),
            Self::Manticore => ("statements-", ".sql"),
            Self::Ciff => ("index-", ".ciff"),
            Self::Parquet => ("pages-", ".parquet"),
            Self::Wet => ("text-", ".warc.wet.gz"),
        }
    }
}
