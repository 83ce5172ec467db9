//! The layer around all routes: it checks a request's host and origin, counts the metrics, and
//! catches panics.
//!
//! A stranger's page in a browser may have a host name that resolves to loopback (DNS rebinding).
//! Such a page must not call the service by that name. So `Host` is checked: if the service listens
//! on loopback, `Host` must be a name of loopback or a name of `--host`. `Origin` is checked too: a
//! request whose `Origin` is not the service's own is refused. No answer allows a page of another
//! origin to read it.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use axum::body::HttpBody;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http_body_util::BodyExt;

use super::answer::ResponseParts;
use super::budget::FREE;
use super::cores::panic_message;
use super::refuse::Refusal;
use super::state::{ServerState, Service};

/// Checks the host and origin of a request, passes the request to its route, and counts the answer
/// in the metrics.
pub(super) async fn check_origin(
    State(service): State<ServerState>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    service.metrics.begin();
    let answered = match may_ask(&service, &request) {
        Ok(()) => {
            AssertUnwindSafe(async {
                #[cfg(debug_assertions)]
                super::cores::planted(request.uri().path());
                next.run(request).await
            })
            .catch_unwind()
            .await
        }
        Err(refusal) => Ok(refusal.into_response()),
    };
    let response =
        answered.unwrap_or_else(|panic| Refusal::panic(panic_message(&*panic)).into_response());
    let response = held(&service, response)
        .await
        .unwrap_or_else(IntoResponse::into_response);
    service.metrics.end(
        route.as_deref().unwrap_or("other"),
        response.status(),
        started.elapsed(),
    );
    count(&service, &response);
    with_headers(response)
}

/// Reserves memory of the budget for the body of a long answer. A streamed answer is returned
/// unchanged, since its stream reserves memory for each of its lines.
async fn held(service: &Service, response: Response) -> Result<Response, Refusal> {
    if response
        .body()
        .size_hint()
        .exact()
        .is_none_or(|length| length <= FREE as u64)
    {
        return Ok(response);
    }
    let (head, body) = response.into_parts();
    let whole = body
        .collect()
        .await
        .map_err(|error| Refusal::panic(error.to_string()))?;
    let held = service.bodies.hold(whole.to_bytes());
    let full = || {
        Refusal::limit(
            StatusCode::TOO_MANY_REQUESTS,
            "bodies_bytes",
            &service.limits,
        )
    };
    held.map(|bytes| Response::from_parts(head, bytes.into()))
        .ok_or_else(full)
}

fn count(service: &Service, response: &Response) {
    service.metrics.sent(
        usize::try_from(response.body().size_hint().exact().unwrap_or_default())
            .unwrap_or(usize::MAX),
    );
    if let Some(parts) = response.extensions().get::<ResponseParts>() {
        service.metrics.error(parts.kind);
        if let Some(reason) = parts.reason {
            service.metrics.refused(reason);
        }
    }
}

fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'"));
    response
}

fn may_ask(service: &Service, request: &Request) -> Result<(), Refusal> {
    let host = host(request)?;
    if !is_ours(service, name(host)) {
        let message = format!("`{host}` is no name of this service: --host gives it names");
        return Err(Refusal::input(
            StatusCode::MISDIRECTED_REQUEST,
            "host",
            message,
        ));
    }
    match origin(request.headers()) {
        Some(origin)
            if origin
                .split_once("://")
                .is_none_or(|(_, from)| !from.eq_ignore_ascii_case(host)) =>
        {
            let message = format!("a page of `{origin}` may not ask this service");
            Err(Refusal::input(StatusCode::FORBIDDEN, "origin", message))
        }
        _ => Ok(()),
    }
}

/// True if clients may call the service by the host name `name`. If the service does not listen on
/// loopback and `--host` is not given, any name is allowed.
fn is_ours(service: &Service, name: &str) -> bool {
    let is_open = !service.is_loopback && service.hosts.is_empty();
    is_open
        || is_loopback(name)
        || service
            .hosts
            .iter()
            .any(|own| own.eq_ignore_ascii_case(name))
}

/// Returns the host in the `Host` header of a request. Refuses the request if it has several hosts
/// or none.
fn host(request: &Request) -> Result<&str, Refusal> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let wrong = |message: &str| Refusal::input(StatusCode::BAD_REQUEST, "host", message);
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(wrong("a request names one Host"));
    };
    let host = host.to_str().map_err(|_| wrong("`Host` is no name"))?;
    match request.uri().authority() {
        Some(other) if !other.as_str().eq_ignore_ascii_case(host) => {
            Err(wrong("the URL and `Host` name different hosts"))
        }
        _ => Ok(host),
    }
}

/// Returns the name in the host `host` of a request, without the port.
fn name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_loopback(name: &str) -> bool {
    let name = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Returns the origin of the page that sent a request. Returns None if the headers have no
/// `Origin`, which only browsers send.
fn origin(headers: &HeaderMap) -> Option<String> {
    headers
        .get(ORIGIN)
        .map(|origin| String::from_utf8_lossy(origin.as_bytes()).into_owned())
}
