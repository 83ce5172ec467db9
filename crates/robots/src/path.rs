//! Parses the parts of a URL with which robots.txt rules are compared: the path with its query, and
//! the host.

use std::borrow::Cow;

use url::{Position, Url};

use heedful_base::address::path_and_query;

use super::matching::{self, MatchSubject};

/// Parts of a URL with which robots.txt rules are compared.
pub(super) struct RequestPath<'u> {
    /// Host with its port. `None` if the caller passed a path in place of a URL.
    pub(super) host: Option<Cow<'u, str>>,
    /// Path with its query.
    pub(super) path: Cow<'u, str>,
}

impl RequestPath<'_> {
    /// Prepares the path and host for comparisons by RFC 9309.
    pub(super) fn subject(&self) -> MatchSubject<'_> {
        MatchSubject::new(&self.path).with_host(self.host.as_deref())
    }
}

/// Parses the parts of a URL with which rules are compared. A text that is no whole URL is a path.
pub(super) fn request_path(url: &str) -> RequestPath<'_> {
    if url.starts_with('/') {
        let path = match memchr::memchr(b'#', url.as_bytes()) {
            Some(fragment) => &url[..fragment],
            None => url,
        };
        // The URL standard's parser does the same.
        let has_backslash = memchr::memchr(b'\\', path.as_bytes()).is_some();
        let path = if has_backslash {
            path.replace('\\', "/").into()
        } else {
            path.into()
        };
        return RequestPath { host: None, path };
    }
    if let Some((host, path)) = plain_parts(url) {
        return RequestPath {
            host: Some(host.into()),
            path: path.into(),
        };
    }
    match Url::parse(url) {
        Ok(url) if url.has_host() => {
            let host = url[Position::BeforeHost..Position::AfterPort].to_owned();
            RequestPath {
                host: Some(host.into()),
                path: path_and_query(&url).to_owned().into(),
            }
        }
        _ => RequestPath {
            host: None,
            path: format!("/{}", url.split('#').next().unwrap_or_default()).into(),
        },
    }
}

/// Returns the path after the host in `url`, a URL without a scheme. Returns `None` if `url` cannot
/// be such a URL.
pub(super) fn path_after_host(url: &str) -> Option<&str> {
    if url.starts_with('/') || memchr::memmem::find(url.as_bytes(), b"://").is_some() {
        return None;
    }
    url.find('/').map(|slash| &url[slash..])
}

/// Splits a whole URL into host and path without parsing it. Returns `None` if parsing would change
/// more than the host's case.
fn plain_parts(url: &str) -> Option<(&str, &str)> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let end = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        .count();
    let (host, path) = rest.split_at(end);
    let is_plain = !host.is_empty()
        && path.starts_with('/')
        && matching::normal_form(path.as_bytes()).is_some();
    (is_plain && !path.as_bytes().windows(2).any(|two| two == b"/.")).then_some((host, path))
}

/// True if a path is /robots.txt, with or without a query.
pub(super) fn is_robots_txt(path: &str) -> bool {
    match path.strip_prefix("/robots.txt") {
        Some(rest) => rest.is_empty() || rest.starts_with('?'),
        None => false,
    }
}
