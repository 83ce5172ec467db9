//! How far a run is: a function of the caller's own is told it behind each batch, on the thread
//! that asks for batches. What it raises ends the stream, and reaches the caller as it is.

use std::sync::Arc;

use heedful_input::Input;
use pyo3::exceptions::{PyStopIteration, PyTypeError};
use pyo3::prelude::*;

use crate::whole::OpenedInputs;

/// What is told: a function, for True a line on the standard error stream, for False nothing.
pub fn told<'py>(progress: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Ok(is_asked) = progress.extract::<bool>() {
        let line = || {
            progress
                .py()
                .import("heedful._progress")?
                .getattr("Line")?
                .call0()
        };
        return is_asked.then(line).transpose();
    }
    if progress.is_callable() {
        return Ok(Some(progress.clone()));
    }
    let kind = progress.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "progress: True or a function of two numbers is wanted, not {kind}"
    )))
}

/// The same batches, and how far the inputs are read behind each.
pub fn watched<'py>(
    batches: &Bound<'py, PyAny>,
    opened: Arc<OpenedInputs>,
    tell: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = batches.py();
    let watched = PyProgress {
        batches: batches.clone().unbind(),
        opened,
        tell: tell.unbind(),
    };
    watched.say(py, ProgressPoint::Start)?;
    let reader = py.import("pyarrow")?.getattr("RecordBatchReader")?;
    reader.call_method1("from_batches", (batches.getattr("schema")?, watched))
}

#[pyclass(frozen, name = "Progress", module = "heedful")]
struct PyProgress {
    batches: Py<PyAny>,
    opened: Arc<OpenedInputs>,
    tell: Py<PyAny>,
}

/// Where a run is.
enum ProgressPoint {
    Start,
    Midst,
    End,
}

impl PyProgress {
    fn say(&self, py: Python<'_>, at: ProgressPoint) -> PyResult<()> {
        let read: u64 = self.opened.inputs.iter().map(Input::read).sum();
        // Of a pipe nobody knows how much there is.
        let total = self
            .opened
            .inputs
            .iter()
            .map(Input::size)
            .sum::<u64>()
            .max(read);
        let done = match at {
            ProgressPoint::Start => 0,
            // Inputs are read ahead of the batches.
            ProgressPoint::Midst => read.min(total.saturating_sub(1)),
            ProgressPoint::End => total,
        };
        self.tell.call1(py, (done, total)).map(drop)
    }
}

#[pymethods]
impl PyProgress {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let batch = self.batches.call_method0(py, "read_next_batch");
        match &batch {
            Ok(_) => self.say(py, ProgressPoint::Midst)?,
            Err(error) if error.is_instance_of::<PyStopIteration>(py) => {
                self.say(py, ProgressPoint::End)?
            }
            Err(_) => {}
        }
        batch
    }
}
