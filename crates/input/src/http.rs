//! Parses an HTTP response as archives store it: status, headers, body.
//!
//! Interim responses (1xx) before the final response are skipped. Chunked transfer and compression
//! are removed only where they are really present, because many archives remove them and keep the
//! header. An invalid header line that may contain a usage restriction makes the whole response an
//! error. A robots.txt that is truncated, or is not text, forbids everything.

use std::borrow::Cow;

use httparse::{EMPTY_HEADER, Header, ParserConfig, Status};
use url::Url;

use heedful_base::content_type::ContentType;
use heedful_base::error::Error;
use heedful_base::limits::{Limits, exceeded, size};
use heedful_robots::{RobotsTxt, SiteFile};

use super::coding::unpack;
use super::head::bad;
use super::magic::looks_like_html;
use super::robots::SiteFileResponse;
use super::terms::UnpackBudget;

/// Number of bytes of a robots.txt that are unpacked; the rest is ignored.
const ROBOTS_BYTES: u64 = 1 << 20;
/// Words in the names of headers that restrict the use of a page, in lower case.
const RESTRICTING_WORDS: [&[u8]; 5] = [
    b"robots",
    b"content-usage",
    b"content-signal",
    b"tdm-reservation",
    b"do-not-index",
];

/// The body of an HTTP response, and whether the end of the body is missing.
pub(super) struct HttpBody<'a> {
    /// Bytes of the body, without codings. They are borrowed from the response if the body had no
    /// coding.
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) is_cut: bool,
    /// Header lines after the last chunk of the body (trailer section).
    trailer: Vec<u8>,
}

impl HttpBody<'_> {
    /// Returns the headers in the trailer section that may restrict the use of the page. The caller
    /// adds them to the response's headers.
    pub(super) fn restricting_trailers(
        &self,
        limits: &Limits,
    ) -> Result<Vec<(String, String)>, Error> {
        if self.trailer.len() as u64 > limits.head_bytes {
            return Err(exceeded("head_bytes", limits));
        }
        if count_restricting_words(&self.trailer) == 0 {
            return Ok(Vec::new());
        }
        let head = [b"HTTP/1.1 200 OK\r\n", &self.trailer[..], b"\r\n\r\n"].concat();
        let end = head_end(&head).unwrap_or(head.len());
        let (_, mut lines) = read_head(&cleaned(&head[..end], None), limits)?;
        lines.retain(is_restriction);
        Ok(lines)
    }
}

/// Interprets the response to a request for a site file at `url`. `content` is the whole response.
/// A response that cannot be parsed forbids everything.
pub(super) fn robots(
    url: &Url,
    file: SiteFile,
    content: &[u8],
    is_cut: bool,
    limits: &Limits,
) -> SiteFileResponse {
    let Ok(response) = HttpResponse::parse(content, limits) else {
        return SiteFileResponse::Rules(file.unreadable(UNREAD));
    };
    let body = response.body(&UnpackBudget::beginning(limits, ROBOTS_BYTES), is_cut);
    let body = match &body {
        Ok(body) => Some((&*body.bytes, body.is_cut)),
        Err(_) => None,
    };
    site_file_response(file, response.status, response.location(url), body)
}

/// Interprets the response to a request for a site file: status, redirect target, and body. The
/// flag beside the body is true if the body is truncated. `body` is `None` if it could not be read.
pub(super) fn site_file_response(
    file: SiteFile,
    status: u16,
    location: Option<Url>,
    body: Option<(&[u8], bool)>,
) -> SiteFileResponse {
    match (location, body) {
        (Some(target), _) if matches!(status, 300..=399) => {
            SiteFileResponse::Redirect(target.into())
        }
        (_, None) => SiteFileResponse::Rules(file.unreadable(UNREAD)),
        // A 206 response has only part of the file.
        (_, Some((bytes, is_cut))) if matches!(status, 200..=299) => {
            SiteFileResponse::Rules(rules(file, Some(status), bytes, is_cut || status == 206))
        }
        (_, Some((bytes, _))) => SiteFileResponse::Rules(
            file.read_response(status, bytes)
                .with_response(Some(status), bytes),
        ),
    }
}

/// Parses the content of a site file. A site file that is truncated or is not text forbids
/// everything.
pub(super) fn rules(file: SiteFile, status: Option<u16>, bytes: &[u8], is_cut: bool) -> RobotsTxt {
    if is_cut || is_binary(bytes) {
        file.unreadable(UNREAD)
    } else {
        file.read(bytes).with_response(status, bytes)
    }
}

/// Reason that is reported for a denial, if a site file is in the input but cannot be read.
pub(super) const UNREAD: &str = "it is there and cannot be read";

