//! The one exception, with the kind of trouble as the JSON names it.

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
