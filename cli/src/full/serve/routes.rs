//! The table of the service's routes. The router, the responses to requests for other paths and
//! methods, and the OpenAPI document ([`openapi`](super::openapi)) are made from this table.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use heedful_json as json;
use serde_json::Value;

use super::answer::{self, HTML, JSON, LINES};
use super::asked::FilterParams;
use super::route::{Route, RouteMethod, RoutePlace};
use super::search::{copy, filters::FilterSettings, find, why};
use super::state::ServerState;
use super::{check, conventions, explain, filter, health, mask, metrics, openapi, snapshot};

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
        handler: || get(describe),
    },
];

/// Returns the routes on the second port of the service, which serves cached copies of pages.
pub(super) fn of_copies() -> impl Iterator<Item = &'static Route> {
    let is_there = |route: &&Route| route.place == RoutePlace::Copies;
    ROUTES.iter().filter(is_there)
}

/// Returns the routes on the main port of the service. The routes of the search are included if
/// `has_index` is true.
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

/// Handles `GET /openapi.json`: returns the OpenAPI document of this service.
async fn describe(State(service): State<ServerState>, headers: HeaderMap) -> Response {
    let index = service.index.as_ref();
    let copies = index.and_then(|opened| opened.copies(&headers));
    let line = json::line(&document(index.is_some(), copies.as_deref()));
    answer::json(StatusCode::OK, line)
}

/// Returns the OpenAPI document of a service. The routes of the search are included if `has_index`
/// is true. `copies` is the origin from which browsers get the copies of pages.
pub(crate) fn document(has_index: bool, copies: Option<&str>) -> Value {
    let of_copies = of_copies().filter(|_| copies.is_some());
    openapi::document(of_service(has_index).chain(of_copies), copies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_is_told() {
        let document = document(true, Some("http://localhost:4334"));
        for route in &ROUTES {
            let names: usize = route.names.iter().map(|names| names.len()).sum();
            let method = route.method.name().to_lowercase();
            let told = &document["paths"][route.path][method]["parameters"];
            assert_eq!(told.as_array().map(Vec::len), Some(names), "{}", route.path);
        }
    }
}
