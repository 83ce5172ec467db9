//! Sends a request for a site file by HTTP/1.1, follows redirects, and returns the response.
//!
//! Redirects are followed by this module and not by the client, so that they can be counted and
//! restricted: only http and https, at the default ports or the port of the original URL. A
//! condition (RFC 9110, section 13.1) is sent only to the URL from which the stored copy was
//! received. One deadline covers all requests. Unless private addresses are allowed, all failures
//! to get a response have the same message, which reveals nothing about a private network. Only
//! gzip is requested; a body in another coding is an error. This file never decides what a response
//! means for a bot, and never stores anything.

use std::fmt;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use flate2::read::MultiGzDecoder;
use ureq::config::Config;
use ureq::http::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, ETAG, HeaderName, IF_MODIFIED_SINCE,
    IF_NONE_MATCH,
};
use ureq::http::header::{LAST_MODIFIED, LOCATION};
use ureq::http::{HeaderMap, HeaderValue};
use ureq::unversioned::transport::{Connector, DefaultConnector};
use ureq::{Agent, Body};
use url::Url;

use heedful_robots::{READ, RobotsTxt, StatusMeaning};

use super::address::Addresses;
use super::cache::CachedResponse;
use super::tls;
use super::watch::FetchWatch;

/// Lower bound for [`Fetcher::body_limit`](super::Fetcher::body_limit), in bytes. It is the number
/// of bytes of a robots.txt that are parsed, and one byte more to recognize a longer file.
///
/// ```
/// use heedful_input::fetch::LEAST_BODY;
///
/// // RFC 9309 wants at least 500 KiB of a robots.txt parsed.
/// assert!(LEAST_BODY > 500 * 1024);
/// ```
pub const LEAST_BODY: usize = READ + 1;

const TIMEOUT: Duration = Duration::from_secs(15);
/// Upper bound for the header section of a response, in bytes.
const LONGEST_HEAD: usize = 64 << 10;

/// A usable response of a site to the request for a site file.
pub(super) enum Reply {
    /// Status 304: the stored copy is still current.
    Unchanged,
    /// A complete response: the site file itself, or a status such as 404. The status means that
    /// the site has no such file for this bot.
    Whole(FetchResponse),
}

/// A response from which a site's rules follow: status 2xx, or 4xx except 429.
pub(super) struct FetchResponse {
    /// URL that sent the response, after redirects.
    pub(super) url: String,
    pub(super) status: u16,
    pub(super) etag: Option<String>,
    pub(super) modified: Option<String>,
    pub(super) body: Vec<u8>,
}

/// The failure to get a usable response from a site, with the status code (if any) and the reason.
pub(super) struct FetchFailure {
    pub(super) status: Option<u16>,
    pub(super) why: String,
}

impl FetchFailure {
    pub(super) fn new(status: Option<u16>, why: String) -> Self {
        Self { status, why }
    }
}

#[derive(Clone)]
pub(super) struct Asker {
    settings: Config,
    user_agent: String,
    pub(super) timeout: Duration,
    pub(super) redirects: u64,
    pub(super) body_limit: usize,
    pub(super) addresses: Addresses,
}

impl Asker {
    /// Creates an HTTP client that sends `user_agent`. `None` if `user_agent` is blank or cannot be
    /// sent as a header.
    pub(super) fn new(user_agent: &str) -> Option<Self> {
        let sendable = !user_agent.trim().is_empty() && HeaderValue::from_str(user_agent).is_ok();
        sendable.then(|| Self {
            settings: settings(user_agent),
            user_agent: user_agent.to_owned(),
            timeout: TIMEOUT,
            redirects: RobotsTxt::REDIRECTS as u64,
            body_limit: LEAST_BODY,
            addresses: Addresses::default(),
        })
    }

    pub(super) fn user_agent(&self) -> &str {
        &self.user_agent
    }

    /// Sends a request to the URL `site` and follows redirects. `kept` is the stored copy of the
    /// site file, if there is one. The request to the URL of this copy is conditional
    /// (`If-None-Match`, `If-Modified-Since`).
    pub(super) fn ask(
        &self,
        site: &Url,
        kept: Option<&CachedResponse>,
    ) -> Result<Reply, FetchFailure> {
        let begun = Instant::now();
        let mut url = site.clone();
        let mut status = None;
        for _ in 0..=self.redirects {
            let condition = kept.filter(|kept| kept.url == url.as_str());
            let watch = FetchWatch::default();
            let left = self.timeout.saturating_sub(begun.elapsed());
            let response = self
                .call(&url, condition, &watch, left)
                .map_err(|why| self.unheard(site, &url, &why))?;
            status = Some(response.status().as_u16());
            if !is_redirect(response.status().as_u16()) {
                return self.answer(&url, response, condition.is_some(), &watch);
            }
            url = target(&url, response.headers()).map_err(|why| FetchFailure::new(status, why))?;
            if !self.may_ask(site, &url) {
                return Err(self.unheard(site, &url, "a redirect to another port"));
            }
        }
        Err(FetchFailure::new(
            status,
            format!("more than {} redirects", self.redirects),
        ))
    }

    /// True if a redirect may lead to the port of `url` when the URL `site` is fetched. The IP
    /// address of `url` is checked later, when the host name is resolved.
    fn may_ask(&self, site: &Url, url: &Url) -> bool {
        let port = url.port_or_known_default();
        self.addresses.allow_private
            || matches!(port, Some(80 | 443))
            || port == site.port_or_known_default()
    }