/// True if `bytes` do not begin like text (mimesniff.spec.whatwg.org, section 7.2).
fn is_binary(bytes: &[u8]) -> bool {
    let is_utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    !is_utf16 && bytes.iter().take(512).any(is_binary_byte)
}

fn is_binary_byte(byte: &u8) -> bool {
    matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)
}

pub(super) struct HttpResponse<'a> {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    body: &'a [u8],
    /// All bytes after the first header section. Usually they are the body. After the header
    /// section of an interim response (1xx), they begin with the next response.
    rest: &'a [u8],
}

impl<'a> HttpResponse<'a> {
    /// Parses an HTTP response. Interim responses (1xx) before the final response are skipped.
    pub(super) fn parse(bytes: &'a [u8], limits: &Limits) -> Result<Self, Error> {
        let rest = match head_end(bytes) {
            Some(end) => &bytes[end..],
            None => bytes,
        };
        let bytes = after_interim(bytes);
        let Some(end) = head_end(bytes) else {
            return Err(bad("an HTTP response that is cut off in its head"));
        };
        let (head, body) = bytes.split_at(end);
        let (status, mut headers) = read_head(&cleaned(head, None), limits)?;
        if head.iter().any(is_control) {
            // A control character may stand for a separator or for nothing, so the headers are read
            // both ways.
            let (_, others) = read_head(&cleaned(head, Some(b' ')), limits)?;
            headers.extend(others.into_iter().filter(is_restriction));
        }
        Ok(Self {
            status,
            headers,
            body,
            rest,
        })
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(n, _)| n.eq_ignore_ascii_case(name))?;
        Some(value)
    }

    pub(super) fn location(&self, page: &Url) -> Option<Url> {
        page.join(self.header("location")?).ok()
    }

    /// Returns all elements of a header with a comma-separated value, in lower case. The header may
    /// occur several times. The elements `identity` and `none` are left out.
    fn list(&self, name: &str) -> Vec<String> {
        let mut list = Vec::new();
        for (header, value) in &self.headers {
            if !header.eq_ignore_ascii_case(name) {
                continue;
            }
            for part in value.split(',') {
                let part = part.trim().to_ascii_lowercase();
                if !matches!(part.as_str(), "" | "identity" | "none") {
                    list.push(part);
                }
            }
        }
        list
    }

    /// Returns the body with its chunks joined and its content codings removed. Returns an error if
    /// the body is larger than `room` allows, or cannot be unpacked. If the archive record declares
    /// itself truncated (`is_cut`), returns the bytes before the break.
    pub(super) fn body(
        &self,
        room: &UnpackBudget<'_>,
        is_cut: bool,
    ) -> Result<HttpBody<'a>, Error> {
        let transfer = self.list("transfer-encoding");
        let content = self.list("content-encoding");
        if (transfer.len() + content.len()) as u64 > room.limits.codings {
            return Err(exceeded("codings", room.limits));
        }
        // The length is not checked with a coding: archives that remove the coding keep the old
        // length.
        let lengths = self.list("content-length");
        let lengths = lengths
            .iter()
            .filter_map(|length| length.parse::<usize>().ok());
        let length = lengths.max();
        let is_plain = transfer.is_empty() && content.is_empty();
        let mut is_cut = is_cut || is_plain && length > Some(self.body.len());
        let mut bytes = Cow::Borrowed(self.body);
        let mut trailer = Vec::new();
        for coding in content.iter().chain(&transfer).rev() {
            if coding.starts_with("chunked") {
                let Some(joined) = unchunk(&bytes) else {
                    continue;
                };
                trailer.extend(joined.trailer);
                is_cut |= joined.is_cut;
                bytes = joined.bytes;
            } else if let Some(plain) = unpack(coding, &bytes, room, is_cut)? {
                bytes = Cow::Owned(plain);
            }
        }
        room.check(bytes.len() as u64)?;
        Ok(HttpBody {
            bytes,
            is_cut,
            trailer,
        })
    }

    /// Returns the body with its chunks joined. `None` if the headers declare no chunks.
    pub(super) fn without_chunks(&self) -> Option<Cow<'a, [u8]>> {
        let codings = self.list("transfer-encoding");
        if codings.iter().any(|coding| coding.starts_with("chunked")) {
            let joined = unchunk(self.body).map(|joined| joined.bytes);
            Some(joined.unwrap_or(Cow::Borrowed(self.body)))
        } else {
            None
        }
    }

    /// Returns the body in its stored form, with its codings.
    pub(super) fn stored(&self) -> &'a [u8] {
        self.body
    }

    /// Returns all bytes after the first header section, if this section belongs to an interim
    /// response (1xx). Some tools mistake these bytes for the body. `None` if there is no interim
    /// response.
    pub(super) fn after_first_head(&self) -> Option<&'a [u8]> {
        (self.rest.len() > self.body.len()).then_some(self.rest)
    }

    /// Returns the content type that the response's headers declare.
    pub(super) fn kind(&self) -> ContentType {
        ContentType::from_headers(&self.headers)
    }

    pub(super) fn is_html(&self, body: &[u8]) -> bool {
        let kind = self.kind();
        kind.is_html() || kind.is_unknown() && looks_like_html(body)
    }
}

