//! A route of the service: the requests that it accepts, and its responses. The table of all routes
//! is in [`routes`](super::routes).

use axum::routing::MethodRouter;

use super::answer::{HTML, JSON};
use super::body::BodyKind;
use super::state::ServerState;

/// HTTP method of a route. A route with the method GET accepts HEAD too (RFC 9110, section 9.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RouteMethod {
    Get,
    Post,
}

impl RouteMethod {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// The port on which a route is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoutePlace {
    /// The main port of the service. The route is always served.
    Service,
    /// The main port of the service. The route is served only if the service has an index.
    Search,
    /// The second port, for cached copies of pages. The route is served only if the service has an
    /// index.
    Copies,
}

/// The responses of a route: each HTTP status, with the media types that a response of this status
/// may have.
pub(super) type Answers = &'static [(u16, &'static [&'static str])];

/// A route of the service: the requests that it accepts, and its responses.
pub(super) struct Route {
    pub(super) path: &'static str,
    pub(super) method: RouteMethod,
    pub(super) place: RoutePlace,
    /// Description of the route as one line of plain text, for the OpenAPI document.
    pub(super) about: &'static str,
    /// Lists with the names of the settings that the route accepts in the query string.
    pub(super) names: &'static [&'static [&'static str]],
    /// Kinds of request bodies that the route accepts.
    pub(super) takes: &'static [BodyKind],
    /// Responses of the route other than error responses in JSON.
    pub(super) gives: Answers,
    pub(super) handler: fn() -> MethodRouter<ServerState>,
}

/// Error statuses with which every route may respond.
const REFUSES: [u16; 5] = [400, 403, 421, 429, 500];
/// Further error statuses with which a route that accepts a body may respond.
const REFUSES_BODIES: [u16; 4] = [408, 413, 415, 422];
/// Further error statuses with which a route of the search may respond.
const REFUSES_QUERIES: [u16; 1] = [413];

impl Route {
    /// Returns the statuses of all error responses of the route.
    pub(super) fn refuses(&self) -> Vec<u16> {
        let more = match (self.takes, self.place) {
            ([], RoutePlace::Service) => &[][..],
            ([], _) => &REFUSES_QUERIES,
            _ => &REFUSES_BODIES,
        };
        [&REFUSES, more].concat()
    }

    /// Returns the media types of the route's error responses. For browsers, the errors of the
    /// search are HTML pages.
    pub(super) fn error_types(&self) -> &'static [&'static str] {
        match self.place {
            RoutePlace::Service => &[JSON],
            RoutePlace::Search | RoutePlace::Copies => &[JSON, HTML],
        }
    }
}
