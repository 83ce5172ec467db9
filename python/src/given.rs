//! Parses the arguments of Python functions. An error names the argument and the accepted types:
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

/// Type to which a Python argument can be converted. An error of the conversion does not name the
/// argument; the function [`argument`] adds its name.
pub trait FromGiven<'py>: Sized {
    /// Converts a Python value to this type.
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self>;
}

/// Converts the required argument `name` of a Python function.
pub fn argument<'py, T: FromGiven<'py>>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<T> {
    T::from_python(given).map_err(|error| add_argument_name(given.py(), name, error))
}

/// Converts the optional argument `name` of a Python function. Returns `None` if the argument is
/// missing or None.
pub fn optional<'py, T: FromGiven<'py>>(
    name: &str,
    given: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<T>> {
    given.map(|given| argument(name, given)).transpose()
}

/// Checks that the argument `name` of a Python function is an object of this module's class `T`.
pub fn object<'a, 'py, T: PyClass>(
    name: &str,
    given: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, T>> {
    if let Ok(object) = given.cast::<T>() {
        return Ok(object);
    }
    let wanted = match T::type_object(given.py()).name() {
        Ok(name) => name.to_string(),
        Err(_) => "object".to_owned(),
    };
    Err(PyTypeError::new_err(format!(
        "{name}: a heedful.{wanted} is wanted, not {}",
        type_name(given)
    )))
}

/// Adds the name of a Python argument to the message of an error. This changes only errors of the
/// classes `TypeError`, `ValueError` and `OverflowError`. Any other error is returned unchanged,
/// such as an error of the caller's own classes.
fn add_argument_name(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
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

/// Returns the name of the type of a Python value.
fn type_name(given: &Bound<'_, PyAny>) -> String {
    if given.is_none() {
        return "None".to_owned();
    }
    match given.get_type().name() {
        Ok(name) => name.to_string(),
        Err(_) => "this".to_owned(),
    }
}

/// Creates the error for a Python value whose type is not the type that `wanted` describes.
fn type_error(wanted: &str, given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{wanted} is wanted, not {}", type_name(given)))
}

/// Replaces the error of a failed conversion of a Python value by an error that names the type
/// `wanted`.
fn conversion_error(wanted: &str, given: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = given.py();
    if error.is_instance_of::<PyTypeError>(py) {
        type_error(wanted, given)
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
            fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
                given.extract().map_err(|error| conversion_error($wanted, given, error))
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
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let wanted = "a datetime with tzinfo";
        if given.getattr("tzinfo").is_ok_and(|zone| zone.is_none()) {
            return Err(PyTypeError::new_err(format!(
                "{wanted} is wanted, not one without"
            )));
        }
        given.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyValueError>(given.py()) {
                PyValueError::new_err(format!("{wanted}, from 1970 on, is wanted, not {given}"))
            } else {
                conversion_error(wanted, given, error)
            }
        })
    }
}

/// True if the Python value is a `str` or `bytes`.
fn is_text(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>()
}

/// Contents of a file as Python gives them: decoded text, or bytes.
pub enum FileContents {
    Text(String),
    Bytes(PyBackedBytes),
}

impl FileContents {
    /// Returns the bytes of the file. For decoded text, returns the text in UTF-8.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl<'py> FromGiven<'py> for FileContents {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            return String::from_python(given).map(Self::Text);
        }
        match given.extract() {
            Ok(bytes) => Ok(Self::Bytes(bytes)),
            Err(_) => Err(type_error("text or bytes", given)),
        }
    }
}

/// Converts a Python list or another iterable to a vector. `wanted` describes the expected type in
/// errors.
pub fn list<'py, T: FromGiven<'py>>(wanted: &str, given: &Bound<'py, PyAny>) -> PyResult<Vec<T>> {
    // A text would iterate over its characters, and a mapping would lose its values.
    if is_text(given) || given.is_instance_of::<PyDict>() {
        return Err(type_error(wanted, given));
    }
    let Ok(elements) = given.try_iter() else {
        return Err(type_error(wanted, given));
    };
    elements.map(|element| T::from_python(&element?)).collect()
}

/// Python argument that is either one text or a list of texts.
pub struct OneOrMore(pub Vec<String>);