/// Returns the bytes from the final HTTP response on. Responses with 1xx (RFC 9110, section 15.2)
/// are skipped, and also the `200 Connection established` of a proxy. A response is skipped only if
/// another response follows. A `101` is not skipped, because the bytes after it are not HTTP.
fn after_interim(mut bytes: &[u8]) -> &[u8] {
    while let Some(end) = head_end(bytes)
        && is_interim(&bytes[..end])
        && status_line(&bytes[end..]).is_some()
    {
        bytes = &bytes[end..];
    }
    bytes
}

fn is_interim(head: &[u8]) -> bool {
    match status_line(head) {
        Some((status, _)) if (100..200).contains(&status) => status != 101,
        // A response with these words and a body is a page, not the opening of a tunnel.
        Some((200, reason)) => {
            reason.eq_ignore_ascii_case("Connection established") && !describes_body(head)
        }
        _ => false,
    }
}

/// Parses the status code and reason phrase of a status line. `None` if the bytes do not begin with
/// a status line.
fn status_line(bytes: &[u8]) -> Option<(u16, String)> {
    let line = bytes.trim_ascii_start().split(|b| *b == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    let version = words.next()?;
    let status = words.next()?;
    if !version.starts_with("HTTP/") || status.len() != 3 {
        return None;
    }
    let status = status.parse().ok()?;
    Some((status, words.collect::<Vec<_>>().join(" ")))
}

/// True if a header section has a line that describes a body: `Content-...` or `Transfer-Encoding`.
fn describes_body(head: &[u8]) -> bool {
    let head = head.to_ascii_lowercase();
    let mut lines = head.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_start);
    lines.any(|line| line.starts_with(b"content-") || line.starts_with(b"transfer-encoding"))
}

/// Returns the index in `bytes` after the first blank line, where the header section ends. `None`
/// if there is no blank line.
fn head_end(bytes: &[u8]) -> Option<usize> {
    let start = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n'))?;
    for end in memchr::memchr_iter(b'\n', &bytes[start..]) {
        let next = start + end + 1;
        match &bytes[next..] {
            [b'\n', ..] => return Some(next + 1),
            [b'\r', b'\n', ..] => return Some(next + 2),
            _ => {}
        }
    }
    None
}

fn is_control(b: &u8) -> bool {
    b.is_ascii_control() && !matches!(b, b'\r' | b'\n' | b'\t')
}

/// Returns the header section in a form that the parser accepts. The HTTP version is replaced by
/// 1.1. Control characters are replaced by `instead`, or removed if `instead` is `None`. The parser
/// would drop a line with a control character.
fn cleaned(head: &[u8], instead: Option<u8>) -> Vec<u8> {
    let mut clean = Vec::with_capacity(head.len());
    for line in head.split_inclusive(|b| *b == b'\n') {
        let from = clean.len();
        for b in line {
            if is_control(b) {
                clean.extend(instead);
            } else {
                clean.push(*b);
            }
        }
        // Such a line must not end the header section.
        if clean[from..].trim_ascii().is_empty() && line.iter().any(is_control) {
            clean.truncate(from);
        }
    }
    if let Some(rest) = clean.strip_prefix(b"HTTP/")
        && let Some(length) = memchr::memchr(b' ', rest)
        && rest[..length]
            .iter()
            .all(|b| b.is_ascii_digit() || *b == b'.')
    {
        clean.splice(5..5 + length, *b"1.1");
    }
    clean
}

