//! Finds the site of a URL.

use url::{Host, Url};

/// The longest name in the DNS. For a longer host, its parent domains do not count as sites.
const LONGEST_HOST: usize = 253;

/// True if two URLs are of one page: fragments make no difference.
pub fn is_same_page(one: &Url, other: &Url) -> bool {
    one[..url::Position::AfterQuery] == other[..url::Position::AfterQuery]
}

/// True if two hosts, each with its port, differ in nothing but case, a `www.` in front, and the
/// dot that may end a name.
pub fn is_same_but_www(one: &[u8], other: &[u8]) -> bool {
    without_www(one).eq_ignore_ascii_case(without_www(other))
}

fn without_www(host: &[u8]) -> &[u8] {
    let host = host.strip_suffix(b".").unwrap_or(host);
    match host.split_at_checked(4) {
        Some((start, rest)) if start.eq_ignore_ascii_case(b"www.") => rest,
        _ => host,
    }
}

/// Scheme, host and port, to which one robots.txt applies.
pub fn authority(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The host of a URL, and the host with the domains it is in.
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

/// The host, if the text names one and nothing else.
pub fn host(text: &str) -> Option<Host> {
    let url = Url::parse(&format!("http://{text}/")).ok()?;
    let is_host =
        url.path() == "/" && url.port().is_none() && !text.contains([':', '/', '?', '#', '@']);
    if !is_host && !text.starts_with('[') {
        return None;
    }
    Some(url.host()?.to_owned())
}

/// The host of a URL.
pub fn host_of(url: &str) -> Option<Host> {
    let url = Url::parse(url).ok()?;
    Some(url.host()?.to_owned())
}

/// Returns true if a host is this site or a subdomain of it.
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
