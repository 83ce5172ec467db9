//! The readers of an export.

use crate::error::{Error, Result};

/// The reader of an export.
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
    /// Readers of WET files: texts as WARC records.
    Wet,
}

crate::named::display!(Engine);

crate::named::from_str!(Engine);

impl Engine {
    /// All engines.
    pub const ALL: [Self; 5] = [Self::Elasticsearch, Self::OpenSearch, Self::Solr, Self::Quickwit, Self::Wet];

    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Elasticsearch => "elasticsearch",
            Self::OpenSearch => "opensearch",
            Self::Solr => "solr",
            Self::Quickwit => "quickwit",
            Self::Wet => "wet",
        }
    }

    /// The engine of that name.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name).ok_or_else(|| {
            Error::setting(format!("`{name}` is no engine that we write for: {}", Self::ALL.map(Self::name).join(", ")))
        })
    }

    /// The maximum size of its files. It is well below the limit of one request, or the usual size of WARC files.
    pub fn file_bytes(self) -> u64 {
        const MEBIBYTE: u64 = 1 << 20;
        match self {
            Self::Elasticsearch | Self::OpenSearch | Self::Solr => 64 * MEBIBYTE,
            Self::Quickwit => 8 * MEBIBYTE,
            Self::Wet => 1024 * MEBIBYTE,
        }
    }

    /// True if its files name the index that they are for.
    pub fn has_names(self) -> bool {
        matches!(self, Self::Elasticsearch | Self::OpenSearch | Self::Quickwit)
    }

    /// The names of its files of entries: the parts before and behind the number.
    pub(super) fn files(self) -> (&'static str, &'static str) {
        match self {
            Self::Elasticsearch | Self::OpenSearch => ("bulk-", ".ndjson"),
            Self::Solr => ("update-", ".json"),
            Self::Quickwit => ("documents-", ".ndjson"),
            Self::Wet => ("text-", ".warc.wet.gz"),
        }
    }
}
