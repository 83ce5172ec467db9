//! `heedful serve`: the program as an HTTP service on this machine, for callers in any programming
//! language. Requests and answers are JSON.
//!
//! The answers of the service are those of the verbs, by the same code and in the same JSON
//! (docs/json.md). Its callers are programs on the same machine, so by default it listens on
//! loopback. It has no user accounts and no TLS, and fetches nothing for a caller. A caller may
//! choose bots and conventions, but cannot remove the operator's `--deny`, `--deny-element`,
//! `--deny-region` and `--convention-file`.
//!
//! All limits of the service are in the table that `heedful limits` prints. A client that exceeds a
//! limit, or is slow, affects only itself. A request counts towards the limit of requests only once
//! its body has arrived. Pages are judged on as many threads as there are cores. A page that makes
//! the program panic gets an answer with status 500. The service speaks HTTP/1.1 only.

mod answer;
mod asked;
mod body;
mod bounds;
mod budget;
mod check;
mod conventions;
mod cores;
mod counts;
mod explain;
mod filter;
mod health;
mod lines;
mod listen;
mod log;
mod mask;
mod metrics;
mod nowhere;
mod object;
mod openapi;
mod opened;
mod origin_check;
mod page;
mod refuse;
mod route;
pub(crate) mod routes;
mod search;
mod snapshot;
mod state;
mod stream;
mod wire;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use heedful::Result;
use heedful_report::wording::count;

use crate::args::ServeArgs;
use crate::ending::{RunEnding, io_error};
use crate::output;

use cores::Cores;
use state::{ServerState, Service};

pub(crate) fn run(args: &ServeArgs) -> Result<RunEnding> {
    let service = Arc::new(Service::new(args)?);
    let cores = service.cores.number();
    // Each core may be busy with pages, while the reactor still needs threads of its own.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores)
        .max_blocking_threads(Cores::threads(cores, service.bounds.requests) + 1)
        .enable_all()
        .build();
    let runtime = runtime.map_err(io_error("threads"))?;
    let ended = runtime.block_on(async {
        let listener = listen::bind(args.listen, args.port, "--port").await?;
        let address = listen::address(&listener)?;
        let copies = search::bind_copies(args, address, &service).await?;
        if !address.ip().is_loopback() {
            output::print_note(
                "this address can be reached from other machines: the service asks nobody for a password, and its \
                 traffic is not encrypted",
            );
        }
        report_terms(args);
        // Installed before the message below: a caller that reads it may send a signal at once.
        let ended = listen::interruption()?;
        output::print_message(format_args!("listening on http://{address}{}", search::what_is_there(&service)?));
        let served = listen::serve(listener, router(Arc::clone(&service)), &service, ended.clone());
        let copies = async {
            if let Some(listener) = copies {
                listen::serve(listener, copies_router(Arc::clone(&service)), &service, ended).await?;
            }
            Ok(())
        };
        tokio::try_join!(served, copies)?;
        Ok(())
    });
    runtime.shutdown_background();
    service.log.finish();
    let answered = service.metrics.answered();
    output::print_message(format_args!("ended after {}", count(answered, "request")));
    ended.map(|()| RunEnding::Yes)
}

/// Prints a note if the user gave options that have no effect on the search of the service, such as
/// `--bot`. The search always uses the bots, conventions and denials of the index.
fn report_terms(args: &ServeArgs) {
    let given = args.terms.given_options();
    if args.index.is_some() && !given.is_empty() {
        let given = given.join(", ");
        output::print_note(&format!(
            "the search has the terms of its index and the time of the clock: {given} counts for pages that are sent alone"
        ));
    }
}

/// Creates the router for the port of the service.
fn router(service: ServerState) -> Router {
    let routes = routes::router(routes::of_service(service.index.is_some()));
    checked(routes.fallback(nowhere::no_route), service)
}

/// Creates the router for the port on which copies of pages are served.
fn copies_router(service: ServerState) -> Router {
    let routes = routes::router(routes::of_copies());
    checked(routes.fallback(search::copy::nothing_here), service)
}

/// Adds the checks of [`origin_check`] to `routes`. Each request must pass them first.
fn checked(routes: Router<ServerState>, service: ServerState) -> Router {
    routes
        .method_not_allowed_fallback(nowhere::no_method)
        .layer(from_fn_with_state(
            Arc::clone(&service),
            origin_check::check_origin,
        ))
        .with_state(service)
}
