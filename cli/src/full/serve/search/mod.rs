//! The search of `heedful serve INDEX`, as JSON and as HTML for a browser.
//!
//! Every answer of the search contains only what the index may show to anybody: titles, excerpts
//! and anchor texts that may be shown, and copies that may be archived. Unlike with
//! `heedful search --at`, a caller cannot set the time of the search. So expired pages stay hidden.
//!
//! A copy is the page of another site. Copies are served from a separate port, so no copy has the
//! origin of the search page. The Content-Security-Policy of copies forbids scripts, and forbids to
//! load anything.

mod about;
pub(super) mod copy;
pub(super) mod filters;
pub(super) mod find;
mod respond;
pub(super) mod why;

use std::net::SocketAddr;

use heedful::Result;
use heedful_report::wording::count;
use tokio::net::TcpListener;

use crate::args::ServeArgs;

use super::listen;
use super::state::ServerState;

/// Opens a listener on the port for copies of pages, if the service has an index. By default, this
/// port is the one after the service's own port.
pub(super) async fn bind_copies(
    args: &ServeArgs,
    pages: SocketAddr,
    service: &ServerState,
) -> Result<Option<TcpListener>> {
    let Some(opened) = &service.index else {
        return Ok(None);
    };
    let next = if args.port == 0 {
        0
    } else {
        pages.port().checked_add(1).unwrap_or(0)
    };
    let listener = listen::bind(
        args.listen,
        args.copies_port.unwrap_or(next),
        "--copies-port",
    )
    .await?;
    opened.serve_copies_on(listen::address(&listener)?.port());
    Ok(Some(listener))
}

/// Returns the part of the start message that is about the index of the service. The text has the
/// number of indexed pages, and the port for copies if there is one. Returns an empty text if the
/// service has no index.
pub(super) fn what_is_there(service: &ServerState) -> Result<String> {
    let Some(opened) = &service.index else {
        return Ok(String::new());
    };
    let pages = opened.view()?.facts()?.pages();
    let copies = opened
        .copies_port()
        .map(|port| format!("; copies are on port {port}"))
        .unwrap_or_default();
    Ok(format!(
        " (open it to search {}{copies})",
        count(pages, "page")
    ))
}
