//! The bodies of requests: their kinds by Content-Type, and how they are read within limits of
//! bytes and time.

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::budget::Held;
use super::refuse::Refusal;
use super::state::Service;

/// The kinds of request bodies that the service accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyKind {
    /// The body is the HTML of a page, as its site sent it.
    Html,
    /// The body is one JSON object: a page, or a question about a robots.txt.
    Json,
    /// The body is JSON Lines: one object per line.
    Lines,
    /// The body is the text of a robots.txt.
    Text,
}

impl BodyKind {
    /// Returns the kind of a request's body by its Content-Type. Refuses the request with 415 if
    /// the kind is not in `wanted`. The types `application/x-www-form-urlencoded` and
    /// `multipart/form-data` are never accepted, because HTML forms send them. Forms can send
    /// `text/plain` too, which is accepted as the type of a robots.txt. This is safe, because the
    /// check of the header `Origin` refuses requests from forms on other sites.
    pub(super) fn from_headers(headers: &HeaderMap, wanted: &[Self]) -> Result<Self, Refusal> {
        if headers
            .get(CONTENT_ENCODING)
            .is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
        {
            return Err(unsupported(
                "a body has no Content-Encoding here: send it as it is",
            ));
        }
        let named = headers
            .get(CONTENT_TYPE)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).to_lowercase());
        let essence = named
            .as_deref()
            .unwrap_or_default()
            .split(';')
            .next()
            .unwrap_or_default()
            .trim();
        let kind = wanted.iter().find(|kind| kind.names().contains(&essence));
        kind.copied().ok_or_else(|| {
            let names: Vec<_> = wanted.iter().map(|kind| kind.names()[0]).collect();
            let known = names.join(" or ");
            unsupported(&format!(
                "the Content-Type `{essence}` is not taken here; say -H 'Content-Type: ...' with {known}"
            ))
        })
    }

    /// Returns the media types of this kind of body. The usual media type comes first.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Html => &["text/html", "application/xhtml+xml"],
            Self::Json => &["application/json"],
            Self::Lines => &[
                "application/x-ndjson",
                "application/ndjson",
                "application/jsonl",
            ],
            Self::Text => &["text/plain"],
        }
    }
}

fn unsupported(message: &str) -> Refusal {
    Refusal::input(StatusCode::UNSUPPORTED_MEDIA_TYPE, "content-type", message)
}

/// A request's body that was received completely, and its share of the memory budget.
#[derive(Debug)]
pub(super) struct WholeBody {
    pub(super) bytes: Vec<u8>,
    _held: Held,
}

impl Service {
    /// Reads the whole body of a request. Refuses the request with status 413 if the body is too
    /// long. The status is 408 if the body takes too long to arrive, and 429 if the memory budget
    /// is used up.
    pub(super) async fn whole(
        &self,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<WholeBody, Refusal> {
        let length = headers
            .get(CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > self.bounds.body_bytes as u64) {
            return Err(self.too_long());
        }
        let read = timeout(self.bounds.request_time, self.read(body)).await;
        read.unwrap_or_else(|_| {
            Err(Refusal::limit(
                StatusCode::REQUEST_TIMEOUT,
                "request_seconds",
                &self.limits,
            ))
        })
    }

    async fn read(&self, mut body: Body) -> Result<WholeBody, Refusal> {
        let mut whole = WholeBody {
            bytes: Vec::new(),
            _held: Held::default(),
        };
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| broken(&error))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            self.metrics.received(data.len());
            self.add(&mut whole, &data)?;
        }
        Ok(whole)
    }

    fn add(&self, whole: &mut WholeBody, data: &Bytes) -> Result<(), Refusal> {
        if whole.bytes.len() + data.len() > self.bounds.body_bytes {
            return Err(self.too_long());
        }
        if !self.bodies.take(&mut whole._held, data.len()) {
            return Err(Refusal::limit(
                StatusCode::TOO_MANY_REQUESTS,
                "bodies_bytes",
                &self.limits,
            ));
        }
        whole.bytes.extend_from_slice(data);
        Ok(())
    }

    fn too_long(&self) -> Refusal {
        Refusal::limit(StatusCode::PAYLOAD_TOO_LARGE, "body_bytes", &self.limits)
    }
}

/// Creates the refusal of a request whose body is incomplete. The client closed the connection
/// before the end of the body.
pub(super) fn broken(error: &axum::Error) -> Refusal {
    Refusal::input(
        StatusCode::BAD_REQUEST,
        "body",
        format!("the body breaks off: {error}"),
    )
}
