//! Arguments as people give them. An error names the argument and says what is wanted:
//! `html: text or bytes is wanted, not None`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::SystemTime;

use arrow_array::RecordBatch;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString};
use pyo3::{PyClass, PyTypeInfo as _};
use pyo3_arrow::PyRecordBatch;

/// What an argument may be. Errors do not name the argument: `argument` does.
pub trait FromGiven<'py>: Sized {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self>;
}

/// An argument that must be there.
pub fn argument<'py, T: FromGiven<'py>>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<T> {
    T::of(given).map_err(|error| named(given.py(), name, error))
}

/// An argument that may be left out, or be None.
pub fn optional<'py, T: FromGiven<'py>>(
    name: &str,
    given: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<T>> {
    given.map(|given| argument(name, given)).transpose()
}

/// An argument that is an object of this module.
pub fn object<'a, 'py, T: PyClass>(
    name: &str,
    given: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, T>> {
    given.cast::<T>().map_err(|_| {
        let name_of = T::type_object(given.py())
            .name()
            .map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "{name}: a heedful.{name_of} is wanted, not {}",
            kind(given)
        ))
    })
}

/// The error with the argument's name. What a caller's own code raised is left alone.
fn named(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let message = format!("{name}: {}", error.value(py));
    let kind = error.get_type(py);
    if kind.is(PyTypeError::type_object(py)) {
        PyTypeError::new_err(message)
    } else if kind.is(PyValueError::type_object(py)) {
        PyValueError::new_err(message)
    } else if kind.is(PyOverflowError::type_object(py)) {
        PyOverflowError::new_err(message)
    } else {
        error
    }
}

/// The name of a value's type.
fn kind(given: &Bound<'_, PyAny>) -> String {
    if given.is_none() {
        return "None".to_owned();
    }
    given
        .get_type()
        .name()
        .map_or_else(|_| "this".to_owned(), |name| name.to_string())
}

fn refused(wanted: &str, given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{wanted} is wanted, not {}", kind(given)))
}

/// What is said where a value could not be taken.
fn failed(wanted: &str, given: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = given.py();
    if error.is_instance_of::<PyTypeError>(py) {
        refused(wanted, given)
    } else if error.is_instance_of::<PyOverflowError>(py) {
        PyOverflowError::new_err(format!("{wanted} is wanted, not {given}"))
    } else if error.is_instance_of::<PyValueError>(py) {
        PyValueError::new_err(format!("{wanted} is wanted: {}", error.value(py)))
    } else {
        error
    }
}

macro_rules! plain {
    ($($kind:ty: $wanted:literal;)*) => {$(
        impl<'py> FromGiven<'py> for $kind {
            fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
                given.extract().map_err(|error| failed($wanted, given, error))
            }
        }
    )*};
}

plain! {
    String: "text";
    bool: "True or False";
    u16: "a number from 0 to 65535";
    u64: "a number from 0";
    usize: "a number from 0";
    PathBuf: "a path (str or os.PathLike)";
}

impl<'py> FromGiven<'py> for SystemTime {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let wanted = "a datetime with tzinfo";
        if given.getattr("tzinfo").is_ok_and(|zone| zone.is_none()) {
            return Err(PyTypeError::new_err(format!(
                "{wanted} is wanted, not one without"
            )));
        }
        given
            .extract()
            .map_err(|error| failed(wanted, given, error))
    }
}

fn is_text(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>()
}

/// Text that was decoded before, or bytes.
pub enum FileContents {
    Text(String),
    Bytes(PyBackedBytes),
}

impl FileContents {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl<'py> FromGiven<'py> for FileContents {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            return String::of(given).map(Self::Text);
        }
        given
            .extract()
            .map(Self::Bytes)
            .map_err(|_| refused("text or bytes", given))
    }
}

/// A list of these.
pub fn list<'py, T: FromGiven<'py>>(wanted: &str, given: &Bound<'py, PyAny>) -> PyResult<Vec<T>> {
    // Text is a list of letters, and nobody means that; a mapping has values that would be lost.
    if is_text(given) || given.is_instance_of::<PyDict>() {
        return Err(refused(wanted, given));
    }
    given
        .try_iter()
        .map_err(|_| refused(wanted, given))?
        .map(|element| T::of(&element?))
        .collect()
}

