//! `heedful.Error`, the only exception class of the module. Its attribute `kind` has the name of
//! the kind of error, as in the program's JSON.

use arrow_schema::ArrowError;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    heedful,
    Error,
    PyException,
    "What went wrong; `kind` is as in the JSON: limit, ambiguous, url ..."
);

/// Converts an error of the library to the exception `heedful.Error`.
pub fn py_error(error: heedful::Error) -> PyErr {
    let raised = Error::new_err(error.to_string());
    Python::attach(|py| {
        // An exception on which `kind` cannot be set is raised without it.
        let _ = raised.value(py).setattr("kind", error.name());
    });
    raised
}

/// Creates the exception `heedful.Error` for an invalid argument that the library does not check
/// itself.
pub fn setting_error(message: impl std::fmt::Display) -> PyErr {
    py_error(heedful::ErrorKind::Setting(message.to_string()).into())
}

/// Returns the message of an Arrow error about a batch, without Arrow's prefix.
pub fn arrow_message(error: ArrowError) -> String {
    match error {
        ArrowError::SchemaError(message) => message,
        other => other.to_string(),
    }
}

/// Converts an Arrow error about a batch to the exception `heedful.Error`.
pub fn batch_error(error: ArrowError) -> PyErr {
    setting_error(arrow_message(error))
}
