//! Writes Parquet tables of pages, to be joined with the table of a crawl's URLs.
//!
//! A row of the table of pages is a page that may be indexed, without the links that may not be
//! followed. If the output of `heedful filter` has the same value as a column, the column has the
//! name that the value has in that output's JSON. Columns for joins have the names of Common
//! Crawl's columnar index: `url_surtkey`, `url_host_name`, `fetch_time`. Deleted URLs have a table
//! of their own. It has only hashes of the URLs, because a URL that robots.txt disallows must not
//! be published.
//!
//! Until a table is written, each entry is a row as JSON in a part file. Rows are converted one row
//! group at a time, and only one group is in memory.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;
use serde::Serialize;
use url::Url;

use heedful::Page;
use heedful_base::address::{LONGEST, host_and_sites, surt};
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_json::{BlocksJson, LinkJson, VerdictJson};

use super::capture::Capture;
use super::id::DocumentId;
use super::parts::{PartFiles, PartOffset, io_error};
use super::shred::ShreddedRows;

/// Size at which a Parquet row group ends. The size is the number of bytes of the group's rows as
/// JSON. The row that exceeds this size is the last row of its group.
const GROUP: u64 = 64 << 20;

/// Kind of a Parquet table in an export.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    /// The table of pages. `has_blocks` is true if the table has a column with the blocks of each
    /// page.
    Pages { has_blocks: bool },
    /// The table of deleted URLs.
    Gone,
}

/// Columns of the Parquet table of pages, in Parquet's schema language.
const PAGES: &str = "
    REQUIRED BINARY id (STRING);
    REQUIRED BINARY url (STRING);
    REQUIRED BINARY url_surtkey (STRING);
    OPTIONAL BINARY url_host_name (STRING);
    OPTIONAL INT64 fetch_time (TIMESTAMP(MICROS,true));
    OPTIONAL BINARY warc_record_id (STRING);
    REQUIRED BINARY bot (STRING);
    REQUIRED GROUP verdict {
        REQUIRED BOOLEAN enter; REQUIRED BOOLEAN index; REQUIRED BOOLEAN follow; REQUIRED BOOLEAN anchor;
        REQUIRED BOOLEAN archive; REQUIRED BOOLEAN snippet; REQUIRED BOOLEAN image; REQUIRED BOOLEAN translate;
        REQUIRED BOOLEAN train; REQUIRED BOOLEAN input;
        OPTIONAL INT64 max_snippet; OPTIONAL BINARY max_image_preview (STRING); OPTIONAL INT64 max_video_preview;
        OPTIONAL BINARY unavailable_after (STRING);
    }
    REQUIRED GROUP title (LIST) { REPEATED GROUP list { REQUIRED BINARY element (STRING); } }
    REQUIRED GROUP description (LIST) { REPEATED GROUP list { REQUIRED BINARY element (STRING); } }
    REQUIRED GROUP headings (LIST) { REPEATED GROUP list { REQUIRED BINARY element (STRING); } }
    REQUIRED GROUP phrases (LIST) { REPEATED GROUP list { REQUIRED BINARY element (STRING); } }
    REQUIRED GROUP alt (LIST) { REPEATED GROUP list { REQUIRED BINARY element (STRING); } }
    REQUIRED GROUP links (LIST) { REPEATED GROUP list { REQUIRED GROUP element {
        REQUIRED BINARY url (STRING);
        REQUIRED BINARY kind (STRING);
        REQUIRED GROUP rel (LIST) { REPEATED GROUP list { REQUIRED BINARY element (STRING); } }
        REQUIRED BINARY text (STRING);
        REQUIRED BOOLEAN follow; REQUIRED BOOLEAN anchor;
        REQUIRED GROUP phrases (LIST) { REPEATED GROUP list { REQUIRED BINARY element (STRING); } }
        REQUIRED BOOLEAN show; REQUIRED BOOLEAN input;
    } } }
    OPTIONAL BINARY canonical (STRING);
    OPTIONAL BINARY lang (STRING);
    OPTIONAL BINARY content_type (STRING);
    OPTIONAL INT64 status;
    REQUIRED BINARY excerpt (STRING);
    REQUIRED BINARY shown_title (STRING);
    REQUIRED BINARY input (STRING);
";

/// Additional column of the Parquet table of pages. The table has this column only if the caller
/// requested it (`Exporter::blocks`).
const BLOCKS: &str = "
    REQUIRED GROUP blocks (LIST) { REPEATED GROUP list { REQUIRED GROUP element {
        REQUIRED BINARY kind (STRING);
        OPTIONAL INT64 level;
        OPTIONAL INT64 row;
        OPTIONAL BINARY landmark (STRING);
        REQUIRED INT64 line; REQUIRED INT64 column;
        REQUIRED GROUP phrases (LIST) { REPEATED GROUP list { REQUIRED BINARY element (STRING); } }
    } } }
";

/// Columns of the Parquet table of deleted URLs, in Parquet's schema language.
const GONE: &str = "
    REQUIRED BINARY id (STRING);
    OPTIONAL INT64 fetch_time (TIMESTAMP(MICROS,true));
