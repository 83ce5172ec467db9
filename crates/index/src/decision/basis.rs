//! Basis of a decision about a page: the digest of the page's bytes, the header lines that can
//! affect the decision, and the site files.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use url::Url;

use heedful::internals::convention;

use super::digest::PageDigest;
use super::hex::{self, Hash};
use super::originals::Originals;

/// Data on which the decision about one page rests. The data are a digest of the page's bytes, HTTP
/// header lines, and references to site files such as robots.txt. Header lines that cannot affect
/// the decision are not included.
///
/// # Examples
/// ```
/// use heedful_index::decision::{Basis, PageDigest, SiteFileRef};
///
/// let head = [("X-Robots-Tag", "noai"), ("Server", "apache")];
/// let head = head.map(|(name, value)| (name.to_owned(), value.to_owned()));
/// let robots = SiteFileRef::new("robots.txt", "", Some(404), None);
/// let basis = Basis::new(Some(PageDigest::new(b"<p>Rye")), &head, vec![robots]).cut(true);
///
/// // `Server` decides nothing, and the page is known to be truncated.
/// let names: Vec<_> = basis.head.iter().map(|(name, _)| name.as_str()).collect();
/// assert_eq!(names, ["x-robots-tag", ":cut"]);
/// assert_eq!(basis.files[0].status, Some(404));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Basis {
    /// Digest of the page's bytes, after decoding transfer and content encodings. None if no bytes
    /// of the page were read.
    pub page: Option<PageDigest>,
    /// HTTP header lines, each as name and value. Only lines that can affect the decision are
    /// included (see [`decides`]). The name is in lower case. The value contains only the part that
    /// can affect the decision. A line whose name begins with a colon is a pseudo-header: it
    /// records another fact about the page.
    pub head: Vec<(String, String)>,
    /// Site files, such as robots.txt, that were consulted for the decision.
    pub files: Vec<SiteFileRef>,
    /// Temporary store with the bytes of the consulted site files. None if no store was set.
    pub originals: Option<Originals>,
}

/// Reference to a site file, such as robots.txt. The file was consulted for a decision about a
/// page. Its bytes are not included.
///
/// For an example see [`Basis`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteFileRef {
    /// Kind of the file: `robots.txt`, `tdmrep.json`, `rsl`, or `names` for
    /// [`heedful::ProfileNames`].
    pub kind: String,
    /// URL of the site file, or path of the local file that was read in its place. Empty for a file
    /// at its standard location on the page's own site.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub place: String,
    /// HTTP status of the site's response to the request for this file. None if it is not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// SHA-256 of the file's bytes: `sha256:` and hexadecimal digits. None if the bytes are not
    /// known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
}

/// Name of the pseudo-header of [`Basis::head`] that says that the end of the page is missing.
pub const CUT: &str = ":cut";
/// Name of a pseudo-header in [`Basis::head`]. The pseudo-header says that the page was decoded as
/// UTF-8. The page may have declared another encoding.
pub const UTF_8: &str = ":utf-8";
/// Name of the pseudo-header of [`Basis::head`] that contains the page's second URL, set by
/// [`Pass::also_at`](heedful::Pass::also_at).
pub const ALSO_AT: &str = ":also-at";

/// Name of the pseudo-header of [`Basis::head`] that contains the time at which an expiring page
/// was judged. The time is in seconds since 1970.
pub const NOW: &str = ":now";

/// Value of [`SiteFileRef::kind`] for an RSL document that a page or site file names.
pub const RSL: &str = "rsl";
#[doc(hidden)]
pub const NAMES: &str = "names";

/// True if an HTTP header with this name can affect the allowed uses of a page, or its decoding. In
/// a `Link` header, only the licence URLs have an effect.
///
/// # Examples
/// ```
/// use heedful_index::decision::decides;
///
/// assert!(decides("X-Robots-Tag") && decides("content-type"));
/// assert!(!decides("Server"));
/// ```
pub fn decides(name: &str) -> bool {
    kept(name, "<a>; rel=license; type=application/rsl+xml").is_some()
}

