//! Makes the addresses of a page's links absolute, by the URL standard.
//!
//! The `url` crate resolves addresses. Most addresses need no parsing: they are absolute URLs in
//! normal form, or have no scheme but a host, or are paths on the site of the base URL. A prefix of
//! the base URL is put before such an address. A test checks that both ways give equal results. If
//! a site is read from a folder of files, the URL of an `index.html` is replaced by the URL of its
//! folder.

use url::{Position, Url};

/// Returns the base URL of a page with a `base` element. `href` is the attribute of this element,
/// and is resolved against the URL of the page. If `href` is no URL, the page's own URL is
/// returned. It is also returned if the scheme of `href` is `data` or `javascript`. The HTML
/// standard calls the result the *frozen base URL*.
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

/// Base URL of a page. The addresses of links are resolved against this URL. Prefixes of absolute
/// URLs, such as scheme and host, are computed once for all links.
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
    /// Text of the base URL before its path: scheme, host and port. `None` if the scheme is not
    /// `http` or `https`, so that addresses have to be parsed.
    site: Option<&'a str>,
    /// Text of the base URL up to the last slash of its path. `None` if the scheme is not `http` or
    /// `https`.
    beside: Option<&'a str>,
    /// Text of the base URL before its fragment.
    whole: &'a str,
    /// URL of the folder of files from which the page was read. `None` if the page was not read
    /// from a folder.
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
    /// the scheme of `page`, appends the result to `out` and returns true. Otherwise returns false
    /// and appends nothing. If the page was read from a folder of files, `index.html` or
    /// `index.htm` is removed from the end of a URL in this folder.
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

    /// Resolves `address` against this base URL, and appends the result to `out`, like
    /// [`Base::join`]. Unlike [`Base::join`], this function never removes `index.html` from a URL.
    fn resolve(&self, address: &str, page: &Url, out: &mut String) -> bool {
        let address = address.trim();
        if let Some(parts) = self.parts(address) {
            for part in parts {
                out.push_str(part);
            }
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

    /// Makes `address` absolute without parsing it as a URL. Returns three texts that together are
    /// the absolute URL. They are a prefix of this base URL, the address, and the path `/` if the
    /// address has no path. A text that is not needed is empty. Returns `None` if the address has
    /// to be parsed.
    fn parts<'p>(&self, address: &'p str) -> Option<[&'p str; 3]>
    where
        'a: 'p,
    {
        let bytes = address.as_bytes();
        match bytes.first()? {
            b'/' if bytes.starts_with(b"//") => {
                let path = path_after_plain_host(&address[2..])?;
                Some([self.scheme?, address, path])
            }
            b'/' => is_plain_path(bytes).then_some([self.site?, address, ""]),
            b'#' => {
                (self.site.is_some() && is_plain_query(bytes)).then_some([self.whole, address, ""])
            }
            b'.' => self.parts_from_dots(address),
            _ => {
                let after_slashes = address
                    .strip_prefix("https://")
                    .or_else(|| address.strip_prefix("http://"));
                if let Some(rest) = after_slashes {
                    return Some(["", address, path_after_plain_host(rest)?]);
                }
                let is_plain = bytes[0].is_ascii_alphanumeric()
                    && memchr::memchr(b':', bytes).is_none()
                    && is_plain_path(bytes);
                is_plain.then_some([self.beside?, address, ""])
            }
        }
    }

    /// Returns the same parts as [`Self::parts`], for an address that begins with `./` or `../`.
    /// Each `../` removes the last folder from the prefix. Returns `None` if the address has to be
    /// parsed.
    fn parts_from_dots<'p>(&self, address: &'p str) -> Option<[&'p str; 3]>
    where
        'a: 'p,
    {
        let site = self.site?;
        let mut folder = self.beside?;
        let mut rest = address;
        loop {
            if let Some(below) = rest.strip_prefix("./") {
                rest = below;
            } else if let Some(below) = rest.strip_prefix("../") {
                rest = below;
                // The root has no folder above it.
                let above = folder[site.len()..folder.len() - 1].rfind('/');
                folder = &folder[..=site.len() + above.unwrap_or(0)];
            } else {
                break;
            }
        }
        let is_plain = !rest.starts_with(['/', '.', '%']) && is_plain_path(rest.as_bytes());
        is_plain.then_some([folder, rest, ""])
    }
}

/// Returns the scheme at the start of `address`, without its colon. Returns `None` if the address
/// has no scheme.
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

/// Removes `index.html` or `index.htm` from the end of the path of `url`. A URL outside of `site`,
/// which is the URL of a folder of files, is not changed.
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

/// Returns the text that the URL parser would append to an address. `after_slashes` is the text of
/// the address after its `//`. The returned text is `/` if a host alone follows the slashes, and
/// empty if a path follows the host. Returns `None` if the parser would change the host or the
/// path.
fn path_after_plain_host(after_slashes: &str) -> Option<&'static str> {
    let bytes = after_slashes.as_bytes();
    let path = &bytes[plain_host_length(bytes)?..];
    match path.first() {
        None => Some("/"),
        Some(b'/') if is_plain_path(path) => Some(""),
        Some(_) => None,
    }
}