impl<'py> FromGiven<'py> for OneOrMore {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            return Ok(Self(vec![String::from_python(given)?]));
        }
        list("text or a list of texts", given).map(Self)
    }
}

/// Python argument that is a list of texts. A single text is refused, although Python can iterate
/// over its characters.
pub struct TextList(pub Vec<String>);

impl<'py> FromGiven<'py> for TextList {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        list("a list of texts", given).map(Self)
    }
}

impl<'py> FromGiven<'py> for Bound<'py, PyAny> {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(given.clone())
    }
}

/// Python argument that is a list of tuples of `N` texts.
pub struct Tuples<const N: usize>(pub Vec<[String; N]>);

impl<'py, const N: usize> FromGiven<'py> for Tuples<N> {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let wanted = match N {
            2 => "a list of pairs of texts, as [(\"noindex\", \"/drafts/*\")],",
            _ => "a list of texts by three, as [(\"noindex\", \"ad\", \"/ad\")],",
        };
        let mut tuples = Vec::new();
        for tuple in list::<Bound<'py, PyAny>>(wanted, given)? {
            let texts: Vec<String> = list(wanted, &tuple)?;
            let count = texts.len();
            let Ok(texts) = texts.try_into() else {
                return Err(PyTypeError::new_err(format!(
                    "{wanted} is wanted, not {count} texts"
                )));
            };
            tuples.push(texts);
        }
        Ok(Self(tuples))
    }
}

/// Python argument that is a mapping whose keys are texts.
impl<'py, T: FromGiven<'py>> FromGiven<'py> for HashMap<String, T> {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let Ok(mapping) = given.cast::<PyMapping>() else {
            return Err(type_error("a mapping (dict)", given));
        };
        let mut all = Self::new();
        for pair in mapping.items()? {
            let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = pair.extract()?;
            let key = String::from_python(&key)?;
            let value = argument(&key, &value)?;
            all.insert(key, value);
        }
        Ok(all)
    }
}

/// HTTP headers as a Python argument. It is a list of pairs of name and value, or a mapping from
/// names to texts or lists of texts.
#[derive(Default)]
pub struct HeaderPairs(pub Vec<(String, String)>);

const HEADERS: &str = "a mapping, as {\"X-Robots-Tag\": \"noindex\"}, or pairs of name and value";

impl<'py> FromGiven<'py> for HeaderPairs {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let has_items = given.hasattr("items")?;
        let pairs = if has_items {
            given.call_method0("items")?
        } else {
            given.clone()
        };
        if is_text(&pairs) {
            return Err(type_error(HEADERS, given));
        }
        let mut headers = Vec::new();
        let Ok(pairs) = pairs.try_iter() else {
            return Err(type_error(HEADERS, given));
        };
        for pair in pairs {
            let pair = pair?;
            let both: Option<Vec<Bound<'_, PyAny>>> = if is_text(&pair) {
                None
            } else {
                pair.extract().ok()
            };
            let Some([name, values]) = both.as_deref() else {
                return Err(type_error(HEADERS, &pair));
            };
            let name: String = name
                .extract()
                .map_err(|error| conversion_error("text as the name of a header", name, error))?;
            let wanted = "text or a list of texts as the value of a header";
            let values = OneOrMore::from_python(values)
                .map_err(|error| conversion_error(wanted, values, error))?;
            for value in values.0 {
                headers.push((name.clone(), value));
            }
        }
        Ok(Self(headers))
    }
}

/// Python argument that is a list of paths of inputs. A single text is refused, although Python can
/// iterate over its characters.
pub struct Paths(pub Vec<PathBuf>);

impl<'py> FromGiven<'py> for Paths {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let wanted = "a list of paths, as [\"pages.warc.gz\"],";
        if given.hasattr("__fspath__")? {
            return Err(type_error(wanted, given));
        }
        list(wanted, given).map(Self)
    }
}

/// Python argument that is a batch of rows in Arrow.
impl<'py> FromGiven<'py> for RecordBatch {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(batch) = given.extract::<PyRecordBatch>() {
            return Ok(batch.into_inner());
        }
        let hint = if given.hasattr("to_batches").unwrap_or(false) {
            ": see its to_batches()"
        } else {
            ""
        };
        Err(PyTypeError::new_err(format!(
            "a pyarrow.RecordBatch is wanted, not {}{hint}",
            type_name(given)
        )))
    }
}
