//! Copies of pages, for the origin that serves them.

use crate::tamed;

/// The headers of an answer that is a copy of somebody's page: nothing in it runs, loads, sends or
/// frames anything, and no script of another page reaches it. Its links work, and send no
/// referrer.
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

/// A copy without the elements that open connections where no policy stops them, such as
/// `<link rel=preconnect>`.
pub fn quiet(copy: &str) -> String {
    tamed::quiet(copy)
}