";

#[derive(Serialize)]
struct TableRow<'a> {
    #[serde(flatten)]
    gone: GoneRow,
    url: &'a str,
    url_surtkey: String,
    url_host_name: Option<String>,
    warc_record_id: Option<&'a str>,
    bot: &'a str,
    verdict: VerdictJson,
    title: &'a [String],
    description: &'a [String],
    headings: &'a [String],
    phrases: &'a [String],
    alt: &'a [String],
    links: Vec<LinkJson<'a>>,
    canonical: Option<String>,
    lang: Option<&'a str>,
    content_type: Option<&'a str>,
    status: Option<u16>,
    excerpt: String,
    shown_title: String,
    input: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<BlocksJson<'a>>,
}

/// Row of the Parquet table of deleted URLs. The table of pages has these columns, too.
#[derive(Serialize)]
struct GoneRow {
    id: String,
    /// Time of the page's fetch, in microseconds since 1970. `None` if the time is unknown.
    fetch_time: Option<i64>,
}

impl GoneRow {
    fn new(id: DocumentId, fetched: Option<SystemTime>) -> Self {
        Self {
            id: id.to_string(),
            fetch_time: microseconds(fetched),
        }
    }
}

/// Converts a time to microseconds since 1970. Returns `None` for an unknown time, or a time before
/// 1970.
fn microseconds(time: Option<SystemTime>) -> Option<i64> {
    let since = time?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok()
}

pub(super) fn document(
    id: DocumentId,
    key: &str,
    page: &Page,
    capture: &Capture<'_>,
    has_blocks: bool,
) -> Vec<u8> {
    let url = Url::parse(key).ok();
    let links = page
        .links()
        .iter()
        .filter(|link| link.may_follow() && link.url().len() <= LONGEST);
    let row = TableRow {
        gone: GoneRow::new(id, capture.time()),
        url: key,
        url_surtkey: url.as_ref().map_or_else(|| key.to_owned(), surt),
        url_host_name: url.and_then(|url| host_and_sites(&url).0),
        warc_record_id: capture.record,
        bot: page.bot().name(),
        verdict: VerdictJson::new(page.policy()),
        title: page.title(),
        description: page.description(),
        headings: page.headings(),
        phrases: page.phrases(),
        alt: page.alternative(),
        links: links.map(LinkJson::new).collect(),
        canonical: page.canonical().map(String::from),
        lang: page.language(),
        content_type: page.content_type(),
        status: page.status(),
        excerpt: page.excerpt(),
        shown_title: page.shown_title(),
        input: page.input(),
        blocks: has_blocks.then_some(BlocksJson(page)),
    };
    heedful_json::line(&row).into_bytes()
}

pub(super) fn deletion(id: DocumentId, captured: Option<SystemTime>) -> Vec<u8> {
    heedful_json::line(&GoneRow::new(id, captured)).into_bytes()
}

/// Returns the schema of a Parquet table, in Parquet's schema language.
fn schema(table: TableKind) -> String {
    match table {
        TableKind::Pages { has_blocks: false } => format!("message pages {{{PAGES}}}"),
        TableKind::Pages { has_blocks: true } => format!("message pages {{{PAGES}{BLOCKS}}}"),
        TableKind::Gone => format!("message gone {{{GONE}}}"),
    }
}

/// Writes entries to the file `to` as a Parquet table of the kind `table`. The entries are read
/// from the part files, at the locations `spots`.
pub(super) fn write(
    table: TableKind,
    parts: &mut PartFiles,
    spots: &[PartOffset],
    to: &Path,
) -> Result<()> {
    let schema = parse_message_type(&schema(table));
    let schema: TypePtr = Arc::new(schema.map_err(|error| unwritten(to, error))?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("heedful ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let file = File::create_new(to).map_err(io_error(to))?;
    let mut writer = SerializedFileWriter::new(file, Arc::clone(&schema), Arc::new(properties))
        .map_err(|error| unwritten(to, error))?;
    let mut rows = ShreddedRows::new(&schema);
    let mut bytes = 0;
    for (number, spot) in spots.iter().enumerate() {
        let row = serde_json::from_slice(&parts.read(*spot)?)
            .map_err(|error| unwritten(to, ParquetError::General(error.to_string())))?;
        rows.add(&row).map_err(|error| unwritten(to, error))?;
        bytes += spot.length;
        if bytes > GROUP || number + 1 == spots.len() {
            std::mem::replace(&mut rows, ShreddedRows::new(&schema))
                .write(&mut writer)
                .map_err(|error| unwritten(to, error))?;
            bytes = 0;
        }
    }
    let file = writer.into_inner().map_err(|error| unwritten(to, error))?;
    file.sync_all().map_err(io_error(to))
}

fn unwritten(to: &Path, error: ParquetError) -> Error {
    ErrorKind::Io {
        subject: to.display().to_string(),
        source: io::Error::other(error),
    }
    .into()
}
