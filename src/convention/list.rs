//! The list of all conventions.
//!
//! This is the only list of conventions, and it is made from the rows in `rows`. The lookup tables
//! of `convention`, the output of `heedful conventions` and the tables of the documents are made
//! from it. A test demands that the corpus covers each convention.

use std::sync::LazyLock;

pub use super::row::Convention;
pub(super) use super::row::Preset;
use super::rows::{comments, elements, robots, uses};
use super::sign::Sign;

/// All conventions, with their descriptions.
///
/// ```
/// use heedful::CONVENTIONS;
///
/// let rel = CONVENTIONS.iter().find(|convention| convention.name() == "rel").expect("a convention");
/// assert_eq!(rel.denies().to_string(), "nofollow,noanchor");
/// assert_eq!(rel.example(), r#"<a href="/ad" rel="nofollow">"#);
/// ```
pub static LIST: LazyLock<Vec<Convention>> =
    LazyLock::new(|| [robots::ROWS, comments::ROWS, elements::ROWS, uses::ROWS].concat());

/// Returns all signs of all conventions, each paired with the name of its convention.
pub(super) fn signs() -> impl Iterator<Item = (&'static str, Sign)> {
    LIST.iter()
        .flat_map(|convention| convention.signs.iter().map(|sign| (convention.name, *sign)))
}
