//! The one table of the service's routes. The router is made from it, the answers to requests for
//! other paths and methods, and the OpenAPI document ([`openapi`](super::openapi)).

use axum::Router;
use axum::routing::{MethodRouter, get, post};

use super::answer::{HTML, JSON, LINES};
use super::asked::FilterParams;
use super::body::BodyKind;
use super::search::{copy, filters::FilterSettings, find, why};
use super::state::ServerState;
use super::{check, conventions, explain, filter, health, mask, metrics, openapi, snapshot};

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
    handler: fn() -> MethodRouter<ServerState>,
}

/// The statuses of errors that each route may answer with.
const REFUSES: [u16; 5] = [400, 403, 421, 429, 500];
/// The statuses of errors that a route with a body may answer with besides.
const REFUSES_BODIES: [u16; 4] = [408, 413, 415, 422];
/// The statuses of errors that a route of the search may answer with besides.
const REFUSES_QUERIES: [u16; 1] = [413];

const OF_PAGE: &[&str] = &FilterParams::NAMES;
const OF_SEARCH: &[&str] = &FilterSettings::NAMES;

pub(super) static ROUTES: [Route; 13] = [
    Route {
        path: "/filter",
        method: RouteMethod::Post,
        place: RoutePlace::Service,
        about: "What an indexer may have of a page, for each bot",
        names: &[OF_PAGE, &filter::NAMES],
        takes: &filter::TAKES,
        gives: &[(200, &[JSON, LINES])],
        handler: || post(filter::answer),
    },
    Route {
        path: "/mask",
        method: RouteMethod::Post,
        place: RoutePlace::Service,
        about: "The uses that a page allows, and the directives that deny the others",
        names: &[OF_PAGE, &mask::NAMES],
        takes: &mask::TAKES,
        gives: &[(200, &[JSON, LINES])],
        handler: || post(mask::answer),
    },
    Route {
        path: "/check",
        method: RouteMethod::Post,
        place: RoutePlace::Service,
        about: "The rulings of a robots.txt",
        names: &[&check::NAMES],
        takes: &check::TAKES,
        gives: &[(200, &[JSON, LINES])],
        handler: || post(check::answer),
    },
    Route {
        path: "/snapshot",
        method: RouteMethod::Post,
        place: RoutePlace::Service,
        about: "The page without what may not be archived, as HTML; 403 where no snapshot may be kept",
        names: &[OF_PAGE, &snapshot::NAMES],
        takes: &snapshot::TAKES,
        gives: &[(200, &[HTML]), (204, &[])],
        handler: || post(snapshot::answer),
    },
    Route {
        path: "/explain",
        method: RouteMethod::Post,
        place: RoutePlace::Service,
        about: "Why a page is read as it is; as HTML where Accept names text/html and not JSON",
        names: &[OF_PAGE, &explain::NAMES],
        takes: &explain::TAKES,
        gives: &[(200, &[JSON, HTML])],
        handler: || post(explain::answer),
    },
    Route {
        path: "/",
        method: RouteMethod::Get,
        place: RoutePlace::Search,
        about: "The search page, with the hits of a query",
        names: &[&find::NAMES, OF_SEARCH],
        takes: &[],
        gives: &[(200, &[HTML])],
        handler: || get(find::page),
    },
    Route {
        path: "/search",
        method: RouteMethod::Get,
        place: RoutePlace::Search,
        about: "The hits of a query; as HTML where Accept names text/html and not JSON",
        names: &[&find::NAMES, OF_SEARCH, &find::OF_JSON],
        takes: &[],
        gives: &[(200, &[JSON, HTML])],
        handler: || get(find::answer),
    },
    Route {
        path: "/why",
        method: RouteMethod::Get,
        place: RoutePlace::Search,
        about: "What the index knows of a URL; as HTML where Accept names text/html and not JSON",
        names: &[&why::NAMES, OF_SEARCH],
        takes: &[],
        gives: &[(200, &[JSON, HTML]), (404, &[HTML])],
        handler: || get(why::answer),
    },
    Route {
        path: "/copy",
        method: RouteMethod::Get,
        place: RoutePlace::Copies,
        about: "The snapshot of a page in the index, on a port of its own",
        names: &[&copy::NAMES],
        takes: &[],
        gives: &[(200, &[HTML]), (404, &[HTML]), (410, &[HTML])],
        handler: || get(copy::answer),
    },
    Route {
        path: "/conventions",
        method: RouteMethod::Get,
        place: RoutePlace::Service,
        about: "The conventions, or the techniques against AI training",
        names: &[&conventions::NAMES],
        takes: &[],
        gives: &[(200, &[JSON])],
        handler: || get(conventions::answer),
    },
    Route {
        path: "/health",
        method: RouteMethod::Get,
        place: RoutePlace::Service,
        about: "That the service works, its version and its number of cores",
        names: &[],
        takes: &[],
        gives: &[(200, &[JSON])],
        handler: || get(health::answer),
    },
    Route {
        path: "/metrics",
        method: RouteMethod::Get,
        place: RoutePlace::Service,
        about: "What the service counts, for Prometheus",
        names: &[],
        takes: &[],
        gives: &[(200, &[metrics::KIND])],
        handler: || get(metrics::answer),
    },
    Route {
        path: "/openapi.json",
        method: RouteMethod::Get,
        place: RoutePlace::Service,
        about: "This document",
        names: &[],
        takes: &[],
        gives: &[(200, &[JSON])],
        handler: || get(openapi::answer),
    },
];

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

/// Returns the routes at `place`.
pub(super) fn at(place: RoutePlace) -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(move |route| route.place == place)
}

/// Returns the routes on the port of the service.
pub(super) fn of_service(has_index: bool) -> impl Iterator<Item = &'static Route> {
    let is_there = move |route: &&Route| match route.place {
        RoutePlace::Service => true,
        RoutePlace::Search => has_index,
        RoutePlace::Copies => false,
    };
    ROUTES.iter().filter(is_there)
}

/// Creates a router with the handlers of these routes.
pub(super) fn router(routes: impl Iterator<Item = &'static Route>) -> Router<ServerState> {
    routes.fold(Router::new(), |router, route| {
        router.route(route.path, (route.handler)())
    })
}
