//! heedful for Python: the extension module `heedful._heedful`, whose names the package `heedful`
//! re-exports.
//!
//! The module decides nothing: every page goes through the library as in the program. Its results
//! are the program's JSON, as objects (`page`) or Arrow columns (`columns`, `mask`), or counts
//! (`census`). No panic reaches Python: a page that triggers a bug is an error of that page. The
//! module detaches from the interpreter while pages are read, so other threads of Python run.

mod census;
mod columns;
mod error;
mod filter;
mod given;
mod mask;
mod page;
mod pass;
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
    use super::page::{PyDirective, PyExclusion, PyLink, PyNote, PyPage, PyVerdict};
    #[pymodule_export]
    use super::pass::PyPass;
    #[pymodule_export]
    use super::reader::{read, site, sites, survey, survey_batch, words};
    #[pymodule_export]
    use super::robots::{PyRobotsTxt, PyRuling};
    #[pymodule_export]
    use super::writer::PyWriter;
}
