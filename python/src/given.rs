//! Arguments as people give them. An invalid one is refused with what to give instead; the caller adds the argument's
//! name.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use pyo3_arrow::PyRecordBatch;

/// The name of a value's type.
fn kind(given: &Bound<'_, PyAny>) -> String {
    given.get_type().name().map_or_else(|_| "this".to_owned(), |name| name.to_string())
}

fn refused(wanted: &str, given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{wanted}, not {}", kind(given)))
}

fn is_text(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>()
}

/// Text that was decoded before, or bytes.
pub enum Contents {
    Text(String),
    Bytes(PyBackedBytes),
}

impl Contents {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Contents {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            return Ok(Self::Text(given.extract()?));
        }
        given.extract().map(Self::Bytes).map_err(|_| refused("give text (str) or bytes", &given))
    }
}

/// A text, or several.
pub enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub fn list(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::More(texts) => texts,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for OneOrMore {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            return Ok(Self::One(given.extract()?));
        }
        given.extract().map(Self::More).map_err(|_| refused("give a text (str) or a list of texts", &given))
    }
}

/// Headers as pairs, or as a mapping of any kind, to texts or lists of texts.
pub struct Headers(pub Vec<(String, String)>);

const HEADERS: &str = "give headers as a mapping, {\"X-Robots-Tag\": \"noindex\"}, or as pairs of name and value";

impl<'py> FromPyObject<'_, 'py> for Headers {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let has_items = given.hasattr("items")?;
        let pairs = if has_items { given.call_method0("items")? } else { given.to_owned() };
        if is_text(&pairs) {
            return Err(refused(HEADERS, &given));
        }
        let mut headers = Vec::new();
        for pair in pairs.try_iter().map_err(|_| refused(HEADERS, &given))? {
            let pair = pair?;
            let both: Option<Vec<Bound<'_, PyAny>>> = if is_text(&pair) { None } else { pair.extract().ok() };
            let Some([name, values]) = both.as_deref() else { return Err(refused(HEADERS, &pair)) };
            let name: String = name.extract().map_err(|_| refused("the name of a header is text (str)", name))?;
            let values: OneOrMore = values
                .extract()
                .map_err(|_| refused("the value of a header is a text (str) or a list of texts", values))?;
            headers.extend(values.list().into_iter().map(|value| (name.clone(), value)));
        }
        Ok(Self(headers))
    }
}

/// Paths of inputs. There may be several, so that a single text is not taken for a list of letters.
pub struct Paths(pub Vec<PathBuf>);

impl<'py> FromPyObject<'_, 'py> for Paths {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if is_text(&given) || given.hasattr("__fspath__")? {
            return Err(refused("give a list of paths, as [\"pages.warc.gz\"]", &given));
        }
        given.extract().map(Self).map_err(|_| refused("give a list of paths (str or os.PathLike)", &given))
    }
}

/// Rows in Arrow.
pub struct Batch(pub PyRecordBatch);

impl<'py> FromPyObject<'_, 'py> for Batch {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        given.extract().map(Self).map_err(|_| {
            let hint = if given.hasattr("to_batches").unwrap_or(false) { ": see its to_batches()" } else { "" };
            PyTypeError::new_err(format!("give a pyarrow.RecordBatch, not {}{hint}", kind(&given)))
        })
    }
}
