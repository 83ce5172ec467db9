//! The readers of an export.

use heedful_base::built;
use heedful_base::error::{Error, Result};
use heedful_base::lenient::near::hint;

use super::table;

/// The program that an export is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// Elasticsearch's bulk API.
    Elasticsearch,
    /// `OpenSearch`'s bulk API, which is the same.
    OpenSearch,
    /// Solr's update handler, in JSON.
    Solr,
    /// Quickwit's ingest API.
    Quickwit,
    /// `SphinxQL` for Manticore Search and Sphinx.
    Manticore,
    /// The Common Index File Format: the postings of a whole run. Needs the feature `words`.
    Ciff,
    /// Tables in Parquet, to be joined with those of a crawl. Needs the feature `parquet`.
    Parquet,
    /// Readers of WET files: texts as WARC records.
    Wet,
}

/// The name by which Sphinx is asked for: it reads what is written for Manticore.
const SPHINX: &str = "sphinx";

heedful_base::display!(Engine);

heedful_base::from_str!(Engine);

impl Engine {
    /// All engines.
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

    /// The name, in lower case.
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

    /// The engine of that name. Sphinx reads what is written for Manticore, and has a name too.
    ///
    /// # Errors
    /// Fails if there is none.
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

    /// The maximum size of its files. It is well below the limit of one request, or the usual size
    /// of WARC files.
    pub fn file_bytes(self) -> u64 {
        const MEBIBYTE: u64 = 1 << 20;
        match self {
            Self::Elasticsearch | Self::OpenSearch | Self::Solr | Self::Manticore => 64 * MEBIBYTE,
            Self::Quickwit => 8 * MEBIBYTE,
            // Before it is packed.
            Self::Parquet => 512 * MEBIBYTE,
            // An index is one file; it is made of such.
            Self::Ciff | Self::Wet => 1024 * MEBIBYTE,
        }
    }

    /// True if its files name the index that they are for.
    pub fn has_names(self) -> bool {
        matches!(
            self,
            Self::Elasticsearch | Self::OpenSearch | Self::Quickwit | Self::Manticore
        )
    }

    /// True if its entries can be sent one by one, as they come. The others are files that are made
    /// of all entries.
    pub fn has_stream(self) -> bool {
        !matches!(self, Self::Ciff | Self::Parquet)
    }

    /// Fails if this build cannot write for it.
    pub(super) fn check_built(self) -> Result<()> {
        if self == Self::Parquet && !table::IS_BUILT {
            return Err(Error::setting(format!(
                "`{self}`: {}",
                built::without_parquet()
            )));
        }
        Ok(())
    }

    /// The names of its files of entries: the parts before and after the number.
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
