//! What a decision about a page rests on: the digest of its bytes, the lines of its response head
//! that can decide, and the files of its site.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use url::Url;

use heedful::internals::convention;

use super::digest::PageDigest;
use super::hex::{self, Hash};
use super::originals::Originals;

/// What a decision about one page rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Basis {
    /// The digest of the page's bytes as they were read, without transfer and content encodings.
    pub page: Option<PageDigest>,
    /// The header lines that can decide: see [`decides`].
    pub head: Vec<(String, String)>,
    /// The files of the site that were asked.
    pub files: Vec<SiteFileRef>,
    /// Their bytes.
    pub originals: Option<Originals>,
}

/// A file of a site that spoke of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteFileRef {
    /// Its kind: `robots.txt`, `tdmrep.json`, `rsl` or `names`.
    pub kind: String,
    /// The URL of the file, or the path of the local file that was read instead. Empty for a file
    /// at its usual place on the page's own site.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub place: String,
    /// The status of the site's answer, where that is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// SHA-256 of its bytes: `sha256:` and hexadecimal digits. None if its bytes are not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
}

/// The end of the page is known to be missing. This and what follows is among the lines of the
/// head.
pub const CUT: &str = ":cut";
/// The page was UTF-8, whatever it declared.
pub const UTF_8: &str = ":utf-8";
/// The page has another URL too.
pub const ALSO_AT: &str = ":also-at";

/// The time at which a page that expires was judged, in seconds since 1970.
pub const NOW: &str = ":now";

/// The kinds of documents that pages and site files name.
pub const RSL: &str = "rsl";
#[doc(hidden)]
pub const NAMES: &str = "names";

/// True if a header line of this name may say what a page may be used for, or how it is decoded. Of
/// a `Link` only the addresses of licences do.
pub fn decides(name: &str) -> bool {
    kept(name, "<a>; rel=license; type=application/rsl+xml").is_some()
}

/// What is kept of a header line: its name in lower case, and the part of its value by which the
/// page is judged. What decides nothing may lead to the page, as a `canonical` link does.
fn kept(name: &str, value: &str) -> Option<(String, String)> {
    let is_type = name.trim().eq_ignore_ascii_case("content-type");
    let (name, value) = if is_type {
        (name, value.into())
    } else {
        convention::split_name(name, value)
    };
    let value = if is_type {
        Some(value.into_owned())
    } else {
        convention::deciding_value(name, &value)
    };
    let value = value?.trim().to_owned();
    Some((name.trim().to_ascii_lowercase(), value))
}

impl Basis {
    /// The basis of a page that was read, with the lines of its head that can decide.
    pub fn new<'a>(
        page: Option<PageDigest>,
        head: impl IntoIterator<Item = &'a (String, String)>,
        files: Vec<SiteFileRef>,
    ) -> Self {
        let head = head
            .into_iter()
            .filter_map(|(name, value)| kept(name, value))
            .collect();
        Self {
            page,
            head,
            files,
            originals: None,
        }
    }

    /// Names where the bytes of the files are.
    pub fn kept_in(mut self, originals: &Originals) -> Self {
        self.originals = Some(originals.clone());
        self
    }

    /// The bytes of a file.
    #[doc(hidden)]
    pub fn bytes_of(&self, digest: &Hash) -> Option<Vec<u8>> {
        self.originals.as_ref()?.get(digest)
    }

    /// Notes that the end of the page is known to be missing.
    pub fn cut(mut self, is_cut: bool) -> Self {
        if is_cut {
            self.head.push((CUT.to_owned(), String::new()));
        }
        self
    }

    /// Notes that the page was UTF-8, whatever it declared.
    pub fn utf_8(mut self, is_decoded: bool) -> Self {
        if is_decoded {
            self.head.push((UTF_8.to_owned(), String::new()));
        }
        self
    }

    /// Notes when a page that expires was judged.
    pub fn judged_at(mut self, now: Option<SystemTime>) -> Self {
        if let Some(now) = now
            && let Ok(since) = now.duration_since(SystemTime::UNIX_EPOCH)
        {
            self.head
                .push((NOW.to_owned(), since.as_secs().to_string()));
        }
        self
    }

    /// Notes another URL of the page.
    pub fn also_at(mut self, url: Option<&Url>) -> Self {
        if let Some(url) = url {
            self.head.push((ALSO_AT.to_owned(), url.to_string()));
        }
        self
    }
}

impl SiteFileRef {
    /// A file of this kind, with the status of the response and the digest of its bytes, where they
    /// are known.
    pub fn new(kind: &str, place: &str, status: Option<u16>, digest: Option<Hash>) -> Self {
        Self {
            kind: kind.to_owned(),
            place: place.to_owned(),
            status,
            digest: digest.as_ref().map(hex::digest_name),
        }
    }
}
