//! Reads records of WAT archives: JSON about the response of another archive's record.
//!
//! The JSON has the headers of the response and, for HTML, the METAs of its head (the layout is
//! that of Common Crawl and of ia-hadoop-tools). Comments, classes and the rest of the page are not
//! in it, so nothing can be allowed by it. It errs on the stricter side: JSON that cannot be parsed
//! says nothing about its page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quick_xml::escape::escape;
use serde::Deserialize;
use serde_json::Value;

use heedful_base::content_type::ContentType;

use super::row::RowHeaders;

/// The parts of an HTTP response that a WAT record contains.
pub(super) struct WatResponse {
    pub(super) status: Option<u16>,
    pub(super) headers: Vec<(String, String)>,
    /// HTML that has only the META elements of the page. `None` if the response is not HTML.
    pub(super) head: Option<String>,
}

/// True if the content of a JSON record describes an HTTP response as WAT archives do. The text is
/// searched and not parsed, because a large record is kept only in part.
pub(super) fn is_about_response(content: &[u8]) -> bool {
    [&b"\"Envelope\""[..], b"\"HTTP-Response-Metadata\""]
        .iter()
        .all(|key| memchr::memmem::find(content, key).is_some())
}

/// Parses the content of a WAT record. `None` if it cannot be parsed.
pub(super) fn parse(content: &[u8]) -> Option<WatResponse> {
    let wat: Wat = serde_json::from_slice(content).ok()?;
    let response = wat.envelope.payload.response;
    let headers = response.headers.0;
    let types = headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let types = types.map(|(_, value)| value.as_str());
    let head = match response.html {
        Some(html) => Some(head(&html.head.metas)),
        None if ContentType::from_lines(types).is_html() => Some(head(&[])),
        None => None,
    };
    let status = response.message.status;
    Some(WatResponse {
        status: status.and_then(|status| status.trim().parse().ok()),
        headers,
        head,
    })
}

/// Returns an HTML document that has only the META elements `metas`, each given by its attributes.
/// It is generated, because the source of the page is not in a WAT record.
fn head(metas: &[BTreeMap<String, Value>]) -> String {
    let mut html = "<!doctype html>".to_owned();
    for meta in metas {
        html.push_str("<meta");
        for (name, value) in meta {
            if let Value::String(value) = value
                && is_attribute(name)
            {
                let _infallible = write!(html, " {name}=\"{}\"", escape(value));
            }
        }
        html.push('>');
    }
    html
}

fn is_attribute(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    !name.is_empty() && name.chars().all(is_plain)
}

#[derive(Deserialize)]
struct Wat {
    #[serde(rename = "Envelope")]
    envelope: Envelope,
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "Payload-Metadata")]
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "HTTP-Response-Metadata")]
    response: Response,
}

#[derive(Deserialize)]
struct Response {
    #[serde(rename = "Response-Message", default)]
    message: Message,
    #[serde(rename = "Headers", default)]
    headers: RowHeaders,
    #[serde(rename = "HTML-Metadata")]
    html: Option<Html>,
}

#[derive(Default, Deserialize)]
struct Message {
    #[serde(rename = "Status")]
    status: Option<String>,
}

#[derive(Deserialize)]
struct Html {
    #[serde(rename = "Head", default)]
    head: Head,
}

#[derive(Default, Deserialize)]
struct Head {
    #[serde(rename = "Metas", default)]
    metas: Vec<BTreeMap<String, Value>>,
}
