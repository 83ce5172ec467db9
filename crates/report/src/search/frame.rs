//! The common parts of all pages of a search in a browser: head, search box, and style sheet.

use data_encoding::BASE64;
use sha2::{Digest, Sha256};

use super::filters::FilterControls;

/// Style sheet of all HTML pages of a search. The result of [`policy`] contains its hash.
pub(super) const STYLE: &str = concat!(
    include_str!("../templates/style.css"),
    include_str!("../templates/search.css")
);

/// Returns the `Content-Security-Policy` for the HTML pages of a search. The policy forbids loads
/// and scripts. It also forbids all styles except the style sheet of these pages. Forms may be
/// submitted only to the same origin. No page may show these pages in a frame.
///
/// ```
/// let policy = heedful_report::search::policy();
/// assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"));
/// ```
pub fn policy() -> String {
    let hash = BASE64.encode(&Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Values for the head and the search box of a page of a search.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) style: &'static str,
    pub(super) label: String,
    /// Query in the search box. The query is one line without control characters.
    pub(super) query: String,
    /// Controls for the filters. They are in the same HTML form as the search box.
    pub(super) filters: FilterControls,
    /// Facts about the index that the page shows. `None` for a page without a search box.
    pub(super) about: Option<FrameInfo>,
    pub(super) is_start: bool,
    pub(super) is_refused: bool,
}

pub(super) struct FrameInfo {
    pub(super) bot: String,
    pub(super) fetched: Option<String>,
    /// Text that tells people which parts of each page were indexed, and that words in navigation
    /// count little. Empty if there is nothing to tell.
    pub(super) what_is_read: String,
}
