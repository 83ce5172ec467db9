//! One JSON object a line: `html` or `html_b64`, and as may be `url`, `headers`, `status`, `robots`, `robots_status`. A
//! page without `url` has that of the input, with the line for a query.

use std::io::{BufRead, Read};

use base64::Engine;
use serde::Deserialize;
use url::Url;

use crate::error::{Error, ErrorKind};
use crate::robots_txt::RobotsTxt;

use super::{At, Body, Damage, Document, Item, LARGEST_PAGE, Origin, Skip};

#[derive(Deserialize)]
struct Line {
    url: Option<String>,
    html: Option<String>,
    html_b64: Option<String>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    status: Option<u16>,
    robots: Option<String>,
    robots_status: Option<u16>,
}

pub(super) fn items<R: BufRead + Send>(
    mut reader: R,
    name: &str,
    url: String,
) -> impl Iterator<Item = Item> + Send + use<R> {
    let name = name.to_owned();
    let mut number = 0;
    let mut over = false;
    std::iter::from_fn(move || {
        while !over {
            number += 1;
            let origin = Origin { file: name.clone(), at: Some(At::Line(number)) };
            let mut line = Vec::new();
            let read = reader.by_ref().take(LARGEST_PAGE).read_until(b'\n', &mut line);
            if line.len() as u64 >= LARGEST_PAGE && !line.ends_with(b"\n") {
                over |= skip_line(&mut reader).is_err();
                return Some(damage(origin, format!("a line of more than {LARGEST_PAGE} bytes")));
            }
            match read {
                Ok(0) => return None,
                Ok(_) if line.trim_ascii().is_empty() => {}
                Ok(_) => return Some(item(&line, || of_line(&url, number), origin)),
                Err(error) => {
                    over = true;
                    return Some(damage(origin, format!("cannot be read further ({error})")));
                }
            }
        }
        None
    })
}

/// Passes the rest of a line.
fn skip_line(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let bytes = reader.fill_buf()?;
        let end = memchr::memchr(b'\n', bytes);
        let (passed, over) = (end.map_or(bytes.len(), |n| n + 1), end.is_some() || bytes.is_empty());
        reader.consume(passed);
        if over {
            return Ok(());
        }
    }
}

/// The URL of a line that has none.
fn of_line(url: &str, number: u64) -> String {
    let Ok(mut url) = Url::parse(url) else { return url.to_owned() };
    url.set_fragment(None);
    url.query_pairs_mut().append_pair("line", &number.to_string());
    url.into()
}

fn damage(origin: Origin, message: String) -> Item {
    Item::Damage(Damage { origin, error: ErrorKind::Input(message).into(), url: None })
}

fn item(line: &[u8], url: impl FnOnce() -> String, origin: Origin) -> Item {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let line: Line = match serde_json::from_slice(line) {
        Ok(line) => line,
        Err(error) => return damage(origin, format!("no page as a JSON object ({error})")),
    };
    let url = line.url.unwrap_or_else(url);
    if let Some(status) = line.status.filter(|status| !(200..300).contains(status) || *status == 206) {
        return Item::Skipped(Skip::Status(status), Some(url));
    }
    let robots = match (line.robots_status, line.robots) {
        (Some(status), body) => Some(RobotsTxt::from_response(status, body.unwrap_or_default().as_bytes())),
        (None, body) => body.map(|body| RobotsTxt::parse(body.as_bytes())),
    };
    match body(line.html, line.html_b64.as_deref()) {
        Ok(body) => Item::Document(Document { url, headers: line.headers, body, robots, origin }),
        Err(error) => Item::Damage(Damage { origin, error, url: Some(url) }),
    }
}

fn body(html: Option<String>, packed: Option<&str>) -> Result<Body, Error> {
    match (html, packed) {
        (Some(html), _) => Ok(Body::Text(html)),
        (None, Some(packed)) => match base64::prelude::BASE64_STANDARD.decode(packed.trim()) {
            Ok(bytes) => Ok(Body::Bytes(bytes)),
            Err(error) => Err(ErrorKind::Input(format!("`html_b64` is no base64 ({error})")).into()),
        },
        (None, None) => Err(ErrorKind::Input("neither `html` nor `html_b64`".to_owned()).into()),
    }
}