/// A text, or several.
pub struct OneOrMore(pub Vec<String>);

impl<'py> FromGiven<'py> for OneOrMore {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            return Ok(Self(vec![String::of(given)?]));
        }
        list("text or a list of texts", given).map(Self)
    }
}

/// Several texts, so that one is not taken for a list of letters.
pub struct TextList(pub Vec<String>);

impl<'py> FromGiven<'py> for TextList {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        list("a list of texts", given).map(Self)
    }
}

impl<'py> FromGiven<'py> for Bound<'py, PyAny> {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(given.clone())
    }
}

/// Several tuples of so many texts.
pub struct Tuples<const N: usize>(pub Vec<[String; N]>);

impl<'py, const N: usize> FromGiven<'py> for Tuples<N> {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let wanted = match N {
            2 => "a list of pairs of texts, as [(\"noindex\", \"/drafts/*\")],",
            _ => "a list of texts by three, as [(\"noindex\", \"ad\", \"/ad\")],",
        };
        let tuple = |tuple: &Bound<'py, PyAny>| {
            let texts: Vec<String> = list(wanted, tuple)?;
            let count = texts.len();
            texts
                .try_into()
                .map_err(|_| PyTypeError::new_err(format!("{wanted} is wanted, not {count} texts")))
        };
        list(wanted, given)?
            .iter()
            .map(tuple)
            .collect::<PyResult<_>>()
            .map(Self)
    }
}

/// A mapping from texts.
impl<'py, T: FromGiven<'py>> FromGiven<'py> for HashMap<String, T> {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let mapping = given
            .cast::<PyMapping>()
            .map_err(|_| refused("a mapping (dict)", given))?;
        let mut all = Self::new();
        for pair in mapping.items()? {
            let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = pair.extract()?;
            let key = String::of(&key)?;
            let value = T::of(&value).map_err(|error| named(given.py(), &key, error))?;
            all.insert(key, value);
        }
        Ok(all)
    }
}

/// Headers as pairs, or as a mapping of any kind, to texts or lists of texts.
#[derive(Default)]
pub struct HeaderPairs(pub Vec<(String, String)>);

const HEADERS: &str = "a mapping, as {\"X-Robots-Tag\": \"noindex\"}, or pairs of name and value";

impl<'py> FromGiven<'py> for HeaderPairs {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let has_items = given.hasattr("items")?;
        let pairs = if has_items {
            given.call_method0("items")?
        } else {
            given.clone()
        };
        if is_text(&pairs) {
            return Err(refused(HEADERS, given));
        }
        let mut headers = Vec::new();
        for pair in pairs.try_iter().map_err(|_| refused(HEADERS, given))? {
            let pair = pair?;
            let both: Option<Vec<Bound<'_, PyAny>>> = if is_text(&pair) {
                None
            } else {
                pair.extract().ok()
            };
            let Some([name, values]) = both.as_deref() else {
                return Err(refused(HEADERS, &pair));
            };
            let name: String = name
                .extract()
                .map_err(|error| failed("text as the name of a header", name, error))?;
            let wanted = "text or a list of texts as the value of a header";
            let values = OneOrMore::of(values).map_err(|error| failed(wanted, values, error))?;
            headers.extend(values.0.into_iter().map(|value| (name.clone(), value)));
        }
        Ok(Self(headers))
    }
}

/// Paths of inputs. There may be several, so that a single text is not taken for a list of letters.
pub struct Paths(pub Vec<PathBuf>);

impl<'py> FromGiven<'py> for Paths {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let wanted = "a list of paths, as [\"pages.warc.gz\"],";
        if given.hasattr("__fspath__")? {
            return Err(refused(wanted, given));
        }
        list(wanted, given).map(Self)
    }
}

/// Rows in Arrow.
impl<'py> FromGiven<'py> for RecordBatch {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        given.extract().map(PyRecordBatch::into_inner).map_err(|_| {
            let hint = if given.hasattr("to_batches").unwrap_or(false) {
                ": see its to_batches()"
            } else {
                ""
            };
            PyTypeError::new_err(format!(
                "a pyarrow.RecordBatch is wanted, not {}{hint}",
                kind(given)
            ))
        })
    }
}
