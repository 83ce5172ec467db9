//! A URL as engines know it: in normal form without its fragment, and by a hash, since identifiers are at most 512 bytes long
//! (Elasticsearch, `OpenSearch`) and URLs are not. Our own index keeps URLs by the same rules.

use std::borrow::Cow;

use data_encoding::HEXLOWER;
use sha1::{Digest, Sha1};
use url::{Host, Url};

use crate::page::{Link, Page};
use crate::sink::links::LinkKind;

/// The longest URL that is kept or exported, in bytes; far below the 32,766 that Lucene takes as a term.
pub(crate) const LONGEST_URL: usize = 8192;
/// The longest name in the DNS; of a longer host the domains round it are no sites.
const LONGEST_HOST: usize = 253;

/// The SHA-1 of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id([u8; 20]);

impl Id {
    /// Nothing, where the URL is too long.
    pub(super) fn of(key: &str) -> Option<Self> {
        (key.len() <= LONGEST_URL).then(|| Self(Sha1::digest(key).into()))
    }
}

/// 40 hexadecimal digits.
impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

/// A URL in normal form, without its fragment.
pub(crate) fn key(url: &str) -> String {
    match Url::parse(url) {
        Ok(mut url) => {
            url.set_fragment(None);
            url.into()
        }
        Err(_) => url.split('#').next().unwrap_or_default().to_owned(),
    }
}

/// The same of a link, whose URL is in normal form: there is nothing to parse in what the web is made of.
pub(crate) fn key_of(link: &Link) -> Cow<'_, str> {
    let url = link.url();
    let is_plain = url.starts_with("https://") || url.starts_with("http://");
    if is_plain { Cow::Borrowed(url.split('#').next().unwrap_or_default()) } else { Cow::Owned(key(url)) }
}

/// The host of a URL, and the host with the domains it is in.
pub(crate) fn host_and_sites(key: &str) -> (Option<String>, Vec<String>) {
    let Ok(url) = Url::parse(key) else { return (None, Vec::new()) };
    let Some(host) = url.host() else { return (None, Vec::new()) };
    let whole = host.to_string();
    let domain = matches!(host, Host::Domain(_)) && whole.len() <= LONGEST_HOST;
    let ends = whole.match_indices('.').filter(|_| domain).map(|(at, _)| whole[at + 1..].to_owned());
    let sites = std::iter::once(whole.clone()).chain(ends).filter(|site| !site.is_empty()).collect();
    (Some(whole), sites)
}

/// The URL that a page says is the right one for it. Nobody follows it.
pub(crate) fn canonical(page: &Page) -> Option<String> {
    let mut links = page.links().iter().filter(|link| link.kind() == LinkKind::Link);
    let says = links.find(|link| link.rel().iter().any(|rel| rel == "canonical"))?;
    Some(key_of(says).into_owned()).filter(|key| key.len() <= LONGEST_URL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::Bot;
    use crate::filter::Filter;

    #[test]
    fn hosts_and_the_domains_they_are_in() {
        let sites = |url| host_and_sites(url).1;
        assert_eq!(sites("https://a.site.example/x"), ["a.site.example", "site.example", "example"]);
        assert_eq!(sites("https://127.0.0.1/"), ["127.0.0.1"]);
        assert_eq!(sites("file:///x"), [""; 0]);
        let long = format!("{}example", "a.".repeat(1000));
        assert_eq!(sites(&format!("https://{long}/")), [long]);
    }

    #[test]
    fn what_a_link_leads_to_need_not_be_parsed_again() {
        let targets =
            ["x#y", "#", "?#", "HTTP://Ä.example:80/ö b?q=ö'#f", "//u:p@h/%7e/../a\\b?x y# ", "http:x#y#z", "\u{3000}"];
        let html: String = targets.iter().map(|target| format!("<a href=\"{target}\">x</a>")).collect();
        let page = Filter::new(Bot::new("x").unwrap()).page("https://site.example/a/", html.as_bytes()).unwrap();
        assert_eq!(page.links().len(), targets.len());
        for link in page.links() {
            assert_eq!(key_of(link), key(link.url()));
        }
    }

    #[test]
    fn fragments_do_not_count() {
        assert_eq!(key("HTTPS://Site.example#x"), "https://site.example/");
        assert_eq!(Id::of("abc").unwrap().to_string(), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert!(Id::of(&"x".repeat(LONGEST_URL + 1)).is_none());
    }
}
