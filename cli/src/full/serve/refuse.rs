//! Refusals of requests. Each refusal has a status and is sent as JSON:
//! `{"error": {"kind": ..., "message": ...}}`.
//!
//! The `kind` of a refusal is the name of a kind of the program's errors, or `withheld` for a use
//! that the publisher denies to all bots. The `message` is for people. It contains no text of a
//! page, unless it is the message of a panic.

use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use heedful::{Error, ErrorKind, Limits};
use heedful_json as json;
use serde_json::json;

use super::answer::{self, ResponseParts};
use super::bounds::value;

/// The refusal of a request, with its status and the reason.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    /// The kind of the error, or `withheld` for a use that the publisher denies.
    kind: &'static str,
    error: Error,
    /// Label of the refusal in the metrics: the name of the exceeded limit, or a word for another
    /// mistake in the request. `None` if the error is in the page, not in the request.
    reason: Option<&'static str>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, reason: &'static str, error: impl Into<Error>) -> Self {
        let error = error.into();
        Self {
            status,
            reason: Some(reason),
            kind: error.name(),
            error,
        }
    }

    /// Creates the refusal of an invalid request. `reason` is the label in the metrics.
    pub(super) fn input(
        status: StatusCode,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self::new(status, reason, ErrorKind::Input(message.into()))
    }

    /// Creates the refusal of a request that exceeds the limit `name` of the service.
    pub(super) fn limit(status: StatusCode, name: &'static str, limits: &Limits) -> Self {
        Self::new(
            status,
            name,
            ErrorKind::Limit {
                of: "request",
                name,
                limit: value(name, limits),
            },
        )
    }

    /// Creates the refusal of a request whose page cannot be read. The kind of `error` decides
    /// whether the status is 500 or 422.
    pub(super) fn page(error: Error) -> Self {
        let status = match error.name() {
            "internal" | "io" => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self {
            status,
            kind: error.name(),
            error,
            reason: None,
        }
    }

    /// Creates the refusal of a use that the publisher denies to all bots: status 403.
    pub(super) fn withheld(message: String) -> Self {
        Self {
            kind: "withheld",
            ..Self::page(ErrorKind::Input(message).into())
        }
        .with_status(StatusCode::FORBIDDEN)
    }

    fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Creates the refusal that reports a defect of the program: status 500.
    pub(super) fn panic(message: String) -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "panic",
            ErrorKind::Internal(message),
        )
    }
}

impl Refusal {
    pub(super) fn kind(&self) -> &'static str {
        self.kind
    }

    pub(super) fn message(&self) -> String {
        self.error.to_string()
    }

    pub(super) fn into_error(self) -> Error {
        self.error
    }

    pub(super) fn status(&self) -> StatusCode {
        self.status
    }
}

/// Returns the HTTP status for an error in a request.
fn status(error: &Error) -> StatusCode {
    match error.name() {
        "limit" => StatusCode::PAYLOAD_TOO_LARGE,
        "ambiguous" => StatusCode::UNPROCESSABLE_ENTITY,
        "internal" | "io" | "index" => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::new(status(&error), error.name(), error)
    }
}

impl From<ErrorKind> for Refusal {
    fn from(kind: ErrorKind) -> Self {
        Error::from(kind).into()
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let line = json::line(
            &json!({ "error": { "kind": self.kind, "message": self.error.to_string() } }),
        );
        let mut response = answer::json(self.status, line);
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response.extensions_mut().insert(ResponseParts {
            kind: self.kind,
            reason: self.reason,
            fault: self
                .status
                .is_server_error()
                .then(|| self.error.to_string()),
        });
        response
    }
}
