//! Finds the URL in a line of a list of URLs. The shape of the line decides how it is parsed:
//!
//! * a URL, after which a tab and any text may follow
//! * a JSON object with the key `url`
//! * a line of a CDXJ index: a key, a timestamp and such an object
//! * a line of a CDX index, whose header names the column `a` (the original URL)
//!
//! For a line of another shape, the reason in its answer says what the line looks like. So no other
//! text is judged as if it were a URL.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use url::Url;

/// Maximum length of a URL in the list, in bytes.
const LONGEST: usize = 64 << 10;

/// Parser of the lines of one list. It stores the columns of the last CDX header in the list.
#[derive(Debug, Default)]
pub(super) struct ListParser {
    cdx: Option<CdxColumns>,
}

/// Columns of a CDX index, as its header names them.
#[derive(Debug)]
struct CdxColumns {
    delimiter: char,
    count: usize,
    /// Index of the column with the original URL, from 0. `None` if the header has no such column.
    original: Option<usize>,
}

/// Content of one line of a list of URLs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ListEntry {
    /// The header of a CDX index. It has no URL.
    Header,
    Url(String),
    /// A line without a usable URL. `url` is the text in place of the URL, or `None` if there is no
    /// text.
    Unknown {
        url: Option<String>,
        reason: String,
    },
}

impl ListEntry {
    fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown {
            url: None,
            reason: reason.into(),
        }
    }
}

impl ListParser {
    /// Parses a line of the list. `is_cut` is true if the line was too long and its end is missing.
    pub(super) fn parse(&mut self, line: &[u8], is_cut: bool) -> ListEntry {
        if let Some(columns) = CdxColumns::from_header(line) {
            self.cdx = Some(columns);
            return ListEntry::Header;
        }
        let text = line.trim_ascii();
        if text.starts_with(b"{") {
            return json_entry(text, is_cut, "JSON");
        }
        let (key, timestamp, rest) = index_fields(text);
        let is_date = timestamp.len() >= 4 && timestamp.iter().all(u8::is_ascii_digit);
        // Behind the tab of a plain line may stand any text.
        if is_date && memchr::memchr(b'\t', key).is_none() {
            if rest.starts_with(b"{") {
                return json_entry(rest, is_cut, "a line of a CDXJ index");
            }
            if self.cdx.is_none() && timestamp.len() == 14 {
                return ListEntry::unknown(
                    "it looks like a line of a CDX index without the header (` CDX N b a m s k r M S V g`): put the header in front, or give the URLs alone",
                );
            }
        }
        match &self.cdx {
            Some(columns) => columns.entry(line, is_cut),
            None => plain_entry(text, is_cut),
        }
    }
}

/// Splits a line of a CDXJ index into its key, its timestamp and the rest.
fn index_fields(line: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let mut fields = line.splitn(3, |byte| *byte == b' ');
    let mut next = || fields.next().unwrap_or_default();
    (next(), next(), next().trim_ascii_start())
}

impl CdxColumns {
    /// Parses the header of a CDX index. The header has a delimiter, the text `CDX`, and a letter
    /// for each column. Returns `None` if the line is not such a header.
    fn from_header(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let delimiter = line
            .chars()
            .next()
            .filter(|first| first.is_ascii_whitespace())?;
        let rest = line[1..].trim_ascii_end().strip_prefix("CDX")?;
        let columns: Vec<_> = rest.strip_prefix(delimiter)?.split(delimiter).collect();
        if columns.iter().any(|column| column.chars().count() != 1) {
            return None;
        }
        Some(Self {
            delimiter,
            count: columns.len(),
            original: columns.iter().position(|column| *column == "a"),
        })
    }

