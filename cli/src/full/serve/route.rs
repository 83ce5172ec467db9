//! A route of the service: how it is asked, and how it answers. The table of all routes is in
//! [`routes`](super::routes).

use axum::routing::MethodRouter;

use super::answer::{HTML, JSON};
use super::body::BodyKind;
use super::state::ServerState;

/// The method of a route. A route for GET takes HEAD too (RFC 9110, section 9.1).
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

/// Where a route is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoutePlace {
    /// On the port of the service, always.
    Service,
    /// On the port of the service, if an index is served.
    Search,
    /// On the port for copies, if an index is served.
    Copies,
}

/// The statuses and media types of answers.
pub(super) type Answers = &'static [(u16, &'static [&'static str])];

/// A route of the service: how it is asked, and how it answers.
pub(super) struct Route {
    pub(super) path: &'static str,
    pub(super) method: RouteMethod,
    pub(super) place: RoutePlace,
    /// What the route does, as one line of plain text.
    pub(super) about: &'static str,
    /// The names of the settings in the query string.
    pub(super) names: &'static [&'static [&'static str]],
    /// The kinds of bodies that the route takes.
    pub(super) takes: &'static [BodyKind],
    /// The answers that are no errors in JSON.
    pub(super) gives: Answers,
    pub(super) handler: fn() -> MethodRouter<ServerState>,
}

/// The statuses of errors that each route may answer with.
const REFUSES: [u16; 5] = [400, 403, 421, 429, 500];
/// The statuses of errors that a route with a body may answer with besides.
const REFUSES_BODIES: [u16; 4] = [408, 413, 415, 422];
/// The statuses of errors that a route of the search may answer with besides.
const REFUSES_QUERIES: [u16; 1] = [413];

impl Route {
    /// Returns the statuses of the route's errors.
    pub(super) fn refuses(&self) -> Vec<u16> {
        let more = match (self.takes, self.place) {
            ([], RoutePlace::Service) => &[][..],
            ([], _) => &REFUSES_QUERIES,
            _ => &REFUSES_BODIES,
        };
        [&REFUSES, more].concat()
    }

    /// Returns the media types of the route's errors. In a browser, those of the search are pages.
    pub(super) fn error_types(&self) -> &'static [&'static str] {
        match self.place {
            RoutePlace::Service => &[JSON],
            RoutePlace::Search | RoutePlace::Copies => &[JSON, HTML],
        }
    }
}
