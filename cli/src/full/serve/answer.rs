//! Answers: their kinds, and the parts that are counted.

use axum::body::Body;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

/// The parts of an answer that are counted: the kind of its error, and the reason if it was
/// refused.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResponseParts {
    pub(super) kind: &'static str,
    pub(super) reason: Option<&'static str>,
}

pub(super) const JSON: &str = "application/json";
pub(super) const LINES: &str = "application/x-ndjson";
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// An answer of this kind.
pub(super) fn response(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// An object or an array on one line.
pub(super) fn json(status: StatusCode, mut line: String) -> Response {
    line.push('\n');
    response(status, JSON, line)
}

/// A page of HTML, under a policy of what it may load and run.
pub(super) fn html(body: String, policy: &'static str) -> Response {
    let mut response = response(StatusCode::OK, HTML, body);
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// The lines of one question: alone as they are, several as an array.
pub(super) fn join_lines(lines: &[String]) -> String {
    match lines {
        [line] => line.clone(),
        lines => format!("[{}]", lines.join(",")),
    }
}

/// The lines, unless they are longer than so many bytes in all.
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
