//! URLs from where people have them: a list, a sitemap, an index.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use heedful::Result;
use heedful::index::Index;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;

use super::run_args::contents;
use super::setting;

/// A sitemap has at most 50 MB (sitemaps.org); this bounds what unpacks from a small file.
const MOST: u64 = 200 << 20;

/// The URLs of a file or an index, as it is by its content.
pub(super) fn from(path: &Path) -> Result<Vec<String>> {
    if path.is_dir() {
        return Index::open(path)?.search()?.urls();
    }
    let wrong = |what: &str| setting(format!("{}: {what}", path.display()));
    let mut bytes = contents(path)?;
    if bytes.starts_with(&[0x1F, 0x8B]) {
        let mut unpacked = Vec::new();
        let read = MultiGzDecoder::new(&bytes[..]).take(MOST + 1).read_to_end(&mut unpacked);
        read.map_err(|error| wrong(&error.to_string()))?;
        if unpacked.len() as u64 > MOST {
            return Err(wrong("it unpacks to more than a sitemap may hold"));
        }
        bytes = unpacked;
    }
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes));
    if text.trim_start().starts_with('<') {
        return sitemap(&text).map_err(|what| wrong(&what));
    }
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// What stands in each `loc` of a `url`; those of images and the like are in namespaces of their own.
fn sitemap(text: &str) -> std::result::Result<Vec<String>, String> {
    let mut reader = Reader::from_str(text);
    let mut urls = Vec::new();
    let mut url: Option<String> = None;
    loop {
        let event = reader.read_event().map_err(|error| format!("no sitemap: {error}"))?;
        match event {
            Event::Start(tag) if tag.name().as_ref() == "sitemapindex" => {
                return Err("a list of sitemaps: name one of them".to_owned());
            }
            Event::Start(tag) if tag.name().as_ref() == "loc" => url = Some(String::new()),
            Event::End(tag) if tag.name().as_ref() == "loc" => {
                let found = url.take().unwrap_or_default();
                urls.extend(Some(found.trim().to_owned()).filter(|found| !found.is_empty()));
            }
            Event::Eof => return Ok(urls),
            other => {
                if let Some(url) = &mut url {
                    url.push_str(&said(&other));
                }
            }
        }
    }
}

/// The text of a piece of text.
fn said(event: &Event<'_>) -> String {
    match event {
        Event::Text(text) => text.to_string(),
        Event::CData(text) => text.to_string(),
        Event::GeneralRef(name) => unescape(&format!("&{};", &**name)).map(Cow::into_owned).unwrap_or_default(),
        _ => String::new(),
    }
}
