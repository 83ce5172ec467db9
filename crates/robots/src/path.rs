//! Parses the parts of a URL with which robots.txt rules are compared: the path with its query, and
//! the host.

use std::borrow::Cow;

use url::{Position, Url};

use heedful_base::address::path_and_query;

use super::matching::{self, MatchSubject, NormalForm};

/// Host and path of a URL, with which robots.txt rules are compared.
pub(super) struct RequestPath<'u> {
    /// Host with its port. `None` if the caller passed a path in place of a URL.
    pub(super) host: Option<Cow<'u, str>>,
    /// Path with its query.
    pub(super) path: Cow<'u, str>,
    /// Result of [`matching::normal_form`] for the path. `None` if that function was not called, or
    /// if the path is not in normal form.
    pub(super) form: Option<NormalForm>,
}

impl RequestPath<'_> {
    /// Prepares the path and host for comparisons by RFC 9309.
    #[inline]
    pub(super) fn subject(&self) -> MatchSubject<'_> {
        let form = self
            .form
            .or_else(|| matching::normal_form(self.path.as_bytes()));
        MatchSubject::with_form(&self.path, form, self.host.as_deref())
    }
}

/// Parses the host and the path of `url`, with which robots.txt rules are compared. A text that is
/// no whole URL is a path.
pub(super) fn request_path(url: &str) -> RequestPath<'_> {
    if url.starts_with('/') {
        // A text in normal form has no fragment and no backslash.
        let form = matching::normal_form(url.as_bytes());
        let path = if form.is_some() {
            url.into()
        } else {
            without_fragment(url)
        };
        return RequestPath {
            host: None,
            path,
            form,
        };
    }
    if let Some((host, path, form)) = plain_parts(url) {
        return RequestPath {
            host: Some(host.into()),
            path: path.into(),
            form: Some(form),
        };
    }
    match Url::parse(url) {
        Ok(url) if url.has_host() => {
            let host = url[Position::BeforeHost..Position::AfterPort].to_owned();
            RequestPath {
                host: Some(host.into()),
                path: path_and_query(&url).to_owned().into(),
                form: None,
            }
        }
        _ => RequestPath {
            host: None,
            path: format!("/{}", url.split('#').next().unwrap_or_default()).into(),
            form: None,
        },
    }
}

/// Cuts the fragment off a path. Backslashes become slashes, as in the URL standard's parser.
fn without_fragment(path: &str) -> Cow<'_, str> {
    let end = memchr::memchr(b'#', path.as_bytes()).unwrap_or(path.len());
    let path = &path[..end];
    if memchr::memchr(b'\\', path.as_bytes()).is_some() {
        path.replace('\\', "/").into()
    } else {
        path.into()
    }
}

/// Returns the path of `url`, such as `/a` for `site.example/a`. `url` must be a host and a path,
/// without a scheme. Returns `None` for any other text.
pub(super) fn path_after_host(url: &str) -> Option<&str> {
    if url.starts_with('/') || memchr::memmem::find(url.as_bytes(), b"://").is_some() {
        return None;
    }
    url.find('/').map(|slash| &url[slash..])
}

/// Splits a whole URL into host and path without the URL parser, and returns facts on the path.
/// Returns `None` if the URL parser would change more than the host's case.
fn plain_parts(url: &str) -> Option<(&str, &str, NormalForm)> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let end = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        .count();
    let (host, path) = rest.split_at(end);
    if host.is_empty() || !path.starts_with('/') {
        return None;
    }
    let form = matching::normal_form(path.as_bytes())?;
    let has_dots = path.as_bytes().windows(2).any(|two| two == b"/.");
    (!has_dots).then_some((host, path, form))
}

/// True if a path is /robots.txt, with or without a query.
pub(super) fn is_robots_txt(path: &str) -> bool {
    match path.strip_prefix("/robots.txt") {
        Some(rest) => rest.is_empty() || rest.starts_with('?'),
        None => false,
    }
}
