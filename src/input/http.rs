//! An HTTP response as archives keep it: status, headers, body. Chunked transfer and compression are undone where they
//! are really there; archives often keep the header and not the coding.

use std::io::Read;

use httparse::{EMPTY_HEADER, ParserConfig, Status};
use url::Url;

use crate::robots_txt::RobotsTxt;

use super::Answer;

/// The most bytes a compressed body may become.
const LARGEST_BODY: u64 = 256 << 20;
/// The most header lines.
const MOST_HEADERS: usize = 512;

/// A body, and whether it is known that its end is missing.
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    pub(super) is_cut: bool,
}

/// What a site answered to the question for its robots.txt at `url`. What cannot be read may forbid anything.
pub(super) fn robots(url: &Url, content: &[u8]) -> Answer {
    let Ok(response) = Response::parse(content) else { return Answer::Rules(RobotsTxt::shut()) };
    match (response.status, response.location(url), response.body()) {
        (300..=399, Some(target), _) => Answer::Redirect(target.into()),
        (status, _, Ok(body)) => Answer::Rules(RobotsTxt::from_response(status, &body.bytes)),
        (_, _, Err(_)) => Answer::Rules(RobotsTxt::shut()),
    }
}

pub(super) struct Response<'a> {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    body: &'a [u8],
}

impl<'a> Response<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let head = head(bytes);
        let mut headers = [EMPTY_HEADER; MOST_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let mut config = ParserConfig::default();
        config
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_multiple_spaces_in_response_status_delimiters(true)
            .ignore_invalid_headers_in_responses(true);
        match config.parse_response(&mut response, &head) {
            Ok(Status::Complete(length)) => Ok(Self {
                status: response.code.unwrap_or(0),
                headers: response
                    .headers
                    .iter()
                    .map(|header| (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned()))
                    .collect(),
                body: &bytes[length..],
            }),
            Ok(Status::Partial) => Err("an HTTP response that is cut off in its head".to_owned()),
            Err(error) => Err(format!("no HTTP response that can be read ({error})")),
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(super) fn location(&self, page: &Url) -> Option<Url> {
        page.join(self.header("location")?).ok()
    }

    /// The body with its codings undone.
    pub(super) fn body(&self) -> Result<Body, String> {
        let chunked = self.header("transfer-encoding").is_some_and(|v| v.to_ascii_lowercase().contains("chunked"));
        let (mut bytes, mut is_cut) = if chunked { unchunk(self.body) } else { (self.body.to_vec(), false) };
        let codings = self.header("content-encoding").unwrap_or_default().to_ascii_lowercase();
        let said = self.header("content-length").and_then(|length| length.trim().parse::<usize>().ok());
        // Archives that undo a coding leave the length that it had.
        is_cut |= !chunked && codings.is_empty() && said.is_some_and(|said| said > bytes.len());
        for coding in codings.split(',').map(str::trim).rev() {
            if let Some(plain) = unpack(coding, &bytes)? {
                bytes = plain;
            }
        }
        Ok(Body { bytes, is_cut })
    }

    pub(super) fn is_html(&self, body: &[u8]) -> bool {
        match self.header("content-type").filter(|value| !is_unknown(value)) {
            Some(value) => is_html(value),
            None => looks_like_html(body),
        }
    }
}

/// The head, with blanks for control characters: a line that holds one must not be lost.
fn head(bytes: &[u8]) -> Vec<u8> {
    let ends = [&b"\r\n\r\n"[..], b"\n\n"].map(|end| memchr::memmem::find(bytes, end).map(|at| at + end.len()));
    let end = ends.into_iter().flatten().min().unwrap_or(bytes.len());
    let kept = |b: u8| !b.is_ascii_control() || matches!(b, b'\r' | b'\n' | b'\t');
    bytes[..end].iter().map(|b| if kept(*b) { *b } else { b' ' }).collect()
}

/// Whether a content type is HTML or XHTML.
pub(super) fn is_html(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "text/html" || essence == "application/xhtml+xml"
}

/// Whether a content type says nothing, so that the bytes have to (mimesniff.spec.whatwg.org, section 7).
fn is_unknown(content_type: &str) -> bool {
    matches!(
        content_type.split(';').next().map(str::trim),
        Some("" | "*/*" | "unknown/unknown" | "application/unknown")
    )
}

/// Start tags that no other kind of file begins with (mimesniff.spec.whatwg.org, section 7.1), and META and `p`.
const TAGS: [&str; 18] = [
    "!doctype html",
    "html",
    "head",
    "script",
    "iframe",
    "h1",
    "div",
    "font",
    "table",
    "a",
    "style",
    "title",
    "b",
    "body",
    "br",
    "p",
    "meta",
    "link",
];

/// Whether bytes without a type begin like a page. XML does only where its root is `html`.
pub(super) fn looks_like_html(body: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&body[..body.len().min(1445)]).to_ascii_lowercase();
    let start = start.trim_start_matches('\u{FEFF}').trim_start();
    if let Some((_, rest)) = start.strip_prefix("<?xml").and_then(|xml| xml.split_once("?>")) {
        return rest.contains("<!doctype html") || rest.contains("<html");
    }
    let begins = |tag: &str| {
        let rest = start.strip_prefix('<').and_then(|rest| rest.strip_prefix(tag));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c == '>' || c.is_ascii_whitespace()))
    };
    start.starts_with("<!--") || TAGS.iter().any(|tag| begins(tag))
}