/// Parses the status code and the headers of a response. Returns an error if a line with a word of
/// [`RESTRICTING_WORDS`] cannot be parsed.
fn read_head(head: &[u8], limits: &Limits) -> Result<(u16, Vec<(String, String)>), Error> {
    // The limit is only an upper bound: memory is reserved for the lines that exist.
    let lines = memchr::memchr_iter(b'\n', head).count();
    let mut headers = vec![EMPTY_HEADER; lines.min(size(limits.headers))];
    let mut response = httparse::Response::new(&mut headers);
    let mut config = ParserConfig::default();
    config
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .ignore_invalid_headers_in_responses(true);
    match config.parse_response(&mut response, head) {
        Ok(Status::Complete(length)) if length == head.len() => {}
        Ok(_) => return Err(bad("an HTTP response that is cut off in its head")),
        Err(httparse::Error::TooManyHeaders) => return Err(exceeded("headers", limits)),
        Err(error) => return Err(bad(format!("no HTTP response that can be read ({error})"))),
    }
    let text = head.trim_ascii_start();
    let lines = match memchr::memchr(b'\n', text) {
        Some(end) => &text[end + 1..],
        None => b"",
    };
    if count_restricting_words(lines) > response.headers.iter().map(count_in_header).sum() {
        return Err(bad(
            "an HTTP response with a line that may forbid its use and cannot be read",
        ));
    }
    let headers = response.headers.iter().map(|header| {
        let value = String::from_utf8_lossy(header.value).into_owned();
        (header.name.to_owned(), value)
    });
    Ok((response.code.unwrap_or(0), headers.collect()))
}

/// True if the name of the header contains a word of [`RESTRICTING_WORDS`].
fn is_restriction((name, _): &(String, String)) -> bool {
    count_restricting_words(name.as_bytes()) > 0
}

/// True if a header line contains a word of [`RESTRICTING_WORDS`].
pub(super) fn has_restricting_word(line: &str) -> bool {
    count_restricting_words(line.as_bytes()) > 0
}

/// Counts the occurrences of words of [`RESTRICTING_WORDS`] in a text.
fn count_restricting_words(bytes: &[u8]) -> usize {
    let bytes = bytes.to_ascii_lowercase();
    RESTRICTING_WORDS
        .iter()
        .map(|word| memchr::memmem::find_iter(&bytes, word).count())
        .sum()
}

/// Counts the words of [`RESTRICTING_WORDS`] in a parsed header: in its name, and in the first line
/// of its value. Further lines of the value are not counted, because they might originally have
/// been separate headers. [`read_head`] compares the sum for all parsed headers with the count in
/// the header lines before parsing. If a further line has such a word, the two numbers differ, and
/// `read_head` returns an error.
fn count_in_header(header: &Header<'_>) -> usize {
    let first = match memchr::memchr(b'\n', header.value) {
        Some(end) => &header.value[..end],
        None => header.value,
    };
    count_restricting_words(header.name.as_bytes()) + count_restricting_words(first)
}

/// Joins the chunks of a body. `None` if the body does not begin with a chunk: then the archive has
/// already joined the chunks. For a truncated body, returns the chunks before the break.
fn unchunk(bytes: &[u8]) -> Option<HttpBody<'static>> {
    let mut body = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let (trailer, is_cut) = loop {
        match httparse::parse_chunk_size(rest) {
            Ok(Status::Complete((head, 0))) => break trailer(&rest[head..]),
            Ok(Status::Complete((head, size))) => {
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                let chunk = &rest[head..];
                body.extend_from_slice(&chunk[..size.min(chunk.len())]);
                let next = size.saturating_add(2);
                if next >= chunk.len() {
                    break (&b""[..], true);
                }
                rest = &chunk[next..];
            }
            _ if body.is_empty() => return None,
            _ => break (&b""[..], true),
        }
    };
    Some(HttpBody {
        bytes: Cow::Owned(body),
        is_cut,
        trailer: trailer.to_vec(),
    })
}

