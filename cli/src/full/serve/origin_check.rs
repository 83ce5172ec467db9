//! The layer around all routes: it checks a request's host and origin, counts the metrics, logs the
//! request, and catches panics.
//!
//! A stranger's page in a browser may have a host name that resolves to the service's address (DNS
//! rebinding). Such a page must not call the service by that name. So `Host` must be a name of
//! loopback or a name of `--host`. `Origin` is checked too: a request with an `Origin` that is not
//! the service's own is refused. Browsers leave `Origin` out of simple requests, such as requests
//! for images. Their header `Sec-Fetch-Site` then states where such a request comes from. A request
//! from another site or origin is refused, unless somebody follows a link to the service. Pages of
//! another origin can never read a response, embed it, or access its window.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use axum::body::HttpBody;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http_body_util::BodyExt;

use super::answer::ResponseParts;
use super::budget::FREE;
use super::cores::panic_message;
use super::log::{self, LoggedRequest};
use super::refuse::Refusal;
use super::state::{ServerState, Service};

const FETCH_SITE: &str = "sec-fetch-site";
const FETCH_MODE: &str = "sec-fetch-mode";
const FETCH_DEST: &str = "sec-fetch-dest";

/// Headers that prevent pages of another origin from embedding a response or accessing its window.
const ALONE: [HeaderName; 2] = [
    HeaderName::from_static("cross-origin-opener-policy"),
    HeaderName::from_static("cross-origin-resource-policy"),
];

/// Checks the host and origin of a request, passes the request to its route, and counts the
/// response in the metrics.
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
    let method = request.method().clone();
    let logged = LoggedRequest::begin(&service.log, &method, route.as_deref());
    let _in_flight = service.metrics.begin();
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
    if response.status().is_server_error() {
        let parts = response.extensions().get::<ResponseParts>();
        let message = parts.map(|parts| parts.fault.as_deref().unwrap_or(parts.kind));
        log::fault(
            &service.log,
            &method,
            route.as_deref(),
            message.unwrap_or_default(),
        );
    }
    let response = with_headers(response);
    match logged {
        Some(logged) => logged.answered(response),
        None => response,
    }
}

/// Reserves memory for the body of a response in the memory budget of the service. Returns a short
/// response unchanged. Also returns a streamed response unchanged, since its stream reserves memory
/// for each line. Refuses the request with status 429 if the budget is used up.
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
    for name in ALONE {
        headers.insert(name, HeaderValue::from_static("same-origin"));
    }
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
    let refused = |from: &str| {
        let message = format!("a page of {from} may not ask this service");
        Err(Refusal::input(StatusCode::FORBIDDEN, "origin", message))
    };
    let is_other = |origin: &String| {
        let from = origin.split_once("://");
        from.is_none_or(|(_, from)| !from.eq_ignore_ascii_case(host))
    };
    if let Some(origin) = values(request.headers(), ORIGIN.as_str()).find(is_other) {
        return refused(&format!("`{origin}`"));
    }
    if is_from_elsewhere(request.headers()) && !is_followed_link(request.headers()) {
        return refused("another site or origin");
    }
    Ok(())
}

/// True if the headers of a browser state that the request comes from a page of another origin.
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    values(headers, FETCH_SITE).any(|site| !matches!(site.as_str(), "same-origin" | "none"))
}

/// True if a browser will show the response as a page of its own, as after a click on a link. The
/// browser states this in the request headers `Sec-Fetch-Mode` and `Sec-Fetch-Dest`.
fn is_followed_link(headers: &HeaderMap) -> bool {
    let is = |name, wanted| values(headers, name).collect::<Vec<_>>() == [wanted];
    is(FETCH_MODE, "navigate") && is(FETCH_DEST, "document")
}

/// True if clients may call the service by the host name `name`.
fn is_ours(service: &Service, name: &str) -> bool {
    is_loopback(name)
        || service
            .hosts
            .iter()
            .any(|own| own.eq_ignore_ascii_case(name))
}

/// Returns the value of the `Host` header of a request. Refuses the request if it has no host or
/// several hosts.
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

/// Returns the host name in `host`, the value of a `Host` header, without the port.
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

/// Returns the values of all headers with this name.
fn values<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = String> + use<'a> {
    let values = headers.get_all(name).iter();
    values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