    fn entry(&self, line: &[u8], is_cut: bool) -> ListEntry {
        let Some(original) = self.original else {
            return ListEntry::unknown("the header of the CDX index names no column `a`, the URL");
        };
        let Ok(line) = std::str::from_utf8(line) else {
            return ListEntry::unknown("it is a line of a CDX index that is no UTF-8");
        };
        let columns: Vec<_> = line
            .trim_end_matches(['\r', '\n'])
            .split(self.delimiter)
            .collect();
        match columns.get(original) {
            Some(url) if columns.len() == self.count && !is_cut => checked(url),
            _ => ListEntry::unknown(format!(
                "it is no line of the CDX index, whose header names {} columns",
                self.count
            )),
        }
    }
}

/// Returns the entry for a line that begins with a URL. The URL ends at the first tab of the line.
fn plain_entry(line: &[u8], is_cut: bool) -> ListEntry {
    let url = line.split(|byte| *byte == b'\t').next().unwrap_or_default();
    let is_whole = !is_cut || url.len() < line.len();
    match std::str::from_utf8(url) {
        Ok(url) if is_whole => checked(url),
        // A URL that was truncated or repaired is not the listed one, so it is not judged.
        _ => ListEntry::Unknown {
            url: Some(String::from_utf8_lossy(&url[..url.len().min(LONGEST)]).into_owned()),
            reason: TOO_LONG.to_owned(),
        },
    }
}

const TOO_LONG: &str = "its line is too long, or no UTF-8";

/// Returns the entry for the text `url`: the URL, or the reason why the text is not a valid URL.
fn checked(url: &str) -> ListEntry {
    let url = url.trim();
    let reason = if url.len() > LONGEST {
        TOO_LONG.to_owned()
    } else if is_archive_path(url) {
        format!(
            "`{url}` looks like the path of an archive: archives are inputs, and `@FILE` reads a list of them"
        )
    } else if Url::parse(url).is_err() {
        format!(
            "`{url}` is not a whole URL, as https://site.example/page is, nor JSON or a line of an index with one"
        )
    } else {
        return ListEntry::Url(url.to_owned());
    };
    ListEntry::Unknown {
        url: Some(url.to_owned()),
        reason,
    }
}

/// True if a text looks like the path of an archive or a table. Crawlers publish lists of such
/// paths, and a user may pass such a list instead of a list of URLs.
fn is_archive_path(text: &str) -> bool {
    let endings = [".warc.gz", ".wat.gz", ".wet.gz", ".arc.gz", ".parquet"];
    !text.contains("://") && endings.iter().any(|ending| text.ends_with(ending))
}

/// Returns the entry for a line with a JSON object. `what` describes the kind of line in messages.
fn json_entry(json: &[u8], is_cut: bool, what: &str) -> ListEntry {
    if is_cut {
        return ListEntry::unknown(TOO_LONG);
    }
    match serde_json::from_slice::<UrlKey>(json) {
        Ok(UrlKey(Some(url))) => checked(&url),
        Ok(UrlKey(None)) => ListEntry::unknown(format!("it looks like {what}, and has no `url`")),
        Err(error) => ListEntry::unknown(format!(
            "it looks like {what}, and cannot be read as such: {}",
            heedful_base::unreadable::unreadable(&error)
        )),
    }
}

/// Value of the key `url` of a JSON object. The key may be in upper or lower case.
struct UrlKey(Option<String>);

impl<'de> Deserialize<'de> for UrlKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(UrlKeyVisitor)
    }
}

struct UrlKeyVisitor;

impl<'de> Visitor<'de> for UrlKeyVisitor {
    type Value = UrlKey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UrlKey, A::Error> {
        let mut url = None;
        while let Some(key) = map.next_key::<String>()? {
            if !key.eq_ignore_ascii_case("url") {
                map.next_value::<IgnoredAny>()?;
            } else if url.is_some() {
                // It is not known which of the two is the page's.
                return Err(A::Error::custom("`url` twice"));
            } else {
                url = map.next_value::<Option<String>>()?;
            }
        }
        Ok(UrlKey(url))
    }
}