/// Returns the trailer section at the beginning of `bytes`, which are the bytes after the last
/// chunk of a body. Also returns whether the blank line at the end of this section is missing.
fn trailer(bytes: &[u8]) -> (&[u8], bool) {
    if bytes.is_empty() || bytes.starts_with(b"\n") || bytes.starts_with(b"\r\n") {
        return (b"", false);
    }
    match head_end(bytes) {
        Some(end) => (&bytes[..end], false),
        None => (bytes, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_undone_where_they_are() {
        let body = |head: &str, body: &[u8]| {
            let bytes = [
                format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(),
                body,
            ]
            .concat();
            let (limits, head) = (Limits::default(), &bytes);
            let room = UnpackBudget::beginning(&limits, 1 << 20);
            HttpResponse::parse(head, &limits)
                .unwrap()
                .body(&room, false)
                .map(|body| String::from_utf8_lossy(&body.bytes).into_owned())
        };
        let gzip = |bytes: &[u8]| {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut encoder, bytes).unwrap();
            encoder.finish().unwrap()
        };
        let packed = gzip(b"plain");
        assert_eq!(
            body(
                "Content-Encoding: identity\r\ncontent-encoding: GZIP",
                &packed
            )
            .unwrap(),
            "plain"
        );
        let chunked = [
            format!("{:x}\r\n", packed.len()).as_bytes(),
            &packed,
            b"\r\n0\r\n\r\n",
        ]
        .concat();
        assert_eq!(
            body("Transfer-Encoding: gzip, chunked", &chunked).unwrap(),
            "plain"
        );
        assert_eq!(
            body("Content-Encoding: gzip, gzip", &gzip(&packed)).unwrap(),
            "plain"
        );
        assert!(
            body("Content-Encoding: gzip, gzip, gzip, gzip, gzip", &packed).is_err(),
            "too many"
        );
        for coding in ["gzip", "deflate", "br"] {
            assert!(
                body(
                    &format!("Content-Encoding: {coding}"),
                    &packed[..packed.len() - 9]
                )
                .is_err(),
                "{coding}"
            );
        }
        let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut deflate, &b"User-agent: *\nDisallow: /".repeat(9)).unwrap();
        let deflate = deflate.finish().unwrap();
        assert!(
            body("Content-Encoding: deflate", &deflate[..deflate.len() - 9]).is_err(),
            "deflate that is cut"
        );
        assert_eq!(
            body(
                "Transfer-Encoding: chunked",
                b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
            )
            .unwrap(),
            "abcde"
        );
        assert_eq!(
            body("Transfer-Encoding: chunked", b"<p>plain").unwrap(),
            "<p>plain"
        );
        assert_eq!(
            body("Content-Encoding: gzip", b"<p>plain").unwrap(),
            "<p>plain"
        );
        assert_eq!(
            body("Content-Encoding: br", b"<p>plain").unwrap(),
            "<p>plain"
        );
        assert!(body("Content-Encoding: gzip", &[0x1F, 0x8B, 8, 0]).is_err());
        assert!(body("Content-Encoding: zstd", &[0x28, 0xB5, 0x2F, 0xFD, 4]).is_err());
        assert_eq!(
            body("Content-Encoding: br", b"User-agent: *\nDisallow: /").unwrap(),
            "User-agent: *\nDisallow: /"
        );
    }

    #[test]
    fn no_line_of_a_head_that_may_restrict_is_lost() {
        let headers = |lines: &str| {
            let bytes =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{lines}\r\n\r\n\nbody");
            let response = HttpResponse::parse(bytes.as_bytes(), &Limits::default())?;
            assert_eq!(response.body, b"\nbody", "{lines:?}");
            Ok::<_, Error>(response.headers)
        };
        for lines in [
            "X-Robots-Tag\u{A0}: noindex",
            "\u{FEFF}X-Robots-Tag: noindex",
            "\"X-Robots-Tag\": noindex",
            "X Robots-Tag: noindex",
            "X-Robots-Tag(1): noindex",
            "X-Robots-Tag noindex",
            "Bad@@\u{FF}\r\n\tX-Robots-Tag: noindex",
            " X-Robots-Tag: noindex",
            "X-Foo: a\rX-Robots-Tag: noindex",
            "X-Robots\0-Tag: noindex",
            "Content-Usage(): bots=n",
            "Content-Signal(): ai-train=no",
            "Robots-Tag(): *;noindex",
            "[tdm-reservation]: 1",
        ] {
            assert!(headers(lines).is_err(), "{lines:?}");
        }
        for lines in [
            "X-Robots-Tag: no\0index",
            "\u{1}\r\nX-Robots-Tag: noindex",
            "X-Robots-Tag: noindex\u{7F}",
            "Bad Header: x\r\nX-Robots-Tag: noindex",
            "X-Robots-Tag:\r\n noindex",
        ] {
            let found = headers(lines).unwrap();
            let is_restriction_line = |(name, value): &(String, String)| {
                name == "X-Robots-Tag" && value.trim() == "noindex"
            };
            assert!(
                found.iter().any(is_restriction_line),
                "{lines:?}: {found:?}"
            );
        }
        let both = headers("X-Robots-Tag: noindex\u{B}nofollow").unwrap();
        assert!(
            both.iter().any(|(_, value)| value == "noindex nofollow"),
            "{both:?}"
        );
        let second =
            HttpResponse::parse(b"HTTP/2 200\r\nA: b\r\n\r\n", &Limits::default()).unwrap();
        assert_eq!((second.status, second.headers.len()), (200, 1));
        assert!(HttpResponse::parse(b"HTTP/two 200\r\nA: b\r\n\r\n", &Limits::default()).is_err());
    }
}