    /// Creates the [`FetchFailure`] for a site that sent no response. It is also used for a
    /// redirect to a port that is not allowed. If private addresses are allowed, the message
    /// contains the reason `why`. Otherwise the message is the same for all reasons, so that it
    /// reveals nothing about a private network.
    fn unheard(&self, site: &Url, url: &Url, why: &str) -> FetchFailure {
        if self.addresses.allow_private {
            FetchFailure::new(None, format!("{url}: {why}"))
        } else {
            FetchFailure::new(None, format!("{site}: no answer from a public address"))
        }
    }

    fn call(
        &self,
        url: &Url,
        condition: Option<&CachedResponse>,
        watch: &FetchWatch,
        left: Duration,
    ) -> Result<ureq::http::Response<Body>, String> {
        if url.scheme() == "https" && !tls::is_supported() {
            return Err("https is not supported on this processor".to_owned());
        }
        if left.is_zero() {
            return Err("timeout".to_owned());
        }
        let connector = DefaultConnector::new().chain(watch.clone());
        let client = Agent::with_parts(self.settings.clone(), connector, self.addresses.clone());
        let mut request = client
            .get(url.as_str())
            .header(ACCEPT_ENCODING, "gzip")
            .header(CONNECTION, "close");
        if let Some(kept) = condition {
            if let Some(etag) = &kept.etag {
                request = request.header(IF_NONE_MATCH, etag);
            }
            if let Some(modified) = &kept.modified {
                request = request.header(IF_MODIFIED_SINCE, modified);
            }
        }
        let limits = request
            .config()
            .timeout_connect(Some(left))
            .timeout_global(Some(left));
        limits.build().call().map_err(|error| error.to_string())
    }

    fn answer(
        &self,
        url: &Url,
        response: ureq::http::Response<Body>,
        asked: bool,
        watch: &FetchWatch,
    ) -> Result<Reply, FetchFailure> {
        let status = response.status().as_u16();
        let (head, body) = response.into_parts();
        if asked && status == 304 {
            return Ok(Reply::Unchanged);
        }
        let body = match StatusMeaning::from_status(status) {
            StatusMeaning::Rules => self.body(&head.headers, body, watch),
            StatusMeaning::Open => Ok(Vec::new()),
            StatusMeaning::Shut => {
                return Err(FetchFailure::new(
                    Some(status),
                    format!("HTTP status {status}"),
                ));
            }
        };
        match body {
            Ok(body) => Ok(Reply::Whole(FetchResponse {
                url: url.to_string(),
                status,
                etag: text(&head.headers, ETAG),
                modified: text(&head.headers, LAST_MODIFIED),
                body,
            })),
            Err(error) => Err(FetchFailure::new(Some(status), format!("{url}: {error}"))),
        }
    }

    /// Reads and unpacks the body of a response up to the body limit. The rest is not fetched, so
    /// an endless body does no harm.
    fn body(&self, headers: &HeaderMap, body: Body, watch: &FetchWatch) -> io::Result<Vec<u8>> {
        let plain = body.into_reader();
        let bytes = match codings(headers).as_str() {
            "" | "identity" | "none" => read(plain, self.body_limit),
            "gzip" | "x-gzip" => read(MultiGzDecoder::new(plain), self.body_limit),
            other => Err(io::Error::other(format!("a body in the coding {other}"))),
        }?;
        if bytes.len() < self.body_limit && watch.more_came() {
            return Err(io::Error::other(
                "the site sent more after the end of the body",
            ));
        }
        Ok(bytes)
    }
}

impl fmt::Debug for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asker")
            .field("user_agent", &self.user_agent)
            .field("timeout", &self.timeout)
            .finish()
    }
}

/// Returns the settings of the HTTP client. The client follows no redirects, uses no proxy, and
/// treats no HTTP status as an error. It closes each connection, because a site is contacted only
/// once.
fn settings(user_agent: &str) -> Config {
    let settings = Agent::config_builder()
        .user_agent(user_agent)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_idle_connections(0)
        .max_response_header_size(LONGEST_HEAD)
        .proxy(None)
        .tls_config(tls::settings());
    settings.build()
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Returns the target of a redirect from `url`, without fragment, user name and password. Returns
/// an error message unless the target is an `http` or `https` URL.
fn target(url: &Url, headers: &HeaderMap) -> Result<Url, String> {
    let location = headers
        .get(LOCATION)
        .ok_or("a redirect without a Location")?;
    let location = String::from_utf8_lossy(location.as_bytes());
    let mut target = url
        .join(&location)
        .map_err(|error| format!("a redirect to `{location}`: {error}"))?;
    if !matches!(target.scheme(), "http" | "https") {
        return Err(format!("a redirect to `{location}`"));
    }
    target.set_fragment(None);
    if target.set_username("").is_err() || target.set_password(None).is_err() {
        return Err(format!("a redirect to `{location}`"));
    }
    Ok(target)
}

/// Returns the value of the response header `name`. `None` if the header is missing, blank or not
/// text.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?.trim();
    if value.is_empty() {
        None
    } else {
        Some(value.to_owned())
    }
}

/// Returns all content codings that the headers of a response declare, joined by commas.
fn codings(headers: &HeaderMap) -> String {
    let mut lines = Vec::new();
    for line in headers.get_all(CONTENT_ENCODING) {
        let line = String::from_utf8_lossy(line.as_bytes());
        lines.push(line.trim().to_ascii_lowercase());
    }
    lines.join(",")
}

fn read(reader: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
