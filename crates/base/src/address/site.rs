//! Finds the site of a URL: its origin, its host and the domains that the host is in.
//!
//! This file does not know public suffixes: the domains of `a.site.example` are all its parents,
//! `example` among them.

use url::{Host, Url};

/// Maximum length of a DNS name, in bytes. [`host_and_sites`] lists no parent domains of a longer
/// host.
const LONGEST_HOST: usize = 253;

/// True if two URLs are equal except for their fragments.
///
/// # Examples
///
/// ```
/// use heedful_base::address::is_same_page;
/// use url::Url;
///
/// let page = Url::parse("https://site.example/a?b#top").unwrap();
/// assert!(is_same_page(&page, &Url::parse("https://site.example/a?b").unwrap()));
/// assert!(!is_same_page(&page, &Url::parse("https://site.example/a").unwrap()));
/// ```
pub fn is_same_page(one: &Url, other: &Url) -> bool {
    one[..url::Position::AfterQuery] == other[..url::Position::AfterQuery]
}

/// True if two hosts are equal except for case, a leading `www.`, or a dot at the end. Each host
/// may have a port.
///
/// # Examples
///
/// ```
/// use heedful_base::address::is_same_but_www;
///
/// assert!(is_same_but_www(b"www.Site.example", b"site.example."));
/// assert!(!is_same_but_www(b"shop.site.example", b"site.example"));
/// ```
pub fn is_same_but_www(one: &[u8], other: &[u8]) -> bool {
    without_www(one).eq_ignore_ascii_case(without_www(other))
}

/// Returns `host` without a dot at its end, and without a leading `www.` in lower or upper case.
fn without_www(host: &[u8]) -> &[u8] {
    let host = host.strip_suffix(b".").unwrap_or(host);
    match host.split_at_checked(4) {
        Some((start, rest)) if start.eq_ignore_ascii_case(b"www.") => rest,
        _ => host,
    }
}

/// Returns the origin of a URL as text: its scheme, host and port. A default port is left out. One
/// robots.txt applies to all URLs of an origin.
///
/// # Examples
///
/// ```
/// use heedful_base::address::authority;
/// use url::Url;
///
/// let url = Url::parse("https://site.example:443/a?b").unwrap();
/// assert_eq!(authority(&url), "https://site.example");
/// ```
pub fn authority(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Returns the host of a URL, and a list of this host and all its parent domains, longest first.
/// The list has only the host if the host is an IP address. Returns `None` and an empty list for a
/// URL without a host.
///
/// # Examples
///
/// ```
/// use heedful_base::address::host_and_sites;
/// use url::Url;
///
/// let url = Url::parse("https://a.site.example/").unwrap();
/// let (host, sites) = host_and_sites(&url);
/// assert_eq!(host.as_deref(), Some("a.site.example"));
/// assert_eq!(sites, ["a.site.example", "site.example", "example"]);
/// ```
pub fn host_and_sites(url: &Url) -> (Option<String>, Vec<String>) {
    let Some(host) = url.host() else {
        return (None, Vec::new());
    };
    let whole = host.to_string();
    let mut sites = vec![whole.clone()];
    if matches!(host, Host::Domain(_)) && whole.len() <= LONGEST_HOST {
        for (dot, _) in whole.match_indices('.') {
            sites.push(whole[dot + 1..].to_owned());
        }
    }
    sites.retain(|site| !site.is_empty());
    (Some(whole), sites)
}

/// Parses `text`, which must be a host and nothing else. Returns `None` for a text with a scheme, a
/// port or a path.
///
/// # Examples
///
/// ```
/// use heedful_base::address::host;
///
/// assert!(host("site.example").is_some());
/// assert!(host("[::1]").is_some());
/// assert!(host("site.example/a").is_none() && host("site.example:80").is_none());
/// ```
pub fn host(text: &str) -> Option<Host> {
    let url = Url::parse(&format!("http://{text}/")).ok()?;
    let is_host =
        url.path() == "/" && url.port().is_none() && !text.contains([':', '/', '?', '#', '@']);
    if !is_host && !text.starts_with('[') {
        return None;
    }
    Some(url.host()?.to_owned())
}

/// Returns the host of the URL `url`. Returns `None` if `url` does not parse as a URL, or has no
/// host.
///
/// # Examples
///
/// ```
/// use heedful_base::address::host_of;
///
/// let host = host_of("https://user@Site.example:8080/a").unwrap();
/// assert_eq!(host.to_string(), "site.example");
/// assert!(host_of("mailto:me@site.example").is_none());
/// ```
pub fn host_of(url: &str) -> Option<Host> {
    let url = Url::parse(url).ok()?;
    Some(url.host()?.to_owned())
}

/// True if `host` is `site` or a subdomain of it.
///
/// # Examples
///
/// ```
/// use heedful_base::address::{host, is_in};
///
/// let site = host("site.example").unwrap();
/// assert!(is_in(&host("a.site.example").unwrap(), &site));
/// assert!(!is_in(&host("mysite.example").unwrap(), &site));
/// ```
pub fn is_in(host: &Host, site: &Host) -> bool {
    match (host, site) {
        (Host::Domain(host), Host::Domain(site)) => {
            let host = host.trim_end_matches('.');
            let site = site.trim_end_matches('.');
            match host.strip_suffix(site) {
                Some(rest) => rest.is_empty() || rest.ends_with('.'),
                None => false,
            }
        }
        _ => host == site,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_the_domains_they_are_in() {
        let sites = |url: &str| Url::parse(url).map(|url| host_and_sites(&url).1).unwrap();
        assert_eq!(
            sites("https://a.site.example/x"),
            ["a.site.example", "site.example", "example"]
        );
        assert_eq!(sites("https://127.0.0.1/"), ["127.0.0.1"]);
        assert_eq!(sites("file:///x"), [""; 0]);
        let long = format!("{}example", "a.".repeat(1000));
        assert_eq!(sites(&format!("https://{long}/")), [long]);
    }
}
