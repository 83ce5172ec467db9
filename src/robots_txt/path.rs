//! The path of a URL with its query, which rules are compared with.

use std::borrow::Cow;

use url::Url;

use crate::address::path_and_query;

use super::matching;

/// The path and query that rules are compared with.
pub(super) fn path_of(url: &str) -> Cow<'_, str> {
    if url.starts_with('/') {
        let path = memchr::memchr(b'#', url.as_bytes()).map_or(url, |fragment| &url[..fragment]);
        // A URL's parser does the same.
        return if memchr::memchr(b'\\', path.as_bytes()).is_some() {
            path.replace('\\', "/").into()
        } else {
            path.into()
        };
    }
    if let Some(path) = plain_path(url) {
        return path.into();
    }
    match Url::parse(url) {
        Ok(url) if url.has_host() => path_and_query(&url).to_owned().into(),
        _ => format!("/{}", url.split('#').next().unwrap_or_default()).into(),
    }
}

/// The path behind the host of a URL that has no scheme, if that is what a text is.
pub(super) fn behind_host(url: &str) -> Option<&str> {
    if url.starts_with('/') || memchr::memmem::find(url.as_bytes(), b"://").is_some() {
        return None;
    }
    url.find('/').map(|slash| &url[slash..])
}

/// The path of a whole URL in which a parser changes nothing.
fn plain_path(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let host = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
    let path = &rest[host..];
    let is_plain = host > 0 && path.starts_with('/') && matching::is_normal(path.as_bytes()).is_some();
    (is_plain && !path.as_bytes().windows(2).any(|two| two == b"/.")).then_some(path)
}

pub(super) fn is_robots_txt(path: &str) -> bool {
    path.strip_prefix("/robots.txt").is_some_and(|rest| rest.is_empty() || rest.starts_with('?'))
}
