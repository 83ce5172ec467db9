//! Pages as Python objects. A `Page` has the parts of a page that one bot may use. The attributes
//! have the names of the keys in the program's JSON.

use std::time::SystemTime;

use heedful::{Policy, Use};
use heedful_json as json;
use heedful_json::PageJson;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::robots::PyRuling;

/// The parts of a page that one bot may use.
#[pyclass(frozen, name = "Page", module = "heedful")]
pub struct PyPage(pub heedful::Page);

#[pymethods]
impl PyPage {
    #[getter]
    fn url(&self) -> &str {
        self.0.url()
    }

    #[getter]
    fn bot(&self) -> &str {
        self.0.bot().name()
    }

    #[getter]
    fn verdict(&self) -> PyVerdict {
        PyVerdict::new(self.0.policy())
    }

    #[getter]
    fn title(&self) -> Vec<String> {
        self.0.title().to_vec()
    }

    #[getter]
    fn description(&self) -> Vec<String> {
        self.0.description().to_vec()
    }

    #[getter]
    fn headings(&self) -> Vec<String> {
        self.0.headings().to_vec()
    }

    #[getter]
    fn phrases(&self) -> Vec<String> {
        self.0.phrases().to_vec()
    }

    #[getter]
    fn alt(&self) -> Vec<String> {
        self.0.alternative().to_vec()
    }

    #[getter]
    fn links(&self) -> Vec<PyLink> {
        self.0.links().iter().map(PyLink::new).collect()
    }

    #[getter]
    fn exclusions(&self) -> Vec<PyExclusion> {
        self.0
            .exclusions()
            .map(|exclusion| PyExclusion::new(&exclusion))
            .collect()
    }

    #[getter]
    fn notes(&self) -> Vec<PyNote> {
        self.0.notes().map(PyNote::new).collect()
    }

    #[getter]
    fn snapshot(&self) -> Option<String> {
        self.0.snapshot(&heedful::Dressing::default())
    }

    #[getter]
    fn excerpt(&self) -> String {
        self.0.excerpt()
    }

    #[getter]
    fn shown_title(&self) -> String {
        self.0.shown_title()
    }

    #[getter]
    fn input(&self) -> String {
        self.0.input()
    }

    #[getter]
    fn lang(&self) -> Option<&str> {
        self.0.language()
    }

    #[getter]
    fn canonical(&self) -> Option<&str> {
        self.0.canonical_url()
    }

    #[getter]
    fn content_type(&self) -> Option<&str> {
        self.0.content_type()
    }

    #[getter]
    fn status(&self) -> Option<u16> {
        self.0.status()
    }

    #[getter]
    fn fetched(&self) -> Option<SystemTime> {
        self.0.fetched()
    }

    #[getter]
    fn kept_out(&self) -> Option<PyRuling> {
        let (robots, ruling) = self.0.robots_denial()?;
        Some(PyRuling::new(
            robots,
            &ruling,
            self.0.bot(),
            self.0.url(),
            None,
            None,
        ))
    }

    fn to_json(&self) -> String {
        json::line(&PageJson::page(&self.0))
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json(),))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let url = PyString::new(py, self.url()).repr()?;
        let bot = PyString::new(py, self.bot()).repr()?;
        let phrases = count(self.0.phrases().len(), "phrase");
        let links = count(self.0.links().len(), "link");
        Ok(format!(
            "<heedful.Page {url} for {bot}: {phrases}, {links}>"
        ))
    }
}

/// Formats a number with its noun, such as `1 link` or `2 links`.
fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Permitted uses of the page as a whole. A denial that follows from the denial of another use is
/// already applied.
#[pyclass(frozen, get_all, name = "Verdict", module = "heedful")]
pub struct PyVerdict {
    enter: bool,
    index: bool,
    follow: bool,
    anchor: bool,
    archive: bool,
    snippet: bool,
    image: bool,
    translate: bool,
    train: bool,
    input: bool,
    max_snippet: Option<u32>,
    max_image_preview: Option<&'static str>,
    max_video_preview: Option<u32>,
    unavailable_after: Option<SystemTime>,
}

impl PyVerdict {
    fn new(policy: &Policy) -> Self {
        Self {
            enter: policy.may_fetch(),
            index: policy.allows(Use::Index),
            follow: policy.allows(Use::Follow),
            anchor: policy.allows(Use::Anchor),
            archive: policy.allows(Use::Archive),
            snippet: policy.allows(Use::Snippet),
            image: policy.allows(Use::Image),
            translate: policy.allows(Use::Translate),
            train: policy.allows(Use::Train),
            input: policy.allows(Use::Input),
            max_snippet: policy.max_snippet(),
            max_image_preview: policy.max_image_preview().map(heedful::ImagePreview::name),
            max_video_preview: policy.max_video_preview(),
            unavailable_after: policy.unavailable_after(),
        }
    }
}

/// Directive of a publisher, with its source and its position in the page.
#[pyclass(frozen, get_all, name = "Directive", module = "heedful")]
#[derive(Clone)]
pub struct PyDirective {
    line: Option<u32>,
    column: Option<u32>,
    convention: &'static str,
    directive: String,
    origin: &'static str,
}

impl PyDirective {
    fn new(directive: &heedful::Directive) -> Self {
        Self {
            line: directive.place().map(heedful::Place::line),
            column: directive.place().map(heedful::Place::column),
            convention: directive.convention(),
            directive: directive.text().to_owned(),
            origin: directive.origin().name(),
        }
    }
}

/// Link of a page, with the uses that are allowed for the link.
#[pyclass(frozen, get_all, name = "Link", module = "heedful")]
pub struct PyLink {
    url: String,
    kind: &'static str,
    rel: Vec<String>,
    text: String,
    phrases: Vec<String>,
    show: bool,
    input: bool,
    follow: bool,
    anchor: bool,
    why_not_follow: Option<PyDirective>,
    why_not_anchor: Option<PyDirective>,
}

impl PyLink {
    fn new(link: &heedful::Link) -> Self {
        Self {
            url: link.url().to_owned(),
            kind: link.kind().name(),
            rel: link.rel().to_vec(),
            text: link.text().to_owned(),
            phrases: link.phrases().map(str::to_owned).collect(),
            show: link.may_show(),
            input: link.may_be_input(),
            follow: link.may_follow(),
            anchor: link.may_credit(),
            why_not_follow: link.why_not_follow().map(PyDirective::new),
            why_not_anchor: link.why_not_credit().map(PyDirective::new),
        }
    }
}

/// Withheld part of a page, as byte offsets in the decoded page, with the directive that denies it.
#[pyclass(frozen, get_all, name = "Exclusion", module = "heedful")]
pub struct PyExclusion {
    #[pyo3(name = "use")]
    usage: &'static str,
    start: u64,
    end: u64,
    directive: PyDirective,
}

impl PyExclusion {
    fn new(exclusion: &heedful::Exclusion<'_>) -> Self {
        let range = exclusion.range();
        let directive = PyDirective::new(exclusion.directive());
        Self {
            usage: exclusion.usage().name(),
            start: range.start,
            end: range.end,
            directive,
        }
    }
}

/// Note on markup of a page that looks wrong.
#[pyclass(frozen, get_all, name = "Note", module = "heedful")]
pub struct PyNote {
    kind: &'static str,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
    convention: Option<&'static str>,
}

impl PyNote {
    fn new(note: &heedful::Note) -> Self {
        Self {
            kind: note.kind().name(),
            line: note.place().map(heedful::Place::line),
            column: note.place().map(heedful::Place::column),
            message: note.message().to_owned(),
            convention: note.convention(),
        }
    }
}
