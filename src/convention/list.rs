//! The list of conventions.
//!
//! This is the only list, made of the rows in `rows`. The tables of this folder are made of it, and
//! so are the output of `heedful conventions` and the tables of the documents. The corpus must
//! cover it.

use std::sync::LazyLock;

pub use super::row::Convention;
pub(super) use super::row::Preset;
use super::rows::{comments, elements, robots, uses};
use super::sign::Sign;

/// All conventions.
pub static LIST: LazyLock<Vec<Convention>> =
    LazyLock::new(|| [robots::ROWS, comments::ROWS, elements::ROWS, uses::ROWS].concat());

/// All signs, each with the name of its convention.
pub(super) fn signs() -> impl Iterator<Item = (&'static str, Sign)> {
    LIST.iter()
        .flat_map(|convention| convention.signs.iter().map(|sign| (convention.name, *sign)))
}
