//! Computes the key by which crawl indexes sort URLs ("SURT"): the host with its labels
//! reversed, then path and query, as `com,example)/path?q`.
//!
//! The column `url_surtkey` of Common Crawl's index has this key, and Wayback machines sort by it.
//! The rules are those of the Python package `surt` (0.3.1), and a test compares with that
//! package's output. One rule is missing: session identifiers of ASP and `ColdFusion`, and those in
//! paths, are not removed.

use url::Url;

/// Names of query parameters whose value is a session identifier. Each name ends with `=`.
const SESSIONS: [&str; 3] = ["jsessionid=", "phpsessid=", "sid="];
/// Length in bytes of the session identifiers that are removed from queries.
const SESSION: usize = 32;

/// Returns the SURT key of a URL. Crawl indexes sort URLs by this key. The key has the labels of
/// the host in reverse order, and then path and query.
///
/// # Examples
///
/// ```
/// use heedful_base::address::surt;
/// use url::Url;
///
/// let url = Url::parse("https://www.site.example/A/?b=2&a=1").unwrap();
/// assert_eq!(surt(&url), "example,site)/a?a=1&b=2");
/// ```
pub fn surt(url: &Url) -> String {
    let mut key = match url.host_str() {
        Some(host) => authority(host, url.port()),
        None => format!("{}:", url.scheme()),
    };
    let path = unescaped(url.path());
    let path = if url.has_host() { normal(&path) } else { path };
    let path = escaped(&path).to_ascii_lowercase();
    key.push_str(if path.len() > 1 {
        path.strip_suffix('/').unwrap_or(&path)
    } else {
        &path
    });
    if let Some(query) = url.query() {
        let query = without_session(escaped(&unescaped(query)));
        let query = ordered(&query.to_ascii_lowercase());
        if !query.is_empty() {
            key.push('?');
            key.push_str(&query);
        }
    }
    key
}

/// Returns the host part of a SURT key, such as `example,site)`. The labels of the host are in
/// reverse order. A first label such as `www` or `www2` is left out. If there is a port, it follows
/// the labels.
fn authority(host: &str, port: Option<u16>) -> String {
    let host = host.trim_matches(['[', ']']).replace("..", ".");
    let host = host.trim_matches('.');
    let host = match host.split_once('.') {
        Some((first, rest)) if is_www(first) => rest,
        _ => host,
    };
    let labels: Vec<_> = host.rsplit('.').collect();
    let labels = labels.join(",");
    match port {
        Some(port) => format!("{labels}:{port})"),
        None => format!("{labels})"),
    }
}

/// True if `label` is `www`, with or without a number.
fn is_www(label: &str) -> bool {
    match label.strip_prefix("www") {
        Some(number) => number.bytes().all(|byte| byte.is_ascii_digit()),
        None => false,
    }
}

/// Decodes percent-encoded bytes repeatedly, until none is left. A single pass is not enough,
/// because a decoded `%` may begin another encoded byte.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    loop {
        let mut plain = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            if let Some(byte) = escaped_byte(&bytes[at..]) {
                plain.push(byte);
                at += 3;
            } else {
                plain.push(bytes[at]);
                at += 1;
            }
        }
        if plain == bytes {
            return plain;
        }
        bytes = plain;
    }
}

/// Decodes the percent-encoded byte at the start of `text`. Returns `None` if `text` begins with
/// anything else.
fn escaped_byte(text: &[u8]) -> Option<u8> {
    let [b'%', digits @ ..] = text else {
        return None;
    };
    let digits = digits.get(..2)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Percent-encodes `#`, `%`, blanks, control characters and bytes outside of ASCII.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'#' | b'%' | ..=b' ' | 0x7F.. => text.push_str(&format!("%{byte:02X}")),
            byte => text.push(char::from(byte)),
        }
    }
    text
}

/// Resolves the segments `.` and `..` in a path. Removes empty segments, except an empty last
/// segment.
fn normal(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/').skip(1) {
        match part {
            b"." => {}
            b".." if kept.pop().is_some() => {}
            part => kept.push(part),
        }
    }
    let mut normal = b"/".to_vec();
    if let Some((last, parts)) = kept.split_last() {
        for part in parts.iter().filter(|part| !part.is_empty()) {
            normal.extend_from_slice(part);
            normal.push(b'/');
        }
        normal.extend_from_slice(last);
    }
    normal
}

/// Removes parameters with session identifiers from a query. A session identifier has exactly
/// [`SESSION`] letters or digits. Only parameters with a name in [`SESSIONS`] are removed. If
/// several parameters have the same name and a session identifier, only the last is removed.
fn without_session(mut query: String) -> String {
    for name in SESSIONS {
        let lower = query.to_ascii_lowercase();
        for (at, _) in lower.rmatch_indices(name) {
            let start = at + name.len();
            if is_session(&lower.as_bytes()[start..]) {
                let rest = query[start + SESSION..].get(1..).unwrap_or_default();
                query = [&query[..at], rest].concat();
                break;
            }
        }
    }
    query
}

/// True if `text` begins with [`SESSION`] letters or digits that are followed by `&` or by nothing.
fn is_session(text: &[u8]) -> bool {
    let Some((value, rest)) = text.split_at_checked(SESSION) else {
        return false;
    };
    value.iter().all(u8::is_ascii_alphanumeric) && matches!(rest, [] | [b'&', ..])
}

/// Sorts the parameters of a query by name, and by value if the names are equal.
fn ordered(query: &str) -> String {
    if query.len() <= 1 {
        return query.to_owned();
    }
    let mut parameters: Vec<Vec<&str>> = query
        .split('&')
        .map(|parameter| parameter.splitn(2, '=').collect())
        .collect();
    parameters.sort();
    let parameters: Vec<_> = parameters.iter().map(|parts| parts.join("=")).collect();
    parameters.join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_the_package_surt_has_it() {
        let lines: Vec<_> = include_str!("../../tests/surt.tsv")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        assert!(lines.len() > 40);
        let pairs = lines.iter().map(|line| line.split_once('\t').unwrap());
        let ours = |url: &str| surt(&Url::parse(url).unwrap());
        let others: Vec<_> = pairs
            .filter(|(url, key)| ours(url) != *key)
            .map(|(url, key)| (url, key, ours(url)))
            .collect();
        assert!(others.is_empty(), "{others:#?}");
    }
}
