//! Creates the responses of the service, with their media types and the facts about them that the
//! metrics count.

use axum::body::Body;
use axum::http::header::{ACCEPT, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

/// Facts about the error in an error response. They are attached to the response as an extension,
/// for the metrics and the log. `kind` is the kind of the error. `reason` is the label of a refusal
/// in the metrics; `None` if the request was not refused. `fault` is the error message if the
/// service itself failed, and otherwise `None`.
#[derive(Clone, Debug)]
pub(super) struct ResponseParts {
    pub(super) kind: &'static str,
    pub(super) reason: Option<&'static str>,
    pub(super) fault: Option<String>,
}

pub(super) const JSON: &str = "application/json";
pub(super) const LINES: &str = "application/x-ndjson";
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// Creates a response with this status and body. `kind` is the Content-Type.
pub(super) fn response(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Creates a response whose body is one line of JSON, with the line end.
pub(super) fn json(status: StatusCode, mut line: String) -> Response {
    line.push('\n');
    response(status, JSON, line)
}

/// Creates a response of HTML. `policy` is its Content-Security-Policy.
pub(super) fn html(body: String, policy: &'static str) -> Response {
    let mut response = response(StatusCode::OK, HTML, body);
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// True if the client of a request accepts HTML and not JSON, as browsers do.
pub(super) fn wants_html(headers: &HeaderMap) -> bool {
    let accepts = |kind| {
        headers
            .get_all(ACCEPT)
            .iter()
            .any(|value| value.to_str().is_ok_and(|value| value.contains(kind)))
    };
    accepts("text/html") && !accepts("application/json")
}

/// Combines the JSON lines of one answer into one JSON text. A single line is returned unchanged.
/// Several lines become a JSON array.
pub(super) fn join_lines(lines: &[String]) -> String {
    match lines {
        [line] => line.clone(),
        lines => format!("[{}]", lines.join(",")),
    }
}

/// Collects the lines of one answer. Returns `None` if the lines together have more than `most`
/// bytes.
pub(super) fn collect_bounded(
    most: usize,
    lines: impl Iterator<Item = String>,
) -> Option<Vec<String>> {
    let mut length = 0_usize;
    let within = |line: String| {
        length = length.saturating_add(line.len());
        (length <= most).then_some(line)
    };
    lines.map(within).collect()
}