/// Returns the part of an HTTP header line that an evidence log (a log of decisions) stores. This
/// part is the name in lower case, and the part of the value that can affect a decision. The rest
/// of the value is dropped, because it could identify the page, as a `canonical` link does. Returns
/// None if nothing in the line can affect a decision.
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
    /// Creates the basis of a decision about a page. `page` is the digest of the page's bytes, or
    /// None if no bytes were read. `head` has the page's HTTP header lines. Lines that cannot
    /// affect the decision are dropped. `files` are the consulted site files.
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

    /// Sets the temporary store that has the bytes of the consulted site files.
    ///
    /// # Examples
    /// ```
    /// use heedful::Limits;
    /// use heedful_index::decision::{Basis, Originals, SiteFileRef};
    ///
    /// let originals = Originals::new(&Limits::default());
    /// let digest = originals.keep(b"User-agent: *\nDisallow: /");
    /// let file = SiteFileRef::new("robots.txt", "", Some(200), digest);
    /// let basis = Basis::new(None, [], vec![file]).kept_in(&originals);
    /// assert_eq!(basis.originals, Some(originals));
    /// ```
    pub fn kept_in(mut self, originals: &Originals) -> Self {
        self.originals = Some(originals.clone());
        self
    }

    /// Returns the bytes of the consulted site file with this SHA-256 digest. Returns None if the
    /// bytes are not stored.
    #[doc(hidden)]
    pub fn bytes_of(&self, digest: &Hash) -> Option<Vec<u8>> {
        self.originals.as_ref()?.get(digest)
    }

    /// If `is_cut` is true, records that the end of the page is missing.
    ///
    /// # Examples
    /// ```
    /// use heedful_index::decision::Basis;
    ///
    /// assert_eq!(Basis::default().cut(true).head[0].0, ":cut");
    /// assert!(Basis::default().cut(false).head.is_empty());
    /// ```
    pub fn cut(mut self, is_cut: bool) -> Self {
        if is_cut {
            self.head.push((CUT.to_owned(), String::new()));
        }
        self
    }

    /// Records that the page was decoded as UTF-8, whatever encoding the page declared. Records
    /// nothing if `is_decoded` is false.
    ///
    /// # Examples
    /// ```
    /// use heedful_index::decision::Basis;
    ///
    /// let basis = Basis::default().utf_8(true);
    /// assert_eq!(basis.head[0].0, ":utf-8");
    /// ```
    pub fn utf_8(mut self, is_decoded: bool) -> Self {
        if is_decoded {
            self.head.push((UTF_8.to_owned(), String::new()));
        }
        self
    }

    /// Records the time at which an expiring page was judged. Records nothing if `now` is None.
    ///
    /// # Examples
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use heedful_index::decision::Basis;
    ///
    /// let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
    /// assert_eq!(Basis::default().judged_at(Some(time)).head[0].1, "1000");
    /// ```
    pub fn judged_at(mut self, now: Option<SystemTime>) -> Self {
        if let Some(now) = now
            && let Ok(since) = now.duration_since(SystemTime::UNIX_EPOCH)
        {
            self.head
                .push((NOW.to_owned(), since.as_secs().to_string()));
        }
        self
    }

    /// Records the second URL of the page, set by [`Pass::also_at`](heedful::Pass::also_at).
    /// Records nothing if `url` is None.
    ///
    /// # Examples
    /// ```
    /// use heedful_index::decision::Basis;
    /// use url::Url;
    ///
    /// let url = Url::parse("https://example.com/index.html")?;
    /// let basis = Basis::default().also_at(Some(&url));
    /// assert_eq!(basis.head[0].1, "https://example.com/index.html");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn also_at(mut self, url: Option<&Url>) -> Self {
        if let Some(url) = url {
            self.head.push((ALSO_AT.to_owned(), url.to_string()));
        }
        self
    }
}

impl SiteFileRef {
    /// Creates a reference to a site file. For `kind` and `place` see the fields. `status` is the
    /// HTTP status of the site's response, and `digest` is the SHA-256 of the file's bytes. Both
    /// are None if they are not known.
    ///
    /// # Examples
    /// ```
    /// use heedful::Limits;
    /// use heedful_index::decision::{Originals, SiteFileRef};
    ///
    /// let digest = Originals::new(&Limits::default()).keep(b"User-agent: *");
    /// let file = SiteFileRef::new("robots.txt", "", Some(200), digest);
    /// assert!(file.digest.unwrap().starts_with("sha256:"));
    /// ```
    pub fn new(kind: &str, place: &str, status: Option<u16>, digest: Option<Hash>) -> Self {
        Self {
            kind: kind.to_owned(),
            place: place.to_owned(),
            status,
            digest: digest.as_ref().map(hex::digest_name),
        }
    }
}