/// Joins chunks. A body that does not begin with one was joined before; one that breaks off gives what was there, and
/// true.
fn unchunk(bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        match httparse::parse_chunk_size(rest) {
            Ok(Status::Complete((_, 0))) => return (body, false),
            Ok(Status::Complete((head, size))) => {
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                let chunk = &rest[head..];
                body.extend_from_slice(&chunk[..size.min(chunk.len())]);
                let next = size.saturating_add(2);
                if next >= chunk.len() {
                    return (body, true);
                }
                rest = &chunk[next..];
            }
            _ if body.is_empty() => return (bytes.to_vec(), false),
            _ => return (body, true),
        }
    }
}

/// Undoes one coding. None where the body is not in it, or it is none; a coding that is not known is an error, unless
/// the body can be read as it is.
fn unpack(coding: &str, bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let read = match coding {
        "" | "identity" | "none" => return Ok(None),
        "gzip" | "x-gzip" => read_all(flate2::bufread::MultiGzDecoder::new(bytes)),
        "deflate" => read_all(flate2::bufread::ZlibDecoder::new(bytes))
            .or_else(|_| read_all(flate2::bufread::DeflateDecoder::new(bytes))),
        "br" => read_all(brotli::Decompressor::new(bytes, 4096)),
        _ => Err("it is not known".to_owned()),
    };
    match read {
        Ok(plain) => Ok(Some(plain)),
        Err(_) if is_text(bytes) => Ok(None),
        Err(error) => Err(format!("a body in the coding {coding} that cannot be unpacked ({error})")),
    }
}

fn read_all(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut plain = Vec::new();
    match reader.take(LARGEST_BODY + 1).read_to_end(&mut plain) {
        Ok(_) if plain.len() as u64 > LARGEST_BODY => Err(format!("more than {LARGEST_BODY} bytes")),
        Ok(_) => Ok(plain),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether bytes are plain text: no packed data begins without a control character.
fn is_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(512)];
    !start.iter().any(|b| b.is_ascii_control() && !b.is_ascii_whitespace())
        && std::str::from_utf8(start).map_or_else(|error| error.valid_up_to() + 4 > start.len(), |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_undone_where_they_are() {
        let body = |head: &str, body: &[u8]| {
            let bytes = [format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(), body].concat();
            Response::parse(&bytes).unwrap().body().map(|body| String::from_utf8_lossy(&body.bytes).into_owned())
        };
        assert_eq!(body("Transfer-Encoding: chunked", b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n").unwrap(), "abcde");
        assert_eq!(body("Transfer-Encoding: chunked", b"<p>plain").unwrap(), "<p>plain");
        assert_eq!(body("Content-Encoding: gzip", b"<p>plain").unwrap(), "<p>plain");
        assert_eq!(body("Content-Encoding: br", b"<p>plain").unwrap(), "<p>plain");
        assert!(body("Content-Encoding: gzip", &[0x1F, 0x8B, 8, 0]).is_err());
        assert!(body("Content-Encoding: zstd", &[0x28, 0xB5, 0x2F, 0xFD, 4]).is_err());
        assert_eq!(body("Content-Encoding: br", b"User-agent: *\nDisallow: /").unwrap(), "User-agent: *\nDisallow: /");
    }
}
