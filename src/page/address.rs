//! Addresses of links, made absolute.
//!
//! As the URL standard says, by the `url` crate. Most addresses of a page are in normal form as they stand, or lead to a
//! path of its own site: these are put together without being taken apart. A test holds that both give the same. In a site of
//! files an `index.html` has the URL of its folder.

use std::borrow::Cow;

use url::{Position, Url};

/// What addresses are relative to.
#[derive(Debug)]
pub(super) struct Base<'a> {
    url: &'a Url,
    /// All of it that stands before a path, where that of another page can stand behind it.
    site: Option<&'a str>,
    /// Where the site of files stands on the web that the page is in.
    folder: Option<&'a Url>,
}

impl<'a> Base<'a> {
    pub(super) fn new(url: &'a Url, folder: Option<&'a Url>) -> Self {
        let is_web = matches!(url.scheme(), "http" | "https");
        Self { url, site: is_web.then(|| &url[..Position::BeforePath]), folder }
    }

    /// The absolute address, if it leads somewhere a bot can go: http and https, or the scheme of the page.
    pub(super) fn join(&self, address: &str, page: &Url) -> Option<String> {
        let url = self.whole(address, page)?;
        Some(match self.folder {
            Some(folder) => of_folder(url, folder),
            None => url,
        })
    }

    fn whole(&self, address: &str, page: &Url) -> Option<String> {
        let address = address.trim();
        if let Some(plain) = self.plain(address) {
            return Some(plain.into_owned());
        }
        let url = self.url.join(address).ok()?;
        (matches!(url.scheme(), "http" | "https") || url.scheme() == page.scheme()).then(|| url.into())
    }

    /// The absolute address, if it can be had by looking.
    fn plain<'t>(&self, address: &'t str) -> Option<Cow<'t, str>> {
        if address.starts_with('/') {
            let site = self.site.filter(|_| is_plain_path(address))?;
            return Some(Cow::Owned([site, address].concat()));
        }
        let behind = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
        let (host, path) = behind.split_at(behind.find('/')?);
        (is_plain_host(host) && is_plain_path(path)).then_some(Cow::Borrowed(address))
    }
}

/// The URL of the folder, for that of its index.
fn of_folder(mut url: String, site: &Url) -> String {
    let (path, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
    let name = ["index.html", "index.htm"].into_iter().find(|name| path.ends_with(&format!("/{name}")));
    let is_inside = path.starts_with(site.as_str()) && !path.contains('?');
    if let Some(name) = name.filter(|_| is_inside) {
        let end = path.len() - name.len();
        url = [&path[..end], fragment].concat();
    }
    url
}

/// Names in lower case, the last of them no number; none may be in Punycode, which is checked.
fn is_plain_host(host: &str) -> bool {
    let is_plain = |name: &str| name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')) && !name.is_empty();
    host.split('.').all(|name| is_plain(name) && !name.starts_with("xn--"))
        && host.rsplit('.').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// A path, and perhaps a query, of which nothing is written otherwise in normal form.
fn is_plain_path(path: &str) -> bool {
    let (path, query) = path.split_at(memchr::memchr(b'?', path.as_bytes()).unwrap_or(path.len()));
    let mut before = b' ';
    for byte in path.bytes() {
        // A segment that begins with a dot may lead upwards, and two slashes at the start to another host.
        let is_kept = match byte {
            b'.' => before != b'/',
            b'/' => before != b'/',
            byte => PLAIN[byte as usize],
        };
        if !is_kept {
            return false;
        }
        before = byte;
    }
    query.bytes().all(|byte| PLAIN[byte as usize] || matches!(byte, b'.' | b'/' | b'%' | b'?'))
}

/// Bytes that mean nothing in a path or a query, and stay as they are.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut at = 0;
    let all = b"-_~,:;=+@!$&()*0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    while at < all.len() {
        plain[all[at] as usize] = true;
        at += 1;
    }
    plain
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn what_is_seen_at_once_is_what_the_standard_says(
            base in prop::sample::select(vec!["https://site.example/a/b?c", "http://me@site.example:81/", "ftp://a.example/"]),
            scheme in prop::sample::select(vec!["", "/", "https://", "http://", "HTTPS://", "//"]),
            host in "([a-z0-9A-Z.%-]{0,6}|xn--a|site)(\\.example|\\.1|\\.0x1|\\.|:80|:443)?",
            rest in "[a-zA-Z0-9/._~%?#&=+:;,@!$()*'\"<>|\\\\ ^`{}\t-]{0,8}(/\\.\\./|/%2e|//)?[a-z/.?ü-]{0,4}",
        ) {
            let url = Url::parse(base).unwrap();
            let address = if scheme.ends_with("//") { format!("{scheme}{host}/{rest}") } else { format!("{scheme}{rest}") };
            if let Some(plain) = Base::new(&url, None).plain(address.trim()) {
                let joined = url.join(address.trim());
                prop_assert_eq!(Some(plain.as_ref()), joined.as_ref().ok().map(Url::as_str));
            }
        }
    }

    #[test]
    fn most_are_seen_at_once() {
        let url = Url::parse("https://site.example/a/").unwrap();
        for address in ["/", "/a.html", "/a/b-c_d/?q=1&r=%20", "https://www.other-site.example/a,b;c=d"] {
            assert!(Base::new(&url, None).plain(address).is_some(), "{address}");
        }
    }
}
