//! Reads a list of URLs: one on each line, or a sitemap (sitemaps.org), packed with gzip or not.
//!
//! Entities that a sitemap defines are not expanded, so the text cannot grow without bound. A list
//! that begins like XML and cannot be parsed is an error. A sitemap index is an error, too, because
//! this module reads one file and never fetches another.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits::{self, Limits};

/// URLs from a plain list or a sitemap.
///
/// ```
/// use heedful_base::limits::Limits;
/// use heedful_input::url_list;
///
/// let text = b"https://example.com/rye\nhttps://example.com/drafts/*\n";
/// let list = url_list(text, &Limits::default())?;
/// // In a plain list, the caller may read `*` as a pattern. In a sitemap, it is part of a URL.
/// let patterns = list.urls.iter().filter(|url| !list.is_sitemap && url.contains('*'));
/// assert_eq!(patterns.count(), 1);
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlList {
    /// URLs in the order of the list, not normalized, without white space around them. Blank lines
    /// are left out.
    pub urls: Vec<String>,
    /// True if the URLs come from a sitemap. Then each URL names exactly one page, even if the URL
    /// contains `*`.
    pub is_sitemap: bool,
}

/// Parses a list of URLs. The list is a text with one URL on each line, or a sitemap. In a sitemap,
/// the `loc` of each `url` is a URL of the list. A list that is packed with gzip is unpacked.
///
/// # Errors
/// [`ErrorKind::Input`] for damaged gzip, for a sitemap that is not XML, and for a sitemap index.
/// An error of the limit `manifest_bytes` if gzip unpacks to more bytes than this limit.
///
/// ```
/// use heedful_base::limits::Limits;
///
/// let limits = Limits::default();
/// let list = b"<urlset><url><loc>https://example.com/a?x&amp;y</loc></url></urlset>";
/// assert_eq!(heedful_input::url_list(list, &limits)?.urls, ["https://example.com/a?x&y"]);
/// let lines = heedful_input::url_list(b"/a\n\n/b\n", &limits)?;
/// assert!(lines.urls == ["/a", "/b"] && !lines.is_sitemap);
/// # Ok::<(), heedful_robots::Error>(())
/// ```
pub fn url_list(bytes: &[u8], limits: &Limits) -> Result<UrlList> {
    let bytes = unpacked(bytes, limits)?;
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

fn unpacked<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Cow<'a, [u8]>> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut unpacked = Vec::new();
    let read = MultiGzDecoder::new(bytes)
        .take(limits.manifest_bytes.saturating_add(1))
        .read_to_end(&mut unpacked);
    read.map_err(|error| wrong(error.to_string()))?;
    if unpacked.len() as u64 > limits.manifest_bytes {
        return Err(limits::exceeded("manifest_bytes", limits));
    }
    Ok(Cow::Owned(unpacked))
}

/// Returns the text of each `loc` of a page in a sitemap. The `loc` of an image or a video has a
/// namespace prefix, so it does not match.
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
