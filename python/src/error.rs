//! The one exception, with the kind of trouble as the JSON names it.

use arrow_schema::ArrowError;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    heedful,
    Error,
    PyException,
    "What went wrong; `kind` is as in the JSON: limit, ambiguous, url ..."
);

/// An error of the library as Python raises it.
pub fn raised(error: &heedful::Error) -> PyErr {
    let raised = Error::new_err(error.to_string());
    Python::attach(|py| {
        // A value that takes no attribute is still the error.
        let _ = raised.value(py).setattr("kind", error.name());
    });
    raised
}

/// A problem that the library does not know of.
pub fn setting(message: impl std::fmt::Display) -> PyErr {
    raised(&heedful::ErrorKind::Setting(message.to_string()).into())
}

/// What is wrong with a batch, without the name that Arrow has for it.
pub fn plainly(error: ArrowError) -> String {
    match error {
        ArrowError::SchemaError(message) => message,
        other => other.to_string(),
    }
}

/// Trouble with a batch.
pub fn of_batch(error: ArrowError) -> PyErr {
    setting(plainly(error))
}
