//! Makes the addresses of a page's links absolute, by the URL standard.
//!
//! The `url` crate resolves addresses. Most addresses need no parsing: they are absolute URLs in
//! normal form, or have no scheme but a host, or are paths on the site of the base URL. A prefix of
//! the base URL is put before such an address. A test checks that both ways give equal results. If
//! a site is read from a folder of files, the URL of an `index.html` is replaced by the URL of its
//! folder.

use url::{Position, Url};

/// Returns the base URL of a page whose `base` element has the attribute `href`. It is the page's
/// own URL in two cases: if `href` is no URL, or if its scheme is `data` or `javascript` (the HTML
/// standard's *frozen base URL*).
///
/// # Examples
///
/// ```
/// use heedful_base::address::base;
/// use url::Url;
///
/// let page = Url::parse("https://site.example/a/b").unwrap();
/// assert_eq!(base(&page, "/c/").as_str(), "https://site.example/c/");
/// assert_eq!(base(&page, "data:,x"), page);
/// ```
pub fn base(page: &Url, href: &str) -> Url {
    match page.join(href.trim()) {
        Ok(base) if !matches!(base.scheme(), "data" | "javascript") => base,
        _ => page.clone(),
    }
}

/// Base URL against which addresses of links are resolved. Its prefixes are computed once for all
/// links.
///
/// # Examples
///
/// ```
/// use heedful_base::address::Base;
/// use url::Url;
///
/// let page = Url::parse("https://site.example/a/b").unwrap();
/// let base = Base::new(&page, None);
///
/// let mut link = String::new();
/// assert!(base.join("../c", &page, &mut link));
/// assert_eq!(link, "https://site.example/c");
/// assert!(!base.join("mailto:me@site.example", &page, &mut link));
/// ```
#[derive(Debug)]
pub struct Base<'a> {
    url: &'a Url,
    /// Scheme of the base URL, with its colon. `None` if the scheme is not `http` or `https`.
    scheme: Option<&'a str>,
    /// Text of the base URL before its path. `None` if the scheme is not `http` or `https`, so that
    /// addresses have to be parsed.
    site: Option<&'a str>,
    /// Text of the base URL up to the last slash of its path. `None` if the scheme is not `http` or
    /// `https`.
    beside: Option<&'a str>,
    /// Text of the base URL without its fragment.
    whole: &'a str,
    /// URL of the folder of files from which the page was read. `None` for any other page.
    folder: Option<&'a Url>,
}

impl<'a> Base<'a> {
    /// Prepares `url` as the base URL of links. If the page was read from a folder of files,
    /// `folder` is the URL of that folder.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::address::Base;
    /// use url::Url;
    ///
    /// let folder = Url::parse("file:///srv/site/").unwrap();
    /// let page = folder.join("a/b.html").unwrap();
    /// let base = Base::new(&page, Some(&folder));
    ///
    /// let mut link = String::new();
    /// assert!(base.join("index.html#top", &page, &mut link));
    /// assert_eq!(link, "file:///srv/site/a/#top");
    /// ```
    pub fn new(url: &'a Url, folder: Option<&'a Url>) -> Self {
        let mut scheme = None;
        let mut site = None;
        let mut beside = None;
        if matches!(url.scheme(), "http" | "https") {
            scheme = Some(&url.as_str()[..=url.scheme().len()]);
            site = Some(&url[..Position::BeforePath]);
            let path = &url[..Position::AfterPath];
            beside = path.rfind('/').map(|slash| &path[..=slash]);
        }
        Self {
            url,
            scheme,
            site,
            beside,
            whole: &url[..Position::AfterQuery],
            folder,
        }
    }

    /// Resolves `address` against this base URL. If the result has the scheme `http`, `https` or
    /// that of `page`, appends it to `out` and returns true.
    pub fn join(&self, address: &str, page: &Url, out: &mut String) -> bool {
        let Some(folder) = self.folder else {
            return self.resolve(address, page, out);
        };
        let mut url = String::new();
        let leads = self.resolve(address, page, &mut url);
        if leads {
            out.push_str(&without_index_file(url, folder));
        }
        leads
    }

    /// Resolves `address` against this base URL, like [`Base::join`], but does not replace the URL
    /// of an index file by the URL of its folder.
    fn resolve(&self, address: &str, page: &Url, out: &mut String) -> bool {
        let address = address.trim();
        if let Some(before) = self.before(address) {
            out.push_str(before);
            out.push_str(address);
            return true;
        }
        if let Some(scheme) = scheme(address) {
            let mut followed = ["http", "https", page.scheme()].into_iter();
            if !followed.any(|own| own.eq_ignore_ascii_case(scheme)) {
                return false;
            }
        }
        let Ok(url) = self.url.join(address) else {
            return false;
        };
        let leads = matches!(url.scheme(), "http" | "https") || url.scheme() == page.scheme();
        if leads {
            out.push_str(url.as_str());
        }
        leads
    }

