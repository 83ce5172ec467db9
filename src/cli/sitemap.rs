//! The URLs of a sitemap (sitemaps.org). Entities of one's own are not unfolded, so none can grow; what is no XML is an error.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;

/// What stands in each `loc` of a `url`; those of images and the like are in namespaces of their own.
pub(crate) fn sitemap(text: &str) -> Result<Vec<String>, String> {
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
