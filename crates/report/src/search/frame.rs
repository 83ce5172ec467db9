//! The frame of each page: its head, its search box, and the one style.

use std::fmt::Write as _;

use data_encoding::BASE64;
use sha2::{Digest, Sha256};
use url::form_urlencoded::Serializer;

/// The style of all these pages. The policy names its hash.
pub(super) const STYLE: &str = concat!(
    include_str!("../templates/style.css"),
    include_str!("../templates/search.css")
);

/// The `Content-Security-Policy` for these pages: nothing is loaded or run, and only their own
/// style applies. Forms are sent to the same origin alone, and no other page may frame them.
pub fn policy() -> String {
    let hash = BASE64.encode(&Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The parts of a page around its content.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) style: &'static str,
    pub(super) label: String,
    /// The query, as it is shown.
    pub(super) query: String,
    /// None for pages without a search box.
    pub(super) about: Option<FrameInfo>,
    pub(super) is_start: bool,
    pub(super) is_refused: bool,
}

pub(super) struct FrameInfo {
    pub(super) bot: String,
    pub(super) fetched: Option<String>,
}

/// An address with a query part.
pub(super) fn address(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut address = format!("{path}?");
    let _ = write!(
        address,
        "{}",
        Serializer::new(String::new()).extend_pairs(pairs).finish()
    );
    address
}
