//! The list of conventions.
//!
//! This is the only list, made of the rows in `rows`. The tables of this folder are made of it, and so are the output
//! of `heedful dialects` and the tables of the documents. The corpus must cover it.

use crate::policy::{Extent, Facets};

pub use super::convention::Dialect;
pub(super) use super::convention::Preset;
use super::rows::{comments, elements, robots, uses};
use super::sign::{Sign, heard};

/// The rows, kind by kind.
const ROWS: [&[Dialect]; 4] = [robots::ROWS, comments::ROWS, elements::ROWS, uses::ROWS];

const LENGTH: usize = {
    let (mut length, mut kind) = (0, 0);
    while kind < ROWS.len() {
        length += ROWS[kind].len();
        kind += 1;
    }
    length
};

/// All dialects.
pub static LIST: &[Dialect] = ALL;

const ALL: &[Dialect] = &{
    let mut all = [ROWS[0][0]; LENGTH];
    let (mut count, mut kind) = (0, 0);
    while kind < ROWS.len() {
        let mut at = 0;
        while at < ROWS[kind].len() {
            all[count] = ROWS[kind][at];
            count += 1;
            at += 1;
        }
        kind += 1;
    }
    all
};

/// All signs, each with the name of its dialect.
pub(super) const SIGNS: &[(&str, Sign)] = &{
    let mut signs = [("", heard(Facets::NONE, Extent::Page)); signs()];
    let (mut count, mut dialect) = (0, 0);
    while dialect < ALL.len() {
        let mut at = 0;
        while at < ALL[dialect].signs.len() {
            signs[count] = (ALL[dialect].name, ALL[dialect].signs[at]);
            count += 1;
            at += 1;
        }
        dialect += 1;
    }
    signs
};

const fn signs() -> usize {
    let (mut count, mut dialect) = (0, 0);
    while dialect < ALL.len() {
        count += ALL[dialect].signs.len();
        dialect += 1;
    }
    count
}

/// The signs that match a pattern as an array of rows, made at compile time. `none` is any row, to begin with.
macro_rules! rows_of {
    (($dialect:pat, $sign:pat) => $row:expr, $none:expr) => {{
        use $crate::dialect::list::SIGNS;

        const LENGTH: usize = {
            let (mut count, mut at) = (0, 0);
            while at < SIGNS.len() {
                if let ($dialect, $sign) = SIGNS[at] {
                    let _ = $row;
                    count += 1;
                }
                at += 1;
            }
            count
        };
        let mut rows = [$none; LENGTH];
        let (mut count, mut at) = (0, 0);
        while at < SIGNS.len() {
            if let ($dialect, $sign) = SIGNS[at] {
                rows[count] = $row;
                count += 1;
            }
            at += 1;
        }
        rows
    }};
}

pub(super) use rows_of;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::sign::ElementSign;

    /// Tables compare in lower case. Only the texts of comments are converted to it.
    #[test]
    fn names_are_in_lower_case() {
        for (dialect, sign) in SIGNS {
            let names = match *sign {
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
