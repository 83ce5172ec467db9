//! The list of conventions.
//!
//! This is the only list, made of the rows in `rows`. The tables of this folder are made of it, and so are the output
//! of `heedful dialects` and the tables of the documents. The corpus must cover it.

use std::sync::LazyLock;

pub use super::convention::Dialect;
pub(super) use super::convention::Preset;
use super::rows::{comments, elements, robots, uses};
use super::sign::Sign;

/// All dialects.
pub static LIST: LazyLock<Vec<Dialect>> =
    LazyLock::new(|| [robots::ROWS, comments::ROWS, elements::ROWS, uses::ROWS].concat());

/// All signs, each with the name of its dialect.
pub(super) fn signs() -> impl Iterator<Item = (&'static str, Sign)> {
    LIST.iter().flat_map(|dialect| dialect.signs.iter().map(|sign| (dialect.name, *sign)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::sign::ElementSign;

    /// Tables compare in lower case. Only the texts of comments are converted to it.
    #[test]
    fn names_are_in_lower_case() {
        for (dialect, sign) in signs() {
            let names = match sign {
                Sign::Element(ElementSign::Tag(name) | ElementSign::Class(name) | ElementSign::Attribute(name), _)
                | Sign::Header(name, _) => vec![name],
                Sign::Element(ElementSign::Switch { attribute, .. }, _) => vec![attribute],
                Sign::Element(ElementSign::With { tag, attribute, .. }, _) => vec![tag, attribute],
                Sign::Comment(..) | Sign::Function(..) => Vec::new(),
            };
            assert!(names.iter().all(|name| name.to_ascii_lowercase() == *name), "{dialect}: {names:?}");
        }
    }
}
