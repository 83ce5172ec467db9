//! Reads lists of URLs: a line each, or a sitemap (sitemaps.org), packed or not.
//!
//! Entities that a sitemap defines are not expanded, so none can grow. A sitemap that is not XML is
//! an error. So is an index of sitemaps, because this reads one file and fetches no others.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;

use heedful_base::error::{Error, ErrorKind, Result};

/// The maximum bytes of an unpacked list. A sitemap has at most 50 MB (sitemaps.org), and a small
/// gzip file may unpack to any size.
const MOST: u64 = 200 << 20;

/// The URLs of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlList {
    /// The URLs as they are written, without white space around them. Empty ones are left out.
    pub urls: Vec<String>,
    /// True if they are of a sitemap: each names one page, whatever characters it has.
    pub is_sitemap: bool,
}

/// Reads a list of URLs: lines of text, or the `loc` of each `url` of a sitemap. gzip is unpacked.
///
/// # Errors
/// [`ErrorKind::Input`] for gzip that is damaged or unpacks to more than 200 MB. Also for a sitemap
/// that is not XML, and for an index of sitemaps.
///
/// ```
/// let list = b"<urlset><url><loc>https://example.com/a?x&amp;y</loc></url></urlset>";
/// assert_eq!(heedful_input::url_list(list)?.urls, ["https://example.com/a?x&y"]);
/// let lines = heedful_input::url_list(b"/a\n\n/b\n")?;
/// assert!(lines.urls == ["/a", "/b"] && !lines.is_sitemap);
/// # Ok::<(), heedful_robots::Error>(())
/// ```
pub fn url_list(bytes: &[u8]) -> Result<UrlList> {
    let bytes = unpacked(bytes)?;
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes));
    if text.trim_start().starts_with('<') {
        return Ok(UrlList {
            urls: sitemap(&text)?,
            is_sitemap: true,
        });
    }
    let urls = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    Ok(UrlList {
        urls,
        is_sitemap: false,
    })
}

fn wrong(what: impl Into<String>) -> Error {
    ErrorKind::Input(what.into()).into()
}

fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut unpacked = Vec::new();
    let read = MultiGzDecoder::new(bytes)
        .take(MOST + 1)
        .read_to_end(&mut unpacked);
    read.map_err(|error| wrong(error.to_string()))?;
    if unpacked.len() as u64 > MOST {
        return Err(wrong("it unpacks to more than a sitemap may hold"));
    }
    Ok(Cow::Owned(unpacked))
}

/// The text of each `loc` of a `url`. The `loc` of an image or the like is in a namespace of its
/// own.
fn sitemap(text: &str) -> Result<Vec<String>> {
    let mut reader = Reader::from_str(text);
    let mut urls = Vec::new();
    let mut url: Option<String> = None;
    loop {
        let event = reader
            .read_event()
            .map_err(|error| wrong(format!("no sitemap: {error}")))?;
        match event {
            Event::Start(tag) if tag.name().as_ref() == "sitemapindex" => {
                return Err(wrong("a list of sitemaps: name one of them"));
            }
            Event::Start(tag) if tag.name().as_ref() == "loc" => url = Some(String::new()),
            Event::End(tag) if tag.name().as_ref() == "loc" => {
                let found = url.take().unwrap_or_default();
                urls.extend(Some(found.trim().to_owned()).filter(|found| !found.is_empty()));
            }
            Event::Eof => return Ok(urls),
            other => {
                if let Some(url) = &mut url {
                    url.push_str(&text_of(&other));
                }
            }
        }
    }
}

fn text_of(event: &Event<'_>) -> String {
    match event {
        Event::Text(text) => text.to_string(),
        Event::CData(text) => text.to_string(),
        Event::GeneralRef(name) => unescape(&format!("&{};", &**name))
            .map(Cow::into_owned)
            .unwrap_or_default(),
        _ => String::new(),
    }
}