    /// Returns the prefix of this base URL that makes `address` absolute. Returns `None` if the
    /// address has to be parsed.
    fn before(&self, address: &str) -> Option<&'a str> {
        if let Some(rest) = address.strip_prefix("//") {
            return if names_plain_host(rest) {
                self.scheme
            } else {
                None
            };
        }
        if address.starts_with('/') {
            return if is_plain_path(address) {
                self.site
            } else {
                None
            };
        }
        if address.starts_with('#') {
            let is_plain = self.site.is_some() && is_plain_query(address);
            return is_plain.then_some(self.whole);
        }
        if let Some(rest) = address
            .strip_prefix("https://")
            .or_else(|| address.strip_prefix("http://"))
        {
            return names_plain_host(rest).then_some("");
        }
        let begins_path = address
            .as_bytes()
            .first()
            .is_some_and(u8::is_ascii_alphanumeric);
        if begins_path && !address.contains(':') && is_plain_path(address) {
            self.beside
        } else {
            None
        }
    }
}

/// Returns the scheme at the start of an address.
fn scheme(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    if !scheme.as_bytes().first()?.is_ascii_alphabetic() {
        return None;
    }
    scheme
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        .then_some(scheme)
}

/// Removes `index.html` or `index.htm` from the end of the path of a URL. Only URLs inside `site`,
/// which is the URL of a folder of files, are changed.
fn without_index_file(url: String, site: &Url) -> String {
    let (path, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
    if path.starts_with(site.as_str()) && !path.contains('?') {
        for name in ["index.html", "index.htm"] {
            if let Some(folder) = path.strip_suffix(name)
                && folder.ends_with('/')
            {
                return [folder, fragment].concat();
            }
        }
    }
    url
}

/// True if a host and a path follow the `//` of an address, and parsing would change neither.
fn names_plain_host(after_slashes: &str) -> bool {
    let Some(slash) = after_slashes.find('/') else {
        return false;
    };
    let (host, path) = after_slashes.split_at(slash);
    is_plain_host(host) && is_plain_path(path)
}

/// True if parsing would not change the host's name: it is in lower case, and its last label is no
/// number. Names in Punycode are excluded, since they would have to be validated.
fn is_plain_host(host: &str) -> bool {
    let mut before = b'.';
    let mut first = b'.';
    for (at, byte) in host.bytes().enumerate() {
        let is_plain = match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' => true,
            b'.' => before != b'.',
            _ => false,
        };
        if before == b'.' {
            first = byte;
        }
        if !is_plain || before == b'.' && byte == b'x' && host[at..].starts_with("xn--") {
            return false;
        }
        before = byte;
    }
    before != b'.' && first.is_ascii_lowercase()
}

/// True if `path` is in normal form, with or without a query and a fragment, so that parsing would
/// not change it.
fn is_plain_path(path: &str) -> bool {
    let (path, query) =
        path.split_at(memchr::memchr2(b'?', b'#', path.as_bytes()).unwrap_or(path.len()));
    let mut before = b' ';
    for byte in path.bytes() {
        // A segment that begins with a dot may lead upwards, and two slashes at the start lead to
        // another host.
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
    is_plain_query(query)
}

/// True if `query` is a query in normal form, a fragment in normal form, or a query and a fragment.
fn is_plain_query(query: &str) -> bool {
    query
        .bytes()
        .all(|byte| PLAIN[byte as usize] || matches!(byte, b'.' | b'/' | b'%' | b'?' | b'#'))
}

/// For each byte, true if it has no special meaning in a path or a query, so that parsing does not
/// change it.
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
            scheme in prop::sample::select(vec!["", "/", "#", "https://", "http://", "HTTPS://", "//"]),
            host in "([a-z0-9A-Z.%-]{0,6}|xn--a|site)(\\.example|\\.1|\\.0x1|\\.|:80|:443)?",
            rest in "(mailto:|javascript:|ftp:|HTTP:|https:|c\t:)?[a-zA-Z0-9/._~%?#&=+:;,@!$()*'\"<>|\\\\ ^`{}\t-]{0,8}(/\\.\\./|/%2e|//)?[a-z/.?ü-]{0,4}",
        ) {
            let url = Url::parse(base).unwrap();
            let address = if scheme.ends_with("//") { format!("{scheme}{host}/{rest}") } else { format!("{scheme}{rest}") };
            for address in [address.as_str(), rest.as_str()] {
                let (mut ours, joined) = (String::new(), url.join(address.trim()));
                let leads = Base::new(&url, None).resolve(address, &url, &mut ours);
                let is_led = |to: &&Url| matches!(to.scheme(), "http" | "https") || to.scheme() == url.scheme();
                let theirs = joined.as_ref().ok().filter(is_led).map(Url::as_str);
                prop_assert_eq!(leads.then_some(ours.as_str()), theirs);
            }
        }
    }

    #[test]
    fn most_are_seen_at_once() {
        let url = Url::parse("https://site.example/a/").unwrap();
        for address in [
            "/",
            "/a.html",
            "/a/b-c_d/?q=1&r=%20",
            "b.html#c",
            "b/?c",
            "#c",
            "#",
            "https://www.other-site.example/a,b;c=d",
            "//www.other-site.example/a",
        ] {
            assert!(Base::new(&url, None).before(address).is_some(), "{address}");
        }
    }
}
