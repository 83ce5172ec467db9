//! The engines: programs for which an export can be written.

use heedful_base::error::{Error, Result};
use heedful_base::lenient::near::hint;

/// Program for which an export is written.
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
    /// Elasticsearch, by its bulk API.
    Elasticsearch,
    /// `OpenSearch`, by its bulk API, which is that of Elasticsearch.
    OpenSearch,
    /// Solr, by its update handler, in JSON.
    Solr,
    /// Quickwit, by its ingest API.
    Quickwit,
    /// Manticore Search and Sphinx, by `SphinxQL` statements.
    Manticore,
    /// Programs that import the Common Index File Format: one index with all postings of a run.
    Ciff,
    /// Programs that query Parquet: tables to join with the table of a crawl's URLs.
    Parquet,
    /// Programs that process WET files: texts as WARC records.
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

    /// Returns the engine's name in lower case.
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

    /// Parses the name of an engine. `sphinx` is a second name of [`Engine::Manticore`].
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

    /// Returns the usual maximum size in bytes of a file for this engine. For engines that receive
    /// files as requests, it is well below the maximum size of one request. For WET, it is the
    /// usual size of WARC files.
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

    /// True if the files for this engine contain the name of the engine's index.
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

    /// True if entries can be sent to the engine one by one. For the other engines (CIFF, Parquet),
    /// a file is built from all entries at the end.
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

    /// Returns the two parts of the names of this engine's files: the part before the file's
    /// number, and the part after it.
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
