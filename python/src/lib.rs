//! heedful for Python: the extension module `heedful._heedful`. The package `heedful` re-exports
//! its names.
//!
//! The extension module makes no decisions of its own: the library judges every page, as in the
//! program. The results are the contents of the program's JSON, as objects (`page`), as Arrow
//! columns (`columns`, `mask`) or as counts (`census`). No panic reaches Python: a panic that a
//! page triggers becomes an error of that page. The module detaches from the interpreter while it
//! reads pages, so that other Python threads can run.

mod census;
mod columns;
mod error;
mod filter;
mod given;
mod mask;
mod page;
mod pass;
mod process;
mod progress;
mod reader;
mod robots;
mod rows;
mod whole;
mod writer;

use pyo3::prelude::*;

#[pymodule]
mod _heedful {
    #[pymodule_export]
    use super::census::{PyCensus, census, census_batch, passed_over};
    #[pymodule_export]
    use super::error::Error;
    #[pymodule_export]
    use super::filter::{PyFilter, rust_loop};
    #[pymodule_export]
    use super::mask::{mask, mask_batch};
    #[pymodule_export]
    use super::page::{PyBlock, PyDirective, PyExclusion, PyLink, PyNote, PyPage, PyVerdict};
    #[pymodule_export]
    use super::pass::PyPass;
    #[pymodule_export]
    use super::reader::{read, site, sites, survey, survey_batch, words};
    #[pymodule_export]
    use super::robots::{PyRobotsTxt, PyRuling};
    #[pymodule_export]
    use super::writer::PyWriter;
}