/// Returns the length in bytes of the host's name at the start of `bytes`. Returns `None` if the
/// URL parser would change the name, or might refuse it. A name that stays unchanged is in lower
/// case, and its last label is no number. Names in Punycode are excluded, because they would have
/// to be validated.
fn plain_host_length(bytes: &[u8]) -> Option<usize> {
    let is_of_label = |byte: &u8| BYTES[usize::from(*byte)] & LABEL != 0;
    let mut at = 0;
    loop {
        let label = &bytes[at..];
        let length = label.iter().position(|byte| !is_of_label(byte));
        let length = length.unwrap_or(label.len());
        if length == 0 || label.starts_with(b"xn--") {
            return None;
        }
        if label.get(length) != Some(&b'.') {
            return label[0].is_ascii_lowercase().then_some(at + length);
        }
        at += length + 1;
    }
}

/// True if the URL parser would not change `path`, which may include a query and a fragment. The
/// path is absolute, or relative to a folder.
fn is_plain_path(path: &[u8]) -> bool {
    let mut before = 0;
    for (at, byte) in path.iter().enumerate() {
        let class = BYTES[usize::from(*byte)];
        if class & PLAIN == 0 {
            let begins_segment = before & SLASH != 0;
            // A segment that begins with a dot, which may be percent-encoded, may lead upwards.
            if class & DOT != 0 && begins_segment {
                return false;
            }
            if class & ENDS_PATH != 0 {
                return is_plain_query(&path[at..]);
            }
            if class & (DOT | SLASH) == 0 {
                return false;
            }
        }
        before = class;
    }
    true
}

/// True if the URL parser would not change `query`, which is a query, a fragment, or a query with a
/// fragment.
fn is_plain_query(query: &[u8]) -> bool {
    query
        .iter()
        .all(|byte| BYTES[usize::from(*byte)] & (PLAIN | SLASH | DOT | ENDS_PATH) != 0)
}

/// Bit in [`BYTES`] of a byte that the URL parser does not change in a path, query or fragment.
const PLAIN: u8 = 1;
const SLASH: u8 = 1 << 1;
/// Bit in [`BYTES`] of `.` and of `%`, which may begin a percent-encoded dot (`%2e`).
const DOT: u8 = 1 << 2;
/// Bit in [`BYTES`] of `?` and of `#`, which end the path of a URL.
const ENDS_PATH: u8 = 1 << 3;
/// Bit in [`BYTES`] of a byte that the URL parser does not change in a label of a host's name.
const LABEL: u8 = 1 << 4;

/// Classes of each byte as a bitmask, such as `PLAIN` and `LABEL`. The index in the array is the
/// byte.
const BYTES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    let plain = b"-_~,:;=+@!$&()*0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    while at < plain.len() {
        let byte = plain[at];
        classes[byte as usize] = PLAIN;
        if byte == b'-' || byte.is_ascii_digit() || byte.is_ascii_lowercase() {
            classes[byte as usize] |= LABEL;
        }
        at += 1;
    }
    classes[b'/' as usize] = SLASH;
    classes[b'.' as usize] = DOT;
    classes[b'%' as usize] = DOT;
    classes[b'?' as usize] = ENDS_PATH;
    classes[b'#' as usize] = ENDS_PATH;
    classes
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn what_is_seen_at_once_is_what_the_standard_says(
            base in prop::sample::select(vec!["https://site.example/a/b?c", "https://site.example/a//b/c", "http://me@site.example:81/", "ftp://a.example/"]),
            scheme in prop::sample::select(vec!["", "/", "#", "./", "../", "./../../", "https://", "http://", "HTTPS://", "//"]),
            host in "([a-z0-9A-Z.%-]{0,6}|xn--a|site)(\\.example|\\.1|\\.0x1|\\.|:80|:443)?",
            rest in "(mailto:|javascript:|ftp:|HTTP:|https:|c\t:)?[a-zA-Z0-9/._~%?#&=+:;,@!$()*'\"<>|\\\\ ^`{}\t-]{0,8}(/\\.\\./|/%2e|//)?[a-z/.?ü-]{0,4}",
        ) {
            let url = Url::parse(base).unwrap();
            let host = if scheme.ends_with("//") { host } else { String::new() };
            let slash = if scheme.ends_with("//") { "/" } else { "" };
            let address = format!("{scheme}{host}{slash}{rest}");
            let without_path = format!("{scheme}{host}");
            for address in [address.as_str(), rest.as_str(), without_path.as_str()] {
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
            "https://www.other-site.example",
            "https://www.other-site.example/a//b/c%20d",
            "./b",
            "../../b",
        ] {
            assert!(Base::new(&url, None).parts(address).is_some(), "{address}");
        }
    }
}
