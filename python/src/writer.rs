//! The Python class `Writer` of an index. It adds single pages. The function `read` adds all pages
//! of inputs through it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use heedful_evidence::IndexEvidence;
use heedful_index as index;
use heedful_index::Search;
use heedful_index::{Added, Index, Terms};
use heedful_run::{Gate, Outcome, apply_outcome, withdraw};
use pyo3::prelude::*;

use crate::error::{py_error, setting_error};
use crate::filter::PyFilter;
use crate::given::{argument, object, optional};
use crate::page::PyPage;
use crate::process::OfProcess;

/// Writer of an index: the Python class `Writer`.
#[pyclass(frozen, name = "Writer", module = "heedful")]
pub struct PyWriter {
    index: Index,
    writer: WriterState,
    terms: Terms,
}

/// The library's writer of an index, which a Python object shares with the thread of `read`. The
/// inner value is `None` after the writer was closed.
#[derive(Clone)]
pub struct WriterState(Arc<OfProcess<Mutex<Option<index::Writer>>>>);

impl WriterState {
    /// Calls `work` with the library's writer of the index. Fails if the writer was closed.
    fn update<T>(
        &self,
        work: impl FnOnce(&mut index::Writer) -> heedful::Result<T>,
    ) -> heedful::Result<T> {
        let mut writer = self.0.get()?.lock().unwrap_or_else(PoisonError::into_inner);
        match writer.as_mut() {
            Some(writer) => work(writer),
            None => Err(heedful::ErrorKind::Setting("the writer is closed".to_owned()).into()),
        }
    }

    /// Drops the library's writer of the index. In a forked process nothing is done, since the
    /// index belongs to the process that opened it.
    fn close(&self) {
        if let Ok(writer) = self.0.get() {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            drop(writer.take());
        }
    }

    /// Applies the outcome for one page to the index. Depending on the outcome, adds the page, or
    /// removes its URL.
    pub fn settle(&self, outcome: &Outcome) -> heedful::Result<()> {
        self.update(|writer| apply_outcome(writer, outcome))
            .map(drop)
    }

    /// Removes indexed pages that the robots.txt files of the inputs now disallow. Also stores
    /// these robots.txt files in the index. They then apply to older captures that later runs read.
    /// `before` is the index before the run.
    pub fn withdraw(
        &self,
        gate: &Gate,
        filter: &heedful::Filter,
        before: &Search,
        jobs: usize,
    ) -> heedful::Result<()> {
        self.update(|writer| withdraw(gate, filter, before, writer, jobs))
            .map(drop)
    }
}

impl PyWriter {
    /// Opens the index for queries, as of the last commit.
    pub fn search(&self) -> heedful::Result<Search> {
        self.index.search()
    }

    /// Returns another handle of the same writer of the index. Fails if the settings of `filter`
    /// are not those of the index.
    pub fn handle(&self, filter: &PyFilter) -> PyResult<WriterState> {
        if Terms::from_filter(&filter.filter()).ok().as_ref() != Some(&self.terms) {
            return Err(setting_error(
                "the writer was made with a filter of other settings",
            ));
        }
        Ok(self.writer.clone())
    }
}

#[pymethods]
impl PyWriter {
    #[new]
    #[pyo3(signature = (folder, filter, *, threads = None), text_signature = "(folder, filter, *, threads=1)")]
    fn new(
        py: Python<'_>,
        folder: &Bound<'_, PyAny>,
        filter: &Bound<'_, PyAny>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let folder: PathBuf = argument("folder", folder)?;
        let filter = object::<PyFilter>("filter", filter)?.get().filter();
        let threads = optional("threads", threads)?.unwrap_or(1);
        let create = || {
            let index = Index::create(&folder, &filter)?.with_evidence();
            let writer = index.writer(threads)?;
            Ok((Terms::from_filter(&filter)?, index, writer))
        };
        let (terms, index, writer) = py.detach(create).map_err(py_error)?;
        Ok(Self {
            index,
            writer: WriterState(Arc::new(OfProcess::new(
                "a writer",
                Mutex::new(Some(writer)),
            ))),
            terms,
        })
    }

    #[pyo3(signature = (page, *, date = None))]
    fn add(
        &self,
        py: Python<'_>,
        page: &Bound<'_, PyAny>,
        date: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let page = object::<PyPage>("page", page)?.get();
        let date: Option<SystemTime> = optional("date", date)?;
        let added = py.detach(|| {
            self.writer
                .update(|writer| writer.add_captured(&page.page, date))
        });
        Ok(added.map_err(py_error)? == Added::Indexed)
    }

    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.writer.update(index::Writer::commit))
            .map_err(py_error)
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| self.writer.close());
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        _value: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let committed = if kind.is_none() {
            self.commit(py)
        } else {
            Ok(())
        };
        self.close(py);
        committed
    }
}
