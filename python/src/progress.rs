//! Reports the progress of a run to a callback.
//!
//! The progress callback is called after each batch, on the thread that requests batches. If the
//! callback raises an exception, the stream ends and the caller gets the exception.

use std::sync::Arc;

use heedful_input::Input;
use pyo3::exceptions::{PyStopIteration, PyTypeError};
use pyo3::prelude::*;

use crate::whole::{Argument, OpenedInputs};

/// Converts the Python argument `progress` to a callback. A function is the callback itself. For
/// True, returns a callback that prints a line to standard error. Returns `None` for False, for
/// None, and if the argument is missing.
pub fn callback<'py>(progress: Argument<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(progress) = progress else {
        return Ok(None);
    };
    if let Ok(is_asked) = progress.extract::<bool>() {
        if !is_asked {
            return Ok(None);
        }
        let module = progress.py().import("heedful._progress")?;
        return Ok(Some(module.getattr("Line")?.call0()?));
    }
    if progress.is_callable() {
        return Ok(Some(progress.clone()));
    }
    let kind = progress.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "progress: True or a function of two numbers is wanted, not {kind}"
    )))
}

/// Returns a reader with the same batches as `batches`. The reader calls the progress callback
/// `callback` after each batch.
pub fn report_progress<'py>(
    batches: &Bound<'py, PyAny>,
    opened: Arc<OpenedInputs>,
    callback: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = batches.py();
    let progress = PyProgress {
        batches: batches.clone().unbind(),
        opened,
        callback: callback.unbind(),
    };
    progress.report(py, ProgressPoint::Start)?;
    let reader = py.import("pyarrow")?.getattr("RecordBatchReader")?;
    reader.call_method1("from_batches", (batches.getattr("schema")?, progress))
}

/// Iterator over batches. It calls the progress callback after each batch.
#[pyclass(frozen, name = "Progress", module = "heedful")]
struct PyProgress {
    batches: Py<PyAny>,
    opened: Arc<OpenedInputs>,
    callback: Py<PyAny>,
}

/// Point of a run at which progress is reported. It is before the first batch, after a batch, or at
/// the end.
enum ProgressPoint {
    Start,
    Midst,
    End,
}

impl PyProgress {
    /// Calls the progress callback with the number of bytes read and the total number of bytes.
    fn report(&self, py: Python<'_>, point: ProgressPoint) -> PyResult<()> {
        let read: u64 = self.opened.inputs.iter().map(Input::read).sum();
        // The size of a pipe is unknown.
        let total = self
            .opened
            .inputs
            .iter()
            .map(Input::size)
            .sum::<u64>()
            .max(read);
        let done = match point {
            ProgressPoint::Start => 0,
            // Inputs are read ahead of the batches, so all may be read before the last batch.
            ProgressPoint::Midst => read.min(total.saturating_sub(1)),
            ProgressPoint::End => total,
        };
        self.callback.call1(py, (done, total)).map(drop)
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
            Ok(_) => self.report(py, ProgressPoint::Midst)?,
            Err(error) if error.is_instance_of::<PyStopIteration>(py) => {
                self.report(py, ProgressPoint::End)?;
            }
            Err(_) => {}
        }
        batch
    }
}
