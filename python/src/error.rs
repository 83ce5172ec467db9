//! The one exception. Its `kind` is the name of the error in the JSON.

use arrow_schema::ArrowError;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    heedful,
    Error,
    PyException,
    "What went wrong; `kind` is as in the JSON: limit, ambiguous, url ..."
);

/// The exception for an error of the library.
pub fn py_error(error: heedful::Error) -> PyErr {
    let raised = Error::new_err(error.to_string());
    Python::attach(|py| {
        // A value that takes no attribute is still the error.
        let _ = raised.value(py).setattr("kind", error.name());
    });
    raised
}

/// The exception for an argument that the library does not check.
pub fn setting_error(message: impl std::fmt::Display) -> PyErr {
    py_error(heedful::ErrorKind::Setting(message.to_string()).into())
}

/// The message of an error about a batch, without the prefix that Arrow puts before it.
pub fn arrow_message(error: ArrowError) -> String {
    match error {
        ArrowError::SchemaError(message) => message,
        other => other.to_string(),
    }
}

/// The exception for an error about a batch.
pub fn batch_error(error: ArrowError) -> PyErr {
    setting_error(arrow_message(error))
}
