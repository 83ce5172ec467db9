//! Creates the addresses of links between the pages of a search.

use std::fmt::Write as _;

use url::form_urlencoded::Serializer;

/// Returns a URL with this path, and with a query component that is made of these pairs of name and
/// value.
pub(super) fn address(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut address = format!("{path}?");
    let _ = write!(
        address,
        "{}",
        Serializer::new(String::new()).extend_pairs(pairs).finish()
    );
    address
}
