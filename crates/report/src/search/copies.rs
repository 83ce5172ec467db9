//! HTTP headers and a filter for copies of pages that are served from an origin of their own.

use crate::sandbox;

/// HTTP headers of a response that contains a copy of a page. With these headers the copy runs no
/// script, loads nothing, submits no form and contains no frames. No script of another page can
/// access it. Links in the copy work, but send no referrer.
///
/// ```
/// use heedful_report::search::COPY_HEADERS;
///
/// let policy = COPY_HEADERS.iter().find(|(name, _)| *name == "content-security-policy");
/// assert!(policy.is_some_and(|(_, value)| value.ends_with("sandbox")));
/// ```
pub const COPY_HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; sandbox",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-robots-tag", "noindex, nofollow, noarchive"),
    ("x-dns-prefetch-control", "off"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Replaces the elements of a copy of a page that would open connections despite [`COPY_HEADERS`].
/// An example of such an element is `<link rel=preconnect>`.
///
/// ```
/// use heedful_report::search::quiet;
///
/// let copy = quiet("<link rel=preconnect href=//t.example><a href=/rye>Rye</a>");
/// assert!(!copy.contains("<link") && copy.contains("<a href=/rye>"));
/// ```
pub fn quiet(copy: &str) -> String {
    sandbox::quiet(copy)
}
